//! Obligations of an object: conditions that some member must meet, whichever it is.
//!
//! They come from negations: an object violates `additionalProperties` if some member that is neither named nor matched
//! does. A member may meet an obligation by its key alone, or by its key and a value that satisfies one goal more; which
//! of the two a text means need not be told apart, so no negation is needed here. The object is the sequence of its
//! members with the set of obligations met so far (`emit/obligation.rs`).

use super::object::{FreeKeys, Named, ObjectShape, Obligations};
use crate::algebra::{Algebra, Goal};
use crate::error::Result;
use crate::schema::{ObjectRules, SchemaId, SomeMember};

/// Most obligations of one object: a member may meet every set of them.
const MAX_OBLIGATIONS: usize = 6;

impl ObjectShape {
    /// Notes which members meet which obligations. `false` if one of them cannot be met.
    pub(super) fn oblige(
        &mut self,
        algebra: &mut Algebra<'_>,
        rules: &[&ObjectRules],
        members: &[SchemaId],
    ) -> Result<bool> {
        let mut obligations: Vec<&SomeMember> = Vec::new();
        for some in rules.iter().flat_map(|rules| &rules.some) {
            if !obligations.contains(&some) && !self.meets_anyway(algebra, some)? {
                obligations.push(some);
            }
        }
        if obligations.len() > MAX_OBLIGATIONS {
            let at = members.iter().find(|&&id| !algebra.store.get(id).object.some.is_empty());
            let id = at.copied().unwrap_or(algebra.store.always);
            let reason = "more than 6 conditions that some member of one object must meet";
            algebra.unsupported_at(id, "not", reason)?;
            return Ok(true);
        }
        self.name_meeting(algebra, &obligations)?;
        let mut named = std::mem::take(&mut self.named);
        for member in &mut named {
            meet_named(algebra, &obligations, member)?;
        }
        self.named = named;
        self.free =
            std::mem::take(&mut self.free).iter().flat_map(|free| meet_free(algebra, &obligations, free)).collect();
        self.obligations = obligations.len() as u32;
        let named = self.named.iter().map(|named| named.meeting.iter().fold(named.meets, |all, (more, _)| all | more));
        let met = named.chain(self.free.iter().map(|free| free.meets)).fold(0, |all, more| all | more);
        Ok(met == all(self.obligations))
    }
    /// Names the keys that meet some obligations together if they are so few that members which have to follow may run out of
    /// them; then none of these can be repeated.
    fn name_meeting(&mut self, algebra: &mut Algebra<'_>, obligations: &[&SomeMember]) -> Result<()> {
        for free in self.free.clone() {
            for kind in meet_free(algebra, obligations, &free).iter().filter(|kind| kind.names != free.names) {
                let keys = self.few_keys(algebra, kind)?.unwrap_or_default();
                let needed = obligations.len() + self.min_properties as usize;
                if keys.len() <= needed + self.named.len() + self.forbidden.len() {
                    self.named.extend(keys.into_iter().map(|key| Named::new(key.into(), false, free.value.clone())));
                }
            }
        }
        Ok(())
    }
    /// Whether a required member meets the obligation whatever its value is.
    fn meets_anyway(&self, algebra: &mut Algebra<'_>, some: &SomeMember) -> Result<bool> {
        for named in self.named.iter().filter(|named| named.required) {
            let value = some.value == algebra.store.always || named.value.contains(&some.value);
            if value && algebra.among(&some.keys, &named.key)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// The set of the first `count` obligations.
pub(crate) fn all(count: u32) -> Obligations {
    (1 << count) - 1
}

fn meet_named(algebra: &mut Algebra<'_>, obligations: &[&SomeMember], named: &mut Named) -> Result<()> {
    let mut costly: Vec<(Obligations, SchemaId)> = Vec::new();
    for (i, some) in obligations.iter().enumerate() {
        if algebra.among(&some.keys, &named.key)? {
            match some.value == algebra.store.always || named.value.contains(&some.value) {
                true => named.meets |= 1 << i,
                false => costly.push((1 << i, some.value)),
            }
        }
    }
    let base = (named.meets, named.value.clone());
    for (meets, value) in choices(algebra, base, &costly).into_iter().skip(1) {
        if !algebra.visibly_unsatisfiable(&value)? {
            named.meeting.push((meets, value));
        }
    }
    Ok(())
}

/// A kind of free keys, once for each set of obligations it can meet.
fn meet_free(algebra: &Algebra<'_>, obligations: &[&SomeMember], free: &FreeKeys) -> Vec<FreeKeys> {
    let mut kinds = vec![free.clone()];
    for (i, some) in obligations.iter().enumerate() {
        if !some.keys.languages.iter().all(|language| free.languages.contains(language)) {
            continue;
        }
        if some.keys.names.is_none() && some.value == algebra.store.always {
            kinds.iter_mut().for_each(|kind| kind.meets |= 1 << i);
            continue;
        }
        for kind in kinds.clone() {
            let names = algebra.goal(kind.names.iter().copied().chain(some.keys.names));
            let value = algebra.goal(kind.value.iter().copied().chain([some.value]));
            if !names.contains(&algebra.store.never) && !value.contains(&algebra.store.never) {
                kinds.push(FreeKeys { names, value, meets: kind.meets | 1 << i, languages: kind.languages });
            }
        }
    }
    kinds
}

/// All sets of the conditions, added to the base: the base first.
fn choices(
    algebra: &Algebra<'_>,
    base: (Obligations, Goal),
    conditions: &[(Obligations, SchemaId)],
) -> Vec<(Obligations, Goal)> {
    let mut sets = vec![base];
    for &(obligation, value) in conditions {
        for (meets, goal) in sets.clone() {
            sets.push((meets | obligation, algebra.goal(goal.into_iter().chain([value]))));
        }
    }
    sets
}
