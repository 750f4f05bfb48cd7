//! Advancing the branches of a state by bytes.
//!
//! A lexeme that matches at the current end is ended by the *next* byte, or right away when it cannot grow: so the
//! usual lexeme needs no second branch and leaves no condition. See `docs/commit.md`.

use glrmask_automata::{Dfa, TerminalId};
use glrmask_glr::parser;
use glrmask_lexer::conditions::step_all;
use glrmask_lexer::{antichain, Condition, Thread};

use smallvec::SmallVec;

use crate::branch::{add_branch, Alternatives, Branch, Branches, Lexeme, Stacks};
use crate::constraint::Inner;
use crate::error::RuntimeError;
use crate::query;

/// Advances by `bytes`; returns how many could be read. Branches that remain may still not be viable.
pub(crate) fn advance(inner: &Inner, branches: &mut Branches, bytes: &[u8]) -> usize {
    let mut read = 0;
    while let Some(&byte) = bytes.get(read) {
        if let Some(more) = run_single(inner, branches, &bytes[read..]) {
            read += more;
            continue;
        }
        let mut next = Branches::new();
        for branch in branches.drain(..) {
            step(inner, branch, byte, &mut |branch, _| add_branch(&mut next, branch));
        }
        *branches = next;
        if branches.is_empty() {
            return read;
        }
        read += 1;
    }
    end_finished(inner, branches);
    read
}

/// The common case: one branch without conditions inside a lexeme, while nothing can end. Bytes read, if any.
fn run_single(inner: &Inner, branches: &mut Branches, bytes: &[u8]) -> Option<usize> {
    let [Branch { lexeme: Lexeme::Inside((component, state)), stacks }] = branches.as_mut_slice() else { return None };
    if !stacks.uniform().is_some_and(Alternatives::is_none) {
        return None;
    }
    let dfa = inner.lexer.component(*component).dfa();
    let mut read = 0;
    for &byte in bytes {
        if dfa.is_accepting(*state) {
            break;
        }
        let next = dfa.next(*state, byte);
        if next == Dfa::DEAD {
            break;
        }
        *state = next;
        read += 1;
    }
    (read > 0).then_some(read)
}

/// Advances one branch by a byte: the branches after it, and whether the byte begins a lexeme there.
pub(crate) fn step(inner: &Inner, branch: Branch, byte: u8, out: &mut impl FnMut(Branch, bool)) {
    let Some(stacks) = step_conditions(inner, branch.stacks, byte) else { return };
    let Lexeme::Inside(thread) = branch.lexeme else { return start_lexemes(inner, stacks, byte, out) };
    let dfa = inner.lexer.component(thread.0).dfa();
    let next = dfa.next(thread.1, byte);
    if next != Dfa::DEAD {
        if dfa.is_accepting(thread.1) {
            end_lexeme(inner, thread, stacks.clone(), byte, out);
        }
        out(Branch { lexeme: Lexeme::Inside((thread.0, next)), stacks }, false);
    } else if dfa.is_accepting(thread.1) {
        end_lexeme(inner, thread, stacks, byte, out);
    }
}

/// Advances pending conditions; stacks whose every alternative is violated go. `None` if no stack is left.
fn step_conditions(inner: &Inner, stacks: Stacks, byte: u8) -> Option<Stacks> {
    if stacks.uniform().is_some_and(Alternatives::is_none) {
        return Some(stacks);
    }
    let mut cache = inner.cache.write();
    let sets = cache.lexer_mut().conditions_mut();
    let automata = inner.lexer.kill_automata();
    let stepped = stacks.filter_map_weights(|weight| {
        let mut left: Vec<_> = weight.iter().filter_map(|set| sets.step(automata, set, byte)).collect();
        antichain(sets, &mut left);
        Alternatives::new(left)
    });
    (!stepped.is_empty()).then_some(stepped)
}

/// Ends the lexeme where it stands, for every terminal it matches; `byte` starts the next lexeme.
fn end_lexeme(inner: &Inner, thread: Thread, stacks: Stacks, byte: u8, out: &mut impl FnMut(Branch, bool)) {
    if inner.lexer.starts(byte).is_empty() {
        return;
    }
    let component = inner.lexer.component(thread.0);
    emit(inner, component.matched(thread.1), stacks, |terminal, stacks| {
        let left = component.left(terminal, thread.1);
        if let Some(left) = step_all(inner.lexer.kill_automata(), left, byte) {
            start_lexemes(inner, with_conditions(inner, stacks, &left), byte, out);
        }
    });
}

