//! From JSON to the tree of formats. Unknown fields are errors: nothing is dropped silently.

use serde_json::{Map, Value};

use super::format::{End, Format, Kind, Mark, Tag, Token, Triggered};
use crate::diagnostic::GrammarError;
use crate::ir::Span;

type Result<T> = std::result::Result<T, GrammarError>;

/// Reads a structural tag.
pub(super) fn read(source: &str) -> Result<Format> {
    let value: Value = serde_json::from_str(source).map_err(|error| not_json(source, &error))?;
    match value.get("type").and_then(Value::as_str) {
        Some("structural_tag") => {
            let mut object = Object::new(&value, "")?;
            let format = object.format("format")?;
            object.finish()?;
            Ok(format)
        }
        None if value.get("structures").is_some() => older(&value),
        _ => format(&value, ""),
    }
}

fn not_json(source: &str, error: &serde_json::Error) -> GrammarError {
    let before: usize = source.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    let start = (before + error.column().saturating_sub(1)).min(source.len());
    let span = Span { start, end: start, line: error.line(), column: error.column() };
    GrammarError::syntax(format!("not JSON: {error}"), Some(span))
}

fn invalid<T>(pointer: &str, message: impl std::fmt::Display) -> Result<T> {
    Err(GrammarError::invalid(format!("{pointer}: {message}"), None))
}

fn unsupported<T>(pointer: &str, message: impl std::fmt::Display) -> Result<T> {
    Err(GrammarError::unsupported(format!("{pointer}: {message} is not supported"), None))
}

/// `{"structures": [{"begin", "schema", "end"}], "triggers": […]}`.
fn older(value: &Value) -> Result<Format> {
    let mut object = Object::new(value, "")?;
    let triggers = object.strings("triggers")?;
    let mut tags = Vec::new();
    for (pointer, structure) in object.list("structures")? {
        let mut structure = Object::new(structure, &pointer)?;
        let begin = Mark::Text(structure.string("begin")?);
        let schema = structure.required("schema")?.to_string();
        let end = End::Texts(vec![structure.string("end")?]);
        let content = Format { kind: Kind::JsonSchema(schema, false), pointer: format!("{pointer}/schema") };
        structure.finish()?;
        tags.push(Tag { begin, content, end });
    }
    object.finish()?;
    let triggered = triggered(&triggers, tags, Flags::default(), Vec::new(), "")?;
    Ok(Format { kind: Kind::Triggered(triggered), pointer: String::new() })
}

/// An object whose fields are taken out one by one.
struct Object<'v> {
    fields: &'v Map<String, Value>,
    taken: Vec<&'static str>,
    pointer: String,
}

