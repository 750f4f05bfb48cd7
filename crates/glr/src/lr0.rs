//! The LR(0) automaton, with states as sorted kernels.
//!
//! A state's closure adds, for the nonterminals after its dots, all rules these can begin with. Two observations keep
//! that cheap where a grammar has big closures (expressions, objects with hundreds of optional members):
//!
//! * The closure depends on the *set of nonterminals after the dots* only, and few such sets occur. Each is closed
//!   once, into a [`Block`]: per first symbol, the items that result from moving over it.
//! * Where no kernel item moves over the same symbol, that list *is* the kernel of the successor, so the block also
//!   remembers the state. Most transitions of most states cost neither hashing nor copying.
//!
//! Knuth (1965) and DeRemer (1969) for the automaton itself.

use glrmask_automata::Symbol;
use rustc_hash::FxHashMap;

use crate::error::GlrError;
use crate::limits::Limits;
use crate::rules::RuleSet;

/// What stands after the dot of a completed item.
pub(crate) const END: u32 = u32::MAX;

/// The items of a grammar, numbered rule by rule and dot by dot; the last rule is the augmented one, `S′ → start`.
pub(crate) struct Items {
    /// Symbol after the dot as a code (terminals, then nonterminals), or [`END`].
    pub(crate) next: Vec<u32>,
    /// Symbols before the dot.
    pub(crate) dot: Vec<u32>,
    /// Left-hand side as a nonterminal number; that of the augmented rule is `nonterminals`.
    pub(crate) lhs: Vec<u32>,
    /// Number of terminals, which is also the code of the first nonterminal.
    pub(crate) terminals: u32,
    /// Per nonterminal, its items with the dot in front.
    initial: Vec<Vec<u32>>,
}

/// The LR(0) automaton. State 0 is the start.
pub(crate) struct Lr0 {
    pub(crate) items: Items,
    /// Kernel items of state `p`, ascending: `kernels[kernel_starts[p]..kernel_starts[p + 1]]`.
    pub(crate) kernels: Vec<u32>,
    pub(crate) kernel_starts: Vec<u32>,
    /// Transitions of state `p` as (symbol code, target), ascending.
    pub(crate) transitions: Vec<(u32, u32)>,
    pub(crate) transition_starts: Vec<u32>,
}

impl Lr0 {
    /// Builds the automaton of valid rules.
    pub(crate) fn build(rules: &RuleSet, limits: &Limits) -> Result<Self, GlrError> {
        let mut builder = Builder::new(Items::new(rules), *limits);
        builder.state_of(&[builder.start_item()])?;
        let mut state = 0;
        while state < builder.states() {
            builder.expand(state)?;
            state += 1;
        }
        Ok(builder.automaton)
    }

    pub(crate) fn states(&self) -> usize {
        self.transition_starts.len() - 1
    }

    /// The slots (positions in `kernels`) of a state.
    pub(crate) fn slots(&self, state: usize) -> std::ops::Range<usize> {
        self.kernel_starts[state] as usize..self.kernel_starts[state + 1] as usize
    }

    /// The positions in `transitions` of a state.
    pub(crate) fn transition_range(&self, state: usize) -> std::ops::Range<usize> {
        self.transition_starts[state] as usize..self.transition_starts[state + 1] as usize
    }
}

impl Items {
    fn new(rules: &RuleSet) -> Self {
        let terminals = rules.terminals as u32;
        let code = |symbol: &Symbol| match symbol {
            Symbol::Terminal(t) => t.0,
            Symbol::Nonterminal(a) => terminals + a.0,
        };
        let count = rules.size() + rules.rules.len() + 2;
        let mut items = Self {
            next: Vec::with_capacity(count),
            dot: Vec::with_capacity(count),
            lhs: Vec::with_capacity(count),
            terminals,
            initial: vec![Vec::new(); rules.nonterminals + 1],
        };
        rules.rules.iter().for_each(|rule| items.push_rule(rule.lhs.0, rule.rhs.iter().map(code)));
        items.push_rule(rules.nonterminals as u32, std::iter::once(terminals + rules.start.0));
        items
    }

    fn push_rule(&mut self, lhs: u32, rhs: impl Iterator<Item = u32>) {
        self.initial[lhs as usize].push(self.next.len() as u32);
        for (dot, symbol) in rhs.chain([END]).enumerate() {
            self.next.push(symbol);
            self.dot.push(dot as u32);
            self.lhs.push(lhs);
        }
    }

    /// The nonterminal number after the dot, if a nonterminal is there.
    fn nonterminal_after(&self, item: u32) -> Option<u32> {
        let next = self.next[item as usize];
        (next != END).then(|| next.checked_sub(self.terminals)).flatten()
    }
}

/// The closure of a set of nonterminals, its items already moved over their first symbols.
#[derive(Default)]
struct Block {
    /// By symbol, ascending.
    entries: Vec<Entry>,
    items: Vec<u32>,
}

#[derive(Clone, Copy)]
struct Entry {
    symbol: u32,
    /// Range in `Block::items`.
    start: u32,
    end: u32,
    /// The state whose kernel is exactly these items, once known.
    state: Option<u32>,
}

struct Builder {
    automaton: Lr0,
    limits: Limits,
    states: FxHashMap<Box<[u32]>, u32>,
    /// By sorted set of nonterminals.
    block_ids: FxHashMap<Box<[u32]>, u32>,
    blocks: Vec<Block>,
    /// Per nonterminal, the number of the last closure that reached it.
    reached: Vec<u32>,
    /// Items in closures and transitions made so far, for the limit.
    work: usize,
}

