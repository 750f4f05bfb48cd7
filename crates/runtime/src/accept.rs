//! Whether a text may end here.
//!
//! Asked for every mask where there are end tokens, so the usual case builds nothing: on one stack, with one action at a
//! time, the parser's moves are followed on a few symbols above what is left of the stack.

use glrmask_automata::TerminalId;
use glrmask_glr::{parser, LrState, Reduction, Tables};
use smallvec::SmallVec;
use weighted_gss::Linear;

use crate::branch::{Alternatives, Branches, Lexeme, Stacks};
use crate::commit::emit;
use crate::constraint::Inner;

/// Whether the text may end here: the pending lexeme is a match and the parser accepts. Pending conditions are void.
pub(crate) fn is_accepting(inner: &Inner, branches: &Branches) -> bool {
    branches.iter().any(|branch| match branch.lexeme {
        Lexeme::Boundary => accepts_end(inner, &branch.stacks),
        Lexeme::Inside((component, state)) => {
            let mut matched = inner.lexer.component(component).matched(state);
            matched.any(|terminal| accepts_after(inner, &branch.stacks, terminal))
        }
    })
}

fn accepts_end(inner: &Inner, stacks: &Stacks) -> bool {
    inner.accepts_empty && stacks.tops().any(|&top| top == Tables::START) || parser::accepts_end(&inner.tables, stacks)
}

/// Whether the text may end after this terminal of the lexer.
fn accepts_after(inner: &Inner, stacks: &Stacks, terminal: TerminalId) -> bool {
    if inner.lexer.is_ignored(terminal) && accepts_end(inner, stacks) {
        return true;
    }
    let Some(shifted) = inner.lexer.parser_terminal(terminal) else { return false };
    if let Some(known) = stacks.linear().and_then(|stack| Moves::new(&inner.tables, stack).accept_after(shifted)) {
        return known;
    }
    let mut accepting = false;
    emit(inner, std::iter::once(terminal), stacks.clone(), |_, stacks| accepting |= accepts_end(inner, &stacks));
    accepting
}

/// A stack as the parser changes it: some symbols on top of what is left of another stack.
struct Moves<'a> {
    tables: &'a Tables,
    stack: Linear<'a, LrState, Alternatives>,
    popped: usize,
    pushed: SmallVec<[LrState; 8]>,
}

/// More than one action.
struct Several;

impl<'a> Moves<'a> {
    fn new(tables: &'a Tables, stack: Linear<'a, LrState, Alternatives>) -> Self {
        Self { tables, stack, popped: 0, pushed: SmallVec::new() }
    }

    /// Whether the text may end after the terminal; `None` if that takes more than one stack to tell.
    fn accept_after(mut self, terminal: TerminalId) -> Option<bool> {
        loop {
            let Some(top) = self.top() else { return Some(false) };
            let (reductions, shift) = (self.tables.reductions(top, terminal), self.tables.shift(top, terminal));
            match (self.reduce(reductions, shift.is_some()).ok()?, shift) {
                (Some(true), _) => {}
                (None, Some(state)) => break self.pushed.push(state),
                _ => return Some(false),
            }
        }
        loop {
            let Some(top) = self.top() else { return Some(false) };
            let (reductions, accepts) = (self.tables.reductions_at_end(top), self.tables.accepts(top));
            match self.reduce(reductions, accepts).ok()? {
                Some(true) => {}
                Some(false) => return Some(false),
                None => return Some(accepts),
            }
        }
    }

    fn top(&self) -> Option<LrState> {
        self.pushed.last().or_else(|| self.stack.get(self.popped)).copied()
    }

    /// Does the only reduction there is: whether the stack goes on. Nothing if there is none.
    fn reduce(&mut self, reductions: &[Reduction], other_action: bool) -> Result<Option<bool>, Several> {
        let reduction = match reductions {
            [] => return Ok(None),
            [only] if !other_action => only,
            _ => return Err(Several),
        };
        let pop = reduction.pop as usize;
        let own = pop.min(self.pushed.len());
        self.pushed.truncate(self.pushed.len() - own);
        self.popped += pop - own;
        let state = self.top().and_then(|top| self.tables.goto(top, reduction.lhs));
        self.pushed.extend(state);
        Ok(Some(state.is_some()))
    }
}
