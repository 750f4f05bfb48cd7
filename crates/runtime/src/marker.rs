//! Markers: where `@mark(n)` may have stood in what the last commit read.
//!
//! Masks and commits use tables without markers. Beside them stand tables of the *picked* grammar, in which each text
//! has exactly one marker left, as a terminal of no width, all others being erased. A state follows a second set of
//! branches over these tables, in which no marker has been read yet:
//!
//! ```text
//! before ──byte──► before ──byte──► before …        until no marker can come any more
//!    │ @mark(1)       │ @mark(1)
//!    ▼                ▼
//!  after ──byte──► after …                            dropped at the end of the commit
//! ```
//!
//! At each place of the committed bytes where a lexeme may end, every marker that the parser takes leads to branches of
//! their own. Those that can still be completed at the end of the commit tell that the marker is possible there. They
//! are ordinary branches, since no marker comes after the one that was picked: the same commit and the same question
//! of viability serve them. A place that was possible once the text had got there is told then, and never again: what
//! may follow a longer text may follow a shorter one. See `docs/events.md`.

use glrmask_automata::{Id, Symbol, TerminalId};
use glrmask_glr::{parser, LrState, Tables};
use glrmask_lexer::BitSet;
use glrmask_vocab::TokenId;
use serde::{Deserialize, Serialize};
use smallvec::{smallvec, SmallVec};

use crate::branch::{add_branch, Alternatives, Branch, Branches, Lexeme, Stacks};
use crate::commit::{self, emit, with_conditions};
use crate::constraint::Inner;
use crate::error::RuntimeError;
use crate::event;

/// A marker that may stand at a place of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MarkerEvent {
    /// How many bytes of the text are before it. A token counts the bytes it has in the vocabulary, also where it
    /// stands for itself.
    pub offset: usize,
    /// The number of the marker.
    pub id: u32,
}

/// The tables in which one marker is picked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MarkerTables {
    /// LR tables over the parser terminals of the lexer, and one terminal for each marker.
    pub tables: Tables,
    /// The terminal of each marker, which the lexer does not know, and its number.
    pub markers: Vec<(TerminalId, u32)>,
}

/// Follows markers beside the branches of a state.
#[derive(Debug)]
pub(crate) struct Markers {
    /// The same lexer over the other tables, with what is filled for them.
    inner: Inner,
    markers: Vec<(TerminalId, u32)>,
    /// Sorted and distinct.
    pub(crate) ids: Vec<u32>,
    /// Terminals of the lexer after which a marker may stand.
    before: BitSet,
}

/// What a state knows about markers.
#[derive(Clone, Debug)]
pub(crate) struct MarkerPlace {
    /// The branches in which no marker has been read.
    before: Branches,
    /// Bytes committed.
    offset: usize,
    /// What the last commit made possible, by offset, then number.
    pub(crate) events: Box<[MarkerEvent]>,
}

/// Bytes of one commit that are looked at together: beyond that, a commit counts as several. (Each place of a marker is
/// followed to the end of the piece, so that the work is quadratic in its length.)
pub const MARKER_BYTES: usize = 512;
/// So many branches after markers are not compared with each other.
const FEW: usize = 8;
/// Nor is one with more than so many of those before it: what comes to be the same stands close together, as a rule.
const NEAR: usize = 128;
/// Places of markers that are followed at a time. Only a nest of markers that all stay different has as many.
const MAX_PLACES: usize = 1 << 13;

/// Branches after a marker, and which marker it may have been.
struct After {
    branches: Branches,
    events: Vec<MarkerEvent>,
}

impl Markers {
    /// `inner` has the tables with markers. The terminals are checked.
    pub(crate) fn new(inner: Inner, markers: Vec<(TerminalId, u32)>) -> Result<Self, RuntimeError> {
        let (known, all) = (inner.lexer.terminal_count(), inner.tables.terminals());
        if markers.iter().any(|marker| marker.0.index() < known || marker.0.index() >= all) {
            return Err(RuntimeError::invalid("a marker that is a terminal of the lexer, or unknown to the parser"));
        }
        let mut ids: Vec<u32> = markers.iter().map(|marker| marker.1).collect();
        ids.sort_unstable();
        ids.dedup();
        let before = before(&inner, &markers);
        Ok(Self { inner, markers, ids, before })
    }

    /// What it takes to make them again.
    pub(crate) fn stored(&self) -> MarkerTables {
        MarkerTables { tables: self.inner.tables.clone(), markers: self.markers.clone() }
    }

    /// At the start of the text.
    pub(crate) fn start(&self) -> Result<MarkerPlace, RuntimeError> {
        let stacks = Stacks::from_stack([Tables::START], Alternatives::none());
        let before: Branches = smallvec![Branch { lexeme: Lexeme::Boundary, stacks }];
        let mut after = Vec::new();
        self.take(&before, 0, &mut after);
        Ok(MarkerPlace { before, offset: 0, events: self.possible(after)?.into() })
    }

