//! From scans to classes: what is left of a scan when the token ends.
//!
//! A thread still in progress is an open terminal for each way it can end, free or with a [`Need`]; a lexeme that ended
//! is an edge to the class of the rest. Conditions pending *at the end* of the token go down with the rest, since what
//! completes the last lexeme must not violate them. Edges are pruned with the grammar: after t only what may follow t.

use glrmask_automata::lexdag::{ClassDag, ClassId, ConditionSetId, Need, Open, IGNORED};
use glrmask_automata::{Id, TerminalId};
use rustc_hash::FxHashMap;

use crate::completions::{CompletionTable, Completions};
use crate::conditions::ConditionSets;
use crate::error::LexerError;
use crate::lexer::Lexer;
use crate::safety::SafetyTable;
use crate::scan::{ScanId, ScanTable};

const UNKNOWN: u32 = u32::MAX;
const NO_CLASS: u32 = u32::MAX - 1;

/// The classes found so far, and what it takes to find more.
#[derive(Clone, Debug, Default)]
pub struct ClassTable {
    pub(crate) dag: ClassDag,
    known: FxHashMap<(ScanId, ConditionSetId), Option<ClassId>>,
    /// What `known` says of scans without outer conditions, dense: the walk over the vocabulary asks for nothing else.
    plain: Vec<u32>,
    restricted: FxHashMap<(ClassId, TerminalId), Option<ClassId>>,
    behind: FxHashMap<(ClassId, TerminalId), Option<ClassId>>,
    after: FxHashMap<(ClassId, TerminalId), Option<ClassId>>,
    pub(crate) completions: CompletionTable,
    pub(crate) safety: SafetyTable,
}

impl ClassTable {
    /// The class of every text with this scan; `None` if no parser accepts it. Memoised.
    ///
    /// # Errors
    /// A limit on longest-match conditions.
    pub fn class(
        &mut self,
        lexer: &Lexer,
        scans: &ScanTable,
        sets: &mut ConditionSets,
        scan: ScanId,
    ) -> Result<Option<ClassId>, LexerError> {
        match self.plain.get(scan.index()) {
            Some(&NO_CLASS) => return Ok(None),
            Some(&known) if known != UNKNOWN => return Ok(Some(ClassId(known))),
            _ => {}
        }
        let class = self.class_under(lexer, scans, sets, scan, ConditionSetId::NONE)?;
        if self.plain.len() <= scan.index() {
            self.plain.resize(scans.len().max(scan.index() + 1), UNKNOWN);
        }
        self.plain[scan.index()] = class.map_or(NO_CLASS, |c| c.0);
        Ok(class)
    }

    /// The class of a token that ends while `terminal` is open, with this need.
    pub fn open_class(&mut self, terminal: TerminalId, need: Need) -> ClassId {
        self.dag.open(terminal, need)
    }

    /// What is left of a class behind its first terminal. Memoised.
    pub fn after(&mut self, class: ClassId, terminal: TerminalId) -> Option<ClassId> {
        let Self { dag, after, .. } = self;
        *after.entry((class, terminal)).or_insert_with(|| dag.after(class, terminal))
    }

    /// The class of a terminal that is not ignored, followed by a class. Memoised.
    pub(crate) fn behind(&mut self, lexer: &Lexer, terminal: TerminalId, rest: ClassId) -> Option<ClassId> {
        if let Some(&known) = self.behind.get(&(rest, terminal)) {
            return known;
        }
        let edge = lexer.parser_terminal(terminal).zip(self.restrict(lexer, rest, terminal));
        let class = edge.and_then(|edge| self.dag.intern(Vec::new(), vec![edge]));
        self.behind.insert((rest, terminal), class);
        class
    }

    /// The hash-consed classes.
    pub fn dag(&self) -> &ClassDag {
        &self.dag
    }
    /// Forgets which class a scan has; the classes stay.
    pub(crate) fn forget_scans(&mut self) {
        (self.known, self.plain) = (FxHashMap::default(), Vec::new());
    }
    /// What [`forget_scans`](Self::forget_scans) would free, in bytes, about.
    pub(crate) fn scan_memory(&self) -> usize {
        self.known.len() * 32 + self.plain.len() * 4
    }
    /// Rough memory use in bytes.
    pub fn memory_usage(&self) -> usize {
        let memos = (self.restricted.len() + self.behind.len() + self.after.len()) * 32;
        let classes = self.dag.memory_usage() + self.completions.memory_usage() + memos;
        classes + self.scan_memory()
    }

