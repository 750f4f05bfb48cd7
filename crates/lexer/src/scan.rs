//! The scan automaton: all lexings of a text at once, as a lazily determinised automaton over bytes.
//!
//! A *scan* is what has happened to the text so far: the lexemes in progress (threads), and for every lexeme that may
//! have ended earlier the scan of the text after it, with the longest-match conditions that it left. Scans are
//! hash-consed, so they form a DAG with sharing, and the step by one byte is memoised: walking the vocabulary trie
//! costs one table lookup per node, whatever the grammar. A scan is turned into a class of tokens by
//! [`crate::classes`].
//!
//! A lexeme that matches at the current end is *not* ended there: the next byte decides (ending it at a boundary is an
//! edge made by the next step, with its conditions already advanced by that byte). So the common lexeme needs neither
//! a second branch nor a condition. See `docs/scan.md`.

use glrmask_automata::lexdag::ConditionSetId;
use glrmask_automata::{typed_id, ByteSet, Dfa, Id, IndexVec, TerminalId};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::completions::Thread;
use crate::conditions::{step_all, ConditionSets};
use crate::error::LexerError;
use crate::lexer::Lexer;
use crate::memo::Memo;
use crate::relation::BitSet;
use crate::runs::widest;
use crate::steps::Steps;

typed_id!(
    /// A scan: a state of the scan automaton.
    pub struct ScanId, "scan"
);
typed_id!(
    /// A set of components in which a lexeme may start.
    pub struct StartSetId, "start"
);

impl StartSetId {
    /// Every component.
    pub const ALL: Self = Self(0);
}

const UNKNOWN: u32 = Steps::UNKNOWN;
const DEAD: u32 = u32::MAX - 1;
/// Lexemes that end one after the other within one token, as far as runs are looked for.
const RUN_DEPTH: usize = 4;
/// Scans one cache may hold.
const SCAN_LIMIT: usize = 20_000_000;

/// A lexeme that ended earlier, with the scan of the text after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ScanEdge {
    /// The terminal that was matched.
    pub terminal: TerminalId,
    /// Conditions it left, as they stand now.
    pub conditions: ConditionSetId,
    /// The scan of the text after the lexeme.
    pub rest: ScanId,
}

/// One scan.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Scan {
    /// Where the next lexeme may start: before the first byte, and again after an ignored lexeme.
    pub origin: StartSetId,
    /// Whether no byte has been read since a lexeme boundary.
    pub at_boundary: bool,
    /// Conditions of earlier lexemes, as they stand now; violating them kills the whole scan.
    pub pending: ConditionSetId,
    /// Lexemes in progress, sorted.
    pub threads: SmallVec<[Thread; 2]>,
    /// Lexemes that have ended, sorted.
    pub edges: SmallVec<[ScanEdge; 2]>,
}

/// The scans found so far.
#[derive(Clone, Debug, Default)]
pub struct ScanTable {
    scans: IndexVec<ScanId, Scan>,
    ids: FxHashMap<Scan, ScanId>,
    steps: Steps,
    start_sets: IndexVec<StartSetId, BitSet>,
    start_ids: FxHashMap<BitSet, StartSetId>,
    /// The start set after a terminal, by terminal.
    after: Vec<Option<StartSetId>>,
    /// The bytes with which a lexeme can start after a terminal, by terminal.
    first_after: Vec<Option<ByteSet>>,
    runs: Memo<(ByteSet, Option<ScanId>)>,
    bytes: usize,
}

impl ScanTable {
    /// The id of a set of components.
    pub fn start_set(&mut self, lexer: &Lexer, components: BitSet) -> StartSetId {
        self.ensure_all(lexer);
        if let Some(&known) = self.start_ids.get(&components) {
            return known;
        }
        let id = self.start_sets.push(components.clone());
        self.start_ids.insert(components, id);
        id
    }

