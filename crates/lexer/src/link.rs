//! Lexers side by side: the lexer of a grammar that is linked from parts.
//!
//! Terminals of different parts never compete, so the components of the whole are those of the parts, with other numbers;
//! what depends on all of them (byte classes, which component starts with which byte) is made anew, which is cheap.

use glrmask_automata::{Id, IndexVec, TerminalId};

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
        };
        let mut linked = IndexVec::from_elem(none, terminals);
        let mut components = IndexVec::new();
        let mut kill_automata = KillAutomata::default();
        for part in parts {
            let first_component = components.len();
            for (t, terminal) in part.lexer.terminals.iter_enumerated() {
                let to = TerminalId(part.first_terminal + t.0);
                if to.index() < terminals {
                    linked[to] = part.terminal(t, terminal, first_component);
                }
            }
            for component in part.lexer.components.iter() {
                components.push(component.moved(part.first_terminal));
            }
            let moved =
                |(t, dfa): (&TerminalId, &_)| (TerminalId(part.first_terminal + t.0), std::sync::Arc::clone(dfa));
            kill_automata.extend(part.lexer.kill_automata.iter().map(moved));
        }
        Self::assemble(linked, components, kill_automata)
    }
}

impl LexerPart<'_> {
    /// A terminal by the numbers of the whole.
    fn terminal(&self, t: TerminalId, terminal: &Terminal, first_component: usize) -> Terminal {
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
            component: terminal.component.map(|c| ComponentId::from_usize(first_component + c.index())),
        }
    }
}