/// What the stacks become when the lexeme is any of these terminals: unchanged where it is ignored, shifted where the
/// parser takes it. The last use of the stacks works in place.
pub(crate) fn emit(
    inner: &Inner,
    terminals: impl ExactSizeIterator<Item = TerminalId>,
    stacks: Stacks,
    mut to: impl FnMut(TerminalId, Stacks),
) {
    let count = terminals.len();
    let mut rest = Some(stacks);
    for (index, terminal) in terminals.enumerate() {
        let Some(mut here) = (if index + 1 == count { rest.take() } else { rest.clone() }) else { return };
        let parser_terminal = inner.lexer.parser_terminal(terminal);
        if inner.lexer.is_ignored(terminal) {
            match parser_terminal {
                Some(_) => to(terminal, here.clone()),
                None => {
                    to(terminal, here);
                    continue;
                }
            }
        }
        if let Some(t) = parser_terminal {
            if parser::shift_terminal_mut(&inner.tables, &mut here, t) {
                to(terminal, here);
            }
        }
    }
}

/// Adds conditions to every stack.
pub(crate) fn with_conditions(inner: &Inner, stacks: Stacks, conditions: &[Condition]) -> Stacks {
    if conditions.is_empty() {
        return stacks;
    }
    let mut cache = inner.cache.write();
    let sets = cache.lexer_mut().conditions_mut();
    let added = sets.intern(conditions.to_vec());
    stacks.map_weights(|weight| {
        Alternatives::new(weight.iter().map(|set| sets.union(set, added))).unwrap_or_else(Alternatives::none)
    })
}

fn start_lexemes(inner: &Inner, stacks: Stacks, byte: u8, out: &mut impl FnMut(Branch, bool)) {
    for &(component, state) in inner.lexer.starts(byte) {
        let wanted = |top| inner.start_components(top).contains(component.0 as usize);
        if stacks.tops().any(|&top| wanted(top)) {
            out(Branch { lexeme: Lexeme::Inside((component, state)), stacks: stacks.clone() }, true);
        }
    }
}

/// Ends the lexemes that match and cannot grow: their branch goes to the boundary.
pub(crate) fn end_finished(inner: &Inner, branches: &mut Branches) {
    let finished = |branch: &Branch| match branch.lexeme {
        Lexeme::Inside((component, state)) => inner.lexer.component(component).dfa().future(state).is_empty(),
        Lexeme::Boundary => false,
    };
    if !branches.iter().any(finished) {
        return;
    }
    let mut next = Branches::new();
    for branch in branches.drain(..) {
        match branch.lexeme {
            Lexeme::Inside((component, state)) if finished(&branch) => {
                let matched = inner.lexer.component(component).matched(state);
                emit(inner, matched, branch.stacks, |_, stacks| {
                    add_branch(&mut next, Branch { lexeme: Lexeme::Boundary, stacks });
                });
            }
            _ => add_branch(&mut next, branch),
        }
    }
    *branches = next;
}

/// Drops the branches that no text completes. Whether any is left.
pub(crate) fn retain_viable(inner: &Inner, branches: &mut Branches) -> Result<bool, RuntimeError> {
    let mut error = None;
    branches.retain(|branch| match query::is_viable(inner, branch) {
        Ok(viable) => viable,
        Err(e) => {
            error = Some(e);
            false
        }
    });
    match error {
        Some(error) => Err(error),
        None => Ok(!branches.is_empty()),
    }
}

/// [`retain_viable`], if nothing needs to be filled for it; otherwise `None`, and the branches are as they were.
pub(crate) fn retain_known_viable(inner: &Inner, branches: &mut Branches) -> Option<bool> {
    let mut viable: SmallVec<[bool; 4]> = SmallVec::new();
    for branch in branches.iter() {
        viable.push(query::known_viable(inner, branch)?);
    }
    let mut each = viable.into_iter();
    branches.retain(|_| each.next().unwrap_or(false));
    Some(!branches.is_empty())
}
