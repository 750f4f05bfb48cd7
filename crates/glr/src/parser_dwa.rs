//! The Parser DWA: a deterministic automaton over parser stacks, read from the top, that says which tokens are legal.
//!
//! A state ([`Row`]) holds, for every group of first terminals of the classes in question, the places that are accepted
//! so far and the atom that is still reading. Reading a stack symbol only adds to what is accepted; a row whose
//! atoms are all done is final, and for it the mask is known. Rows are hash-consed and made on demand; exploring them
//! all at compile time is the same code run to the end. Rows know classes, never tokens.

use glrmask_automata::lexdag::{ClassDag, ClassId, IGNORED};
use glrmask_automata::{typed_id, Id, IndexVec, TerminalId};
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
    /// What a row accepts: two rows of one query with equal ids allow the same tokens.
    pub struct AcceptId, "accept"
);

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
pub struct Row {
    /// What is asked.
    pub query: QueryId,
    /// Places of each group accepted so far.
    pub accepted: Box<[WeightId]>,
    /// What is still being read, per group.
    atoms: Box<[AtomId]>,
}

impl Row {
    /// Whether no further symbol can change what is accepted.
    pub fn is_final(&self) -> bool {
        self.atoms.iter().all(|&a| a == AtomId::NONE)
    }
    /// Whether nothing is accepted (yet).
    pub fn accepts_nothing(&self) -> bool {
        self.accepted.iter().all(|&w| w == WeightId::ZERO)
    }
}

/// The Parser DWA, filled on demand.
#[derive(Clone, Debug, Default)]
pub struct ParserDwa {
    atoms: Atoms,
    queries: IndexVec<QueryId, Query>,
    query_ids: FxHashMap<Box<[GroupId]>, QueryId>,
    rows: IndexVec<RowId, Row>,
    row_ids: FxHashMap<Row, RowId>,
    finals: Vec<bool>,
    accepts: Vec<AcceptId>,
    accept_ids: FxHashMap<(QueryId, Box<[WeightId]>), AcceptId>,
    starts: FxHashMap<(QueryId, LrState), RowId>,
    edges: FxHashMap<(RowId, LrState), RowId>,
    bytes: usize,
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
        self.bytes += 8 * groups.len() + 10 * by_terminal.len() + 80;
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

    /// Whether the row accepts one of these places.
    pub fn accepts_any(&self, row: RowId, places: &[(usize, usize)]) -> bool {
        let accepted = &self.rows[row].accepted;
        places.iter().any(|&(group, place)| self.atoms.weights.contains(accepted[group], place))
    }

    /// Forgets every row, atom and stack-effect state; queries stay valid. For when the automaton of completable
    /// stacks has been replaced.
    pub fn clear_rows(&mut self) {
        self.atoms.clear();
        self.rows = IndexVec::new();
        self.row_ids.clear();
        self.finals.clear();
        self.accepts.clear();
        self.accept_ids.clear();
        self.starts.clear();
        self.edges.clear();
        self.bytes = 0;
    }

    /// A query.
    pub fn get_query(&self, query: QueryId) -> &Query {
        &self.queries[query]
    }

    /// The row for `query` after reading the top of the stack; `None` if it is not known yet.
    #[inline]
    pub fn known_start(&self, query: QueryId, top: LrState) -> Option<RowId> {
        self.starts.get(&(query, top)).copied()
    }

    /// The row after reading one more symbol; `None` if it is not known yet.
    #[inline]
    pub fn known_read(&self, row: RowId, symbol: LrState) -> Option<RowId> {
        self.edges.get(&(row, symbol)).copied()
    }

