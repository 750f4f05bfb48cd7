//! The Parser DWA: a deterministic automaton over parser stacks, read from the top, that says which tokens are legal.
//!
//! A state, called a row, holds for every group of first terminals of the classes in question the atom that still reads.
//! An edge leads to what is left to read, and says what it accepts: for every group a set of places, all in one number
//! ([`AcceptId`]). What a stack accepts is the union over the edges on the way down; where nothing is left to read the
//! walk ends. So rows do not remember what was accepted, and different pasts share a future. Everything is hash-consed and
//! made on demand; exploring it all at compile time is the same code run to the end. Rows know classes, never tokens.

use glrmask_automata::lexdag::{ClassDag, ClassId, IGNORED};
use glrmask_automata::{typed_id, IndexVec, TerminalId};
use rustc_hash::FxHashMap;

use crate::atoms::{AtomId, Atoms, GroupId};
use crate::effects::{Machine, Then};
use crate::error::GlrError;
use crate::tables::LrState;
use crate::weights::WeightId;

typed_id!(
    /// What a set of classes asks of the parser.
    pub struct QueryId, "q"
);
typed_id!(
    /// A state of the Parser DWA.
    pub struct RowId, "row"
);
typed_id!(
    /// What is accepted, of one query: equal ids allow the same tokens.
    pub struct AcceptId, "accept"
);

impl RowId {
    /// Nothing is left to read.
    pub const DONE: Self = Self(0);
}

impl AcceptId {
    /// Nothing is accepted.
    pub const NOTHING: Self = Self(0);

    /// What either accepts, where it takes no look at the sets to tell.
    #[inline]
    pub fn trivial_union(self, other: Self) -> Option<Self> {
        if other == Self::NOTHING || self == other {
            return Some(self);
        }
        (self == Self::NOTHING).then_some(other)
    }
}

/// Where a walk down a stack stands: what is left to read, and what has been accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reading {
    /// What is left to read.
    pub row: RowId,
    /// What has been accepted so far.
    pub accepted: AcceptId,
}

impl Reading {
    /// Whether no further symbol changes what is accepted.
    #[inline]
    pub fn is_done(self) -> bool {
        self.row == RowId::DONE
    }
}

/// Rows one cache may hold.
const ROW_LIMIT: usize = 20_000_000;

/// What a set of classes asks of the parser: groups of first terminals with what may come after them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// Every first terminal is in one group.
    pub groups: Box<[GroupId]>,
    /// Where each first terminal is.
    by_terminal: FxHashMap<TerminalId, u32>,
}

/// A state of the Parser DWA.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Row {
    /// What is asked.
    query: QueryId,
    /// What is still being read, per group.
    atoms: Box<[AtomId]>,
}

/// What is accepted: places of each group.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Accepted {
    query: QueryId,
    places: Box<[WeightId]>,
}

/// The Parser DWA, filled on demand.
#[derive(Clone, Debug)]
pub struct ParserDwa {
    atoms: Atoms,
    queries: IndexVec<QueryId, Query>,
    query_ids: FxHashMap<Box<[GroupId]>, QueryId>,
    rows: IndexVec<RowId, Row>,
    row_ids: FxHashMap<Row, RowId>,
    accepts: IndexVec<AcceptId, Accepted>,
    accept_ids: FxHashMap<Accepted, AcceptId>,
    unions: FxHashMap<(AcceptId, AcceptId), AcceptId>,
    starts: FxHashMap<(QueryId, LrState), Reading>,
    edges: FxHashMap<(RowId, LrState), Reading>,
    /// Of queries.
    query_bytes: usize,
    /// Of rows and accepted sets.
    bytes: usize,
}

impl Default for ParserDwa {
    fn default() -> Self {
        let mut dwa = Self {
            atoms: Atoms::default(),
            queries: IndexVec::new(),
            query_ids: FxHashMap::default(),
            rows: IndexVec::new(),
            row_ids: FxHashMap::default(),
            accepts: IndexVec::new(),
            accept_ids: FxHashMap::default(),
            unions: FxHashMap::default(),
            starts: FxHashMap::default(),
            edges: FxHashMap::default(),
            query_bytes: 0,
            bytes: 0,
        };
        dwa.reserve();
        dwa
    }
}

