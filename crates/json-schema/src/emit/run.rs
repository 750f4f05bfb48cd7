//! Long strings that are a run of one class of characters between short ends, such as Base64 behind a prefix.
//!
//! A pattern beside a maximal length of 32 767 takes the product of both. In `head class* tail` only the run has to be
//! counted, in the chunks of `string.rs`, once for each pair of lengths that head and tail can have:
//!
//! ```text
//! s → HEAD CHUNK … CHUNK TAIL        HEAD: the words of the head of one length, behind the opening quote
//! ```

use glrmask_automata::{NonterminalId, Regex, RegexKind};

use super::Emitter;
use crate::error::Result;
use crate::language;
use crate::shape::{longest, StringShape};

/// Longest string that is left to the product.
const MAX_PRODUCT: u32 = 4096;
/// Longest head or tail, in bytes.
const MAX_END: u32 = 64;
/// Most pairs of a length of the head and one of the tail.
const MAX_PAIRS: usize = 32;

/// `head class{min,max} tail`; head and tail by their length in characters.
pub(super) struct Run {
    heads: Vec<(u32, Regex)>,
    class: Regex,
    min: u32,
    max: Option<u32>,
    tails: Vec<(u32, Regex)>,
}

impl Run {
    /// How long the run is if the string is between two lengths and the ends take `ends` of it. `None`: it is too short.
    fn lengths(&self, (min, max): (u32, Option<u32>), ends: u32) -> Option<(u32, Option<u32>)> {
        let most = match max {
            Some(max) => Some(max.checked_sub(ends)?),
            None => None,
        };
        let most = [most, self.max].into_iter().flatten().min();
        let least = min.saturating_sub(ends).max(self.min);
        most.is_none_or(|most| least <= most).then_some((least, most))
    }
}

impl Emitter<'_, '_> {
    /// The language of a long string, if it is a run.
    pub(super) fn run(&self, shape: &StringShape) -> Result<Option<Run>> {
        let (&[(language, true)], true) = (&*shape.languages, shape.excluded.is_empty()) else { return Ok(None) };
        if shape.max_length.unwrap_or(shape.min_length) <= MAX_PRODUCT {
            return Ok(None);
        }
        let language = self.algebra.languages.content(language);
        let parts = match language.kind() {
            RegexKind::Concat(parts) => parts.as_slice(),
            _ => std::slice::from_ref(&language),
        };
        for (i, part) in parts.iter().enumerate() {
            let RegexKind::Repeat { inner, min, max } = part.kind() else { continue };
            if max.is_some_and(|max| max <= MAX_PRODUCT) || !self.is_class(inner)? {
                continue;
            }
            let (before, after) = (parts[..i].iter().cloned(), parts[i + 1..].iter().cloned());
            let (heads, tails) = (self.by_length(Regex::concat(before))?, self.by_length(Regex::concat(after))?);
            let (Some(heads), Some(tails)) = (heads, tails) else { return Ok(None) };
            let run = Run { heads, class: inner.clone(), min: *min, max: *max, tails };
            return Ok((run.heads.len() * run.tails.len() <= MAX_PAIRS).then_some(run));
        }
        Ok(None)
    }
    /// The strings of a run between two lengths. `None`: there is none.
    pub(super) fn run_string(&mut self, run: &Run, bounds: (u32, Option<u32>)) -> Result<Option<NonterminalId>> {
        let lhs = self.builder.fresh("string");
        let quote = || Regex::literal("\"");
        let mut found = false;
        for (head_length, head) in &run.heads {
            for (tail_length, tail) in &run.tails {
                let Some(lengths) = run.lengths(bounds, head_length + tail_length) else { continue };
                let head = self.terminal("HEAD", Regex::concat([quote(), head.clone()]));
                let tail = Regex::concat([tail.clone(), quote()]);
                self.chunks(lhs, head, (&run.class, lengths), &tail)?;
                found = true;
            }
        }
        Ok(found.then_some(lhs))
    }
    /// Whether every word is one character.
    fn is_class(&self, language: &Regex) -> Result<bool> {
        let any = self.algebra.languages.any_char();
        if language.matches_empty() || longest(language).is_none_or(|longest| longest > MAX_END) {
            return Ok(false);
        }
        Ok(language == &any || !self.is_inhabited(&language.difference(&any))?)
    }
    /// The words of a language by their number of characters. `None` if they may be long.
    fn by_length(&self, language: Regex) -> Result<Option<Vec<(u32, Regex)>>> {
        let Some(longest) = longest(&language).filter(|&longest| longest <= MAX_END) else { return Ok(None) };
        if longest == 0 {
            return Ok(Some(vec![(0, language)]));
        }
        let any = self.algebra.languages.any_char();
        let mut parts = Vec::new();
        for length in 0..=longest {
            let part = language.intersect(&any.repeat(length, Some(length)));
            if !language::compile(&part, &self.algebra.options.limits)?.is_empty_language() {
                parts.push((length, part));
            }
        }
        Ok(Some(parts))
    }
}
