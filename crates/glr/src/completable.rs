//! Which stacks can be completed while longest-match conditions are pending.
//!
//! An open terminal that is not free needs more than being acceptable: the text after it must exist. For a set of
//! conditions C the stacks from which some text can be parsed without violating C (or what it creates) form a regular
//! language over LR states; it is found by saturation (pre* of a pushdown system: LR actions × condition sets), with
//! the end of the text as one more terminal. Built rarely (JSON never needs it), rebuilt when a new set shows up.
//!
//! Control states: *between* lexemes with C pending; *looking ahead* at terminal t, with D pending after it; *popping* k
//! more symbols for a reduction to A under that lookahead. Popping reads whatever symbol is there, and nothing else leads out
//! of its control states: one edge for all symbols instead of one for each. Source: Bouajjani, Esparza, Maler, "Reachability analysis of
//! pushdown automata" (1997).

use glrmask_automata::lexdag::{ConditionSetId, IGNORED};
use glrmask_automata::{typed_id, NonterminalId, TerminalId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::GlrError;
use crate::tables::{LrState, Tables};

typed_id!(
    /// A state of the automaton of completable stacks.
    pub struct StackState, "z"
);

impl StackState {
    /// The stack can be completed.
    pub const FINAL: Self = Self(0);
}

/// Transitions the saturation may add, those for every symbol counted once: up to a hundred bytes each while it runs.
const TRANSITION_LIMIT: usize = 5_000_000;

/// What may be lexed next under each set of conditions: (terminal or [`IGNORED`], conditions pending after it).
pub type Lexemes = FxHashMap<ConditionSetId, Vec<(TerminalId, ConditionSetId)>>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Control {
    Final,
    Between(ConditionSetId),
    Lookahead(Lookahead),
    Pop(u32, NonterminalId, Lookahead),
}

/// A terminal with what is pending after it; `None` is the end of the text.
type Lookahead = Option<(TerminalId, ConditionSetId)>;

/// The automaton of completable stacks, for the sets of conditions it was built for.
#[derive(Clone, Debug, Default)]
pub struct Completable {
    transitions: FxHashMap<(StackState, LrState), Vec<StackState>>,
    /// States that every symbol leads out of, all to the same state; they have no other transitions.
    any: FxHashMap<StackState, StackState>,
    between: FxHashMap<ConditionSetId, StackState>,
}

impl Completable {
    /// Saturates for every set of conditions in `lexemes` (which must be closed: whatever can be pending later is in
    /// it). `accepts_empty`: whether the empty text is in the language.
    ///
    /// # Errors
    /// The automaton grows over its limit.
    pub fn build(tables: &Tables, lexemes: &Lexemes, accepts_empty: bool) -> Result<Self, GlrError> {
        let mut saturation = Saturation::new(tables, accepts_empty);
        for (&conditions, next) in lexemes {
            saturation.add_conditions(conditions, next);
        }
        saturation.add_lookaheads()?;
        saturation.run()?;
        Ok(saturation.finish(lexemes.keys().copied()))
    }

    /// Whether the automaton was built with these conditions in mind.
    pub fn knows(&self, conditions: ConditionSetId) -> bool {
        self.between.contains_key(&conditions)
    }

    /// The states after reading `top` as the top of the stack under `conditions`.
    pub fn start(&self, conditions: ConditionSetId, top: LrState) -> &[StackState] {
        self.between.get(&conditions).map_or(&[], |&state| self.read(state, top))
    }

    /// The states after reading one more symbol.
    pub fn read(&self, state: StackState, symbol: LrState) -> &[StackState] {
        match self.any.get(&state) {
            Some(next) => std::slice::from_ref(next),
            None => self.transitions.get(&(state, symbol)).map_or(&[], |states| states),
        }
    }

    /// Number of transitions; one for every symbol counts once. O(transitions).
    pub fn transitions(&self) -> usize {
        self.any.len() + self.transitions.values().map(Vec::len).sum::<usize>()
    }

    /// Whether this stack (bottom first) can be completed under `conditions`: the plain reading, for tests.
    pub fn accepts(&self, conditions: ConditionSetId, stack: &[LrState]) -> bool {
        let Some(&start) = self.between.get(&conditions) else { return false };
        let mut states = vec![start];
        for &symbol in stack.iter().rev() {
            if states.contains(&StackState::FINAL) {
                return true;
            }
            let mut next: Vec<StackState> = states.iter().flat_map(|&s| self.read(s, symbol)).copied().collect();
            next.sort_unstable();
            next.dedup();
            states = next;
        }
        states.contains(&StackState::FINAL)
    }
}

struct Saturation<'a> {
    tables: &'a Tables,
    accepts_empty: bool,
    ids: FxHashMap<Control, StackState>,
    transitions: FxHashMap<(StackState, LrState), Vec<StackState>>,
    any: FxHashMap<StackState, StackState>,
    present: FxHashSet<(StackState, LrState, StackState)>,
    work: Vec<(StackState, LrState, StackState)>,
    /// ⟨to, s⟩ reachable from ⟨from, s⟩ for every s: by `to`.
    swaps: FxHashMap<StackState, Vec<StackState>>,
    /// ⟨from, s⟩ → ⟨to, top s⟩: by (to, top).
    pushes: FxHashMap<(StackState, LrState), Vec<(StackState, LrState)>>,
    /// `from` –s→ q whenever the key –s→ q: by (key, s).
    waiting: FxHashMap<(StackState, LrState), FxHashSet<StackState>>,
    lookaheads: FxHashSet<Lookahead>,
}

