//! Why a token is allowed, or is not: every way to read its bytes, and where each one ends.
//!
//! A plain interpreter beside `commit`: it goes byte by byte, keeps readings apart that a state would merge, and writes
//! down why one comes to nothing. It is slow and meant for people. Whether the token is allowed is asked of the state
//! itself.

use glrmask_automata::lexdag::ConditionSetId;
use glrmask_automata::{Dfa, Symbol, TerminalId};
use glrmask_glr::{parser, Tables};
use glrmask_instance::Outlook;
use glrmask_lexer::conditions::step_all;
use glrmask_lexer::{antichain, Condition, Thread};
use glrmask_vocab::TokenId;
use smallvec::SmallVec;

use crate::beside::{Ahead, Beside};
use crate::branch::{Alternatives, Branch, Lexeme, Stacks};
use crate::commit::{self, emit, with_conditions};
use crate::constraint::{Constraint, Inner};
use crate::error::{CommitError, RuntimeError};
use crate::event;
use crate::instance;
use crate::query;
use crate::readings::Broken;
use crate::state::ConstraintState;

/// The most readings of one token that are followed at once, and that are told.
pub const READINGS: usize = 64;
/// The most terminals that are named as expected.
const EXPECTED: usize = 16;

/// Why a token is allowed, or is not. `Display` says it in words.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Explanation {
    pub(crate) constraint: Constraint,
    /// The token.
    pub token: TokenId,
    /// Its bytes; empty for an id without bytes and for an unknown one.
    pub bytes: Vec<u8>,
    /// Whether the mask has it.
    pub allowed: bool,
    /// What kind of answer this is.
    pub verdict: Verdict,
    /// The ways to read it, those that succeed first; empty unless the verdict is [`Verdict::Text`]. Where the token
    /// stands for itself, its whole is one lexeme of a [token event](crate::TokenTerminal).
    pub readings: Vec<Reading>,
    /// Whether there are more readings than [`READINGS`].
    pub is_cut: bool,
    /// The rule beside the grammar that forbids it, if the grammar does not.
    pub rule: Option<RuleBroken>,
}

/// What forbids a token that the grammar allows: a rule about the items of an array or the members of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleBroken {
    /// An item or key is there twice, or a member is missing.
    Repeats {
        /// The byte of the token with which that is sure.
        at: usize,
        /// The rule and the value, in words.
        what: String,
    },
    /// Every text that goes on from there has an item or key twice.
    NothingElseLeft,
    /// The search for a text that goes on from there has ended by its bounds.
    NothingFound,
}

/// What decides about a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// There is no such id.
    Unknown,
    /// The sequence has ended, or the state is rejected: nothing may follow.
    Over,
    /// It is an end token: allowed where the text is complete. (One with bytes acts by them where it is not, and one that
    /// a token event has, as that.)
    End,
    /// It has no bytes, so that it matches no text, and no token event has it.
    NoBytes,
    /// Its bytes, and the token itself where a token event has it: see the readings.
    Text,
}

/// One way to read the bytes of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The lexemes that were read to their end, in order.
    pub lexemes: Vec<LexemeSpan>,
    /// Where the last lexeme, still open, began; `None` as for [`LexemeSpan::start`]. At the end of the bytes: none is
    /// open.
    pub open_start: Option<usize>,
    /// How it ended.
    pub outcome: Outcome,
}

/// A lexeme of a reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LexemeSpan {
    /// What it was read as.
    pub terminal: TerminalId,
    /// Its first byte in the token; `None` if it began before the token.
    pub start: Option<usize>,
    /// One past its last byte in the token.
    pub end: usize,
}

/// How a reading ended. Offsets count bytes of the token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All bytes were read, and some text completes them. The terminals that the open lexeme can become; none if no
    /// lexeme is open.
    Allowed {
        /// Sorted.
        open: Vec<TerminalId>,
    },
    /// No lexeme goes on with, or begins with, the byte at this offset.
    NoLexeme {
        /// The offset.
        at: usize,
        /// What the lexeme could have become; empty if it is about the beginning of a lexeme.
        inside: Vec<TerminalId>,
    },
    /// The parser takes none of these terminals here.
    Refused {
        /// Where the lexeme ends, or begins if it is not known to its end.
        at: usize,
        /// What was read, or begun.
        terminals: Vec<TerminalId>,
        /// The symbol that the parser has read last; `None` at the start of the text.
        after: Option<Symbol>,
        /// Some of the terminals that it would take instead.
        expected: Vec<TerminalId>,
    },
    /// A lexeme that ended earlier would have had to be longer: this terminal matches more, up to and with this byte.
    LongerMatch {
        /// The offset of the byte.
        at: usize,
        /// The terminal that matches more.
        terminal: TerminalId,
    },
    /// All bytes were read, but no text completes them without violating longest match.
    NothingCompletes {
        /// What the open lexeme can become.
        open: Vec<TerminalId>,
        /// Terminals that must not match a longer text.
        pending: Vec<TerminalId>,
    },
}

