//! What is stored of a [`Dfa`], and the checks on the way back.
//!
//! Only classes, table and labels are stored; the rest follows. Reading rebuilds the automaton through the ordinary
//! construction and insists on getting the same table, so that stored data that is not a canonical trimmed automaton
//! is an error and never an out-of-range index. O(table); nothing is allocated beyond what the data itself holds.

use crate::classes::ByteClasses;
use crate::dfa::{Dfa, LabelSetId};
use crate::draft::Draft;
use crate::error::AutomataError;
use crate::{ByteSet, Id, StateId};

/// The stored form.
#[derive(serde::Serialize, serde::Deserialize)]
pub(crate) struct StoredDfa {
    classes: Vec<u8>,
    table: Vec<StateId>,
    labels: Vec<LabelSetId>,
    sets: Vec<Vec<u32>>,
}

impl From<Dfa> for StoredDfa {
    fn from(dfa: Dfa) -> Self {
        Self {
            classes: dfa.classes.map.to_vec(),
            table: dfa.table,
            labels: dfa.labels.as_slice().to_vec(),
            sets: dfa.sets.as_slice().to_vec(),
        }
    }
}

impl TryFrom<StoredDfa> for Dfa {
    type Error = AutomataError;
    fn try_from(stored: StoredDfa) -> Result<Self, AutomataError> {
        let draft = stored.draft()?;
        if !draft.is_trimmed() {
            return Err(AutomataError::invalid("a state from which nothing is accepted"));
        }
        let dfa = draft.already_minimal();
        let same = dfa.table == stored.table
            && dfa.classes.map[..] == stored.classes[..]
            && dfa.labels.as_slice() == stored.labels
            && dfa.sets.as_slice() == stored.sets;
        same.then_some(dfa).ok_or_else(|| AutomataError::invalid("not in canonical form"))
    }
}

impl StoredDfa {
    fn draft(&self) -> Result<Draft, AutomataError> {
        let classes = self.byte_classes()?;
        let (states, stride) = (self.labels.len(), classes.len());
        if states == 0 || self.table.len() != states.saturating_mul(stride) {
            return Err(AutomataError::invalid("table size"));
        }
        let mut draft = Draft::with_capacity(classes, states, 0);
        let sets = self.label_sets(&mut draft)?;
        for (row, label) in self.table.chunks_exact(stride).zip(&self.labels) {
            for (class, &target) in (0..=255u8).zip(row) {
                if target == Dfa::DEAD {
                    continue;
                }
                if target.index() >= states {
                    return Err(AutomataError::invalid("target out of range"));
                }
                draft.push_edge(class, target.0);
            }
            draft.push_state(*sets.get(label.index()).ok_or_else(|| AutomataError::invalid("label set"))?);
        }
        Ok(draft)
    }
    fn byte_classes(&self) -> Result<ByteClasses, AutomataError> {
        if self.classes.len() != 256 {
            return Err(AutomataError::invalid("byte classes"));
        }
        let mut sets = [ByteSet::EMPTY; 256];
        for (byte, &class) in (0..=255u8).zip(&self.classes) {
            sets[usize::from(class)].insert(byte);
        }
        let count = sets.iter().take_while(|set| !set.is_empty()).count();
        let classes = ByteClasses::separating(&sets[..count]);
        if classes.map[..] == self.classes[..] {
            Ok(classes)
        } else {
            Err(AutomataError::invalid("byte classes"))
        }
    }
    fn label_sets(&self, draft: &mut Draft) -> Result<Vec<LabelSetId>, AutomataError> {
        if self.sets.iter().any(|set| !set.is_sorted_by(|a, b| a < b)) {
            return Err(AutomataError::invalid("label set"));
        }
        Ok(self.sets.iter().map(|set| draft.sets.intern(set)).collect())
    }
}

impl Dfa {
    /// Checks that all indices are in range, that the automaton is trimmed and canonically numbered, and that the
    /// sets of live labels are right. O(table).
    ///
    /// Deserialising runs the same checks, so this holds for every value. Minimality is checked by
    /// [`Dfa::check_invariants`] only.
    pub fn validate(&self) -> Result<(), AutomataError> {
        let rebuilt = Self::try_from(StoredDfa::from(self.clone()))?;
        if rebuilt == *self {
            Ok(())
        } else {
            Err(AutomataError::invalid("live labels"))
        }
    }
    /// [`Dfa::validate`], and minimality. For tests and fuzzers. O(table · log states).
    pub fn check_invariants(&self) -> Result<(), AutomataError> {
        self.validate()?;
        if StoredDfa::from(self.clone()).draft()?.minimal() == *self {
            Ok(())
        } else {
            Err(AutomataError::invalid("not minimal"))
        }
    }
}
