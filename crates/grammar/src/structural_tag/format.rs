//! The tree of formats.

/// A format, with the place it came from.
#[derive(Clone, Debug)]
pub(super) struct Format {
    pub(super) kind: Kind,
    /// JSON Pointer.
    pub(super) pointer: String,
}

/// What a format describes.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    Literal(String),
    /// JSON text of the schema, and whether properties stand in any order.
    JsonSchema(String, bool),
    Grammar(String),
    Regex(String),
    AnyText {
        excludes: Vec<String>,
        max_chars: Option<u32>,
    },
    Sequence(Vec<Format>),
    Or(Vec<Format>),
    Repeat {
        content: Box<Format>,
        min: u32,
        max: Option<u32>,
    },
    Tag(Box<Tag>),
    Triggered(Triggered),
    TagsWithSeparator {
        tags: Vec<Tag>,
        separator: String,
        at_least_one: bool,
        stop_after_first: bool,
    },
    Token(Token),
}

/// `begin content end`.
#[derive(Clone, Debug)]
pub(super) struct Tag {
    pub(super) begin: Mark,
    pub(super) content: Format,
    pub(super) end: End,
}

/// How a tag begins.
#[derive(Clone, Debug)]
pub(super) enum Mark {
    Text(String),
    Token(Token),
}

/// How a tag ends: with one of several texts, or with a token.
#[derive(Clone, Debug)]
pub(super) enum End {
    Texts(Vec<String>),
    Token(Token),
}

/// A token by id or by name.
#[derive(Clone, Debug)]
pub(super) enum Token {
    Id(u32),
    Name(String),
}

/// Free text with structured parts, each behind a trigger.
#[derive(Clone, Debug)]
pub(super) struct Triggered {
    /// A trigger, and what may follow it.
    pub(super) rules: Vec<(String, Vec<Format>)>,
    /// What the first structured part may be, from its beginning, if there has to be one.
    pub(super) first: Option<Vec<Format>>,
    /// Whether free text and further parts may follow a part.
    pub(super) goes_on: bool,
    pub(super) excludes: Vec<String>,
}