    /// The scan of the empty text at a lexeme boundary.
    pub fn at_boundary(&mut self, lexer: &Lexer, origin: StartSetId, pending: ConditionSetId) -> ScanId {
        self.ensure_all(lexer);
        let scan = Scan { origin, at_boundary: true, pending, threads: SmallVec::new(), edges: SmallVec::new() };
        self.intern(scan)
    }

    /// The scan of the empty text inside a lexeme.
    pub fn inside(&mut self, lexer: &Lexer, thread: Thread, pending: ConditionSetId) -> ScanId {
        self.ensure_all(lexer);
        let mut scan = Scan {
            origin: StartSetId::ALL,
            at_boundary: false,
            pending,
            threads: SmallVec::from_elem(thread, 1),
            edges: SmallVec::new(),
        };
        canonical_origin(lexer, &mut scan);
        self.intern(scan)
    }

    /// The scan after one more byte; `None` if no lexing of the text is left. Memoised per byte class.
    ///
    /// # Errors
    /// The table is full.
    #[inline]
    pub fn step(
        &mut self,
        lexer: &Lexer,
        sets: &mut ConditionSets,
        scan: ScanId,
        byte: u8,
    ) -> Result<Option<ScanId>, LexerError> {
        match self.stepped(lexer, scan, byte) {
            DEAD => Ok(None),
            UNKNOWN => self.step_below(lexer, sets, scan, byte),
            known => Ok(Some(ScanId(known))),
        }
    }

    /// A set of bytes on which the scan surely goes to one and the same next scan, and that scan; none is given where the
    /// next byte may start or end a lexeme. Memoised.
    pub(crate) fn run(
        &mut self,
        lexer: &Lexer,
        sets: &mut ConditionSets,
        scan: ScanId,
    ) -> Result<(ByteSet, Option<ScanId>), LexerError> {
        if let Some(known) = self.runs.get(scan.index()) {
            return Ok(known);
        }
        let byte = self.main_byte(lexer, scan);
        let run = match byte.map(|byte| (byte, SameWay::new(lexer, self, byte).from(scan, RUN_DEPTH))) {
            Some((byte, bytes)) if !bytes.is_empty() => (bytes, self.step(lexer, sets, scan, byte)?),
            _ => (ByteSet::EMPTY, None),
        };
        self.runs.insert(scan.index(), run);
        Ok(run)
    }

    /// One of the bytes that lead where most bytes lead, as far as the first lexeme in progress tells.
    fn main_byte(&self, lexer: &Lexer, scan: ScanId) -> Option<u8> {
        let mut node = self.scans.get(scan)?;
        let mut depth = RUN_DEPTH;
        while node.threads.is_empty() && depth > 0 {
            node = self.scans.get(node.edges.first()?.rest)?;
            depth -= 1;
        }
        let &(component, state) = node.threads.first()?;
        widest(lexer.component(component).dfa(), state).0.first()
    }

    /// The bytes that may lead on from the only lexeme in progress: within it, or as the first of the next one. All other
    /// bytes lead nowhere. No proof, no answer less than every byte.
    pub(crate) fn live_bytes(&mut self, lexer: &Lexer, scan: ScanId) -> ByteSet {
        let scan = &self.scans[scan];
        let &[(id, state)] = scan.threads.as_slice() else { return ByteSet::FULL };
        if !scan.edges.is_empty() || scan.at_boundary {
            return ByteSet::FULL;
        }
        let component = lexer.component(id);
        let mut live = component.dfa().next_bytes(state);
        for terminal in component.matched(state) {
            if lexer.is_ignored(terminal) {
                return ByteSet::FULL;
            }
            live = live.union(&self.first_after(lexer, terminal));
        }
        live
    }

