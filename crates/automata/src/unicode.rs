//! Unicode characters as byte sequences in UTF-8.

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};
use regex_syntax::utf8::Utf8Sequences;
use rustc_hash::FxHashMap;

use crate::{ByteSet, Regex};

impl Regex {
    /// Any one Unicode scalar value, in UTF-8.
    pub fn any_char() -> Self {
        Self::char_class([('\0', char::MAX)])
    }
    /// One character out of inclusive ranges, in UTF-8. Reversed ranges are empty; the ranges may overlap.
    ///
    /// ```
    /// use glrmask_automata::Regex;
    /// let greek = Regex::char_class([('α', 'ω'), ('Α', 'Ω')]).compile(&Default::default())?;
    /// assert!(greek.accepts("λ".as_bytes()) && !greek.accepts(b"l"));
    /// # Ok::<(), glrmask_automata::AutomataError>(())
    /// ```
    pub fn char_class(ranges: impl IntoIterator<Item = (char, char)>) -> Self {
        let ordered = ranges.into_iter().filter(|(first, last)| first <= last);
        unicode_class(&ClassUnicode::new(ordered.map(|(first, last)| ClassUnicodeRange::new(first, last))))
    }
    /// This text in any mixture of cases (Unicode simple case folding).
    ///
    /// ```
    /// use glrmask_automata::Regex;
    /// let select = Regex::literal_ignore_case("Select").compile(&Default::default())?;
    /// assert!(select.accepts(b"SELECT") && select.accepts("ſelect".as_bytes()));
    /// # Ok::<(), glrmask_automata::AutomataError>(())
    /// ```
    pub fn literal_ignore_case(text: &str) -> Self {
        Self::concat(text.chars().map(|c| {
            let mut class = ClassUnicode::new([ClassUnicodeRange::new(c, c)]);
            // Fails only if regex-syntax is built without its case tables, which our manifest requires.
            let folded = class.try_case_fold_simple();
            debug_assert!(folded.is_ok());
            unicode_class(&class)
        }))
    }
}

/// The characters of a class as an alternation of byte-set sequences. Sequences that differ in the first byte only
/// are joined: any character takes 8 of them.
pub(crate) fn unicode_class(class: &ClassUnicode) -> Regex {
    let mut ascii = ByteSet::EMPTY;
    let mut place: FxHashMap<Vec<ByteSet>, usize> = FxHashMap::default();
    let mut sequences: Vec<(ByteSet, Vec<ByteSet>)> = Vec::new();
    for range in class.ranges() {
        for sequence in Utf8Sequences::new(range.start(), range.end()) {
            let mut sets = sequence.as_slice().iter().map(|r| ByteSet::range(r.start, r.end));
            let Some(first) = sets.next() else { continue };
            let rest: Vec<ByteSet> = sets.collect();
            if rest.is_empty() {
                ascii = ascii.union(&first);
                continue;
            }
            let index = *place.entry(rest).or_insert_with_key(|rest| {
                sequences.push((ByteSet::EMPTY, rest.clone()));
                sequences.len() - 1
            });
            sequences[index].0 = sequences[index].0.union(&first);
        }
    }
    let mut nodes = FxHashMap::default();
    let mut node = |set: ByteSet| nodes.entry(set).or_insert_with(|| Regex::bytes(set)).clone();
    let longer = sequences.into_iter().map(|(first, rest)| {
        let sets = std::iter::once(first).chain(rest);
        Regex::concat(sets.map(&mut node).collect::<Vec<_>>())
    });
    let longer: Vec<Regex> = longer.collect();
    Regex::alternate(std::iter::once(Regex::bytes(ascii)).chain(longer))
}