impl ConstraintState {
    /// Why a token is allowed here, or is not. Changes nothing. Time: the number of ways to read it; for people, not for
    /// the decoding loop.
    ///
    /// # Errors
    /// A limit of the tables that are filled on demand.
    pub fn explain(&self, token: TokenId) -> Result<Explanation, RuntimeError> {
        let constraint = self.constraint().clone();
        let bytes = constraint.vocab().bytes(token).unwrap_or_default().to_vec();
        let is_end = constraint.end_tokens().contains(&token);
        let is_event = constraint.inner().events.of(token).next().is_some();
        let allowed = match self.probe().commit_token(token) {
            Ok(()) => true,
            Err(CommitError::Runtime(error)) => return Err(error),
            Err(_) => false,
        };
        let verdict = match () {
            () if !constraint.vocab().contains(token) && !is_end => Verdict::Unknown,
            () if self.is_terminated() => Verdict::Over,
            () if is_end && (self.is_accepting() || bytes.is_empty() && !is_event) => Verdict::End,
            () if bytes.is_empty() && !is_event => Verdict::NoBytes,
            () => Verdict::Text,
        };
        let mut explanation =
            Explanation { constraint, token, bytes, allowed, verdict, readings: Vec::new(), is_cut: false, rule: None };
        if verdict == Verdict::Text {
            let mut interpreter = Interpreter::new(self.constraint().inner());
            if !explanation.bytes.is_empty() {
                interpreter.run(self.branches(), &explanation.bytes)?;
            }
            interpreter.run_event(self.branches(), token, explanation.bytes.len())?;
            interpreter.sort();
            explanation.readings = interpreter.readings;
            explanation.is_cut = interpreter.is_cut;
            explanation.rule = self.rule_broken(&explanation)?;
        }
        Ok(explanation)
    }
}

impl ConstraintState {
    /// The rule that forbids a token which has a reading.
    fn rule_broken(&self, explanation: &Explanation) -> Result<Option<RuleBroken>, RuntimeError> {
        let is_allowed = |reading: &Reading| matches!(reading.outcome, Outcome::Allowed { .. });
        let Some(beside) = self.beside() else { return Ok(None) };
        if explanation.allowed || !explanation.readings.iter().any(is_allowed) {
            return Ok(None);
        }
        let inner = self.constraint().inner();
        let goes = match beside.advance(inner, &explanation.bytes)? {
            Ahead::Goes(goes) => goes,
            Ahead::Breaks(None) => return Ok(Some(RuleBroken::NothingElseLeft)),
            Ahead::Breaks(Some(Broken { at, violation })) => {
                return Ok(Some(RuleBroken::Repeats { at, what: violation.to_string() }));
            }
        };
        let outlook = match *goes {
            Beside::Whole(tracker) => {
                let mut branches = self.branches().iter().cloned().collect();
                commit::advance(inner, &mut branches, &explanation.bytes);
                commit::retain_viable(inner, &mut branches)?;
                instance::outlook_from(inner, &tracker, &branches)?
            }
            Beside::Parts(readings) => readings.outlook(inner)?,
        };
        Ok(Some(match outlook {
            Outlook::Closed => RuleBroken::NothingElseLeft,
            _ => RuleBroken::NothingFound,
        }))
    }
}

/// A reading that goes on.
#[derive(Clone)]
struct Trace {
    lexemes: Vec<LexemeSpan>,
    open_start: Option<usize>,
    branch: Branch,
}

struct Interpreter<'a> {
    inner: &'a Inner,
    readings: Vec<Reading>,
    next: Vec<Trace>,
    is_cut: bool,
}

impl<'a> Interpreter<'a> {
    fn new(inner: &'a Inner) -> Self {
        Self { inner, readings: Vec::new(), next: Vec::new(), is_cut: false }
    }

    fn run(&mut self, branches: &[Branch], bytes: &[u8]) -> Result<(), RuntimeError> {
        let start = |branch: &Branch| Trace { lexemes: Vec::new(), open_start: None, branch: branch.clone() };
        let mut traces: Vec<Trace> = branches.iter().map(start).collect();
        for (at, &byte) in bytes.iter().enumerate() {
            traces.drain(..).for_each(|trace| self.step(trace, at, byte));
            self.is_cut |= self.next.len() > READINGS;
            self.next.truncate(READINGS);
            traces = std::mem::take(&mut self.next);
        }
        for trace in traces {
            self.finish(trace, bytes.len())?;
        }
        Ok(())
    }

