//! What a token means, word for word from `docs/semantics.md`, by enumeration: all ways to cut a text into lexemes, each
//! terminal with an automaton of its own, longest match as a check on strings. No components, no scans, no sharing.

use std::collections::{BTreeMap, BTreeSet};

use glrmask_automata::lexdag::{ClassDag, ClassId, Need, IGNORED};
use glrmask_automata::{Dfa, Id, StateId, TerminalId};
use glrmask_lexer::{Condition, ConditionSets, Language, TerminalDef};

/// Bytes that terminals are made of.
pub(crate) const LETTERS: &[u8] = b"abc";

/// Conditions that must all hold.
pub(crate) type Pending = BTreeSet<Condition>;

/// Parser terminals that ended, the one still open (or [`IGNORED`]), and what is pending after it (`None`: free).
pub(crate) type Sequence = (Vec<TerminalId>, TerminalId, Option<Pending>);

/// A terminal that can be lexed to its end, with what is pending then.
type Lexeme = (TerminalId, Pending);

/// Where a text is read from: `text[..read]` belongs to the first lexeme and was read before, `pending` holds from there.
pub(crate) struct Start<'a> {
    pub(crate) text: &'a [u8],
    pub(crate) read: usize,
    pub(crate) pending: &'a Pending,
    /// Terminals the first lexeme may be of.
    pub(crate) first: &'a dyn Fn(TerminalId) -> bool,
}

/// Terminals with their own automata.
pub(crate) struct Reference {
    defs: Vec<TerminalDef>,
    automata: Vec<Option<Dfa>>,
    /// Greatest fixed point so far: (terminal, or [`IGNORED`], and what is pending after it) → whether it is free.
    safe: BTreeMap<(TerminalId, Pending), bool>,
}

/// One lexeme that ended.
#[derive(Clone, Copy)]
struct Ended {
    terminal: TerminalId,
    start: usize,
    end: usize,
}

impl Reference {
    pub(crate) fn new(defs: &[TerminalDef]) -> Self {
        let own = |def: &TerminalDef| match &def.language {
            Language::Literal(bytes) => Some(Dfa::from_literals(&[(bytes, 0)])),
            Language::Automaton(dfa) => Some(dfa.plain()),
            Language::None | Language::Token => None,
        };
        Self { defs: defs.to_vec(), automata: defs.iter().map(own).collect(), safe: BTreeMap::new() }
    }

