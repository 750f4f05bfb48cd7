//! The immutable lexer: terminals, their components, and what the grammar says about neighbours.

use std::sync::Arc;

use glrmask_automata::{Dfa, Id, IndexVec, Limits, StateId, TerminalId};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::component::{Component, ComponentId};
use crate::conditions::{in_order, KillAutomata};
use crate::error::LexerError;
use crate::relation::BitSet;

/// The language of one terminal.
#[derive(Clone, Debug)]
pub enum Language {
    /// Exactly these bytes.
    Literal(Vec<u8>),
    /// A minimal automaton without the empty string; its one label is 0.
    Automaton(Arc<Dfa>),
    /// One token event, never bytes. It may follow whatever has matched, and voids all pending conditions.
    Token,
    /// Never matches bytes (unused terminals).
    None,
}

/// What the lexer must know about a terminal.
#[derive(Clone, Debug)]
pub struct TerminalDef {
    /// Which byte strings it matches.
    pub language: Language,
    /// Whether it may be left out anywhere.
    pub ignored: bool,
    /// Under which terminal the parser knows it (merged terminals share one); `None` if no production uses it.
    pub parser_terminal: Option<TerminalId>,
    /// Its kill set K without itself: terminals of whom no longer match may start where this one starts.
    pub kills: Vec<TerminalId>,
    /// The parser terminals that may stand directly after it.
    pub followers: BitSet,
}

/// How a terminal looks to the scan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Terminal {
    pub(crate) ignored: bool,
    pub(crate) parser_terminal: Option<TerminalId>,
    pub(crate) followers: BitSet,
    pub(crate) component: Option<ComponentId>,
    /// Whether it is a token event.
    pub(crate) token: bool,
    /// What may be put behind it, by number among [`Lexer::paddings`] from 1 on; 0 for nothing.
    pub(crate) padding: u32,
}

/// The lexer of a grammar. Immutable; everything that is filled on demand lives in [`crate::LexerCache`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lexer {
    pub(crate) terminals: IndexVec<TerminalId, Terminal>,
    pub(crate) components: IndexVec<ComponentId, Component>,
    #[serde(serialize_with = "in_order")]
    pub(crate) kill_automata: KillAutomata,
    /// Byte → class; bytes of a class are alike to every component.
    #[serde(with = "byte_table")]
    pub(crate) classes: [u8; 256],
    pub(crate) class_count: usize,
    /// Per byte, the components that can start with it and the state they reach.
    pub(crate) starts: Vec<Vec<(ComponentId, StateId)>>,
    /// Every parser terminal that occurs in a production.
    pub(crate) used: BitSet,
    /// Per parser terminal, the components of the terminals that the parser knows under it.
    pub(crate) by_parser_terminal: IndexVec<TerminalId, Vec<ComponentId>>,
    /// Components with an ignored terminal.
    pub(crate) ignoring: BitSet,
    /// Terminals that are token events and that a text can hold.
    pub(crate) token_terminals: Vec<TerminalId>,
    pub(crate) plain: bool,
    /// Sets of parser terminals; see [`Lexer::with_padding`].
    pub(crate) paddings: Vec<BitSet>,
}

impl Lexer {
    /// Groups terminals into components and builds their automata.
    ///
    /// # Errors
    /// A limit on automaton states was reached.
    pub fn new(defs: &[TerminalDef], limits: &Limits) -> Result<Self, LexerError> {
        Self::with_regions(defs, |_| 0, limits)
    }

    /// [`new`](Self::new), where terminals of different regions of the grammar do not share a component unless they compete.
    ///
    /// # Errors
    /// As for [`new`](Self::new).
    pub fn with_regions(
        defs: &[TerminalDef],
        region: impl Fn(TerminalId) -> usize,
        limits: &Limits,
    ) -> Result<Self, LexerError> {
        let groups = group(defs, region);
        let kill_automata = own_automata(defs, &groups);
        let mut components = IndexVec::new();
        let mut terminals: IndexVec<TerminalId, Terminal> = defs.iter().map(terminal_without_component).collect();
        for members in &groups {
            let dfa = joint_automaton(defs, members, limits)?;
            let kills = |t: TerminalId| kill_set(defs, t);
            let id = components.push(Component::new(dfa, members.as_slice().into(), kills, &kill_automata));
            members.iter().for_each(|&t| terminals[t].component = Some(id));
        }
        Ok(Self::assemble(terminals, components, kill_automata, Vec::new()))
    }

