//! Boolean operations as products of automata, explored from the pair of starts.

use rustc_hash::FxHashMap;

use crate::classes::ByteClasses;
use crate::compile::Limits;
use crate::dfa::Dfa;
use crate::draft::Draft;
use crate::error::AutomataError;
use crate::StateId;

/// What to keep of two languages; the labels are those of the left one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operation {
    Intersect,
    Difference,
}

/// The minimal automaton of the combination. O(pairs · byte classes).
pub(crate) fn product(a: &Dfa, b: &Dfa, operation: Operation, limits: &Limits) -> Result<Dfa, AutomataError> {
    let mut pairs = Pairs { number: FxHashMap::default(), order: Vec::new(), operation, limits };
    let classes = ByteClasses::separating(a.classes.sets.iter().chain(&b.classes.sets));
    let columns: Vec<(u8, u8)> =
        classes.sets.iter().filter_map(|set| set.first()).map(|byte| column(a, b, byte)).collect();
    let mut draft = Draft::new(classes);
    pairs.visit(a.start(), b.start())?;
    while let Some(&(p, q)) = pairs.order.get(draft.len()) {
        for (class, &(left, right)) in (0..=255u8).zip(&columns) {
            if let Some(target) = pairs.visit(a.next_class(p, left), b.next_class(q, right))? {
                draft.push_edge(class, target);
            }
        }
        let kept = b.is_accepting(q) == (operation == Operation::Intersect);
        let labels = draft.sets.intern(if kept { a.labels(p) } else { &[] });
        draft.push_state(labels);
    }
    Ok(draft.minimal())
}

fn column(a: &Dfa, b: &Dfa, byte: u8) -> (u8, u8) {
    (a.classes.map[usize::from(byte)], b.classes.map[usize::from(byte)])
}

struct Pairs<'a> {
    number: FxHashMap<(StateId, StateId), u32>,
    order: Vec<(StateId, StateId)>,
    operation: Operation,
    limits: &'a Limits,
}

impl Pairs<'_> {
    /// The number of the pair, `None` if nothing can be accepted from it.
    fn visit(&mut self, p: StateId, q: StateId) -> Result<Option<u32>, AutomataError> {
        if p == Dfa::DEAD || q == Dfa::DEAD && self.operation == Operation::Intersect {
            return Ok(None);
        }
        if let Some(&known) = self.number.get(&(p, q)) {
            return Ok(Some(known));
        }
        if self.order.len() >= self.limits.states {
            return Err(AutomataError::states(self.limits.states));
        }
        let new = self.order.len() as u32;
        self.number.insert((p, q), new);
        self.order.push((p, q));
        Ok(Some(new))
    }
}