    /// After a token with these bytes, or after bytes alone.
    pub(crate) fn advance(
        &self,
        place: &MarkerPlace,
        bytes: &[u8],
        token: Option<TokenId>,
    ) -> Result<MarkerPlace, RuntimeError> {
        let end = place.offset.saturating_add(bytes.len());
        let by_event = token.map(|token| event::advance(&self.inner, &place.before, token)).unwrap_or_default();
        let mut before = if bytes.is_empty() { Branches::new() } else { place.before.clone() };
        let (mut events, mut after) = (Vec::new(), Vec::new());
        for (number, piece) in bytes.chunks(MARKER_BYTES).enumerate() {
            events.extend(self.possible(std::mem::take(&mut after))?);
            self.advance_piece(&mut before, piece, place.offset + number * MARKER_BYTES, &mut after)?;
        }
        self.take(&by_event, end, &mut after);
        by_event.into_iter().for_each(|branch| add_branch(&mut before, branch));
        events.extend(self.possible(after)?);
        Ok(MarkerPlace { before, offset: end, events: events.into() })
    }

    fn advance_piece(
        &self,
        before: &mut Branches,
        bytes: &[u8],
        offset: usize,
        after: &mut Vec<After>,
    ) -> Result<(), RuntimeError> {
        let mut many = FEW;
        for (offset, byte) in (offset + 1..).zip(bytes) {
            after.iter_mut().for_each(|a| self.read(&mut a.branches, *byte));
            after.retain(|a| !a.branches.is_empty());
            self.read(before, *byte);
            if after.len() > many {
                unite(after);
                many = 2 * after.len().max(FEW);
            }
            self.take(before, offset, after);
            RuntimeError::check_limit("places of markers followed at a time", after.len(), MAX_PLACES)?;
            if before.is_empty() && after.is_empty() {
                break;
            }
        }
        Ok(())
    }

    fn read(&self, branches: &mut Branches, byte: u8) {
        if !branches.is_empty() && commit::advance(&self.inner, branches, &[byte]) == 0 {
            branches.clear();
        }
    }

    /// Reads each marker that may come where lexemes may end now.
    fn take(&self, before: &[Branch], offset: usize, after: &mut Vec<After>) {
        for stacks in before.iter().flat_map(|branch| self.boundaries(branch)) {
            for &(terminal, id) in &self.markers {
                let mut stacks = stacks.clone();
                if parser::shift_terminal_mut(&self.inner.tables, &mut stacks, terminal) {
                    let branches = smallvec![Branch { lexeme: Lexeme::Boundary, stacks }];
                    after.push(After { branches, events: vec![MarkerEvent { offset, id }] });
                }
            }
        }
    }

    /// The stacks once the lexeme has ended where it stands; none if it is no match, or no marker may come after it.
    fn boundaries(&self, branch: &Branch) -> SmallVec<[Stacks; 2]> {
        let Lexeme::Inside((component, state)) = branch.lexeme else { return smallvec![branch.stacks.clone()] };
        let component = self.inner.lexer.component(component);
        let matched: SmallVec<[TerminalId; 4]> =
            component.matched(state).filter(|t| self.before.contains(t.index())).collect();
        let mut ended = SmallVec::new();
        emit(&self.inner, matched.into_iter(), branch.stacks.clone(), |terminal, stacks| {
            ended.push(with_conditions(&self.inner, stacks, component.left(terminal, state)));
        });
        ended
    }

    /// The markers of those branches that some text completes.
    fn possible(&self, after: Vec<After>) -> Result<Vec<MarkerEvent>, RuntimeError> {
        let mut events = Vec::new();
        for mut after in after {
            if commit::retain_viable(&self.inner, &mut after.branches)? {
                events.append(&mut after.events);
            }
        }
        events.sort_unstable();
        events.dedup();
        Ok(events)
    }
}

impl MarkerPlace {
    /// Whether no marker can come any more, and none has just come.
    pub(crate) fn is_over(&self) -> bool {
        self.before.is_empty() && self.events.is_empty()
    }
}

/// The terminals after which some state of the parser acts on a marker, and the ignored ones.
fn before(inner: &Inner, markers: &[(TerminalId, u32)]) -> BitSet {
    let acts = |state: LrState| inner.tables.actionable(state).iter().any(|&t| markers.iter().any(|m| m.0 == t));
    let accessed = |state| match inner.tables.accessing_symbol(state) {
        Some(Symbol::Terminal(t)) if acts(state) => Some(t),
        _ => None,
    };
    let parsed: BitSet =
        (0..inner.tables.states()).map(LrState::from_usize).filter_map(accessed).map(Id::index).collect();
    let all = (0..inner.lexer.terminal_count()).map(TerminalId::from_usize);
    let follows = |t: TerminalId| inner.lexer.parser_terminal(t).is_some_and(|t| parsed.contains(t.index()));
    all.filter(|&t| inner.lexer.is_ignored(t) || follows(t)).map(Id::index).collect()
}

/// Joins what has become the same: in a long text, most markers lead to the same.
fn unite(after: &mut Vec<After>) {
    let mut kept: Vec<After> = Vec::with_capacity(after.len());
    for mut one in after.drain(..) {
        match kept.iter_mut().rev().take(NEAR).find(|other| same(&other.branches, &one.branches)) {
            Some(other) => other.events.append(&mut one.events),
            None => kept.push(one),
        }
    }
    *after = kept;
}

fn same(a: &Branches, b: &Branches) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.lexeme == b.lexeme && a.stacks == b.stacks)
}