    /// The same lexer, told of ignored text that the grammar spells out: what may be put behind each parser terminal or
    /// taken away there, wherever that stands in a text, any number of times, without a change to what else may come. It
    /// matters to what a terminal can end in (`safety.rs`), and to no mask. Time: the terminals and the sets.
    #[must_use]
    pub fn with_padding(mut self, padding: impl Fn(TerminalId) -> BitSet) -> Self {
        let mut numbers: FxHashMap<BitSet, u32> = FxHashMap::default();
        for terminal in self.terminals.iter_mut() {
            let set = terminal.parser_terminal.map_or_else(BitSet::default, &padding);
            let next = numbers.len() as u32 + 1;
            terminal.padding = match set.is_empty() {
                true => 0,
                false => *numbers.entry(set).or_insert(next),
            };
        }
        let mut sets: Vec<(BitSet, u32)> = numbers.into_iter().collect();
        sets.sort_unstable_by_key(|entry| entry.1);
        self.paddings = sets.into_iter().map(|entry| entry.0).collect();
        self
    }

    pub(crate) fn assemble(
        terminals: IndexVec<TerminalId, Terminal>,
        components: IndexVec<ComponentId, Component>,
        mut kill_automata: KillAutomata,
        paddings: Vec<BitSet>,
    ) -> Self {
        let needed: BitSet = components.iter().flat_map(Component::condition_terminals).map(|t| t.index()).collect();
        kill_automata.retain(|t, _| needed.contains(t.index()));
        let (classes, class_count) = joint_classes(&components);
        let starts = (0..=255u8).map(|byte| starting_with(&components, byte)).collect();
        let used = terminals.iter().filter_map(|t| t.parser_terminal).map(|t| t.index()).collect();
        let ignored = terminals.iter().filter(|t| t.ignored);
        let ignoring = ignored.filter_map(|t| t.component).map(|c| c.index()).collect();
        let by_parser_terminal = by_parser_terminal(&terminals);
        let plain = components.iter().all(Component::is_plain);
        let occurs = |t: &Terminal| t.token && (t.ignored || t.parser_terminal.is_some());
        let token_terminals = terminals.iter_enumerated().filter(|(_, t)| occurs(t)).map(|(id, _)| id).collect();
        Self {
            ignoring,
            token_terminals,
            by_parser_terminal,
            terminals,
            components,
            kill_automata,
            classes,
            class_count,
            starts,
            used,
            plain,
            paddings,
        }
    }

    /// Number of terminals.
    pub fn terminal_count(&self) -> usize {
        self.terminals.len()
    }
    /// The component a terminal belongs to, if it matches bytes at all.
    pub fn component_of(&self, terminal: TerminalId) -> Option<ComponentId> {
        self.terminals.get(terminal).and_then(|t| t.component)
    }
    /// A component.
    pub fn component(&self, id: ComponentId) -> &Component {
        &self.components[id]
    }
    /// All components.
    pub fn components(&self) -> &IndexVec<ComponentId, Component> {
        &self.components
    }
    /// Whether the terminal may be left out anywhere.
    #[inline]
    pub fn is_ignored(&self, terminal: TerminalId) -> bool {
        self.terminals[terminal].ignored
    }
    /// The terminal under which the parser knows `terminal`, if a production uses it.
    #[inline]
    pub fn parser_terminal(&self, terminal: TerminalId) -> Option<TerminalId> {
        self.terminals[terminal].parser_terminal
    }
    /// The parser terminals that may stand directly after `terminal`.
    pub fn followers(&self, terminal: TerminalId) -> &BitSet {
        &self.terminals[terminal].followers
    }
    /// The terminals that are token events and that a text can hold.
    pub fn token_terminals(&self) -> &[TerminalId] {
        &self.token_terminals
    }
    /// Whether no match ever leaves a longest-match condition behind.
    pub fn is_plain(&self) -> bool {
        self.plain
    }
    /// The automata of the terminals that appear in conditions.
    pub fn kill_automata(&self) -> &KillAutomata {
        &self.kill_automata
    }
    /// The components that can start with `byte`, with the state they reach.
    #[inline]
    pub fn starts(&self, byte: u8) -> &[(ComponentId, StateId)] {
        &self.starts[usize::from(byte)]
    }
    /// The components of these parser terminals and of every ignored terminal.
    pub fn components_of(&self, parser_terminals: &BitSet) -> BitSet {
        let mut set = BitSet::new(self.components.len());
        set.union_with(&self.ignoring);
        let known = parser_terminals.iter().filter_map(|t| self.by_parser_terminal.get(TerminalId(t as u32)));
        known.flatten().for_each(|component| set.insert(component.index()));
        set
    }
    /// Rough memory use in bytes.
    pub fn memory_usage(&self) -> usize {
        self.components.iter().map(|c| c.dfa().memory_usage()).sum()
    }

