//! Strings: one terminal per set of constraints, or a chain of chunks where only a large length is limited.
//!
//! `{0,5000}` as one automaton has tens of thousands of states. Instead a long string is `"`, then chunks of exactly
//! [`CHUNK`] characters, then a tail with the closing quote: `c₁ → " CHUNK`, `cᵢ → cᵢ₋₁ CHUNK`, `s → cᵢ TAIL`. Chunks
//! have a fixed length and the tail is shorter, so the split is unique, and the chunk terminal is the same for all
//! lengths and schemas.

use glrmask_automata::{NonterminalId, Regex, Symbol};

use super::{has_boolean_operation, Emitter};
use crate::error::{Result, SchemaError};
use crate::language;
use crate::shape::StringShape;

/// Longest bounded string that is one terminal.
const MAX_DIRECT: u32 = 128;
/// Characters per chunk, for moderate and for huge lengths.
const CHUNK: [u32; 2] = [64, 1024];
/// Largest length for the small chunk.
const MODERATE: u32 = 16_384;

impl Emitter<'_, '_> {
    /// The symbols of a union of string sets.
    pub(super) fn strings(&mut self, shapes: &[StringShape], values: &[String]) -> Result<Vec<Symbol>> {
        if shapes.iter().any(StringShape::is_free) {
            let content = self.any_string();
            return Ok(vec![self.terminal("STRING", quoted(content))]);
        }
        let mut symbols = Vec::new();
        let mut states = 0usize;
        let mut contents: Vec<Regex> = values.iter().map(|value| self.text.spelling.text(value)).collect();
        for shape in shapes {
            if shape.max_length.is_some_and(|max| max < shape.min_length) {
                continue;
            }
            if shape.regex {
                symbols.push(Symbol::Nonterminal(self.pattern_syntax()?));
                continue;
            }
            let longest = shape.max_length.unwrap_or(shape.min_length);
            if shape.is_only_length() && longest > MAX_DIRECT {
                symbols.push(Symbol::Nonterminal(self.long_string(shape)?));
                continue;
            }
            if let Some(run) = self.run(shape)? {
                let string = self.run_string(&run, (shape.min_length, shape.max_length))?;
                symbols.extend(string.map(Symbol::Nonterminal));
                continue;
            }
            let content = shape.content(&self.algebra.languages);
            let Some(size) = self.inhabited(shape, &content)? else { continue };
            if !contents.contains(&content) {
                states = states.saturating_add(size);
                contents.push(content);
            }
            let limit = self.algebra.options.limits.regex_states;
            if states > limit {
                return Err(SchemaError::limit("states of the alternatives of a string", states, limit));
            }
        }
        if !contents.is_empty() {
            symbols.push(self.terminal("STRING", quoted(Regex::alternate(contents))));
        }
        Ok(symbols)
    }
    /// The states of the automaton, as far as it takes one to see that there is a string. `None`: there is none.
    fn inhabited(&self, shape: &StringShape, content: &Regex) -> Result<Option<usize>> {
        if !shape.may_be_empty() || self.has_short_string(shape)? || !has_boolean_operation(content) {
            return Ok(Some(0));
        }
        let dfa = language::compile(content, &self.algebra.options.limits)?;
        Ok((!dfa.is_empty_language()).then(|| dfa.len()))
    }
    /// One language cut at a maximal length: whether its shortest string is short enough, so that the product of
    /// language and length need not be built; if the expression shows it, not even the language. `false` if that is open.
    fn has_short_string(&self, shape: &StringShape) -> Result<bool> {
        let (&[(language, true)], 0, true) = (&*shape.languages, shape.min_length, shape.excluded.is_empty()) else {
            return Ok(false);
        };
        let short = |length: u64| shape.max_length.is_none_or(|max| length <= max.into());
        if language::written_shortest(&self.algebra.languages.content(language)).is_some_and(short) {
            return Ok(true);
        }
        let dfa = self.algebra.languages.automaton(language, &self.algebra.options.limits)?;
        Ok(language::shortest(dfa).is_some_and(|length| short(length as u64)))
    }
    /// Contents of any string in the chosen spelling.
    pub(super) fn any_string(&self) -> Regex {
        self.text.any_string.clone()
    }
    fn long_string(&mut self, shape: &StringShape) -> Result<NonterminalId> {
        let any = self.algebra.languages.any_char();
        let lhs = self.builder.fresh("string");
        let quote = self.terminal("QUOTE", Regex::literal("\""));
        self.chunks(lhs, quote, (&any, (shape.min_length, shape.max_length)), &Regex::literal("\""))?;
        Ok(lhs)
    }
    /// `lhs → head class{min,max} tail`, in chunks.
    pub(super) fn chunks(
        &mut self,
        lhs: NonterminalId,
        head: Symbol,
        (class, (min, max)): (&Regex, (u32, Option<u32>)),
        tail: &Regex,
    ) -> Result<()> {
        let longest = max.unwrap_or(min);
        let size = if longest <= MODERATE { CHUNK[0] } else { CHUNK[1] };
        let chunks = longest / size;
        let limit = self.algebra.options.limits.productions;
        if chunks as usize > limit {
            return Err(SchemaError::limit(
                "length of a string",
                longest as usize,
                limit.saturating_mul(size as usize),
            ));
        }
        let mut before = vec![head];
        for i in 0..=chunks {
            let least = min.saturating_sub(i * size);
            let most = max.map_or(size - 1, |max| (max - i * size).min(size - 1));
            let last = i == chunks;
            if least <= most || (last && max.is_none()) {
                let most = if last && max.is_none() { None } else { Some(most) };
                let rest = self.terminal("TAIL", Regex::concat([class.repeat(least, most), tail.clone()]));
                self.production(lhs, [before.as_slice(), &[rest]].concat())?;
            }
            if !last {
                let next = self.builder.fresh("chunks");
                before.push(self.terminal("CHUNK", class.repeat(size, Some(size))));
                self.production(next, std::mem::take(&mut before))?;
                before.push(Symbol::Nonterminal(next));
            }
        }
        Ok(())
    }
}

/// A string with its quotes.
pub(super) fn quoted(content: Regex) -> Regex {
    Regex::concat([Regex::literal("\""), content, Regex::literal("\"")])
}
