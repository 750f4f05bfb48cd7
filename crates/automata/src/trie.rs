//! Automata of finite sets of literals: a trie level by level, then bottom-up minimisation.

use crate::classes::ByteClasses;
use crate::dfa::{Dfa, LabelSetId};
use crate::draft::Draft;
use crate::{ByteSet, Id, IndexVec, StateId};

impl Dfa {
    /// The automaton of literals with labels (a literal may have several). O(total length · log literals).
    ///
    /// ```
    /// use glrmask_automata::Dfa;
    /// let dfa = Dfa::from_literals(&[(b"if", 1), (b"import", 2), (b"if", 3)]);
    /// let q = dfa.run(dfa.start(), b"if");
    /// assert_eq!((dfa.labels(q), dfa.live(dfa.start())), (&[1, 3][..], &[1, 2, 3][..]));
    /// ```
    pub fn from_literals(literals: &[(&[u8], u32)]) -> Self {
        if let [(word, label)] = *literals {
            return Self::literal(word, label);
        }
        let mut sorted = literals.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        trie(&sorted).minimal()
    }
    /// The automaton of one literal. O(length · distinct bytes), without any search for equal states: there are none.
    pub fn literal(word: &[u8], label: u32) -> Self {
        let classes = ByteClasses::singles(&word.iter().copied().collect());
        let (states, stride) = (word.len() + 1, classes.len());
        let mut table = vec![Self::DEAD; states * stride];
        for (i, (&byte, row)) in word.iter().zip(table.chunks_exact_mut(stride)).enumerate() {
            row[usize::from(classes.map[usize::from(byte)])] = StateId::from_usize(i + 1);
        }
        let (none, some) = (LabelSetId(0), LabelSetId(1));
        let mut labels = IndexVec::from_elem(none, states);
        let mut future = IndexVec::from_elem(some, states);
        labels[StateId::from_usize(word.len())] = some;
        future[StateId::from_usize(word.len())] = none;
        let sets = IndexVec::from(vec![Vec::new(), vec![label]]);
        Self { classes, table, labels, live: IndexVec::from_elem(some, states), future, sets }
    }
}

/// Literals `begin..end` share their first `depth` bytes.
struct Node {
    begin: usize,
    end: usize,
    depth: usize,
}

fn trie(sorted: &[(&[u8], u32)]) -> Draft {
    let present: ByteSet = sorted.iter().flat_map(|(word, _)| word.iter().copied()).collect();
    let bytes = sorted.iter().map(|(word, _)| word.len()).sum::<usize>();
    let mut draft = Draft::with_capacity(ByteClasses::singles(&present), bytes + 1, bytes);
    let mut nodes = Vec::with_capacity(bytes + 1);
    nodes.push(Node { begin: 0, end: sorted.len(), depth: 0 });
    while let Some(&Node { begin, end, depth }) = nodes.get(draft.len()) {
        let ended = sorted[begin..end].iter().take_while(|(word, _)| word.len() == depth).count();
        let mut first = begin + ended;
        while let Some(&byte) = sorted[first..end].first().and_then(|(word, _)| word.get(depth)) {
            let same = |(word, _): &(&[u8], u32)| word.get(depth) == Some(&byte);
            let count = if same(&sorted[end - 1]) { end - first } else { sorted[first..end].partition_point(same) };
            draft.push_edge(draft.classes.map[usize::from(byte)], nodes.len() as u32);
            nodes.push(Node { begin: first, end: first + count, depth: depth + 1 });
            first += count;
        }
        let labels: Vec<u32> = sorted[begin..begin + ended].iter().map(|&(_, label)| label).collect();
        let labels = draft.sets.intern(&labels);
        draft.push_state(labels);
    }
    draft
}
