use crate::branch::Stacks;
use glrmask_automata::TerminalId;
use glrmask_glr::{GlrError, LrState, Tables};

fn reduce(tables: &Tables, stacks: &Stacks, get: &dyn Fn(LrState) -> Vec<(u32, glrmask_automata::NonterminalId)>) -> Vec<Stacks> {
    let mut all = vec![];
    let mut work = vec![stacks.clone()];
    while let Some(g) = work.pop() {
        for top in g.tops().copied().collect::<Vec<_>>() {
            let here = g.retain_top(&top);
            for (pop, lhs) in get(top) {
                let below = here.popn(pop as usize);
                for s in below.tops().copied().collect::<Vec<_>>() {
                    if let Some(to) = tables.goto(s, lhs) {
                        work.push(below.retain_top(&s).push(to));
                    }
                }
            }
            all.push(here);
        }
    }
    all
}
pub(crate) fn shift_terminal(tables: &Tables, stacks: &Stacks, t: TerminalId) -> Result<Stacks, GlrError> {
    let all = reduce(tables, stacks, &|s| tables.reductions(s, t).iter().map(|r| (r.pop, r.lhs)).collect());
    let shifted = all.into_iter().filter_map(|g| {
        let top = *g.top()?;
        tables.shift(top, t).map(|p| g.push(p))
    });
    Ok(Stacks::merge_all(shifted))
}
pub(crate) fn accepts_end(tables: &Tables, stacks: &Stacks) -> Result<bool, GlrError> {
    let all = reduce(tables, stacks, &|s| tables.reductions_at_end(s).iter().map(|r| (r.pop, r.lhs)).collect());
    Ok(all.iter().any(|g| g.tops().any(|&t| tables.accepts(t))))
}
