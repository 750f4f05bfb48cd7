//! Everything of a lexer that is filled on demand, in one place that can be bounded and cleared.

use std::sync::Arc;

use glrmask_automata::lexdag::{ClassDag, ClassId, ClassNode, ConditionSetId, Need, Open, IGNORED};
use glrmask_automata::{ByteSet, Id, TerminalId};
use glrmask_vocab::Vocab;
use serde::{Deserialize, Serialize};

use rustc_hash::FxHashMap;

use crate::behind::Behind;
use crate::classes::ClassTable;
use crate::completions::Thread;
use crate::component::ComponentId;
use crate::conditions::{Condition, ConditionSets};
use crate::error::LexerError;
use crate::lexer::Lexer;
use crate::relation::BitSet;
use crate::scan::{ScanId, ScanTable, StartSetId};

/// Classes and condition sets as plain data.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StoredClasses {
    nodes: Vec<ClassNode>,
    conditions: Vec<Vec<Condition>>,
}

impl StoredClasses {
    /// The same classes with the numbers that these condition sets have or, for others, would be given next.
    #[must_use]
    pub fn among(mut self, known: &ConditionSets) -> Self {
        let mut sets = known.clone();
        let ids: Vec<ConditionSetId> = self.conditions.into_iter().map(|set| sets.intern(set)).collect();
        for node in &mut self.nodes {
            for open in &mut node.open {
                if let Need::Pending(set) = &mut open.need {
                    *set = ids.get(set.index()).copied().unwrap_or(*set);
                }
            }
            node.open.sort_unstable();
        }
        self.conditions = (0..sets.len()).map(|set| sets.get(ConditionSetId::from_usize(set)).to_vec()).collect();
        self
    }
}

/// The tables of a lexer that are filled on demand. Belongs to one [`Lexer`].
///
/// [`LexerCache::clear`] empties everything but the interned condition sets, whose ids parser stacks carry;
/// [`LexerCache::forget_scans`] only what a walk over the vocabulary leaves behind, which is by far the most.
#[derive(Clone, Debug, Default)]
pub struct LexerCache {
    sets: ConditionSets,
    scans: ScanTable,
    classes: ClassTable,
    /// What walks over the vocabulary found behind lexemes.
    pub(crate) behind: Behind,
    /// Fingerprints of the automata of components, found when first asked for.
    fingerprints: FxHashMap<ComponentId, u128>,
    /// Residuals of their states, likewise.
    residuals: FxHashMap<ComponentId, Arc<Residuals>>,
}

/// What can be read from each state of an automaton ([`Dfa::residuals`]), as kept on a vocabulary.
#[derive(Debug)]
struct Residuals(Box<[u128]>);

impl LexerCache {
    /// An empty cache.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty cache in which the ids of condition sets that this one has given out are valid.
    pub fn successor(&self) -> Self {
        Self { sets: self.sets.clone(), ..Self::default() }
    }

    /// The classes and condition sets as plain data. Time and size: theirs.
    pub fn stored_classes(&self) -> StoredClasses {
        let sets = (0..self.sets.len()).map(|set| self.sets.get(ConditionSetId::from_usize(set)).to_vec());
        StoredClasses { nodes: self.dag().nodes().cloned().collect(), conditions: sets.collect() }
    }

    /// A cache with these classes and condition sets, under the same ids. `terminals`: how many the parser knows.
    ///
    /// # Errors
    /// Data of another lexer, or out of order.
    pub fn with_classes(lexer: &Lexer, terminals: usize, stored: StoredClasses) -> Result<Self, LexerError> {
        let bad = || LexerError::invalid("classes of another lexer");
        let mut cache = Self::default();
        for (index, set) in stored.conditions.iter().enumerate() {
            let stands =
                |c: &Condition| lexer.kill_automata().get(&c.terminal).is_some_and(|dfa| c.state.index() < dfa.len());
            if !set.iter().all(stands) || cache.sets.intern(set.clone()).index() != index {
                return Err(bad());
            }
        }
        let known = |terminal: TerminalId| terminal == IGNORED || terminal.index() < terminals;
        let needed = |open: &Open| match open.need {
            Need::Free => true,
            Need::Pending(set) => set.index() < cache.sets.len(),
        };
        for node in &stored.nodes {
            let edges = node.edges.iter().all(|edge| edge.0.index() < terminals);
            if !edges || !node.open.iter().all(|open| known(open.terminal) && needed(open)) {
                return Err(bad());
            }
        }
        cache.classes.dag = ClassDag::from_nodes(stored.nodes).map_err(LexerError::invalid)?;
        Ok(cache)
    }