impl ParserDwa {
    /// The query for a set of classes. Time: edges and open terminals of the classes.
    pub fn query(&mut self, dag: &ClassDag, classes: impl IntoIterator<Item = ClassId>) -> QueryId {
        let mut needs: FxHashMap<TerminalId, Vec<Then>> = FxHashMap::default();
        for class in classes {
            let node = dag.node(class);
            for open in &*node.open {
                needs.entry(open.terminal).or_default().push(Then::Open(open.need));
            }
            for &(terminal, rest) in &*node.edges {
                needs.entry(terminal).or_default().push(Then::Class(rest));
            }
        }
        let mut by_needs: FxHashMap<Vec<Then>, Vec<TerminalId>> = FxHashMap::default();
        for (terminal, mut then) in needs {
            then.sort_unstable();
            then.dedup();
            if terminal == IGNORED {
                let group = self.atoms.group(Box::default(), then.into());
                by_needs.entry(Vec::new()).or_default().push(TerminalId(group.0));
            } else {
                by_needs.entry(then).or_default().push(terminal);
            }
        }
        let mut groups: Vec<GroupId> = Vec::with_capacity(by_needs.len());
        for (then, mut terminals) in by_needs {
            terminals.sort_unstable();
            match then.is_empty() {
                true => groups.extend(terminals.iter().map(|t| GroupId(t.0))),
                false => groups.push(self.atoms.group(terminals.into(), then.into())),
            }
        }
        groups.sort_unstable();
        let groups = groups.into_boxed_slice();
        if let Some(&known) = self.query_ids.get(&groups) {
            return known;
        }
        let mut by_terminal = FxHashMap::default();
        for (index, &group) in (0..).zip(&groups) {
            let terminals = &self.atoms.get_group(group).terminals;
            by_terminal.extend(terminals.iter().map(|&t| (t, index)));
            if terminals.is_empty() {
                by_terminal.insert(IGNORED, index);
            }
        }
        self.query_bytes += 8 * groups.len() + 10 * by_terminal.len() + 80;
        let id = self.queries.push(Query { groups: groups.clone(), by_terminal });
        self.query_ids.insert(groups, id);
        id
    }

    /// Which (group, place) pairs of a query accept a class. `None` if the query does not ask about all of the class.
    pub fn places(&self, dag: &ClassDag, query: QueryId, class: ClassId) -> Option<Vec<(usize, usize)>> {
        let query = &self.queries[query];
        let place = |terminal: TerminalId, then: Then| {
            let &index = query.by_terminal.get(&terminal)?;
            let group = self.atoms.get_group(query.groups[index as usize]);
            let place = match terminal {
                IGNORED => group.needs.binary_search(&then).ok(),
                _ => group.place(terminal, then),
            };
            place.map(|place| (index as usize, place))
        };
        let node = dag.node(class);
        let open = node.open.iter().map(|o| place(o.terminal, Then::Open(o.need)));
        open.chain(node.edges.iter().map(|&(t, rest)| place(t, Then::Class(rest)))).collect()
    }

    /// Whether one of these places is accepted.
    pub fn accepts_any(&self, accept: AcceptId, places: &[(usize, usize)]) -> bool {
        let accepted = &self.accepts[accept].places;
        let holds = |&(group, place): &(usize, usize)| {
            accepted.get(group).is_some_and(|&weight| self.atoms.weights.contains(weight, place))
        };
        places.iter().any(holds)
    }