    /// Checks every index, for data that was not built here. After `Ok` no call can go out of bounds.
    ///
    /// # Errors
    /// Says what is wrong.
    pub fn validate(&self) -> Result<(), LexerError> {
        let bad = |what: &str| Err(LexerError::invalid(what));
        let count = self.terminals.len();
        for (_, terminal) in self.terminals.iter_enumerated() {
            if terminal.component.is_some_and(|c| c.index() >= self.components.len()) {
                return bad("terminal in an unknown component");
            }
            if terminal.parser_terminal.is_some_and(|t| t.index() >= count) {
                return bad("terminal with an unknown parser terminal");
            }
            if terminal.padding as usize > self.paddings.len() {
                return bad("terminal with an unknown padding");
            }
            if terminal.token && terminal.component.is_some() {
                return bad("token event that matches bytes");
            }
        }
        for component in self.components.iter() {
            component.validate(&self.kill_automata, count).map_err(LexerError::invalid)?;
        }
        let (terminals, components) = (self.terminals.clone(), self.components.clone());
        let again = Self::assemble(terminals, components, self.kill_automata.clone(), self.paddings.clone());
        if again != *self {
            return bad("derived tables do not fit the components");
        }
        Ok(())
    }
}

fn terminal_without_component(def: &TerminalDef) -> Terminal {
    Terminal {
        ignored: def.ignored,
        parser_terminal: def.parser_terminal,
        followers: def.followers.clone(),
        component: None,
        token: matches!(def.language, Language::Token),
        padding: 0,
    }
}

fn by_parser_terminal(terminals: &IndexVec<TerminalId, Terminal>) -> IndexVec<TerminalId, Vec<ComponentId>> {
    let mut known: IndexVec<TerminalId, Vec<ComponentId>> = IndexVec::from_elem(Vec::new(), terminals.len());
    for terminal in terminals.iter() {
        if let (Some(parser_terminal), Some(component)) = (terminal.parser_terminal, terminal.component) {
            if parser_terminal.index() < known.len() && !known[parser_terminal].contains(&component) {
                known[parser_terminal].push(component);
            }
        }
    }
    known
}

fn kill_set(defs: &[TerminalDef], terminal: TerminalId) -> Vec<TerminalId> {
    let mut kills = defs.get(terminal.index()).map_or_else(Vec::new, |def| def.kills.clone());
    kills.push(terminal);
    kills.sort_unstable();
    kills.dedup();
    kills
}

/// Terminals grouped by competition; literals of a region that compete with nobody go together.
fn group(defs: &[TerminalDef], region: impl Fn(TerminalId) -> usize) -> Vec<Vec<TerminalId>> {
    let mut parent: Vec<usize> = (0..defs.len()).collect();
    fn find(parent: &mut [usize], mut x: usize) -> usize {
        while parent[x] != x {
            parent[x] = parent[parent[x]];
            x = parent[x];
        }
        x
    }
    let mut competes = vec![false; defs.len()];
    for (t, def) in defs.iter().enumerate() {
        for kill in def.kills.iter().map(|k| k.index()).filter(|&k| k != t && k < defs.len()) {
            competes[t] = true;
            competes[kill] = true;
            let (a, b) = (find(&mut parent, t), find(&mut parent, kill));
            parent[a.max(b)] = a.min(b);
        }
    }
    let mut first_literal = FxHashMap::default();
    for (t, def) in defs.iter().enumerate() {
        if matches!(def.language, Language::Literal(_)) && !competes[t] {
            parent[t] = *first_literal.entry(region(TerminalId::from_usize(t))).or_insert(t);
        }
    }
    let mut groups: Vec<Vec<TerminalId>> = Vec::new();
    let mut group_of = FxHashMap::default();
    for (t, def) in defs.iter().enumerate() {
        if matches!(def.language, Language::None | Language::Token) {
            continue;
        }
        let root = find(&mut parent, t);
        let index = *group_of.entry(root).or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        groups[index].push(TerminalId::from_usize(t));
    }
    groups
}