impl<'a> Saturation<'a> {
    fn new(tables: &'a Tables, accepts_empty: bool) -> Self {
        let mut ids = FxHashMap::default();
        ids.insert(Control::Final, StackState::FINAL);
        Self {
            tables,
            accepts_empty,
            ids,
            transitions: FxHashMap::default(),
            any: FxHashMap::default(),
            present: FxHashSet::default(),
            work: Vec::new(),
            swaps: FxHashMap::default(),
            pushes: FxHashMap::default(),
            waiting: FxHashMap::default(),
            lookaheads: FxHashSet::default(),
        }
    }

    fn id(&mut self, control: Control) -> StackState {
        let fresh = StackState(self.ids.len() as u32);
        *self.ids.entry(control).or_insert(fresh)
    }

    fn add(&mut self, from: StackState, symbol: LrState, to: StackState) {
        if self.present.insert((from, symbol, to)) {
            self.transitions.entry((from, symbol)).or_default().push(to);
            self.work.push((from, symbol, to));
        }
    }

    fn check_limit(&self) -> Result<(), GlrError> {
        let transitions = self.present.len() + self.any.len();
        GlrError::check_limit("completable-stack transitions", transitions, TRANSITION_LIMIT)
    }

    fn swap(&mut self, from: Control, to: Control) {
        let (from, to) = (self.id(from), self.id(to));
        self.swaps.entry(to).or_default().push(from);
    }

    fn push(&mut self, (from, symbol): (StackState, LrState), to: Control, top: LrState) {
        let to = self.id(to);
        self.pushes.entry((to, top)).or_default().push((from, symbol));
    }

    fn add_conditions(&mut self, conditions: ConditionSetId, next: &[(TerminalId, ConditionSetId)]) {
        let between = Control::Between(conditions);
        self.swap(between, Control::Lookahead(None));
        self.lookaheads.insert(None);
        for &(terminal, after) in next {
            if terminal == IGNORED {
                self.swap(between, Control::Between(after));
            } else {
                self.swap(between, Control::Lookahead(Some((terminal, after))));
                self.lookaheads.insert(Some((terminal, after)));
            }
        }
    }

    fn add_lookaheads(&mut self) -> Result<(), GlrError> {
        let lookaheads: Vec<Lookahead> = self.lookaheads.iter().copied().collect();
        let mut pops: FxHashSet<(u32, NonterminalId, Lookahead)> = FxHashSet::default();
        for lookahead in lookaheads {
            let from = self.id(Control::Lookahead(lookahead));
            for state in self.states() {
                self.add_actions(from, state, lookahead, &mut pops);
            }
            if lookahead.is_none() && self.accepts_empty {
                self.add(from, Tables::START, StackState::FINAL);
            }
        }
        for (count, lhs, lookahead) in pops {
            self.add_pops(count, lhs, lookahead);
            self.check_limit()?;
        }
        Ok(())
    }

    fn states(&self) -> impl Iterator<Item = LrState> {
        (0..self.tables.states() as u32).map(LrState)
    }

    fn add_actions(
        &mut self,
        from: StackState,
        state: LrState,
        lookahead: Lookahead,
        pops: &mut FxHashSet<(u32, NonterminalId, Lookahead)>,
    ) {
        let tables = self.tables;
        let reductions = match lookahead {
            Some((terminal, after)) => {
                if let Some(pushed) = tables.shift(state, terminal) {
                    self.push((from, state), Control::Between(after), pushed);
                }
                tables.reductions(state, terminal)
            }
            None => {
                if tables.accepts(state) {
                    self.add(from, state, StackState::FINAL);
                }
                tables.reductions_at_end(state)
            }
        };
        for reduction in reductions {
            let pop = self.id(Control::Pop(reduction.pop - 1, reduction.lhs, lookahead));
            self.add(from, state, pop);
            pops.insert((reduction.pop - 1, reduction.lhs, lookahead));
        }
    }

    fn add_pops(&mut self, count: u32, lhs: NonterminalId, lookahead: Lookahead) {
        for left in (1..=count).rev() {
            let from = self.id(Control::Pop(left, lhs, lookahead));
            let to = self.id(Control::Pop(left - 1, lhs, lookahead));
            self.any.insert(from, to);
        }
        let done = self.id(Control::Pop(0, lhs, lookahead));
        for state in self.states() {
            if let Some(pushed) = self.tables.goto(state, lhs) {
                self.push((done, state), Control::Lookahead(lookahead), pushed);
            }
        }
    }

    fn run(&mut self) -> Result<(), GlrError> {
        while let Some((from, symbol, to)) = self.work.pop() {
            self.check_limit()?;
            for earlier in self.swaps.get(&from).cloned().unwrap_or_default() {
                self.add(earlier, symbol, to);
            }
            for (earlier, below) in self.pushes.get(&(from, symbol)).cloned().unwrap_or_default() {
                if to == StackState::FINAL {
                    self.add(earlier, below, StackState::FINAL);
                } else if let Some(&next) = self.any.get(&to) {
                    self.add(earlier, below, next);
                } else if self.waiting.entry((to, below)).or_default().insert(earlier) {
                    for next in self.transitions.get(&(to, below)).cloned().unwrap_or_default() {
                        self.add(earlier, below, next);
                    }
                }
            }
            let waiting: Vec<StackState> =
                self.waiting.get(&(from, symbol)).map(|w| w.iter().copied().collect()).unwrap_or_default();
            for earlier in waiting {
                self.add(earlier, symbol, to);
            }
        }
        Ok(())
    }

    fn finish(mut self, conditions: impl Iterator<Item = ConditionSetId>) -> Completable {
        let between = conditions.map(|c| (c, self.id(Control::Between(c)))).collect();
        Completable { transitions: self.transitions, any: self.any, between }
    }
}