impl<'v> Object<'v> {
    fn new(value: &'v Value, pointer: &str) -> Result<Self> {
        match value.as_object() {
            Some(fields) => Ok(Self { fields, taken: vec!["type"], pointer: pointer.to_owned() }),
            None => invalid(pointer, "expected an object"),
        }
    }
    fn optional(&mut self, name: &'static str) -> Option<&'v Value> {
        self.taken.push(name);
        self.fields.get(name).filter(|value| !value.is_null())
    }
    fn required(&mut self, name: &'static str) -> Result<&'v Value> {
        match self.optional(name) {
            Some(value) => Ok(value),
            None => invalid(&self.pointer, format!("\"{name}\" is missing")),
        }
    }
    fn at(&self, name: &str) -> String {
        format!("{}/{name}", self.pointer)
    }
    fn string(&mut self, name: &'static str) -> Result<String> {
        match self.required(name)?.as_str() {
            Some(text) => Ok(text.to_owned()),
            None => invalid(&self.at(name), "expected a string"),
        }
    }
    fn flag(&mut self, name: &'static str, default: bool) -> Result<bool> {
        match self.optional(name) {
            None => Ok(default),
            Some(value) => match value.as_bool() {
                Some(flag) => Ok(flag),
                None => invalid(&self.at(name), "expected true or false"),
            },
        }
    }
    fn count(&mut self, name: &'static str) -> Result<Option<u32>> {
        let Some(value) = self.optional(name) else { return Ok(None) };
        match value.as_u64().and_then(|n| u32::try_from(n).ok()) {
            Some(count) => Ok(Some(count)),
            None => invalid(&self.at(name), "expected a number that is not negative"),
        }
    }
    /// Items with their pointers.
    fn list(&mut self, name: &'static str) -> Result<Vec<(String, &'v Value)>> {
        let pointer = self.at(name);
        match self.required(name)?.as_array() {
            Some(items) => Ok(items.iter().enumerate().map(|(i, item)| (format!("{pointer}/{i}"), item)).collect()),
            None => invalid(&pointer, "expected an array"),
        }
    }
    fn strings(&mut self, name: &'static str) -> Result<Vec<String>> {
        self.list(name)?.into_iter().map(|(pointer, item)| text(item, &pointer)).collect()
    }
    fn optional_strings(&mut self, name: &'static str) -> Result<Vec<String>> {
        match self.optional(name) {
            Some(_) => self.strings(name),
            None => Ok(Vec::new()),
        }
    }
    fn format(&mut self, name: &'static str) -> Result<Format> {
        let pointer = self.at(name);
        format(self.required(name)?, &pointer)
    }
    fn formats(&mut self, name: &'static str) -> Result<Vec<Format>> {
        self.list(name)?.into_iter().map(|(pointer, item)| format(item, &pointer)).collect()
    }
    fn tags(&mut self) -> Result<Vec<Tag>> {
        self.list("tags")?.into_iter().map(|(pointer, item)| tag(item, &pointer)).collect()
    }
    /// Refuses the fields that nothing was done with.
    fn finish(&self) -> Result<()> {
        match self.fields.keys().find(|name| !self.taken.contains(&name.as_str())) {
            Some(name) => invalid(&self.pointer, format!("unknown field \"{name}\"")),
            None => Ok(()),
        }
    }
}

/// A text that is not empty.
fn text(value: &Value, pointer: &str) -> Result<String> {
    match value.as_str() {
        Some("") => invalid(pointer, "the text is empty"),
        Some(text) => Ok(text.to_owned()),
        None => invalid(pointer, "expected a string"),
    }
}

fn format(value: &Value, pointer: &str) -> Result<Format> {
    let mut object = Object::new(value, pointer)?;
    let kind = match value.get("type").and_then(Value::as_str) {
        Some(name) => kind(name, value, &mut object)?,
        None => return invalid(pointer, "a format needs a \"type\""),
    };
    object.finish()?;
    Ok(Format { kind, pointer: pointer.to_owned() })
}

fn kind(name: &str, value: &Value, object: &mut Object<'_>) -> Result<Kind> {
    let pointer = object.pointer.clone();
    Ok(match name {
        "const_string" => Kind::Literal(object.string("value")?),
        "json_schema" => {
            if let Some(style) = object.optional("style").filter(|style| style.as_str() != Some("json")) {
                return unsupported(&pointer, format!("the style {style}"));
            }
            Kind::JsonSchema(object.required("json_schema")?.to_string(), object.flag("any_order", false)?)
        }
        "grammar" => Kind::Grammar(object.string("grammar")?),
        "regex" => Kind::Regex(object.string("pattern")?),
        "any_text" => {
            if object.optional("max_tokens").is_some() {
                return unsupported(&pointer, "\"max_tokens\" (a grammar counts no tokens)");
            }
            let max_chars = object.count("max_chars")?;
            Kind::AnyText { excludes: object.optional_strings("excludes")?, max_chars }
        }
        "sequence" => Kind::Sequence(object.formats("elements")?),
        "or" => Kind::Or(object.formats("elements")?),
        "optional" => repeat(object, 0, Some(1))?,
        "star" => repeat(object, 0, None)?,
        "plus" => repeat(object, 1, None)?,
        "repeat" => bounded(object)?,
        "tag" => {
            // Its fields are read from the value once more.
            object.taken.extend(["begin", "content", "end"]);
            Kind::Tag(Box::new(tag(value, &pointer)?))
        }
        "triggered_tags" => {
            let (triggers, tags) = (object.strings("triggers")?, object.tags()?);
            let excludes = object.optional_strings("excludes")?;
            Kind::Triggered(triggered(&triggers, tags, flags(object)?, excludes, &pointer)?)
        }
        "tags_with_separator" => {
            let (tags, separator) = (object.tags()?, object.string("separator")?);
            let Flags { at_least_one, stop_after_first } = flags(object)?;
            Kind::TagsWithSeparator { tags, separator, at_least_one, stop_after_first }
        }
        "dispatch" => Kind::Triggered(dispatch(object)?),
        "token" => {
            object.taken.push("token");
            Kind::Token(token(value, &pointer)?)
        }
        "exclude_token" | "any_tokens" | "token_triggered_tags" | "token_dispatch" => {
            return unsupported(&pointer, format!("the format \"{name}\""));
        }
        _ => return invalid(&pointer, format!("unknown format \"{name}\"")),
    })
}

fn repeat(object: &mut Object<'_>, min: u32, max: Option<u32>) -> Result<Kind> {
    Ok(Kind::Repeat { content: Box::new(object.format("content")?), min, max })
}

/// `repeat`: −1 is no upper bound.
fn bounded(object: &mut Object<'_>) -> Result<Kind> {
    let min = object.count("min")?.unwrap_or(0);
    let max = match object.required("max")?.as_i64() {
        Some(-1) => None,
        _ => object.count("max")?,
    };
    if max.is_some_and(|max| max < min) {
        return invalid(&object.pointer, "\"max\" is below \"min\"");
    }
    repeat(object, min, max)
}

#[derive(Clone, Copy, Default)]
struct Flags {
    at_least_one: bool,
    stop_after_first: bool,
}

fn flags(object: &mut Object<'_>) -> Result<Flags> {
    let at_least_one = object.flag("at_least_one", false)?;
    Ok(Flags { at_least_one, stop_after_first: object.flag("stop_after_first", false)? })
}

fn tag(value: &Value, pointer: &str) -> Result<Tag> {
    let mut object = Object::new(value, pointer)?;
    let begin = match object.required("begin")? {
        Value::String(text) => Mark::Text(text.clone()),
        other => Mark::Token(token(other, &object.at("begin"))?),
    };
    let end = match object.required("end")? {
        Value::String(text) => End::Texts(vec![text.clone()]),
        Value::Array(_) => End::Texts(object.strings("end")?),
        other => End::Token(token(other, &object.at("end"))?),
    };
    let content = object.format("content")?;
    object.finish()?;
    Ok(Tag { begin, content, end })
}

/// `{"type": "token", "token": id or name}`.
fn token(value: &Value, pointer: &str) -> Result<Token> {
    if value.get("type").and_then(Value::as_str) != Some("token") {
        return invalid(pointer, "expected a string or a token");
    }
    let mut object = Object::new(value, pointer)?;
    let token = match object.required("token")? {
        Value::String(name) => Token::Name(name.clone()),
        other => match other.as_u64().and_then(|id| u32::try_from(id).ok()) {
            Some(id) => Token::Id(id),
            None => return invalid(pointer, "\"token\" is an id or a name"),
        },
    };
    object.finish()?;
    Ok(token)
}

/// Sorts tags by their triggers: what follows the trigger is the rest of the tag.
fn triggered(
    triggers: &[String],
    tags: Vec<Tag>,
    flags: Flags,
    excludes: Vec<String>,
    pointer: &str,
) -> Result<Triggered> {
    let mut rules: Vec<(String, Vec<Format>)> = triggers.iter().map(|t| (t.clone(), Vec::new())).collect();
    let whole = |tag: &Tag| Format { kind: Kind::Tag(Box::new(tag.clone())), pointer: pointer.to_owned() };
    let first = flags.at_least_one.then(|| tags.iter().map(whole).collect());
    for (i, tag) in tags.into_iter().enumerate() {
        let Mark::Text(begin) = &tag.begin else {
            return invalid(&format!("{pointer}/tags/{i}"), "\"begin\" has to be a string here");
        };
        let fits: Vec<usize> =
            (0..rules.len()).filter(|&r| rules.get(r).is_some_and(|(t, _)| begin.starts_with(t))).collect();
        let &[rule] = fits.as_slice() else {
            let message = format!("\"begin\" starts with {} triggers, it has to be one", fits.len());
            return invalid(&format!("{pointer}/tags/{i}"), message);
        };
        if let Some((trigger, formats)) = rules.get_mut(rule) {
            let rest = begin.get(trigger.len()..).unwrap_or("").to_owned();
            let rest = Tag { begin: Mark::Text(rest), ..tag };
            formats.push(Format { kind: Kind::Tag(Box::new(rest)), pointer: format!("{pointer}/tags/{i}") });
        }
    }
    Ok(Triggered { rules, first, goes_on: !flags.stop_after_first, excludes })
}

/// `dispatch`: pairs of a pattern and a format.
fn dispatch(object: &mut Object<'_>) -> Result<Triggered> {
    let mut rules = Vec::new();
    for (pointer, pair) in object.list("rules")? {
        match pair.as_array().map(Vec::as_slice) {
            Some([pattern, content]) => {
                let pattern = text(pattern, &format!("{pointer}/0"))?;
                rules.push((pattern, vec![format(content, &format!("{pointer}/1"))?]));
            }
            _ => return invalid(&pointer, "expected a pattern and a format"),
        }
    }
    let goes_on = object.flag("loop", true)?;
    Ok(Triggered { rules, first: None, goes_on, excludes: object.optional_strings("excludes")? })
}