    /// With an explicit stack: the rest of a scan is older than the scan, so the recursion ends, but tokens can be long.
    fn class_under(
        &mut self,
        lexer: &Lexer,
        scans: &ScanTable,
        sets: &mut ConditionSets,
        scan: ScanId,
        outer: ConditionSetId,
    ) -> Result<Option<ClassId>, LexerError> {
        let mut work = vec![(scan, outer)];
        while let Some(&(current, outer)) = work.last() {
            if self.known.contains_key(&(current, outer)) {
                work.pop();
                continue;
            }
            let node = scans.get(current);
            let pending = sets.union(outer, node.pending);
            let below = |edge: &crate::scan::ScanEdge, sets: &mut ConditionSets| {
                (edge.rest, sets.union(pending, edge.conditions))
            };
            let missing: Vec<_> =
                node.edges.iter().map(|edge| below(edge, sets)).filter(|key| !self.known.contains_key(key)).collect();
            if missing.is_empty() {
                let class = self.combine(lexer, scans, sets, current, pending)?;
                self.known.insert((current, outer), class);
                work.pop();
            } else {
                work.extend(missing);
            }
        }
        Ok(self.known[&(scan, outer)])
    }

    fn combine(
        &mut self,
        lexer: &Lexer,
        scans: &ScanTable,
        sets: &mut ConditionSets,
        scan: ScanId,
        pending: ConditionSetId,
    ) -> Result<Option<ClassId>, LexerError> {
        let node = scans.get(scan);
        let mut open = Vec::new();
        for &thread in &node.threads {
            let component = lexer.component(thread.0);
            if lexer.is_plain() && pending == ConditionSetId::NONE {
                for terminal in component.live(thread.1) {
                    push_free(lexer, terminal, &mut open);
                }
                continue;
            }
            let ways = self.completions.of(lexer, sets, thread, pending)?.clone();
            self.open_terminals(lexer, sets, &ways, &mut open)?;
        }
        let mut edges = Vec::new();
        let mut base: Option<ClassId> = None;
        for edge in &node.edges {
            let Some(class) = self.known[&(edge.rest, sets.union(pending, edge.conditions))] else { continue };
            if lexer.is_ignored(edge.terminal) {
                base = Some(base.map_or(class, |b| self.dag.union(b, class)));
            }
            if let Some(terminal) = lexer.parser_terminal(edge.terminal) {
                edges.extend(self.restrict(lexer, class, edge.terminal).map(|c| (terminal, c)));
            }
        }
        let own = self.dag.intern(open, edges);
        Ok(match (own, base) {
            (Some(a), Some(b)) => Some(self.dag.union(a, b)),
            (a, b) => a.or(b),
        })
    }

    /// One [`Open`] per way a lexeme can end; free where one way is safe.
    fn open_terminals(
        &mut self,
        lexer: &Lexer,
        sets: &mut ConditionSets,
        ways: &Completions,
        open: &mut Vec<Open>,
    ) -> Result<(), LexerError> {
        for &(terminal, after) in ways.iter() {
            if lexer.is_ignored(terminal) {
                let free = self.safety.is_ignored_safe(lexer, &mut self.completions, sets, after)?;
                open.push(Open { terminal: IGNORED, need: need(free, after) });
            }
            if let Some(terminal) = lexer.parser_terminal(terminal) {
                let free = self.safety.is_safe(lexer, &mut self.completions, sets, terminal, after)?;
                open.push(Open { terminal, need: need(free, after) });
            }
        }
        Ok(())
    }

    fn restrict(&mut self, lexer: &Lexer, class: ClassId, after: TerminalId) -> Option<ClassId> {
        if let Some(&known) = self.restricted.get(&(class, after)) {
            return known;
        }
        let followers = &lexer.terminals[after].followers;
        let result = self.dag.restrict(class, |t| followers.contains(t.index()));
        self.restricted.insert((class, after), result);
        result
    }
}

fn push_free(lexer: &Lexer, terminal: TerminalId, open: &mut Vec<Open>) {
    if lexer.is_ignored(terminal) {
        open.push(Open { terminal: IGNORED, need: Need::Free });
    }
    if let Some(terminal) = lexer.parser_terminal(terminal) {
        open.push(Open { terminal, need: Need::Free });
    }
}

fn need(free: bool, after: ConditionSetId) -> Need {
    if free {
        Need::Free
    } else {
        Need::Pending(after)
    }
}
