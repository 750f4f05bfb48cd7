//! Token events: terminals that match a token as such, by its id and never by bytes.
//!
//! An event ends the run of bytes. The lexeme in progress must be a match there, as at the end of the text, and whatever
//! was pending can no longer be violated: conditions are void. So an event needs nothing of the lexer, the classes or
//! the Parser DWA: end the lexeme where it stands, and ask the parser whether it takes the terminal. A token that
//! has bytes too acts in both ways, and a state follows both. See `docs/events.md`.

use glrmask_automata::{Id, TerminalId};
use glrmask_glr::parser;
use glrmask_lexer::{BitSet, Lexer};
use glrmask_vocab::{TokenId, Vocab};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::branch::{add_branch, Alternatives, Branch, Branches, Lexeme, Stacks};
use crate::commit::emit;
use crate::constraint::Inner;
use crate::error::RuntimeError;
use crate::token_ids::TokenIds;

/// A terminal that is a token event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenTerminal {
    /// The terminal, as the lexer knows it.
    pub terminal: TerminalId,
    /// The ids it matches.
    pub ids: TokenIds,
}

/// More ranges than this are worth mask words, if they are also more than a quarter of the words of a mask.
const FEW_RANGES: usize = 64;

/// Terminals that the parser cannot tell apart, with all their ids.
#[derive(Debug)]
struct Group {
    /// One of them.
    terminal: TerminalId,
    ids: TokenIds,
    /// The ids as a mask, where that is quicker.
    words: Option<Box<[u32]>>,
}

/// The token events of a constraint.
#[derive(Debug, Default)]
pub(crate) struct Events {
    groups: Vec<Group>,
    /// The terminals of the lexer after which an event may come.
    before: BitSet,
}

impl Events {
    /// Checks the terminals and groups them.
    pub(crate) fn new(
        lexer: &Lexer,
        vocab: &Vocab,
        terminals: &[TokenTerminal],
        mask_words: usize,
    ) -> Result<Self, RuntimeError> {
        let look = |t: TerminalId| (lexer.is_ignored(t), lexer.parser_terminal(t));
        let known: BitSet = lexer.token_terminals().iter().map(|t| t.index()).collect();
        let mut numbers: FxHashMap<(bool, Option<TerminalId>), usize> = FxHashMap::default();
        let mut found: Vec<(TerminalId, Vec<(TokenId, TokenId)>)> = Vec::new();
        for TokenTerminal { terminal, ids } in terminals {
            if !known.contains(terminal.index()) {
                return Err(RuntimeError::invalid("token ids for a terminal that is no token event"));
            }
            if !ids.is_well_formed() || !ids.ranges().all(|range| range.1 .0 as usize / 32 < mask_words) {
                return Err(RuntimeError::invalid("token ids out of order, or beyond the vocabulary"));
            }
            if !ids.iter().all(|id| vocab.contains(id)) {
                return Err(RuntimeError::invalid("token ids that are not in the vocabulary"));
            }
            let number = *numbers.entry(look(*terminal)).or_insert(found.len());
            match found.get_mut(number) {
                Some((_, ranges)) => ranges.extend(ids.ranges()),
                None => found.push((*terminal, ids.ranges().collect())),
            }
        }
        if lexer.token_terminals().iter().any(|&t| !numbers.contains_key(&look(t))) {
            return Err(RuntimeError::invalid("a token event without ids"));
        }
        let group = |(terminal, ranges)| Group { terminal, ids: TokenIds::from_ranges(ranges), words: None };
        let mut groups: Vec<Group> = found.into_iter().map(group).collect();
        for group in groups.iter_mut().filter(|g| g.ids.ranges().len() > FEW_RANGES.max(mask_words / 4)) {
            let mut words = vec![0; mask_words];
            group.ids.add_to(&mut words);
            group.words = Some(words.into());
        }
        let before = before(lexer, &groups);
        Ok(Self { groups, before })
    }

    /// Whether there are none.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }
    /// A terminal for each kind of event that the parser can tell apart.
    pub(crate) fn terminals(&self) -> impl Iterator<Item = TerminalId> + '_ {
        self.groups.iter().map(|group| group.terminal)
    }
    /// The terminals that match this token.
    pub(crate) fn of(&self, id: TokenId) -> impl Iterator<Item = TerminalId> + '_ {
        self.groups.iter().filter(move |group| group.ids.contains(id)).map(|group| group.terminal)
    }
    /// The ids of events that the parser cannot tell from this one.
    pub(crate) fn ids(&self, lexer: &Lexer, terminal: TerminalId) -> Option<&TokenIds> {
        let look = |t: TerminalId| (lexer.is_ignored(t), lexer.parser_terminal(t));
        self.groups.iter().find(|group| look(group.terminal) == look(terminal)).map(|group| &group.ids)
    }
}

