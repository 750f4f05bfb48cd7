//! Regular expression → minimal DFA.
//!
//! Thompson's construction between two given states, without ε where it can be avoided: a sequence of byte sets is
//! a chain. Four shortcuts keep everyday terminals cheap: literals and alternations of literals become tries;
//! alternations of byte-set sequences (UTF-8 classes) share their suffixes; a repeated operand is compiled once and
//! its minimal automaton copied, so `x{10000}` costs 10 000 copies of the smallest form of `x`; boolean operators are
//! products of compiled operands, embedded back.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::dfa::Dfa;
use crate::error::AutomataError;
use crate::nfa::{Fragment, Nfa, SetId};
use crate::product::{product, Operation};
use crate::{ByteSet, Regex, RegexKind};

/// Bounds on what a construction may build; beyond them it returns an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Limits {
    /// Deterministic states before minimisation (and 256 times as many members of their subsets).
    pub states: usize,
    /// Nondeterministic states (and 32 times as many edges).
    pub nfa_states: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { states: 100_000, nfa_states: 500_000 }
    }
}

/// Alternations with at least so many literals go through a trie.
const TRIE_FROM: usize = 8;

impl Regex {
    /// Deeper expressions cannot be compiled ([`Regex::depth`]).
    pub const MAX_DEPTH: usize = 500;

    /// The minimal automaton of this language, with label 0.
    ///
    /// Errors beyond the limits, and on expressions nested deeper than [`Regex::MAX_DEPTH`]. Exponential in the worst
    /// case (`(a|b)*a(a|b){n}`), as every deterministic automaton is; the limits cut that off.
    ///
    /// ```
    /// use glrmask_automata::{Limits, Regex};
    /// let ab = Regex::literal("ab").star().compile(&Limits::default())?;
    /// assert!(ab.accepts(b"abab") && !ab.accepts(b"aba"));
    /// # Ok::<(), glrmask_automata::AutomataError>(())
    /// ```
    pub fn compile(&self, limits: &Limits) -> Result<Dfa, AutomataError> {
        self.compile_with(limits, &|_, compile| compile().map(Arc::new)).map(Arc::unwrap_or_clone)
    }

    /// [`compile`](Self::compile) with a store where automata of whole operands (of boolean operators and counted
    /// repetitions) may be found again: `store(operand, compile)` returns what it has for the operand, or `compile()`.
    /// One store serves one pair of limits.
    ///
    /// # Errors
    /// As for [`compile`](Self::compile).
    pub fn compile_with(&self, limits: &Limits, store: &PartStore<'_>) -> Result<Arc<Dfa>, AutomataError> {
        if self.depth() > Self::MAX_DEPTH {
            return Err(AutomataError::depth(self.depth(), Self::MAX_DEPTH));
        }
        let mut compiler = Compiler { limits, parts: FxHashMap::default() };
        for part in parts_in_order(self) {
            let dfa = store(&part, &mut || compiler.part(&part).map(Arc::unwrap_or_clone))?;
            compiler.parts.insert(part, dfa);
        }
        compiler.part(self)
    }
}

/// Finds the automaton of an operand, or has it compiled. See [`Regex::compile_with`].
pub type PartStore<'a> =
    dyn Fn(&Regex, &mut dyn FnMut() -> Result<Dfa, AutomataError>) -> Result<Arc<Dfa>, AutomataError> + 'a;

/// Automata of the operands that are needed whole, each made once and in order, so that only the construction of an
/// NFA recurses.
struct Compiler<'a> {
    limits: &'a Limits,
    parts: FxHashMap<Regex, Arc<Dfa>>,
}

/// Operands of boolean operators and of counted repetitions, and boolean operators themselves; operands first.
fn parts_in_order(root: &Regex) -> Vec<Regex> {
    if !root.has_parts() {
        return Vec::new();
    }
    let (mut seen, mut listed) = (FxHashSet::default(), FxHashSet::default());
    let mut order = Vec::new();
    let mut stack = vec![(root, false)];
    while let Some((regex, operands_done)) = stack.pop() {
        if operands_done {
            needed_parts(regex, |part| {
                if listed.insert(part.clone()) {
                    order.push(part.clone());
                }
            });
        } else if regex.has_parts() && seen.insert(regex) {
            stack.push((regex, true));
            regex.kind().for_each_operand(|operand| stack.push((operand, false)));
        }
    }
    order
}

fn needed_parts(regex: &Regex, mut visit: impl FnMut(&Regex)) {
    match regex.kind() {
        RegexKind::Intersect(a, b) | RegexKind::Difference(a, b) => [a, b, regex].into_iter().for_each(visit),
        RegexKind::Repeat { inner, min, max } if repeats_copies(inner, *min, *max) => visit(inner),
        _ => {}
    }
}

/// Whether the operand is copied as an automaton, and not written once (or byte by byte) into the NFA.
pub(crate) fn repeats_copies(inner: &Regex, min: u32, max: Option<u32>) -> bool {
    copies(inner, min, max) > 1 && !matches!(inner.kind(), RegexKind::Bytes(_))
}