    /// Forgets the scans and what is known of them: most of the memory, and of use only to walks to come. Ids of classes
    /// and condition sets stay valid, those of scans do not.
    pub fn forget_scans(&mut self) {
        self.scans = ScanTable::default();
        self.behind = Behind::default();
        self.classes.forget_scans();
    }

    /// Forgets scans, classes and completions; ids of condition sets stay valid.
    pub fn clear(&mut self) {
        self.scans = ScanTable::default();
        self.behind = Behind::default();
        self.classes = ClassTable::default();
    }

    /// The scan of the empty text at a lexeme boundary where a lexeme of these components may start.
    pub fn at_boundary(&mut self, lexer: &Lexer, components: BitSet, pending: ConditionSetId) -> ScanId {
        let origin = self.scans.start_set(lexer, components);
        self.scans.at_boundary(lexer, origin, pending)
    }

    /// The scan of the empty text at a lexeme boundary where any lexeme may start.
    pub fn anywhere(&mut self, lexer: &Lexer, pending: ConditionSetId) -> ScanId {
        self.scans.at_boundary(lexer, StartSetId::ALL, pending)
    }

    /// The scan of the empty text inside a lexeme.
    pub fn inside(&mut self, lexer: &Lexer, thread: Thread, pending: ConditionSetId) -> ScanId {
        self.scans.inside(lexer, thread, pending)
    }

    /// The scan after one more byte; `None` if no lexing is left.
    ///
    /// # Errors
    /// A limit of the cache.
    #[inline]
    pub fn step(&mut self, lexer: &Lexer, scan: ScanId, byte: u8) -> Result<Option<ScanId>, LexerError> {
        self.scans.step(lexer, &mut self.sets, scan, byte)
    }

    /// A superset of the bytes that lead on from here.
    pub(crate) fn live_bytes(&mut self, lexer: &Lexer, scan: ScanId) -> ByteSet {
        self.scans.live_bytes(lexer, scan)
    }

    /// Whether all strings of up to `height` bytes out of `below` surely lead from here to scans of the same class. No
    /// proof, no yes: false is always safe. Time: `height` look-ups at most.
    ///
    /// # Errors
    /// A limit of the cache.
    #[inline]
    pub(crate) fn is_uniform(
        &mut self,
        lexer: &Lexer,
        scan: ScanId,
        below: &ByteSet,
        height: u32,
    ) -> Result<bool, LexerError> {
        let mut current = scan;
        for _ in 0..height {
            let (bytes, next) = self.scans.run(lexer, &mut self.sets, current)?;
            match next {
                Some(next) if below.is_subset(&bytes) => {
                    if next == current {
                        break;
                    }
                    if self.class(lexer, next)? != self.class(lexer, scan)? {
                        return Ok(false);
                    }
                    current = next;
                }
                _ => return Ok(false),
            }
        }
        Ok(true)
    }

    /// The class of every text with this scan; `None` if nothing accepts it.
    ///
    /// # Errors
    /// A limit of the cache.
    #[inline]
    pub fn class(&mut self, lexer: &Lexer, scan: ScanId) -> Result<Option<ClassId>, LexerError> {
        self.classes.class(lexer, &self.scans, &mut self.sets, scan)
    }

    /// Ways to lex one lexeme from its start while `pending`.
    ///
    /// # Errors
    /// A limit of the cache.
    pub fn lexemes(
        &mut self,
        lexer: &Lexer,
        pending: ConditionSetId,
    ) -> Result<&[(TerminalId, ConditionSetId)], LexerError> {
        self.classes.completions.from_start(lexer, &mut self.sets, pending).map(|c| &**c)
    }

