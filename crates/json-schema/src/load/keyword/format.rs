//! `format`: a language with a name (`format.rs`): a pattern, or the syntax of expressions, which is a grammar of its
//! own (`emit/pattern_syntax.rs`). Other names are annotations, and so are all if formats are not asserted.

use super::{string, Definition, Keyword, Loader, Vocabulary};
use crate::error::Result;
use crate::format::{self, Format};
use crate::schema::Schema;

/// The keyword.
pub(super) const DEFINITION: Definition =
    Definition { name: "format", vocabulary: Vocabulary::Core, read, ..Definition::PLAIN };

fn read<'t>(loader: &mut Loader<'t>, schema: &mut Schema, keyword: &Keyword<'_, 't>) -> Result<()> {
    if !loader.options.format_assertion && !keyword.place.dialect.format_assertion {
        return Ok(());
    }
    match format::lookup(string(keyword.node)?) {
        Format::Pattern(pattern) => loader.pattern(schema, keyword, &pattern),
        Format::Regex => schema.string.regex = true,
        Format::Unknown => {}
    }
    Ok(())
}