fn copies(inner: &Regex, min: u32, max: Option<u32>) -> u32 {
    max.unwrap_or(if inner.matches_empty() { 0 } else { min })
}

impl Compiler<'_> {
    /// The automaton of an expression whose own parts are known.
    fn part(&self, regex: &Regex) -> Result<Arc<Dfa>, AutomataError> {
        if let Some(dfa) = self.parts.get(regex) {
            return Ok(dfa.clone());
        }
        self.compile(regex).map(Arc::new)
    }
    fn compile(&self, regex: &Regex) -> Result<Dfa, AutomataError> {
        match regex.kind() {
            RegexKind::Empty => return Ok(Dfa::from_literals(&[])),
            RegexKind::Intersect(a, b) => return self.boolean(a, b, Operation::Intersect),
            RegexKind::Difference(a, b) => return self.boolean(a, b, Operation::Difference),
            _ => {}
        }
        if let Some(dfa) = compile_literals(regex, self.limits)? {
            return Ok(dfa);
        }
        let mut nfa = Nfa::new(*self.limits);
        let end = nfa.fresh()?;
        nfa.labels[end as usize] = Some(0);
        self.add(&mut nfa, regex, 0, end)?;
        nfa.determinize()
    }
    fn boolean(&self, a: &Regex, b: &Regex, operation: Operation) -> Result<Dfa, AutomataError> {
        product(&*self.part(a)?, &*self.part(b)?, operation, self.limits)
    }
    /// Adds paths from `from` to `to` for the words of `regex`: no other path between them, no edge into `from` and
    /// none out of `to`, unless they are the same state (the hub of a loop).
    fn add(&self, nfa: &mut Nfa, regex: &Regex, from: u32, to: u32) -> Result<(), AutomataError> {
        match regex.kind() {
            RegexKind::Empty => Ok(()),
            RegexKind::Epsilon => nfa.epsilon(from, to),
            RegexKind::Bytes(set) => {
                let set = nfa.sets.intern(*set);
                nfa.edge(from, set, to)
            }
            RegexKind::Concat(parts) => self.add_sequence(nfa, parts, from, to),
            RegexKind::Alternate(parts) => self.add_alternatives(nfa, parts, from, to),
            RegexKind::Repeat { inner, min, max } => self.add_repeat(nfa, inner, (*min, *max), from, to),
            RegexKind::Intersect(..) | RegexKind::Difference(..) => self.embed_part(nfa, regex, from, to),
        }
    }
    fn add_sequence(&self, nfa: &mut Nfa, parts: &[Regex], from: u32, to: u32) -> Result<(), AutomataError> {
        let Some((last, front)) = parts.split_last() else { return nfa.epsilon(from, to) };
        let mut here = from;
        for part in front {
            let next = nfa.fresh()?;
            self.add(nfa, part, here, next)?;
            here = next;
        }
        self.add(nfa, last, here, to)
    }
    fn add_alternatives(&self, nfa: &mut Nfa, parts: &[Regex], from: u32, to: u32) -> Result<(), AutomataError> {
        let through_trie = add_words(nfa, parts, from, to)?;
        let mut suffixes = FxHashMap::default();
        for part in parts {
            if through_trie && part.as_literal().is_some() {
                continue;
            }
            match byte_sets(part) {
                Some(sets) => add_sharing_suffixes(nfa, &sets, from, to, &mut suffixes)?,
                None => self.add(nfa, part, from, to)?,
            }
        }
        Ok(())
    }
    /// `inner{min,max}` as a chain of copies of one operand. An operand that accepts the empty word would let every
    /// boundary reach all later ones by ε, so that word is taken out: x{n,m} is then (x − ε){0,m}.
    fn add_repeat(
        &self,
        nfa: &mut Nfa,
        inner: &Regex,
        (min, max): (u32, Option<u32>),
        from: u32,
        to: u32,
    ) -> Result<(), AutomataError> {
        let bounds = (if inner.matches_empty() { 0 } else { min }, max);
        if repeats_copies(inner, min, max) {
            return self.stamp_copies(nfa, inner, bounds, from, to);
        }
        nfa.reserve(copies(inner, min, max) as usize, 0)?;
        add_copies(nfa, bounds, from, to, &mut |nfa, a, b| self.add(nfa, inner, a, b))
    }
    fn stamp_copies(
        &self,
        nfa: &mut Nfa,
        inner: &Regex,
        bounds: (u32, Option<u32>),
        from: u32,
        to: u32,
    ) -> Result<(), AutomataError> {
        let dfa = self.part(inner)?.without_empty();
        let fragment = Fragment::of(&dfa, nfa);
        let copies = bounds.1.unwrap_or(bounds.0) as usize;
        nfa.reserve(copies.saturating_mul(fragment.inner + 1), 0)?;
        add_copies(nfa, bounds, from, to, &mut |nfa, a, b| nfa.stamp(&fragment, a, b))
    }
    // Apart from `add`, whose frame is multiplied by the depth of the expression.
    fn embed_part(&self, nfa: &mut Nfa, regex: &Regex, from: u32, to: u32) -> Result<(), AutomataError> {
        nfa.embed(&*self.part(regex)?, from, to)
    }
}