/// The own automata of every terminal that could appear in a condition: all but literals that kill nobody else.
fn own_automata(defs: &[TerminalDef], groups: &[Vec<TerminalId>]) -> KillAutomata {
    let killers: BitSet = defs.iter().flat_map(|def| &def.kills).map(|t| t.index()).collect();
    let mut automata = KillAutomata::default();
    for &terminal in groups.iter().flatten() {
        match &defs[terminal.index()].language {
            Language::Automaton(dfa) => {
                automata.insert(terminal, dfa.clone());
            }
            Language::Literal(bytes) if killers.contains(terminal.index()) => {
                automata.insert(terminal, Arc::new(Dfa::from_literals(&[(bytes, 0)])));
            }
            Language::Literal(_) | Language::None | Language::Token => {}
        }
    }
    automata
}

/// One automaton for all members; label i is the i-th member.
fn joint_automaton(defs: &[TerminalDef], members: &[TerminalId], limits: &Limits) -> Result<Arc<Dfa>, LexerError> {
    let mut literals: Vec<(&[u8], u32)> = Vec::new();
    let mut automata: Vec<(&Dfa, u32)> = Vec::new();
    for (label, terminal) in (0..).zip(members) {
        match &defs[terminal.index()].language {
            Language::Literal(bytes) => literals.push((bytes, label)),
            Language::Automaton(dfa) if members.len() == 1 => return Ok(dfa.clone()),
            Language::Automaton(dfa) => automata.push((dfa, label)),
            Language::None | Language::Token => {}
        }
    }
    if automata.is_empty() {
        return Ok(Arc::new(Dfa::from_literals(&literals)));
    }
    let single: Vec<(Dfa, u32)> =
        literals.iter().map(|&(bytes, label)| (Dfa::from_literals(&[(bytes, 0)]), label)).collect();
    automata.extend(single.iter().map(|(dfa, label)| (dfa, *label)));
    let joint = Dfa::union(&automata, limits).map_err(|e| LexerError::automaton(members.first().copied(), &e))?;
    Ok(Arc::new(joint))
}

/// The coarsest byte classes that refine those of every component.
fn joint_classes(components: &IndexVec<ComponentId, Component>) -> ([u8; 256], usize) {
    let mut classes = [0u8; 256];
    let mut count = 1;
    for component in components.iter() {
        let own = component.dfa().byte_classes();
        let width = component.dfa().class_count();
        let mut fresh = 0u16;
        let mut joint = vec![u16::MAX; count * width];
        for (class, &other) in classes.iter_mut().zip(own) {
            let slot = &mut joint[usize::from(*class) * width + usize::from(other)];
            if *slot == u16::MAX {
                *slot = fresh;
                fresh += 1;
            }
            *class = *slot as u8;
        }
        count = usize::from(fresh);
    }
    (classes, count)
}

fn starting_with(components: &IndexVec<ComponentId, Component>, byte: u8) -> Vec<(ComponentId, StateId)> {
    let reached = components.iter_enumerated().map(|(id, c)| (id, c.dfa().next(c.dfa().start(), byte)));
    reached.filter(|&(_, state)| state != Dfa::DEAD).collect()
}

/// A `[u8; 256]` as bytes (serde knows arrays up to 32).
mod byte_table {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(table: &[u8; 256], serializer: S) -> Result<S::Ok, S::Error> {
        table.as_slice().serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<[u8; 256], D::Error> {
        let bytes = Vec::<u8>::deserialize(deserializer)?;
        bytes.try_into().map_err(|_| serde::de::Error::custom("a byte table has 256 entries"))
    }
}