    fn first_after(&mut self, lexer: &Lexer, terminal: TerminalId) -> ByteSet {
        if let Some(known) = self.first_after[terminal.index()] {
            return known;
        }
        let mut first = ByteSet::EMPTY;
        for origin in self.origins_after(lexer, terminal, StartSetId::ALL) {
            for byte in 0..=u8::MAX {
                if !self.starting_threads(lexer, origin, byte).is_empty() {
                    first.insert(byte);
                }
            }
        }
        self.first_after[terminal.index()] = Some(first);
        first
    }

    /// A scan.
    pub fn get(&self, scan: ScanId) -> &Scan {
        &self.scans[scan]
    }
    /// Number of scans.
    pub fn len(&self) -> usize {
        self.scans.len()
    }
    /// Whether there is no scan.
    pub fn is_empty(&self) -> bool {
        self.scans.is_empty()
    }
    /// Rough memory use in bytes.
    pub fn memory_usage(&self) -> usize {
        self.bytes + self.steps.memory_usage() + self.runs.memory_usage()
    }

    fn ensure_all(&mut self, lexer: &Lexer) {
        if self.start_sets.is_empty() {
            let all = BitSet::full(lexer.components.len());
            self.start_sets.push(all.clone());
            self.start_ids.insert(all, StartSetId::ALL);
            self.after = vec![None; lexer.terminals.len()];
            self.first_after = vec![None; lexer.terminals.len()];
        }
    }

    /// A scan's id, [`DEAD`] or [`UNKNOWN`].
    #[inline]
    fn stepped(&self, lexer: &Lexer, scan: ScanId, byte: u8) -> u32 {
        self.steps.get(scan.index(), lexer.classes[usize::from(byte)], lexer.class_count)
    }

    fn set_step(&mut self, lexer: &Lexer, scan: ScanId, byte: u8, to: u32) {
        self.steps.set(scan.index(), lexer.classes[usize::from(byte)], lexer.class_count, to);
    }

    fn intern(&mut self, scan: Scan) -> ScanId {
        if let Some(&known) = self.ids.get(&scan) {
            return known;
        }
        self.bytes += 2 * (std::mem::size_of::<Scan>() + scan.edges.len() * 12 + scan.threads.len() * 8) + 16;
        let id = self.scans.push(scan.clone());
        self.ids.insert(scan, id);
        self.steps.push();
        id
    }

    /// Steps everything below `scan` first, oldest scans first, so that no step recurses: the rest of a scan is older.
    fn step_below(
        &mut self,
        lexer: &Lexer,
        sets: &mut ConditionSets,
        scan: ScanId,
        byte: u8,
    ) -> Result<Option<ScanId>, LexerError> {
        let unknown = |table: &Self, scan| table.stepped(lexer, scan, byte) == UNKNOWN;
        let mut missing: SmallVec<[ScanId; 16]> = SmallVec::from_elem(scan, 1);
        let mut next = 0;
        while let Some(&current) = missing.get(next) {
            next += 1;
            for edge in &self.scans[current].edges {
                if unknown(self, edge.rest) && !missing.contains(&edge.rest) {
                    missing.push(edge.rest);
                }
            }
        }
        missing.sort_unstable();
        for current in missing {
            let stepped = self.step_one(lexer, sets, current, byte)?;
            self.set_step(lexer, current, byte, stepped.map_or(DEAD, |id| id.0));
        }
        Ok(self.known_step(lexer, scan, byte))
    }