    /// The token itself, as every event it can be.
    fn run_event(&mut self, branches: &[Branch], token: TokenId, len: usize) -> Result<(), RuntimeError> {
        for terminal in self.inner.events.of(token) {
            let lexemes = vec![LexemeSpan { terminal, start: Some(0), end: len }];
            let taken = event::advance_terminal(self.inner, branches, terminal);
            if taken.is_empty() {
                for branch in branches {
                    let stacks = event::ended(self.inner, branch).unwrap_or_else(|| branch.stacks.clone());
                    let outcome = self.refused(&stacks, 0, vec![terminal]);
                    self.end(&[], Some(0), outcome);
                }
            }
            for branch in taken {
                self.finish(Trace { lexemes: lexemes.clone(), open_start: None, branch }, len)?;
            }
        }
        Ok(())
    }

    fn sort(&mut self) {
        self.readings.sort_by_key(|reading| !matches!(reading.outcome, Outcome::Allowed { .. }));
        self.is_cut |= self.readings.len() > READINGS;
        self.readings.truncate(READINGS);
    }

    fn end(&mut self, lexemes: &[LexemeSpan], open_start: Option<usize>, outcome: Outcome) {
        let reading = Reading { lexemes: lexemes.to_vec(), open_start, outcome };
        if !self.readings.contains(&reading) {
            self.readings.push(reading);
        }
    }

    fn step(&mut self, trace: Trace, at: usize, byte: u8) {
        let Trace { lexemes, open_start, branch } = trace;
        let stacks = match self.step_conditions(branch.stacks, byte) {
            Ok(stacks) => stacks,
            Err(terminal) => return self.end(&lexemes, open_start, Outcome::LongerMatch { at, terminal }),
        };
        let Lexeme::Inside(thread) = branch.lexeme else { return self.begin(lexemes, stacks, at, byte) };
        let component = self.inner.lexer.component(thread.0);
        let (next, ends) = (component.dfa().next(thread.1, byte), component.dfa().is_accepting(thread.1));
        if next != Dfa::DEAD {
            let branch = Branch { lexeme: Lexeme::Inside((thread.0, next)), stacks: stacks.clone() };
            self.next.push(Trace { lexemes: lexemes.clone(), open_start, branch });
        }
        if ends {
            self.end_lexeme(&lexemes, (open_start, thread), stacks, at, byte);
        } else if next == Dfa::DEAD {
            let inside = component.live(thread.1).collect();
            self.end(&lexemes, open_start, Outcome::NoLexeme { at, inside });
        }
    }

    /// The lexeme ends before this byte, as each terminal it matches.
    fn end_lexeme(
        &mut self,
        lexemes: &[LexemeSpan],
        (start, thread): (Option<usize>, Thread),
        stacks: Stacks,
        at: usize,
        byte: u8,
    ) {
        let inner = self.inner;
        let component = inner.lexer.component(thread.0);
        for terminal in component.matched(thread.1) {
            let mut taken = Vec::new();
            emit(inner, std::iter::once(terminal), stacks.clone(), |_, stacks| taken.push(stacks));
            if taken.is_empty() {
                let outcome = self.refused(&stacks, at, vec![terminal]);
                self.end(lexemes, start, outcome);
            }
            for stacks in taken {
                let mut lexemes = lexemes.to_vec();
                lexemes.push(LexemeSpan { terminal, start, end: at });
                let left = component.left(terminal, thread.1);
                match step_all(inner.lexer.kill_automata(), left, byte) {
                    Some(left) => self.begin(lexemes, with_conditions(inner, stacks, &left), at, byte),
                    None => {
                        let terminal = self.violated(left, byte).unwrap_or(terminal);
                        self.end(&lexemes, Some(at), Outcome::LongerMatch { at, terminal });
                    }
                }
            }
        }
    }

    /// A lexeme begins with this byte.
    fn begin(&mut self, lexemes: Vec<LexemeSpan>, stacks: Stacks, at: usize, byte: u8) {
        let lexer = &self.inner.lexer;
        let wanted =
            |thread: &Thread| stacks.tops().any(|&top| self.inner.start_components(top).contains(thread.0 .0 as usize));
        let started = lexer.starts(byte);
        if started.is_empty() {
            return self.end(&lexemes, Some(at), Outcome::NoLexeme { at, inside: Vec::new() });
        }
        for &thread in started.iter().filter(|thread| wanted(thread)) {
            let branch = Branch { lexeme: Lexeme::Inside(thread), stacks: stacks.clone() };
            self.next.push(Trace { lexemes: lexemes.clone(), open_start: Some(at), branch });
        }
        if !started.iter().any(wanted) {
            let begun = started.iter().flat_map(|&(id, state)| lexer.component(id).live(state)).collect();
            let outcome = self.refused(&stacks, at, begun);
            self.end(&lexemes, Some(at), outcome);
        }
    }