    fn terminals(&self) -> impl Iterator<Item = TerminalId> + 'static {
        (0..self.defs.len()).map(TerminalId::from_usize)
    }

    fn def(&self, t: TerminalId) -> &TerminalDef {
        &self.defs[t.index()]
    }

    /// Whether `t` matches `text`.
    pub(crate) fn matches(&self, t: TerminalId, text: &[u8]) -> bool {
        self.automata[t.index()].as_ref().is_some_and(|dfa| dfa.accepts(text))
    }

    /// K(t), `t` included.
    pub(crate) fn kills(&self, t: TerminalId) -> BTreeSet<TerminalId> {
        self.def(t).kills.iter().copied().chain([t]).collect()
    }

    /// Whether `k`, having read some text to `state`, can still match a longer one.
    fn can_grow(&self, k: TerminalId, state: StateId) -> bool {
        let Some(dfa) = &self.automata[k.index()] else { return false };
        let (mut seen, mut work) = (BTreeSet::new(), vec![state]);
        while let Some(state) = work.pop() {
            for next in LETTERS.iter().map(|&b| dfa.next(state, b)).filter(|&q| q != Dfa::DEAD) {
                if dfa.is_accepting(next) {
                    return true;
                }
                if seen.insert(next) {
                    work.push(next);
                }
            }
        }
        false
    }

    /// `k` must not match more than `text`, of which it has read all: a condition, if that can still happen.
    fn condition(&self, k: TerminalId, from: Option<StateId>, text: &[u8]) -> Option<Condition> {
        let dfa = self.automata[k.index()].as_ref()?;
        let state = dfa.run(from.unwrap_or(dfa.start()), text);
        (state != Dfa::DEAD && self.can_grow(k, state)).then_some(Condition { terminal: k, state })
    }

    /// What a match of `t` on `text` leaves.
    pub(crate) fn left(&self, t: TerminalId, text: &[u8]) -> Pending {
        self.kills(t).into_iter().filter_map(|k| self.condition(k, None, text)).collect()
    }

    /// What is pending after `text`; `None` if some prefix of it violates a condition.
    pub(crate) fn after(&self, pending: &Pending, text: &[u8]) -> Option<Pending> {
        let violated = |c: &Condition| {
            let Some(dfa) = &self.automata[c.terminal.index()] else { return false };
            (1..=text.len()).any(|n| match dfa.run(c.state, &text[..n]) {
                Dfa::DEAD => false,
                state => dfa.is_accepting(state),
            })
        };
        if pending.iter().any(violated) {
            return None;
        }
        Some(pending.iter().filter_map(|c| self.condition(c.terminal, Some(c.state), text)).collect())
    }

    /// Every terminal that a lexeme with `read` as its first bytes can become, with what is pending then: a search over
    /// the states of all automata together.
    pub(crate) fn completions(&self, read: &[u8], pending: &Pending) -> BTreeSet<Lexeme> {
        let run = |dfa: &Option<Dfa>| dfa.as_ref().map_or(Dfa::DEAD, |dfa| dfa.run(dfa.start(), read));
        let root: (Vec<StateId>, Pending) = (self.automata.iter().map(run).collect(), pending.clone());
        let (mut seen, mut work, mut found) = (BTreeSet::from([root.clone()]), vec![root], BTreeSet::new());
        while let Some((states, pending)) = work.pop() {
            for t in self.terminals().filter(|&t| self.accepts_at(t, &states)) {
                let kills = self.kills(t);
                let left = kills.into_iter().filter(|&k| states[k.index()] != Dfa::DEAD);
                let left = left.filter(|&k| self.can_grow(k, states[k.index()]));
                let left = left.map(|k| Condition { terminal: k, state: states[k.index()] });
                found.insert((t, pending.iter().copied().chain(left).collect()));
            }
            for &byte in LETTERS {
                let Some(pending) = self.after(&pending, &[byte]) else { continue };
                let next: Vec<StateId> = self.terminals().map(|t| self.next(t, states[t.index()], byte)).collect();
                if next.iter().any(|&q| q != Dfa::DEAD) && seen.insert((next.clone(), pending.clone())) {
                    work.push((next, pending));
                }
            }
        }
        found
    }

    fn accepts_at(&self, t: TerminalId, states: &[StateId]) -> bool {
        let state = states[t.index()];
        state != Dfa::DEAD && self.automata[t.index()].as_ref().is_some_and(|dfa| dfa.is_accepting(state))
    }

    fn next(&self, t: TerminalId, state: StateId, byte: u8) -> StateId {
        match &self.automata[t.index()] {
            Some(dfa) if state != Dfa::DEAD => dfa.next(state, byte),
            _ => Dfa::DEAD,
        }
    }

    /// Whether everything the grammar puts after `t` (or after ignored text) can be lexed while `pending`, for ever.
    pub(crate) fn is_free(&mut self, t: TerminalId, pending: &Pending) -> bool {
        if let Some(&known) = self.safe.get(&(t, pending.clone())) {
            return known;
        }
        let mut next: BTreeMap<Pending, BTreeSet<Lexeme>> = BTreeMap::new();
        let mut work = vec![pending.clone()];
        while let Some(pending) = work.pop() {
            if next.contains_key(&pending) {
                continue;
            }
            let lexemes = self.parser_lexemes(&pending);
            work.extend(lexemes.iter().map(|l| l.1.clone()));
            next.insert(pending, lexemes);
        }
        let parser: BTreeSet<TerminalId> = self.defs.iter().filter_map(|def| def.parser_terminal).collect();
        let all = next.keys().flat_map(|c| parser.iter().chain([&IGNORED]).map(move |&t| (t, c.clone())));
        let mut safe: BTreeSet<(TerminalId, Pending)> = all.collect();
        loop {
            let admits = |c: &Pending, u: usize| {
                let u = TerminalId::from_usize(u);
                next[c].iter().any(|l| l.0 == u && safe.contains(l))
            };
            let holds = |(t, c): &(TerminalId, Pending)| match *t {
                IGNORED => parser.iter().all(|u| admits(c, u.index())),
                t => self.followers(t).into_iter().all(|u| admits(c, u)),
            };
            let kept: BTreeSet<_> = safe.iter().filter(|pair| holds(pair)).cloned().collect();
            if kept.len() == safe.len() {
                break;
            }
            safe = kept;
        }
        for c in next.keys() {
            for &t in parser.iter().chain([&IGNORED]) {
                self.safe.insert((t, c.clone()), safe.contains(&(t, c.clone())));
            }
        }
        safe.contains(&(t, pending.clone()))
    }

    fn followers(&self, parser_terminal: TerminalId) -> Vec<usize> {
        self.def(parser_terminal).followers.iter().collect()
    }

    /// Every lexeme from its start; token events that a text can hold are some, and leave nothing pending.
    pub(crate) fn lexemes(&self, pending: &Pending) -> BTreeSet<Lexeme> {
        let occurs = |def: &TerminalDef| def.ignored || def.parser_terminal.is_some();
        let is_event = |t: &TerminalId| matches!(self.def(*t).language, Language::Token) && occurs(self.def(*t));
        let events = self.terminals().filter(is_event).map(|t| (t, Pending::new()));
        self.completions(b"", pending).into_iter().chain(events).collect()
    }

    /// Parser terminals that can come next, ignored text before them or not.
    fn parser_lexemes(&self, pending: &Pending) -> BTreeSet<Lexeme> {
        let (mut seen, mut work) = (BTreeSet::from([pending.clone()]), vec![pending.clone()]);
        let mut found = BTreeSet::new();
        while let Some(pending) = work.pop() {
            for (t, after) in self.lexemes(&pending) {
                if self.def(t).ignored && seen.insert(after.clone()) {
                    work.push(after.clone());
                }
                found.extend(self.def(t).parser_terminal.map(|t| (t, after)));
            }
        }
        found
    }

    /// All that a parser can learn from a text.
    pub(crate) fn sequences(&mut self, start: &Start<'_>) -> BTreeSet<Sequence> {
        let mut found = BTreeSet::new();
        if let Some(pending) = self.after(start.pending, &start.text[start.read..]) {
            self.cut(start, &pending, &mut Vec::new(), (&[], None), &mut found);
        }
        let free: BTreeSet<_> = found.iter().filter(|s| s.2.is_none()).map(|s| (s.0.clone(), s.1)).collect();
        found.retain(|s| s.2.is_none() || !free.contains(&(s.0.clone(), s.1)));
        found
    }

    /// Goes on after these lexemes, `so_far` being how the parser sees them and the last terminal among them.
    fn cut(
        &mut self,
        start: &Start<'_>,
        pending: &Pending,
        ended: &mut Vec<Ended>,
        so_far: (&[TerminalId], Option<TerminalId>),
        found: &mut BTreeSet<Sequence>,
    ) {
        let at = ended.last().map_or(0, |e| e.end);
        let (sequence, last) = so_far;
        for (t, after) in self.open_lexemes(start, pending, ended) {
            if self.def(t).ignored {
                let need = (!self.is_free(IGNORED, &after)).then(|| after.clone());
                found.insert((sequence.to_vec(), IGNORED, need));
            }
            if let Some(p) = self.def(t).parser_terminal.filter(|&p| self.may_follow(last, p)) {
                let need = (!self.is_free(p, &after)).then_some(after);
                found.insert((sequence.to_vec(), p, need));
            }
        }
        let least = if ended.is_empty() { start.read.max(1) } else { at + 1 };
        let is_first = ended.is_empty();
        for t in self.terminals().filter(|&t| !is_first || (start.first)(t)) {
            let ends = (least..start.text.len()).filter(|&end| self.matches(t, &start.text[at..end]));
            for end in ends.collect::<Vec<_>>() {
                ended.push(Ended { terminal: t, start: at, end });
                if self.def(t).ignored {
                    self.cut(start, pending, ended, so_far, found);
                }
                if let Some(p) = self.def(t).parser_terminal.filter(|&p| self.may_follow(last, p)) {
                    let longer = [sequence, &[p]].concat();
                    self.cut(start, pending, ended, (&longer, Some(p)), found);
                }
                ended.pop();
            }
        }
    }

    fn may_follow(&self, last: Option<TerminalId>, next: TerminalId) -> bool {
        last.is_none_or(|last| self.def(last).followers.contains(next.index()))
    }

    /// How the last lexeme, in progress at the end of the text, can end; nothing if an earlier one is killed.
    fn open_lexemes(&self, start: &Start<'_>, pending: &Pending, ended: &[Ended]) -> Vec<Lexeme> {
        let (text, at) = (start.text, ended.last().map_or(0, |e| e.end));
        let mut pending = pending.clone();
        for &Ended { terminal, start, end } in ended {
            for k in self.kills(terminal) {
                if (end + 1..=text.len()).any(|longer| self.matches(k, &text[start..longer])) {
                    return Vec::new();
                }
                pending.extend(self.condition(k, None, &text[start..]));
            }
        }
        let first = |t: TerminalId| !ended.is_empty() || (start.first)(t);
        self.completions(&text[at..], &pending).into_iter().filter(|l| first(l.0)).collect()
    }
}

/// The same of a class.
pub(crate) fn expand(dag: &ClassDag, sets: &ConditionSets, class: ClassId) -> BTreeSet<Sequence> {
    let mut found = BTreeSet::new();
    let mut work = vec![(Vec::new(), class)];
    while let Some((sequence, class)) = work.pop() {
        let node = dag.node(class);
        for open in &*node.open {
            let need = match open.need {
                Need::Free => None,
                Need::Pending(set) => Some(sets.get(set).iter().copied().collect()),
            };
            found.insert((sequence.clone(), open.terminal, need));
        }
        work.extend(node.edges.iter().map(|&(t, rest)| ([&sequence[..], &[t]].concat(), rest)));
    }
    found
}