    fn step_one(
        &mut self,
        lexer: &Lexer,
        sets: &mut ConditionSets,
        id: ScanId,
        byte: u8,
    ) -> Result<Option<ScanId>, LexerError> {
        if self.scans.len() > SCAN_LIMIT {
            return Err(LexerError::limit("lexings of tokens", self.scans.len(), SCAN_LIMIT));
        }
        if let Some(next) = self.step_inside(lexer, id, byte) {
            return Ok(next);
        }
        let scan = self.scans[id].clone();
        let Some(pending) = sets.step(&lexer.kill_automata, scan.pending, byte) else { return Ok(None) };
        let mut edges: SmallVec<[ScanEdge; 2]> = SmallVec::new();
        for edge in &scan.edges {
            let Some(conditions) = sets.step(&lexer.kill_automata, edge.conditions, byte) else { continue };
            if let Some(rest) = self.known_step(lexer, edge.rest, byte) {
                edges.push(ScanEdge { conditions, rest, ..*edge });
            }
        }
        self.end_lexemes(lexer, sets, &scan, byte, &mut edges);
        let threads = self.step_threads(lexer, &scan, byte);
        if threads.is_empty() && edges.is_empty() {
            return Ok(None);
        }
        edges.sort_unstable();
        edges.dedup();
        let mut next = Scan { origin: scan.origin, at_boundary: false, pending, threads, edges };
        canonical_origin(lexer, &mut next);
        Ok(Some(self.intern(next)))
    }

    /// A step within the only lexeme in progress, where it can neither end nor has ended before: most steps, and most of
    /// these lead nowhere. `None` for all others.
    fn step_inside(&mut self, lexer: &Lexer, scan: ScanId, byte: u8) -> Option<Option<ScanId>> {
        let scan = &self.scans[scan];
        let &[(id, state)] = scan.threads.as_slice() else { return None };
        let dfa = lexer.component(id).dfa();
        let plain = scan.edges.is_empty() && !scan.at_boundary && scan.pending == ConditionSetId::NONE;
        if !plain || dfa.is_accepting(state) {
            return None;
        }
        let next = dfa.next(state, byte);
        if next == Dfa::DEAD {
            return Some(None);
        }
        let origin = scan.origin;
        Some(Some(self.inside_lexemes(lexer, origin, SmallVec::from_elem((id, next), 1))))
    }

    /// Lexemes that match up to here and are ended by reading `byte` as the start of the next one.
    fn end_lexemes(
        &mut self,
        lexer: &Lexer,
        sets: &mut ConditionSets,
        scan: &Scan,
        byte: u8,
        edges: &mut SmallVec<[ScanEdge; 2]>,
    ) {
        for &(id, state) in &scan.threads {
            let component = lexer.component(id);
            for terminal in component.matched(state) {
                let Some(left) = step_all(&lexer.kill_automata, component.left(terminal, state), byte) else {
                    continue;
                };
                let conditions = sets.intern(left);
                let origins = self.origins_after(lexer, terminal, scan.origin);
                for origin in origins {
                    if let Some(rest) = self.first_byte(lexer, origin, byte) {
                        edges.push(ScanEdge { terminal, conditions, rest });
                    }
                }
            }
        }
    }

    /// The scan of the one-byte text `byte` from a boundary.
    fn first_byte(&mut self, lexer: &Lexer, origin: StartSetId, byte: u8) -> Option<ScanId> {
        let boundary = self.at_boundary(lexer, origin, ConditionSetId::NONE);
        if self.stepped(lexer, boundary, byte) == UNKNOWN {
            let threads = self.starting_threads(lexer, origin, byte);
            let first = match threads.is_empty() {
                true => DEAD,
                false => self.inside_lexemes(lexer, origin, threads).0,
            };
            self.set_step(lexer, boundary, byte, first);
        }
        self.known_step(lexer, boundary, byte)
    }

    fn inside_lexemes(&mut self, lexer: &Lexer, origin: StartSetId, threads: SmallVec<[Thread; 2]>) -> ScanId {
        let (pending, edges) = (ConditionSetId::NONE, SmallVec::new());
        let mut scan = Scan { origin, at_boundary: false, pending, threads, edges };
        canonical_origin(lexer, &mut scan);
        self.intern(scan)
    }

    fn step_threads(&self, lexer: &Lexer, scan: &Scan, byte: u8) -> SmallVec<[Thread; 2]> {
        if scan.at_boundary {
            return self.starting_threads(lexer, scan.origin, byte);
        }
        let step = |&(id, state): &Thread| (id, lexer.component(id).dfa().next(state, byte));
        scan.threads.iter().map(step).filter(|t| t.1 != Dfa::DEAD).collect()
    }