impl Builder {
    fn new(items: Items, limits: Limits) -> Self {
        let reached = vec![0; items.initial.len()];
        let automaton = Lr0 {
            items,
            kernels: Vec::new(),
            kernel_starts: vec![0],
            transitions: Vec::new(),
            transition_starts: vec![0],
        };
        let (states, block_ids) = (FxHashMap::default(), FxHashMap::default());
        Self { automaton, limits, states, block_ids, blocks: Vec::new(), reached, work: 0 }
    }

    /// `S′ → •start`.
    fn start_item(&self) -> u32 {
        self.automaton.items.next.len() as u32 - 2
    }

    fn states(&self) -> usize {
        self.automaton.kernel_starts.len() - 1
    }

    /// The state with this kernel, made if new.
    fn state_of(&mut self, kernel: &[u32]) -> Result<u32, GlrError> {
        if let Some(&state) = self.states.get(kernel) {
            return Ok(state);
        }
        let state = self.states();
        GlrError::check_limit("LR states", state + 1, self.limits.states)?;
        self.charge(kernel.len())?;
        self.states.insert(kernel.into(), state as u32);
        self.automaton.kernels.extend_from_slice(kernel);
        self.automaton.kernel_starts.push(self.automaton.kernels.len() as u32);
        Ok(state as u32)
    }

    fn charge(&mut self, work: usize) -> Result<(), GlrError> {
        self.work += work;
        GlrError::check_limit("LR items and transitions", self.work, self.limits.items)
    }

    /// Makes the transitions of a state: those of its kernel merged with those of its closure, by symbol.
    fn expand(&mut self, state: usize) -> Result<(), GlrError> {
        let (moved, after) = self.move_kernel(state);
        let id = self.block_of(&after)?;
        let mut block = std::mem::take(&mut self.blocks[id]);
        let mut kernels = moved.chunk_by(|a, b| a.0 == b.0).peekable();
        for entry in &mut block.entries {
            while let Some(own) = kernels.next_if(|own| own[0].0 < entry.symbol) {
                self.add_transition(own, &[])?;
            }
            let closure = &block.items[entry.start as usize..entry.end as usize];
            if let Some(own) = kernels.next_if(|own| own[0].0 == entry.symbol) {
                self.add_transition(own, closure)?;
                continue;
            }
            let target = match entry.state {
                Some(target) => target,
                None => *entry.state.insert(self.state_of(closure)?),
            };
            self.automaton.transitions.push((entry.symbol, target));
        }
        self.blocks[id] = block;
        kernels.try_for_each(|own| self.add_transition(own, &[]))?;
        self.charge(self.automaton.transitions.len() - self.automaton.transition_starts[state] as usize)?;
        self.automaton.transition_starts.push(self.automaton.transitions.len() as u32);
        Ok(())
    }

    /// The kernel items moved over what follows their dots, by symbol, and the set of nonterminals among these.
    fn move_kernel(&self, state: usize) -> (Vec<(u32, u32)>, Vec<u32>) {
        let items = &self.automaton.items;
        let kernel = &self.automaton.kernels[self.automaton.slots(state)];
        let mut after: Vec<u32> = kernel.iter().filter_map(|&item| items.nonterminal_after(item)).collect();
        after.sort_unstable();
        after.dedup();
        let open = kernel.iter().filter(|&&item| items.next[item as usize] != END);
        let mut moved: Vec<(u32, u32)> = open.map(|&item| (items.next[item as usize], item + 1)).collect();
        moved.sort_unstable();
        (moved, after)
    }

    /// A transition to the state with the kernel `own` (all over one symbol) ∪ `closure`.
    fn add_transition(&mut self, own: &[(u32, u32)], closure: &[u32]) -> Result<(), GlrError> {
        let Some(&(symbol, _)) = own.first() else { return Ok(()) };
        let mut kernel: Vec<u32> = own.iter().map(|&(_, item)| item).chain(closure.iter().copied()).collect();
        kernel.sort_unstable();
        let target = self.state_of(&kernel)?;
        self.automaton.transitions.push((symbol, target));
        Ok(())
    }

    /// The position of the block that closes a sorted set of nonterminals.
    fn block_of(&mut self, nonterminals: &[u32]) -> Result<usize, GlrError> {
        if let Some(&id) = self.block_ids.get(nonterminals) {
            return Ok(id as usize);
        }
        let id = self.blocks.len();
        self.block_ids.insert(nonterminals.into(), id as u32);
        let block = self.close(nonterminals, id as u32 + 1);
        self.charge(block.items.len())?;
        self.blocks.push(block);
        Ok(id)
    }

    /// Closes a set of nonterminals; `stamp` is new.
    fn close(&mut self, nonterminals: &[u32], stamp: u32) -> Block {
        let items = &self.automaton.items;
        let mut moved: Vec<(u32, u32)> = Vec::new();
        let mut todo = nonterminals.to_vec();
        todo.iter().for_each(|&a| self.reached[a as usize] = stamp);
        while let Some(a) = todo.pop() {
            for &item in &items.initial[a as usize] {
                moved.push((items.next[item as usize], item + 1));
                if let Some(b) = items.nonterminal_after(item) {
                    if std::mem::replace(&mut self.reached[b as usize], stamp) != stamp {
                        todo.push(b);
                    }
                }
            }
        }
        moved.sort_unstable();
        Block::new(&moved)
    }
}

impl Block {
    fn new(moved: &[(u32, u32)]) -> Self {
        let mut block = Self { entries: Vec::new(), items: Vec::with_capacity(moved.len()) };
        for same in moved.chunk_by(|a, b| a.0 == b.0) {
            let start = block.items.len() as u32;
            block.items.extend(same.iter().map(|&(_, item)| item));
            block.entries.push(Entry { symbol: same[0].0, start, end: block.items.len() as u32, state: None });
        }
        block
    }
}
