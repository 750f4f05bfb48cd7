//! Keyword arguments that say how a source is read: how JSON is spelled, how strict a schema is taken, which Lark.

use std::collections::BTreeMap;

use glrmask::json_schema::{Escapes, Limits, PropertyOrder, Unsupported, Whitespace};
use glrmask::{JsonSchemaOptions, LarkOptions, LarkProfile, RegexFlavor, TokenId};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::wrong_type;
use crate::grammar::schema_text;
use crate::vocab::{declared_id, token_ids, token_name};

const WHITESPACE: &[(&str, Whitespace)] =
    &[("spaced", Whitespace::Spaced), ("compact", Whitespace::Compact), ("flexible", Whitespace::Flexible)];
const ORDER: &[(&str, PropertyOrder)] = &[("schema", PropertyOrder::Schema), ("any", PropertyOrder::Any)];
const ESCAPES: &[(&str, Escapes)] =
    &[("natural", Escapes::Natural), ("canonical", Escapes::Canonical), ("any", Escapes::Any)];
const PROFILE: &[(&str, LarkProfile)] = &[("recognition", LarkProfile::Recognition), ("llm", LarkProfile::Llm)];
const FLAVOR: &[(&str, RegexFlavor)] = &[("rust", RegexFlavor::Rust), ("ecma", RegexFlavor::Ecma)];
const UNSUPPORTED: &[(&str, Unsupported)] = &[("error", Unsupported::Error), ("weaken", Unsupported::Weaken)];

/// Options from keyword arguments; what is not given has its default.
pub(crate) fn json_schema(given: Option<&Bound<'_, PyDict>>) -> PyResult<JsonSchemaOptions> {
    let mut options = JsonSchemaOptions::default();
    for (name, value) in given.into_iter().flatten() {
        let name: String = name.extract()?;
        match name.as_str() {
            "whitespace" => options.whitespace = choice(&name, &value, WHITESPACE)?,
            "max_whitespace" => options.max_whitespace = bound(&name, &value)?,
            "property_order" => options.property_order = choice(&name, &value, ORDER)?,
            "ensure_ascii" => options.ensure_ascii = flag(&name, &value)?,
            "escapes" => options.escapes = choice(&name, &value, ESCAPES)?,
            "format_assertion" => options.format_assertion = flag(&name, &value)?,
            "registry" => options.registry = registry(&name, &value)?,
            "unsupported" => options.unsupported = choice(&name, &value, UNSUPPORTED)?,
            "limits" => limits(&value, &mut options.limits)?,
            _ => return Err(PyTypeError::new_err(format!("'{name}' is not an option of JSON Schema import"))),
        }
    }
    Ok(options)
}

/// Documents by URI, each a schema as text or value.
fn registry(name: &str, value: &Bound<'_, PyAny>) -> PyResult<BTreeMap<String, String>> {
    let Ok(documents) = value.cast::<PyDict>() else { return Err(wrong_type(name, "dict", value)) };
    let mut texts = BTreeMap::new();
    for (uri, document) in documents {
        let Ok(key) = uri.extract() else { return Err(wrong_type("a key of registry", "str", &uri)) };
        texts.insert(key, schema_text(&document)?);
    }
    Ok(texts)
}

/// How a Lark grammar is read.
pub(crate) fn lark(profile: &str, names: Option<&Bound<'_, PyAny>>) -> PyResult<LarkOptions> {
    let profile = named("profile", profile, PROFILE)?;
    Ok(LarkOptions { profile, token_names: token_names(names)?, ..LarkOptions::default() })
}

/// The syntax of a regular expression.
pub(crate) fn regex_flavor(flavor: &str) -> PyResult<RegexFlavor> {
    named("flavor", flavor, FLAVOR)
}

/// Ids by the names of token atoms.
pub(crate) fn token_names(names: Option<&Bound<'_, PyAny>>) -> PyResult<BTreeMap<String, Vec<TokenId>>> {
    let Some(names) = names else { return Ok(BTreeMap::new()) };
    let Ok(entries) = names.cast::<PyDict>() else {
        return Err(wrong_type("token_names", "a dict from str to int or a sequence of int", names));
    };
    let entry = |(name, ids): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        let name = token_name(&name)?;
        let ids = match ids.try_iter() {
            Ok(_) => token_ids("the ids of a token name", &ids)?,
            Err(_) => vec![declared_id(&ids)?],
        };
        Ok((name, ids))
    };
    entries.iter().map(entry).collect()
}

/// Limits by name; what is not given keeps its default.
fn limits(given: &Bound<'_, PyAny>, limits: &mut Limits) -> PyResult<()> {
    let Ok(given) = given.cast::<PyDict>() else { return Err(wrong_type("limits", "dict", given)) };
    for (name, value) in given {
        let name: String = name.extract()?;
        let limit = match name.as_str() {
            "schema_bytes" => &mut limits.schema_bytes,
            "depth" => &mut limits.depth,
            "productions" => &mut limits.productions,
            "branches" => &mut limits.branches,
            "regex_states" => &mut limits.regex_states,
            "facts" => &mut limits.facts,
            "watched" => &mut limits.watched,
            "places" => &mut limits.places,
            "digits" => &mut limits.digits,
            "steps" => &mut limits.steps,
            _ => return Err(PyTypeError::new_err(format!("'{name}' is not a limit of JSON Schema import"))),
        };
        *limit = count(&name, Some(&value))?.ok_or_else(|| wrong_type(&name, "int", &value))?;
    }
    Ok(())
}

/// How many of something, if that is said.
pub(crate) fn count(name: &str, value: Option<&Bound<'_, PyAny>>) -> PyResult<Option<usize>> {
    let Some(value) = value.filter(|value| !value.is_none()) else { return Ok(None) };
    let number = match value.extract::<i64>() {
        Ok(number) => number,
        // As much as anybody could have, or as little.
        Err(error) if error.is_instance_of::<PyOverflowError>(value.py()) => match value.lt(0)? {
            true => i64::MIN,
            false => i64::MAX,
        },
        Err(_) => return Err(wrong_type(name, "int", value)),
    };
    let number = usize::try_from(number);
    number.map(Some).map_err(|_| PyValueError::new_err(format!("{name} must not be negative, not {value}")))
}

fn choice<T: Copy>(name: &str, value: &Bound<'_, PyAny>, choices: &[(&str, T)]) -> PyResult<T> {
    let Ok(given) = value.extract::<String>() else { return Err(wrong_type(name, "str", value)) };
    named(name, &given, choices)
}

/// The choice of this name.
pub(crate) fn named<T: Copy>(name: &str, given: &str, choices: &[(&str, T)]) -> PyResult<T> {
    let found = choices.iter().find(|(choice, _)| *choice == given).map(|(_, meaning)| *meaning);
    found.ok_or_else(|| {
        let names: Vec<_> = choices.iter().map(|(choice, _)| format!("'{choice}'")).collect();
        PyValueError::new_err(format!("{name} must be {}, not '{given}'", names.join(" or ")))
    })
}

fn flag(name: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    value.extract().map_err(|_| wrong_type(name, "bool", value))
}

fn bound(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Option<u32>> {
    if value.is_none() {
        return Ok(None);
    }
    let Ok(given) = value.extract::<i64>() else { return Err(wrong_type(name, "int or None", value)) };
    let bound = u32::try_from(given);
    bound.map(Some).map_err(|_| PyValueError::new_err(format!("{name} must be from 0 to 4294967295, not {given}")))
}
