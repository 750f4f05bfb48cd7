//! How JSON is spelled and how strict the compiler is. A plain value; nothing is read from the environment.

use std::collections::BTreeMap;

/// White space between the atoms of a JSON text. There is never any before or after the root value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Whitespace {
    /// `", "` and `": "` on one line: what Python's `json.dumps` writes.
    #[default]
    Spaced,
    /// None at all.
    Compact,
    /// Any JSON white space between atoms, in runs of at most [`Options::max_whitespace`] bytes.
    Flexible,
}

/// In which order the members of an object may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum PropertyOrder {
    /// Declared keys in schema order, then other required keys in the order they are mentioned, then free keys.
    #[default]
    Schema,
    /// Every order. An object of n keys takes [2ⁿ sets of keys](Limits::facts); where these are too many, the run time
    /// remembers its keys.
    Any,
}

/// Which spellings of a character inside a string are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Escapes {
    /// Every JSON escape in unconstrained strings; the canonical spelling where a pattern, format, length, value or
    /// key is matched.
    #[default]
    Natural,
    /// One spelling per character: the one `json.dumps` writes with the same `ensure_ascii`.
    Canonical,
    /// Every spelling everywhere, of keys too (they are compared after unescaping). Automata get larger.
    Any,
}

/// What to do with an assertion that cannot be enforced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Unsupported {
    /// Refuse the schema.
    #[default]
    Error,
    /// Compile without the assertion and say so in [`Compiled::warnings`](crate::Compiled::warnings).
    Weaken,
}

/// Bounds on work and size. Reaching one is an error that names it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Limits {
    /// Bytes of schema text.
    pub schema_bytes: usize,
    /// Nesting of the JSON text of the schema.
    pub depth: usize,
    /// Productions of the grammar.
    pub productions: usize,
    /// Alternatives that one schema may multiply out to (`anyOf` beside `anyOf` multiplies).
    pub branches: usize,
    /// States of one automaton.
    pub regex_states: usize,
    /// Sets of keys (or of items) of one object (or array) that are told apart: 2ⁿ for n keys in any order, or for
    /// unique items out of n values, of which four times as many sets will do. All objects of a grammar together: 32
    /// times as many; from eight times on, the run time remembers keys, but for those that it cannot see to: of these, 16
    /// times as many sets in one object.
    pub facts: usize,
    /// Counts of items of one array that are told apart where items are watched (`contains`, `uniqueItems`).
    pub watched: usize,
    /// Places of a text that are told apart where items or keys are remembered at run time.
    pub places: usize,
    /// Digits of a number that takes part in a bound or a value.
    pub digits: usize,
    /// Steps of checks at compile time: values against schemas, schemas against each other.
    pub steps: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            schema_bytes: 16 << 20,
            depth: 512,
            productions: 1_000_000,
            branches: 2_000,
            regex_states: 100_000,
            facts: 1_024,
            watched: 10_000,
            places: 20_000,
            digits: 1_000,
            steps: 100_000,
        }
    }
}

/// Options of [`compile`](crate::compile).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// White space between atoms.
    pub whitespace: Whitespace,
    /// Longest run of white space in bytes, for [`Whitespace::Flexible`]; `None` is without bound.
    pub max_whitespace: Option<u32>,
    /// Order of object members.
    pub property_order: PropertyOrder,
    /// Only ASCII in the text: other characters are written as escapes.
    pub ensure_ascii: bool,
    /// Spelling of strings.
    pub escapes: Escapes,
    /// Whether the formats that the specification names are asserted.
    pub format_assertion: bool,
    /// What to do with assertions that cannot be enforced.
    pub unsupported: Unsupported,
    /// Documents that references may lead to: JSON text by absolute URI. Nothing is ever fetched; the metaschemas of the
    /// five drafts are built in.
    pub registry: BTreeMap<String, String>,
    /// Bounds on work and size.
    pub limits: Limits,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            whitespace: Whitespace::default(),
            max_whitespace: Some(16),
            property_order: PropertyOrder::default(),
            ensure_ascii: false,
            escapes: Escapes::default(),
            format_assertion: true,
            unsupported: Unsupported::default(),
            registry: BTreeMap::new(),
            limits: Limits::default(),
        }
    }
}