    /// The row for `query` after reading the top of the stack. Memoised.
    ///
    /// # Errors
    /// The cache is over its limit.
    pub fn start(&mut self, m: Machine<'_>, query: QueryId, top: LrState) -> Result<RowId, GlrError> {
        if let Some(known) = self.known_start(query, top) {
            return Ok(known);
        }
        let groups = self.queries[query].groups.clone();
        let mut accepted = Vec::with_capacity(groups.len());
        let mut atoms = Vec::with_capacity(groups.len());
        for &group in &groups {
            let (weight, atom) = self.atoms.start(m, group, top)?;
            accepted.push(weight);
            atoms.push(self.atoms.without(atom, weight)?);
        }
        let row = self.intern(Row { query, accepted: accepted.into(), atoms: atoms.into() })?;
        self.starts.insert((query, top), row);
        Ok(row)
    }

    /// The row after reading one more symbol. Memoised.
    ///
    /// # Errors
    /// The cache is over its limit.
    pub fn read(&mut self, m: Machine<'_>, row: RowId, symbol: LrState) -> Result<RowId, GlrError> {
        if self.is_final(row) {
            return Ok(row);
        }
        if let Some(known) = self.known_read(row, symbol) {
            return Ok(known);
        }
        let Row { query, mut accepted, mut atoms } = self.rows[row].clone();
        for (weight, atom) in accepted.iter_mut().zip(atoms.iter_mut()) {
            let (more, left) = self.atoms.read(m, *atom, symbol)?;
            *weight = self.atoms.weights.union(*weight, more);
            *atom = self.atoms.without(left, *weight)?;
        }
        let next = self.intern(Row { query, accepted, atoms })?;
        self.edges.insert((row, symbol), next);
        Ok(next)
    }

    /// A row.
    pub fn row(&self, row: RowId) -> &Row {
        &self.rows[row]
    }
    /// Whether no further symbol can change what the row accepts.
    #[inline]
    pub fn is_final(&self, row: RowId) -> bool {
        self.finals[row.0 as usize]
    }
    /// What the row accepts, as an id that equal sets share.
    #[inline]
    pub fn accept(&self, row: RowId) -> AcceptId {
        self.accepts[row.0 as usize]
    }
    /// Number of different sets that rows accept.
    pub fn accepts(&self) -> usize {
        self.accept_ids.len()
    }
    /// Number of queries.
    pub fn queries(&self) -> usize {
        self.queries.len()
    }
    /// The places in a weight.
    pub fn accepted_places(&self, weight: WeightId) -> impl Iterator<Item = usize> + '_ {
        self.atoms.weights.iter(weight)
    }
    /// The rows known so far: per query and top of the stack.
    pub fn known_starts(&self) -> impl Iterator<Item = (QueryId, LrState, RowId)> + '_ {
        self.starts.iter().map(|(&(query, top), &row)| (query, top, row))
    }
    /// The rows known so far: per row and next symbol.
    pub fn known_reads(&self) -> impl Iterator<Item = (RowId, LrState, RowId)> + '_ {
        self.edges.iter().map(|(&(row, symbol), &next)| (row, symbol, next))
    }
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }
    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
    /// Number of atoms, and of states of the stack-effect automaton.
    pub fn sizes(&self) -> (usize, usize) {
        (self.atoms.len(), self.atoms.effects.len())
    }
    /// Rough memory use in bytes.
    pub fn memory_usage(&self) -> usize {
        self.bytes + self.atoms.memory_usage() + (self.starts.len() + self.edges.len()) * 24
    }

    fn intern(&mut self, row: Row) -> Result<RowId, GlrError> {
        if let Some(&known) = self.row_ids.get(&row) {
            return Ok(known);
        }
        GlrError::check_limit("states of the Parser DWA", self.rows.len(), ROW_LIMIT)?;
        self.bytes += 28 * row.accepted.len() + 180;
        self.finals.push(row.is_final());
        let fresh = AcceptId::from_usize(self.accept_ids.len());
        let accept = *self.accept_ids.entry((row.query, row.accepted.clone())).or_insert(fresh);
        self.accepts.push(accept);
        let id = self.rows.push(row.clone());
        self.row_ids.insert(row, id);
        Ok(id)
    }
}