fn before(lexer: &Lexer, groups: &[Group]) -> BitSet {
    let always = groups.iter().any(|group| lexer.is_ignored(group.terminal));
    let follows = |t: TerminalId| {
        let followers = lexer.followers(t);
        let parsed = |group: &Group| lexer.parser_terminal(group.terminal);
        groups.iter().filter_map(parsed).any(|event| followers.contains(event.index()))
    };
    let all = (0..lexer.terminal_count()).map(TerminalId::from_usize);
    all.filter(|&t| always || lexer.is_ignored(t) || follows(t)).map(|t| t.index()).collect()
}

/// The stacks of a branch once its lexeme has ended where it stands, nothing pending; none if it is no match there, or
/// no event may follow.
pub(crate) fn ended(inner: &Inner, branch: &Branch) -> Option<Stacks> {
    let stacks = match branch.lexeme {
        Lexeme::Boundary => branch.stacks.clone(),
        Lexeme::Inside((component, state)) => {
            let matched = inner.lexer.component(component).matched(state);
            let matched: SmallVec<[TerminalId; 4]> =
                matched.filter(|t| inner.events.before.contains(t.index())).collect();
            let mut ended: Option<Stacks> = None;
            emit(inner, matched.into_iter(), branch.stacks.clone(), |_, stacks| {
                ended = Some(match ended.take() {
                    Some(others) => others.merge(&stacks),
                    None => stacks,
                });
            });
            ended?
        }
    };
    Some(match stacks.uniform().is_some_and(Alternatives::is_none) {
        true => stacks,
        false => stacks.map_weights(|_| Alternatives::none()),
    })
}

/// The branches after an event of this terminal. They may still not be viable.
pub(crate) fn advance_terminal(inner: &Inner, branches: &[Branch], terminal: TerminalId) -> Branches {
    let mut next = Branches::new();
    for stacks in branches.iter().filter_map(|branch| ended(inner, branch)) {
        emit(inner, std::iter::once(terminal), stacks, |_, stacks| {
            add_branch(&mut next, Branch { lexeme: Lexeme::Boundary, stacks });
        });
    }
    next
}

/// The branches after this token as an event; none where it is none. They may still not be viable.
pub(crate) fn advance(inner: &Inner, branches: &[Branch], token: TokenId) -> Branches {
    let mut next = Branches::new();
    for terminal in inner.events.of(token) {
        advance_terminal(inner, branches, terminal).into_iter().for_each(|branch| add_branch(&mut next, branch));
    }
    next
}

/// Adds the ids of all events that may come next to a mask.
pub(crate) fn add_to_mask<E>(
    inner: &Inner,
    branches: &[Branch],
    words: &mut [u32],
    mut viable: impl FnMut(&Branch) -> Result<bool, E>,
) -> Result<(), E> {
    let ended: SmallVec<[Stacks; 2]> = branches.iter().filter_map(|branch| ended(inner, branch)).collect();
    for group in &inner.events.groups {
        let mut allowed = false;
        for stacks in &ended {
            allowed = allowed || is_allowed(inner, stacks, group.terminal, &mut viable)?;
        }
        match &group.words {
            _ if !allowed => {}
            Some(more) => words.iter_mut().zip(more).for_each(|(word, more)| *word |= more),
            None => group.ids.add_to(words),
        }
    }
    Ok(())
}

/// Whether an event may come on some stack, and some text completes what it leads to.
fn is_allowed<E>(
    inner: &Inner,
    stacks: &Stacks,
    terminal: TerminalId,
    viable: &mut impl FnMut(&Branch) -> Result<bool, E>,
) -> Result<bool, E> {
    let (ignored, parsed) = (inner.lexer.is_ignored(terminal), inner.lexer.parser_terminal(terminal));
    if !ignored && !parsed.is_some_and(|t| parser::can_shift(&inner.tables, stacks, t)) {
        return Ok(false);
    }
    // Without longest-match conditions, whatever the parser takes can be completed.
    if inner.lexer.is_plain() {
        return Ok(true);
    }
    let mut after: SmallVec<[Stacks; 2]> = SmallVec::new();
    emit(inner, std::iter::once(terminal), stacks.clone(), |_, stacks| after.push(stacks));
    for stacks in after {
        if viable(&Branch { lexeme: Lexeme::Boundary, stacks })? {
            return Ok(true);
        }
    }
    Ok(false)
}