    fn starting_threads(&self, lexer: &Lexer, origin: StartSetId, byte: u8) -> SmallVec<[Thread; 2]> {
        let set = &self.start_sets[origin];
        lexer.starts(byte).iter().filter(|t| set.contains(t.0.index())).copied().collect()
    }

    fn known_step(&self, lexer: &Lexer, scan: ScanId, byte: u8) -> Option<ScanId> {
        let step = self.stepped(lexer, scan, byte);
        debug_assert_ne!(step, UNKNOWN, "older scans are stepped first");
        (step != DEAD && step != UNKNOWN).then_some(ScanId(step))
    }

    /// Where lexemes may start after `terminal`: where its followers can; after ignored text, where it started itself.
    fn origins_after(&mut self, lexer: &Lexer, terminal: TerminalId, origin: StartSetId) -> SmallVec<[StartSetId; 2]> {
        let mut origins = SmallVec::new();
        if lexer.is_ignored(terminal) {
            origins.push(origin);
        }
        if lexer.parser_terminal(terminal).is_some() {
            let after = match self.after[terminal.index()] {
                Some(known) => known,
                None => {
                    let components = lexer.components_of(&lexer.terminals[terminal].followers);
                    let fresh = self.start_set(lexer, components);
                    self.after[terminal.index()] = Some(fresh);
                    fresh
                }
            };
            origins.push(after);
        }
        origins
    }
}

/// Forgets where the lexemes started unless one of them can be ignored: only then does it matter.
fn canonical_origin(lexer: &Lexer, scan: &mut Scan) {
    let matters = scan.threads.iter().any(|&(id, state)| {
        lexer.ignoring.contains(id.index())
            && lexer.component(id).live(state).any(|terminal| lexer.is_ignored(terminal))
    });
    if !matters {
        scan.origin = StartSetId::ALL;
    }
}

/// Which bytes surely lead to the same scan as one of them. Rests are shared, so each is looked at once per depth.
struct SameWay<'a> {
    lexer: &'a Lexer,
    table: &'a ScanTable,
    byte: u8,
    known: FxHashMap<(ScanId, usize), ByteSet>,
}

impl<'a> SameWay<'a> {
    fn new(lexer: &'a Lexer, table: &'a ScanTable, byte: u8) -> Self {
        Self { lexer, table, byte, known: FxHashMap::default() }
    }

    /// From this scan on, as far as `depth` lexemes tell.
    fn from(&mut self, scan: ScanId, depth: usize) -> ByteSet {
        let table = self.table;
        let Some(node) = table.scans.get(scan) else { return ByteSet::EMPTY };
        if depth == 0 || node.at_boundary || node.pending != ConditionSetId::NONE {
            return ByteSet::EMPTY;
        }
        if let Some(&known) = self.known.get(&(scan, depth)) {
            return known;
        }
        let mut same = ByteSet::FULL;
        for &thread in &node.threads {
            same = same.intersection(&self.inside(thread));
        }
        for edge in &node.edges {
            if edge.conditions != ConditionSetId::NONE || same.is_empty() {
                same = ByteSet::EMPTY;
                break;
            }
            same = same.intersection(&self.from(edge.rest, depth - 1));
        }
        self.known.insert((scan, depth), same);
        same
    }

    /// Within one lexeme.
    fn inside(&self, (id, state): Thread) -> ByteSet {
        let dfa = self.lexer.component(id).dfa();
        // A lexeme that ends here starts the next one, by any of its first bytes.
        if dfa.is_accepting(state) {
            return ByteSet::EMPTY;
        }
        let to = dfa.next(state, self.byte);
        let ways = dfa.row(state).iter().zip(dfa.class_sets());
        ways.filter(|(&next, _)| next == to).fold(ByteSet::EMPTY, |all, (_, set)| all.union(set))
    }
}