    /// Whether every terminal of the grammar can be lexed while `pending`, and so on for ever.
    ///
    /// # Errors
    /// A limit of the cache.
    pub fn is_ignored_safe(&mut self, lexer: &Lexer, pending: ConditionSetId) -> Result<bool, LexerError> {
        let ClassTable { safety, completions, .. } = &mut self.classes;
        safety.is_ignored_safe(lexer, completions, &mut self.sets, pending)
    }

    /// The class of a token that ends while `terminal` is open, with this need.
    pub fn open_class(&mut self, terminal: TerminalId, need: Need) -> ClassId {
        self.classes.open_class(terminal, need)
    }

    /// What is left of a class behind its first terminal: [`ClassDag::after`]. Memoised.
    pub fn after(&mut self, class: ClassId, terminal: TerminalId) -> Option<ClassId> {
        self.classes.after(class, terminal)
    }

    /// The fingerprint of a component's automaton.
    pub(crate) fn fingerprint(&mut self, lexer: &Lexer, vocab: &Vocab, component: ComponentId) -> u128 {
        let make = || lexer.component(component).dfa().fingerprint(vocab.cache().fingerprint_key());
        *self.fingerprints.entry(component).or_insert_with(make)
    }

    /// A fingerprint of what can be read from a place of a lexeme, the same in every grammar for this vocabulary.
    pub(crate) fn residual(&mut self, lexer: &Lexer, vocab: &Vocab, (component, state): Thread) -> u128 {
        let (fingerprint, key) = (self.fingerprint(lexer, vocab, component), vocab.cache().fingerprint_key());
        let residuals = self.residuals.entry(component).or_insert_with(|| {
            let dfa = lexer.component(component).dfa();
            let make = || (Arc::new(Residuals(dfa.residuals(key).into())), size_of::<u128>() * dfa.len());
            vocab.cache().get_or_insert(&fingerprint.to_le_bytes(), make)
        });
        residuals.0.get(state.index()).copied().unwrap_or(fingerprint)
    }

    /// The lexeme in progress, if nothing but that one lexeme without conditions makes up the scan.
    pub(crate) fn only_thread(&self, scan: ScanId) -> Option<Thread> {
        let scan = self.scans.get(scan);
        let alone = scan.edges.is_empty() && scan.pending == ConditionSetId::NONE && !scan.at_boundary;
        match scan.threads.as_slice() {
            [thread] if alone => Some(*thread),
            _ => None,
        }
    }

    /// The one lexeme that has ended and the scan of what was read since, if nothing else makes up the scan and no
    /// conditions are left.
    #[inline]
    pub(crate) fn only_ended(&self, lexer: &Lexer, scan: ScanId) -> Option<(TerminalId, ScanId)> {
        let scan = self.scans.get(scan);
        let &[edge] = scan.edges.as_slice() else { return None };
        let alone = scan.threads.is_empty() && scan.pending == ConditionSetId::NONE && !scan.at_boundary;
        let plain = edge.conditions == ConditionSetId::NONE && !lexer.is_ignored(edge.terminal);
        (alone && plain).then_some((edge.terminal, edge.rest))
    }

    /// The class of `terminal` followed by what `rest` stands for; `None` if no parser accepts that. `terminal` is not
    /// ignored.
    pub(crate) fn class_behind(&mut self, lexer: &Lexer, terminal: TerminalId, rest: ClassId) -> Option<ClassId> {
        self.classes.behind(lexer, terminal, rest)
    }

    /// The classes found so far.
    pub fn dag(&self) -> &ClassDag {
        self.classes.dag()
    }
    /// The interned sets of conditions.
    pub fn conditions(&self) -> &ConditionSets {
        &self.sets
    }
    /// The interned sets of conditions, to add to.
    pub fn conditions_mut(&mut self) -> &mut ConditionSets {
        &mut self.sets
    }
    /// The scans found so far.
    pub fn scans(&self) -> &ScanTable {
        &self.scans
    }
    /// What [`forget_scans`](Self::forget_scans) would free, in bytes, about.
    pub fn scan_memory(&self) -> usize {
        self.scans.memory_usage() + self.behind.memory_usage() + self.classes.scan_memory()
    }
    /// Rough memory use in bytes.
    pub fn memory_usage(&self) -> usize {
        let scans = self.scans.memory_usage() + self.behind.memory_usage();
        self.sets.memory_usage() + scans + self.classes.memory_usage()
    }
}
