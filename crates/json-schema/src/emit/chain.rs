//! Members in schema order: a left-recursive chain over required members, balanced trees over optional ones.
//!
//! A prefix of the object ends with a required member, so the chain takes one reduction per required member. A run of
//! optional members between two of them is the nonterminal of a tree: over an interval of members, `F` derives any
//! non-empty choice of them that stands first in its object, `L` one that follows another member:
//!
//! ```text
//! F[a,b) → F[a,m) | F[m,b) | F[a,m) L[m,b)         F[k,k+1) → FIRSTₖ vₖ
//! L[a,b) → L[a,m) | L[m,b) | L[a,m) L[m,b)         L[k,k+1) → LATERₖ vₖ
//! ```
//!
//! Skipping n members takes O(log n) reductions. Short runs go on with the chain, `pᵢ → pᵢ₋₁` for an absent member, which
//! takes a reduction per member skipped and half the productions. Both are free of conflicts, because the comma (or its
//! absence) is fused into the key terminal.

use std::ops::Range;

use glrmask_automata::Symbol;
use rustc_hash::FxHashMap;

use super::Emitter;
use crate::error::Result;

/// Longest run of optional members that is a chain.
const MAX_CHAIN: usize = 64;

/// A member as the two terminals of its key and the symbol of its value.
#[derive(Clone, Copy)]
pub(super) struct Member {
    /// The key where it comes first.
    pub(super) first: Symbol,
    /// The key with a comma before it.
    pub(super) later: Symbol,
    pub(super) value: Symbol,
}

/// What may stand between the braces.
#[derive(Default)]
pub(super) struct Contents {
    /// Right-hand sides that derive at least one member.
    pub(super) members: Vec<Vec<Symbol>>,
    /// Whether no member at all will do.
    pub(super) may_be_empty: bool,
}

/// Which of the two trees.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Place {
    First,
    Later,
}

/// A run of optional members and the trees over parts of it.
struct Run<'a> {
    members: &'a [(Member, bool)],
    trees: FxHashMap<(Range<usize>, Place), Vec<Symbol>>,
}

impl Emitter<'_, '_> {
    /// Named members in order (and whether each is required), then any number of free members.
    pub(super) fn chain(&mut self, named: &[(Member, bool)], free: &[Member]) -> Result<Contents> {
        let mut prefix = Contents { members: Vec::new(), may_be_empty: true };
        let mut rest = named;
        while let Some(&(member, required)) = rest.first() {
            let run = rest.iter().take_while(|(_, required)| !required).count();
            prefix = if required { self.require(&prefix, member)? } else { self.allow(prefix, &rest[..run])? };
            rest = &rest[run.max(1)..];
        }
        if free.is_empty() {
            return Ok(prefix);
        }
        self.repeat(&prefix, free)
    }
    fn require(&mut self, prefix: &Contents, member: Member) -> Result<Contents> {
        let mut bodies: Vec<_> = prefix.members.iter().map(|body| after(body, &[member.later, member.value])).collect();
        if prefix.may_be_empty {
            bodies.push(vec![member.first, member.value]);
        }
        Ok(Contents { members: vec![self.one_of(bodies)?], may_be_empty: false })
    }
    fn allow(&mut self, mut prefix: Contents, members: &[(Member, bool)]) -> Result<Contents> {
        if members.len() <= MAX_CHAIN {
            for &(member, _) in members {
                let mut bodies = prefix.members.clone();
                bodies.extend(prefix.members.iter().map(|body| after(body, &[member.later, member.value])));
                if prefix.may_be_empty {
                    bodies.push(vec![member.first, member.value]);
                }
                prefix.members = vec![self.one_of(bodies)?];
            }
            return Ok(prefix);
        }
        let mut run = Run { members, trees: FxHashMap::default() };
        let mut bodies = prefix.members.clone();
        if !prefix.members.is_empty() {
            let later = self.tree(&mut run, 0..members.len(), Place::Later)?;
            bodies.extend(prefix.members.iter().map(|body| after(body, &later)));
        }
        if prefix.may_be_empty {
            bodies.push(self.tree(&mut run, 0..members.len(), Place::First)?);
        }
        Ok(Contents { members: bodies, ..prefix })
    }
    /// A non-empty choice of the members in a range, as symbols. Recursion is logarithmic.
    fn tree(&mut self, run: &mut Run<'_>, range: Range<usize>, place: Place) -> Result<Vec<Symbol>> {
        if let &[(member, _)] = &run.members[range.clone()] {
            let key = if place == Place::First { member.first } else { member.later };
            return Ok(vec![key, member.value]);
        }
        if let Some(known) = run.trees.get(&(range.clone(), place)) {
            return Ok(known.clone());
        }
        let middle = range.start + range.len() / 2;
        let head = self.tree(run, range.start..middle, place)?;
        let tail = self.tree(run, middle..range.end, Place::Later)?;
        let alone = self.tree(run, middle..range.end, place)?;
        let both = after(&head, &tail);
        let tree = self.one_of(vec![head, alone, both])?;
        run.trees.insert((range, place), tree.clone());
        Ok(tree)
    }
    fn repeat(&mut self, prefix: &Contents, free: &[Member]) -> Result<Contents> {
        let list = self.builder.fresh("members");
        for body in &prefix.members {
            self.production(list, body.clone())?;
        }
        for member in free {
            if prefix.may_be_empty {
                self.production(list, vec![member.first, member.value])?;
            }
            self.production(list, vec![Symbol::Nonterminal(list), member.later, member.value])?;
        }
        Ok(Contents { members: vec![vec![Symbol::Nonterminal(list)]], may_be_empty: prefix.may_be_empty })
    }
    /// The nonterminal of these alternatives.
    fn one_of(&mut self, bodies: Vec<Vec<Symbol>>) -> Result<Vec<Symbol>> {
        let lhs = self.builder.fresh("members");
        for body in bodies {
            self.production(lhs, body)?;
        }
        Ok(vec![Symbol::Nonterminal(lhs)])
    }
}

fn after(prefix: &[Symbol], more: &[Symbol]) -> Vec<Symbol> {
    [prefix, more].concat()
}
