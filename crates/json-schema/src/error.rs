//! What can go wrong: bad JSON, a bad schema, something unsupported, an empty language, a limit.
//!
//! Unsupported, invalid and over a limit are different [`Category`] values, because a caller reacts differently to each:
//! ask for weakening, repair the schema, raise the limit.

use std::fmt;

use crate::json::Span;

/// The kind of a [`SchemaError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Category {
    /// The text is not JSON.
    Syntax,
    /// The text is JSON but not a valid schema.
    Invalid,
    /// The schema is fine but asks for something this version cannot enforce.
    Unsupported,
    /// A reference leads nowhere.
    Reference,
    /// No JSON text satisfies the schema.
    Empty,
    /// A limit of [`Limits`](crate::Limits) is reached.
    Limit,
}

/// Why a schema does not compile, and where.
///
/// Schema errors carry a JSON Pointer and, where one is to blame, the keyword; syntax errors carry a [`Span`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaError(Box<Inner>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    category: Category,
    message: String,
    pointer: Option<String>,
    keyword: Option<String>,
    span: Option<Span>,
    numbers: Option<(u64, u64)>,
    documents_may_help: bool,
}

/// Result of this crate's fallible functions.
pub(crate) type Result<T> = std::result::Result<T, SchemaError>;

impl SchemaError {
    /// What kind of error it is.
    pub fn category(&self) -> Category {
        self.0.category
    }
    /// The message without the place.
    pub fn message(&self) -> &str {
        &self.0.message
    }
    /// JSON Pointer of the schema to blame (`""` is the root).
    pub fn pointer(&self) -> Option<&str> {
        self.0.pointer.as_deref()
    }
    /// The keyword to blame.
    pub fn keyword(&self) -> Option<&str> {
        self.0.keyword.as_deref()
    }
    /// The place in the text.
    pub fn span(&self) -> Option<Span> {
        self.0.span
    }
    /// For limits: (given, limit); a given number that is larger saturates.
    pub fn numbers(&self) -> Option<(u64, u64)> {
        self.0.numbers
    }

    fn new(category: Category, message: String) -> Self {
        Self(Box::new(Inner {
            category,
            message,
            pointer: None,
            keyword: None,
            span: None,
            numbers: None,
            documents_may_help: false,
        }))
    }
    pub(crate) fn at(mut self, pointer: &str, keyword: &str) -> Self {
        if self.0.pointer.is_none() {
            self.0.pointer = Some(pointer.to_owned());
            self.0.keyword = (!keyword.is_empty()).then(|| keyword.to_owned());
        }
        self
    }
    /// Marks an error of alternatives that share places of a text and do not agree, or keep the run time from remembering.
    pub(crate) fn helped_by_documents(mut self) -> Self {
        self.0.documents_may_help = true;
        self
    }
    /// Whether it could be otherwise if values with rules were documents of their own (`emit/apart.rs`).
    pub(crate) fn documents_may_help(&self) -> bool {
        self.0.documents_may_help
    }
    pub(crate) fn explain(&mut self, detail: &str) {
        self.0.message = format!("{} ({detail})", self.0.message);
    }
    /// Names the document of the library that the error is about.
    pub(crate) fn within(mut self, uri: &str) -> Self {
        self.0.message = format!("in \"{uri}\": {}", self.0.message);
        self
    }
    pub(crate) fn spanned(mut self, span: Span) -> Self {
        self.0.span = Some(span);
        self
    }
    pub(crate) fn syntax(message: impl Into<String>, span: Span) -> Self {
        Self::new(Category::Syntax, message.into()).spanned(span)
    }
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(Category::Invalid, message.into())
    }
    pub(crate) fn unsupported(message: impl Into<String>) -> Self {
        Self::new(Category::Unsupported, message.into())
    }
    pub(crate) fn reference(message: impl Into<String>) -> Self {
        Self::new(Category::Reference, message.into())
    }
    pub(crate) fn empty(message: impl Into<String>) -> Self {
        Self::new(Category::Empty, message.into())
    }
    pub(crate) fn limit(what: &str, given: usize, limit: usize) -> Self {
        let mut error = Self::new(Category::Limit, format!("{what}: {given} given, the limit is {limit}"));
        error.0.numbers = Some((given as u64, limit as u64));
        error
    }
    /// Of a number that may be larger than any limit; [`numbers`](Self::numbers) saturates.
    pub(crate) fn limit_on_number(what: &str, given: &str, limit: u64) -> Self {
        let mut error = Self::new(Category::Limit, format!("{what}: {given} given, the limit is {limit}"));
        error.0.numbers = Some((given.parse().unwrap_or(u64::MAX), limit));
        error
    }
}

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { category, message, pointer, keyword, span, .. } = &*self.0;
        let label = match category {
            Category::Syntax => "not JSON",
            Category::Invalid => "invalid schema",
            Category::Unsupported => "unsupported",
            Category::Reference => "unresolved reference",
            Category::Empty => "nothing satisfies the schema",
            Category::Limit => "limit reached",
        };
        write!(f, "{label}: {message}")?;
        if let Some(pointer) = pointer {
            write!(f, " (at \"{pointer}\"")?;
            if let Some(keyword) = keyword {
                write!(f, ", keyword \"{keyword}\"")?;
            }
            f.write_str(")")?;
        }
        match span {
            Some(span) => write!(f, " (line {}, column {})", span.line, span.column),
            None => Ok(()),
        }
    }
}

impl std::error::Error for SchemaError {}