    /// All bytes are read.
    fn finish(&mut self, trace: Trace, at: usize) -> Result<(), RuntimeError> {
        let Trace { lexemes, open_start, branch } = trace;
        let mut open: Vec<TerminalId> = match branch.lexeme {
            Lexeme::Inside((id, state)) => self.inner.lexer.component(id).live(state).collect(),
            Lexeme::Boundary => Vec::new(),
        };
        open.sort_unstable();
        let outcome = if query::is_viable(self.inner, &branch)? {
            open.retain(|&t| self.is_taken(&branch.stacks, t));
            Outcome::Allowed { open }
        } else if branch.lexeme != Lexeme::Boundary && !open.iter().any(|&t| self.is_taken(&branch.stacks, t)) {
            self.refused(&branch.stacks, open_start.unwrap_or(0), open)
        } else {
            open.retain(|&t| self.is_taken(&branch.stacks, t));
            let pending = self.pending(&branch);
            Outcome::NothingCompletes { open, pending }
        };
        self.end(&lexemes, open_start.or((branch.lexeme == Lexeme::Boundary).then_some(at)), outcome);
        Ok(())
    }

    fn is_taken(&self, stacks: &Stacks, terminal: TerminalId) -> bool {
        let lexer = &self.inner.lexer;
        let shifted = |t| parser::can_shift(&self.inner.tables, stacks, t);
        lexer.is_ignored(terminal) || lexer.parser_terminal(terminal).is_some_and(shifted)
    }

    fn refused(&self, stacks: &Stacks, at: usize, mut terminals: Vec<TerminalId>) -> Outcome {
        terminals.sort_unstable();
        terminals.dedup();
        let top = stacks.tops().copied().find(|&top| top != Tables::START);
        let after = top.and_then(|top| self.inner.tables.accessing_symbol(top));
        let actionable = stacks.tops().flat_map(|&top| self.inner.tables.actionable(top));
        let mut expected: Vec<TerminalId> = actionable.copied().filter(|&t| self.is_taken(stacks, t)).collect();
        expected.sort_unstable();
        expected.dedup();
        expected.truncate(EXPECTED);
        Outcome::Refused { at, terminals, after, expected }
    }

    /// Terminals that must not match longer, as the lexeme stands: those of earlier lexemes and its own.
    fn pending(&self, branch: &Branch) -> Vec<TerminalId> {
        let sets = branch.stacks.weights().into_iter().flat_map(Alternatives::iter);
        let mut conditions: Vec<Condition> = sets.flat_map(|set| self.conditions(set)).collect();
        if let Lexeme::Inside((id, state)) = branch.lexeme {
            let component = self.inner.lexer.component(id);
            conditions.extend(component.matched(state).flat_map(|t| component.left(t, state)).copied());
        }
        let mut terminals: Vec<TerminalId> = conditions.into_iter().map(|c| c.terminal).collect();
        terminals.sort_unstable();
        terminals.dedup();
        terminals
    }

    fn conditions(&self, set: ConditionSetId) -> Vec<Condition> {
        self.inner.cache.write().lexer_mut().conditions().get(set).to_vec()
    }

    /// Stacks whose conditions the byte does not violate; the terminal that matches longer if there are none.
    fn step_conditions(&self, stacks: Stacks, byte: u8) -> Result<Stacks, TerminalId> {
        if stacks.uniform().is_some_and(Alternatives::is_none) {
            return Ok(stacks);
        }
        let automata = self.inner.lexer.kill_automata();
        let before: SmallVec<[ConditionSetId; 4]> = stacks.weights().into_iter().flat_map(Alternatives::iter).collect();
        let stepped = {
            let mut cache = self.inner.cache.write();
            let sets = cache.lexer_mut().conditions_mut();
            stacks.filter_map_weights(|weight| {
                let mut left: Vec<_> = weight.iter().filter_map(|set| sets.step(automata, set, byte)).collect();
                antichain(sets, &mut left);
                Alternatives::new(left)
            })
        };
        let violated = || before.iter().find_map(|&set| self.violated(&self.conditions(set), byte));
        match stepped.is_empty() {
            true => Err(violated().unwrap_or(TerminalId(u32::MAX))),
            false => Ok(stepped),
        }
    }

    /// The terminal of a condition that the byte violates.
    fn violated(&self, conditions: &[Condition], byte: u8) -> Option<TerminalId> {
        let violates = |condition: &&Condition| {
            self.inner.lexer.kill_automata().get(&condition.terminal).is_some_and(|dfa| {
                let next = dfa.next(condition.state, byte);
                next != Dfa::DEAD && dfa.is_accepting(next)
            })
        };
        conditions.iter().find(violates).map(|condition| condition.terminal)
    }
}
