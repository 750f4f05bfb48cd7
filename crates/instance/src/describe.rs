//! Rules for people: what is asked at each place, and the places of what is inside.
//!
//! ```text
//! place0: an object: no key twice; "id", "tags" must be there; "tags" is at place1
//! place1: an array: no two items equal, settled up to item 3
//! ```

use std::fmt;

use glrmask_automata::Id;

use crate::{ArrayRules, ObjectRules, Place, PlaceId, Rules};

impl fmt::Display for Rules {
    /// A line for each place and kind of value, as far as something is asked.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, place) in self.places().iter().enumerate() {
            let Place { array, object } = place;
            for (kind, parts) in [("an array", array_parts(array)), ("an object", object_parts(object))] {
                if !parts.is_empty() {
                    writeln!(f, "{}: {kind}: {}", PlaceId::from_usize(number), parts.join("; "))?;
                }
            }
        }
        Ok(())
    }
}

fn array_parts(asked: &ArrayRules) -> Vec<String> {
    let mut parts = Vec::new();
    if asked.unique {
        let from = (asked.settled_from > 0).then(|| format!(", settled from item {}", asked.settled_from));
        let until = (asked.settled_until < u32::MAX).then(|| format!(", settled up to item {}", asked.settled_until));
        let settled = [from, until].into_iter().flatten().collect::<String>();
        parts.push(format!("no two items equal{settled}"));
    }
    parts.extend(asked.prefix.iter().enumerate().map(|(i, place)| format!("item {i} is at {place}")));
    parts.extend(asked.items.map(|place| format!("items are at {place}")));
    parts
}

fn object_parts(asked: &ObjectRules) -> Vec<String> {
    let mut parts = Vec::new();
    if asked.distinct {
        parts.push("no key twice".to_owned());
        if asked.settled_until < u32::MAX {
            parts.push(format!("{} members may use up all keys", asked.settled_until));
        }
        if !asked.required.is_empty() {
            let keys: Vec<String> = asked.required.iter().map(|key| format!("{key:?}")).collect();
            parts.push(format!("{} must be there", keys.join(", ")));
        }
    }
    parts.extend(asked.named.iter().map(|(key, place)| format!("{key:?} is at {place}")));
    parts.extend(asked.others.iter().map(|(_, place)| format!("other keys of a kind are at {place}")));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_is_told() {
        let array = ArrayRules { unique: true, items: Some(PlaceId(1)), settled_until: 3, ..ArrayRules::default() };
        let object = ObjectRules {
            distinct: true,
            required: ["a".into(), "\"".into()].into(),
            named: [("n".into(), PlaceId(0))].into(),
            ..ObjectRules::default()
        };
        let rules = Rules::new(vec![Place { array, object }, Place::default()]).unwrap();
        let expected = "place0: an array: no two items equal, settled up to item 3; items are at place1\n\
                        place0: an object: no key twice; \"\\\"\", \"a\" must be there; \"n\" is at place0\n";
        assert_eq!(rules.to_string(), expected);
    }
}
