//! Lexers side by side: the lexer of a grammar that is linked from parts.
//!
//! Terminals of different parts never compete, so the components of the whole are those of the parts, with other numbers;
//! what depends on all of them (byte classes, which component starts with which byte) is made anew, which is cheap.
//!
//! A condition says of an automaton that it must not match. Parts that are alike have equal ones, an integer each, say; so
//! conditions name the first terminal of all that have an automaton equal to that of their own. Otherwise a thousand parts
//! make a thousand sets of conditions, and what can be lexed next is asked under each.

use std::sync::Arc;

use glrmask_automata::{Dfa, Id, IndexVec, TerminalId};
use rustc_hash::FxHashMap;

use crate::component::ComponentId;
use crate::conditions::KillAutomata;
use crate::lexer::{Lexer, Terminal};
use crate::relation::BitSet;

/// The lexer of a part.
#[derive(Clone, Copy, Debug)]
pub struct LexerPart<'a> {
    /// Its lexer.
    pub lexer: &'a Lexer,
    /// The number of its first terminal in the whole.
    pub first_terminal: u32,
    /// Own terminals that stand for other parts, and the terminals of the whole that these can begin with.
    pub slots: &'a [(TerminalId, BitSet)],
    /// Own terminals that can end the part.
    pub last: &'a BitSet,
    /// The terminals of the whole that can follow the part.
    pub follow: &'a BitSet,
}

impl Lexer {
    /// Puts lexers together; `terminals` is the number of terminals of the whole. Time: that of copying them.
    pub fn link(parts: &[LexerPart<'_>], terminals: usize) -> Self {
        let none = Terminal {
            ignored: false,
            parser_terminal: None,
            followers: BitSet::default(),
            component: None,
            token: false,
            padding: 0,
        };
        let mut linked = IndexVec::from_elem(none, terminals);
        let mut components = IndexVec::new();
        let mut promises = Promises::default();
        let mut paddings = Vec::new();
        for part in parts {
            promises.begin(part);
            let (first_component, first_padding) = (components.len(), paddings.len() as u32);
            for (t, terminal) in part.lexer.terminals.iter_enumerated() {
                let to = TerminalId(part.first_terminal + t.0);
                if to.index() < terminals {
                    linked[to] = part.terminal(t, terminal, (first_component, first_padding));
                }
            }
            for component in part.lexer.components.iter() {
                components.push(component.moved(part.first_terminal, |t| promises.of(t)));
            }
            paddings.extend(part.lexer.paddings.iter().map(|set| set.moved(part.first_terminal as usize)));
        }
        Self::assemble(linked, components, promises.automata, paddings)
    }
}

/// Terminals that appear in conditions, those with equal automata as one.
#[derive(Default)]
struct Promises<'a> {
    automata: KillAutomata,
    known: FxHashMap<&'a Dfa, TerminalId>,
    /// The same automaton in the same place need not be looked at twice.
    by_place: FxHashMap<*const Dfa, TerminalId>,
    /// Of the part at hand, by its own numbers.
    own: FxHashMap<TerminalId, TerminalId>,
}

impl<'a> Promises<'a> {
    /// Goes on to a part. Time: the size of automata that were not seen before.
    fn begin(&mut self, part: &LexerPart<'a>) {
        self.own.clear();
        let mut automata: Vec<_> = part.lexer.kill_automata.iter().collect();
        automata.sort_unstable_by_key(|entry| entry.0);
        for (&t, dfa) in automata {
            let moved = TerminalId(part.first_terminal + t.0);
            let known = &mut self.known;
            let first = *self.by_place.entry(Arc::as_ptr(dfa)).or_insert_with(|| *known.entry(dfa).or_insert(moved));
            self.own.insert(t, first);
            self.automata.entry(first).or_insert_with(|| dfa.clone());
        }
    }

    /// The terminal of the whole that a condition on a terminal of the part at hand names.
    fn of(&self, t: TerminalId) -> TerminalId {
        self.own.get(&t).copied().unwrap_or(t)
    }
}

impl LexerPart<'_> {
    /// A terminal by the numbers of the whole.
    fn terminal(&self, t: TerminalId, terminal: &Terminal, (component, padding): (usize, u32)) -> Terminal {
        let mut followers = terminal.followers.moved(self.first_terminal as usize);
        for (slot, first) in self.slots.iter().filter(|(slot, _)| terminal.followers.contains(slot.index())) {
            followers.remove(self.first_terminal as usize + slot.index());
            followers.union_with(first);
        }
        // As the parser knows it: merged terminals end what the one they are merged with ends.
        if terminal.parser_terminal.is_some_and(|known| self.last.contains(known.index())) {
            followers.union_with(self.follow);
        }
        let moved = |t: TerminalId| TerminalId(self.first_terminal + t.0);
        debug_assert!(t.index() < self.lexer.terminal_count());
        Terminal {
            token: terminal.token,
            ignored: terminal.ignored,
            parser_terminal: terminal.parser_terminal.map(moved),
            followers,
            component: terminal.component.map(|c| ComponentId::from_usize(component + c.index())),
            padding: if terminal.padding == 0 { 0 } else { padding + terminal.padding },
        }
    }
}
