//! Branches: where the lexer stands, and the parser stacks that go with it.
//!
//! Nearly always a state has one branch with one stack and no conditions. Several branches mean that the lexeme in
//! progress may belong to several components; several stacks, that the grammar is ambiguous here.

use glrmask_automata::lexdag::ConditionSetId;
use glrmask_glr::LrState;
use glrmask_lexer::Thread;
use smallvec::{smallvec, SmallVec};
use weighted_gss::{Weight, WeightedGss};

/// Where the lexer stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lexeme {
    /// Between two lexemes.
    Boundary,
    /// Inside a lexeme.
    Inside(Thread),
}

/// The longest-match conditions of one stack: alternative sets, of which one must hold.
///
/// Two ways to the same stack may leave different conditions; they are never united or intersected, since each is a
/// reading of its own. Sorted and distinct; the empty set of conditions makes all others pointless.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Alternatives(SmallVec<[ConditionSetId; 2]>);

impl Alternatives {
    /// No conditions.
    pub fn none() -> Self {
        Self(smallvec![ConditionSetId::NONE])
    }
    /// These alternatives; `None` if there are none left.
    pub fn new(sets: impl IntoIterator<Item = ConditionSetId>) -> Option<Self> {
        let mut sets: SmallVec<[ConditionSetId; 2]> = sets.into_iter().collect();
        sets.sort_unstable();
        sets.dedup();
        if sets.first() == Some(&ConditionSetId::NONE) {
            sets.truncate(1);
        }
        (!sets.is_empty()).then_some(Self(sets))
    }
    /// Whether nothing is pending.
    #[inline]
    pub fn is_none(&self) -> bool {
        self.0.first() == Some(&ConditionSetId::NONE)
    }
    /// The alternative sets.
    pub fn iter(&self) -> impl Iterator<Item = ConditionSetId> + '_ {
        self.0.iter().copied()
    }
}

impl Weight for Alternatives {
    fn join(&self, other: &Self) -> Self {
        Self::new(self.iter().chain(other.iter())).unwrap_or_else(Self::none)
    }
}

/// Parser stacks with their conditions.
pub type Stacks = WeightedGss<LrState, Alternatives>;

/// One branch of a state.
#[derive(Clone, Debug)]
pub struct Branch {
    /// Where the lexer stands.
    pub lexeme: Lexeme,
    /// The stacks; never empty.
    pub stacks: Stacks,
}

/// The branches of a state, at most one per lexeme.
pub type Branches = SmallVec<[Branch; 1]>;

/// Adds a branch, merging stacks with those of a branch at the same place.
pub fn add_branch(branches: &mut Branches, branch: Branch) {
    match branches.iter_mut().find(|b| b.lexeme == branch.lexeme) {
        Some(known) => known.stacks = known.stacks.merge(&branch.stacks),
        None => branches.push(branch),
    }
}