    /// The (group, place) pairs that are accepted.
    pub fn accepted_places(&self, accept: AcceptId) -> impl Iterator<Item = (usize, usize)> + '_ {
        let groups = self.accepts[accept].places.iter().enumerate();
        groups.flat_map(|(group, &weight)| self.atoms.weights.iter(weight).map(move |place| (group, place)))
    }

    /// Forgets every row, atom and stack-effect state; queries stay valid. For when the automaton of completable
    /// stacks has been replaced.
    pub fn clear_rows(&mut self) {
        self.atoms.clear();
        self.rows = IndexVec::new();
        self.row_ids.clear();
        self.accepts = IndexVec::new();
        self.accept_ids.clear();
        self.unions.clear();
        self.starts.clear();
        self.edges.clear();
        self.bytes = 0;
        self.reserve();
    }

    /// The row that has nothing to read and the set that accepts nothing are those of every query.
    fn reserve(&mut self) {
        let query = QueryId(u32::MAX);
        self.rows.push(Row { query, atoms: Box::default() });
        self.accepts.push(Accepted { query, places: Box::default() });
    }

    /// A query.
    pub fn get_query(&self, query: QueryId) -> &Query {
        &self.queries[query]
    }

    /// The walk for `query` after reading the top of the stack; `None` if it is not known yet.
    #[inline]
    pub fn known_start(&self, query: QueryId, top: LrState) -> Option<Reading> {
        self.starts.get(&(query, top)).copied()
    }

    /// The walk after reading one more symbol; `None` if it is not known yet.
    #[inline]
    pub fn known_read(&self, reading: Reading, symbol: LrState) -> Option<Reading> {
        if reading.is_done() {
            return Some(reading);
        }
        let edge = self.edges.get(&(reading.row, symbol))?;
        Some(Reading { row: edge.row, accepted: self.known_union(reading.accepted, edge.accepted)? })
    }

    #[inline]
    fn known_union(&self, a: AcceptId, b: AcceptId) -> Option<AcceptId> {
        a.trivial_union(b).or_else(|| self.unions.get(&(a.min(b), a.max(b))).copied())
    }

    /// The walk for `query` after reading the top of the stack. Memoised.
    ///
    /// # Errors
    /// The cache is over its limit.
    pub fn start(&mut self, m: Machine<'_>, query: QueryId, top: LrState) -> Result<Reading, GlrError> {
        if let Some(known) = self.known_start(query, top) {
            return Ok(known);
        }
        let groups = self.queries[query].groups.clone();
        let mut places = Vec::with_capacity(groups.len());
        let mut atoms = Vec::with_capacity(groups.len());
        for &group in &groups {
            let (weight, atom) = self.atoms.start(m, group, top)?;
            places.push(weight);
            atoms.push(self.atoms.without(atom, weight)?);
        }
        let reading = self.reading(query, atoms, places)?;
        self.starts.insert((query, top), reading);
        Ok(reading)
    }

    /// The walk after reading one more symbol. Memoised.
    ///
    /// # Errors
    /// The cache is over its limit.
    pub fn read(&mut self, m: Machine<'_>, reading: Reading, symbol: LrState) -> Result<Reading, GlrError> {
        if reading.is_done() {
            return Ok(reading);
        }
        let edge = self.edge(m, reading.row, symbol)?;
        Ok(Reading { row: edge.row, accepted: self.union(reading.accepted, edge.accepted)? })
    }

    /// What reading a symbol leads to and accepts by itself. Memoised.
    ///
    /// # Errors
    /// The cache is over its limit.
    pub fn edge(&mut self, m: Machine<'_>, row: RowId, symbol: LrState) -> Result<Reading, GlrError> {
        if row == RowId::DONE {
            return Ok(Reading { row, accepted: AcceptId::NOTHING });
        }
        if let Some(&known) = self.edges.get(&(row, symbol)) {
            return Ok(known);
        }
        let Row { query, mut atoms } = self.rows[row].clone();
        let mut places = vec![WeightId::ZERO; atoms.len()];
        for (weight, atom) in places.iter_mut().zip(atoms.iter_mut()).filter(|(_, atom)| **atom != AtomId::NONE) {
            let (more, left) = self.atoms.read(m, *atom, symbol)?;
            *weight = more;
            *atom = self.atoms.without(left, more)?;
        }
        let edge = self.reading(query, atoms.into_vec(), places)?;
        self.edges.insert((row, symbol), edge);
        Ok(edge)
    }

    /// What is accepted by either; of one query. Memoised.
    fn union(&mut self, a: AcceptId, b: AcceptId) -> Result<AcceptId, GlrError> {
        if let Some(known) = self.known_union(a, b) {
            return Ok(known);
        }
        let Accepted { query, places: mut all } = self.accepts[a].clone();
        for (weight, &more) in all.iter_mut().zip(&*self.accepts[b].places) {
            *weight = self.atoms.weights.union(*weight, more);
        }
        let both = self.intern_accepted(Accepted { query, places: all })?;
        self.unions.insert((a.min(b), a.max(b)), both);
        Ok(both)
    }

    /// Number of different sets that are accepted, with the empty one.
    pub fn accepts(&self) -> usize {
        self.accepts.len()
    }
    /// Number of queries.
    pub fn queries(&self) -> usize {
        self.queries.len()
    }
    /// The walks known so far: per query and top of the stack.
    pub fn known_starts(&self) -> impl Iterator<Item = (QueryId, LrState, Reading)> + '_ {
        self.starts.iter().map(|(&(query, top), &reading)| (query, top, reading))
    }
    /// The edges known so far: per row and next symbol, what is left and what the edge accepts.
    pub fn known_edges(&self) -> impl Iterator<Item = (RowId, LrState, Reading)> + '_ {
        self.edges.iter().map(|(&(row, symbol), &edge)| (row, symbol, edge))
    }
    /// The unions known so far, neither part within the other as far as numbers tell.
    pub fn known_unions(&self) -> impl Iterator<Item = (AcceptId, AcceptId, AcceptId)> + '_ {
        self.unions.iter().map(|(&(a, b), &both)| (a, b, both))
    }
    /// Number of rows, with the one that has nothing to read.
    pub fn len(&self) -> usize {
        self.rows.len()
    }
    /// Whether there is no row: never, one is always there.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
    /// Number of atoms, and of states of the stack-effect automaton.
    pub fn sizes(&self) -> (usize, usize) {
        (self.atoms.len(), self.atoms.effects.len())
    }
    /// Rough memory use in bytes.
    pub fn memory_usage(&self) -> usize {
        self.query_bytes
            + self.bytes
            + self.atoms.memory_usage()
            + (self.starts.len() + self.edges.len() + self.unions.len()) * 24
    }

    fn reading(&mut self, query: QueryId, atoms: Vec<AtomId>, places: Vec<WeightId>) -> Result<Reading, GlrError> {
        let accepted = self.intern_accepted(Accepted { query, places: places.into() })?;
        if atoms.iter().all(|&atom| atom == AtomId::NONE) {
            return Ok(Reading { row: RowId::DONE, accepted });
        }
        let row = Row { query, atoms: atoms.into() };
        if let Some(&row) = self.row_ids.get(&row) {
            return Ok(Reading { row, accepted });
        }
        GlrError::check_limit("states of the Parser DWA", self.rows.len(), ROW_LIMIT)?;
        self.bytes += 8 * row.atoms.len() + 100;
        let id = self.rows.push(row.clone());
        self.row_ids.insert(row, id);
        Ok(Reading { row: id, accepted })
    }

    fn intern_accepted(&mut self, accepted: Accepted) -> Result<AcceptId, GlrError> {
        if accepted.places.iter().all(|&weight| weight == WeightId::ZERO) {
            return Ok(AcceptId::NOTHING);
        }
        if let Some(&known) = self.accept_ids.get(&accepted) {
            return Ok(known);
        }
        GlrError::check_limit("accepted sets of the Parser DWA", self.accepts.len(), ROW_LIMIT)?;
        self.bytes += 8 * accepted.places.len() + 100;
        let id = self.accepts.push(accepted.clone());
        self.accept_ids.insert(accepted, id);
        Ok(id)
    }
}