/// A literal or an alternation of nothing but literals.
fn compile_literals(regex: &Regex, limits: &Limits) -> Result<Option<Dfa>, AutomataError> {
    match regex.kind() {
        RegexKind::Epsilon | RegexKind::Bytes(_) | RegexKind::Concat(_) => {
            regex.as_literal().map(|word| trie(&[word], limits)).transpose()
        }
        RegexKind::Alternate(parts) => {
            let words: Option<Vec<_>> = parts.iter().map(Regex::as_literal).collect();
            words.map(|words| trie(&words, limits)).transpose()
        }
        _ => Ok(None),
    }
}

fn trie(words: &[Vec<u8>], limits: &Limits) -> Result<Dfa, AutomataError> {
    let pairs: Vec<(&[u8], u32)> = words.iter().map(|word| (word.as_slice(), 0)).collect();
    let bytes = words.iter().map(Vec::len).sum::<usize>();
    if bytes > limits.nfa_states {
        return Err(AutomataError::nfa_states(limits.nfa_states));
    }
    let dfa = Dfa::from_literals(&pairs);
    if dfa.len() > limits.states {
        return Err(AutomataError::states(limits.states));
    }
    Ok(dfa)
}

/// Adds the literals among `parts` through a trie if they are many; tells whether it did.
fn add_words(nfa: &mut Nfa, parts: &[Regex], from: u32, to: u32) -> Result<bool, AutomataError> {
    let words: Vec<_> = parts.iter().filter_map(Regex::as_literal).collect();
    if words.len() < TRIE_FROM {
        return Ok(false);
    }
    let dfa = trie(&words, &nfa.limits)?;
    nfa.embed(&dfa, from, to)?;
    Ok(true)
}

/// The expression as a non-empty sequence of byte sets, if it is one.
fn byte_sets(regex: &Regex) -> Option<Vec<ByteSet>> {
    let one = |part: &Regex| match part.kind() {
        RegexKind::Bytes(set) => Some(*set),
        _ => None,
    };
    match regex.kind() {
        RegexKind::Bytes(set) => Some(vec![*set]),
        RegexKind::Concat(parts) => parts.iter().map(one).collect(),
        _ => None,
    }
}

/// Adds a chain of byte sets, going through states that an earlier alternative with the same suffix made.
fn add_sharing_suffixes(
    nfa: &mut Nfa,
    sets: &[ByteSet],
    from: u32,
    to: u32,
    suffixes: &mut FxHashMap<(SetId, u32), u32>,
) -> Result<(), AutomataError> {
    let Some((first, rest)) = sets.split_first() else { return nfa.epsilon(from, to) };
    let mut next = to;
    for set in rest.iter().rev() {
        let set = nfa.sets.intern(*set);
        next = match suffixes.get(&(set, next)) {
            Some(&state) => state,
            None => {
                let state = nfa.fresh()?;
                nfa.edge(state, set, next)?;
                suffixes.insert((set, next), state);
                state
            }
        };
    }
    let first = nfa.sets.intern(*first);
    nfa.edge(from, first, next)
}

/// What writes one copy of a repeated operand between two states.
type Copy<'a> = dyn FnMut(&mut Nfa, u32, u32) -> Result<(), AutomataError> + 'a;

fn add_copies(
    nfa: &mut Nfa,
    (min, max): (u32, Option<u32>),
    from: u32,
    to: u32,
    copy: &mut Copy<'_>,
) -> Result<(), AutomataError> {
    let Some(max) = max else { return add_unbounded(nfa, min, from, to, copy) };
    let mut here = from;
    for i in 0..max {
        if i >= min {
            nfa.epsilon(here, to)?;
        }
        let next = if i + 1 == max { to } else { nfa.fresh()? };
        copy(nfa, here, next)?;
        here = next;
    }
    if max == 0 {
        nfa.epsilon(from, to)?;
    }
    Ok(())
}

/// The last copy is the loop, so that nested `+` do not double.
fn add_unbounded(nfa: &mut Nfa, min: u32, from: u32, to: u32, copy: &mut Copy<'_>) -> Result<(), AutomataError> {
    let mut here = from;
    for _ in 1..min {
        let next = nfa.fresh()?;
        copy(nfa, here, next)?;
        here = next;
    }
    let begin = nfa.fresh()?;
    let end = if min == 0 { begin } else { nfa.fresh()? };
    nfa.epsilon(here, begin)?;
    copy(nfa, begin, end)?;
    nfa.epsilon(end, begin)?;
    nfa.epsilon(end, to)
}
