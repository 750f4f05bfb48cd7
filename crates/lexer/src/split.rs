//! Profiles split by the first lexeme: what a place of a lexeme sees, apart from what comes after it.
//!
//! Where many terminals compete (keywords beside identifiers, operators that begin each other), most states of the
//! automaton are matches, each of another terminal, and behind a match the whole vocabulary can follow: profiles would
//! have nothing in common. But a token whose first byte cannot continue the lexeme is read as if the lexeme had ended
//! before it, so its part is that of the boundary behind the lexeme, for all places alike. What is left are the tokens that
//! continue the lexeme, and these see similar states alike. And of every class only what follows its first terminal is
//! kept ([`LexerCache::after`]): the runtime shifts that terminal itself.

use glrmask_automata::lexdag::{ClassId, ConditionSetId};
use glrmask_automata::{ByteSet, Dfa};
use glrmask_vocab::{NodeId, RankSet, Vocab};

use crate::cache::LexerCache;
use crate::completions::Thread;
use crate::conditions::step_all;
use crate::error::LexerError;
use crate::lexer::Lexer;
use crate::profile::{profile_inside, profile_under, Profile, TokenSet};

/// The bytes that end the lexeme at this place for certain, and leave no condition: a token that begins with one is read
/// from the boundary behind the lexeme. Empty if nothing is matched here.
pub fn ended_by(lexer: &Lexer, (id, state): Thread) -> ByteSet {
    let component = lexer.component(id);
    let dfa = component.dfa();
    if !dfa.is_accepting(state) {
        return ByteSet::EMPTY;
    }
    let ways = dfa.row(state).iter().zip(dfa.class_sets());
    let mut ended = ways.filter(|(&next, _)| next == Dfa::DEAD).fold(ByteSet::EMPTY, |all, (_, set)| all.union(set));
    for terminal in component.matched(state) {
        let left = component.left(terminal, state);
        if !left.is_empty() {
            let free = |byte: &u8| step_all(lexer.kill_automata(), left, *byte).is_some_and(|left| left.is_empty());
            let bound: Vec<u8> = ended.iter().filter(|byte| !free(byte)).collect();
            bound.into_iter().for_each(|byte| ended.remove(byte));
        }
    }
    ended
}

/// What the place sees of the tokens that do not begin with one of the bytes in `ended`, which [`ended_by`] gave.
///
/// # Errors
/// A limit of the cache.
pub fn profile_continued(
    lexer: &Lexer,
    cache: &mut LexerCache,
    vocab: &Vocab,
    thread: Thread,
    (ended, wide): (&ByteSet, bool),
) -> Result<Profile, LexerError> {
    if ended.is_empty() {
        return profile_inside(lexer, cache, vocab, thread, wide);
    }
    let start = cache.inside(lexer, thread, ConditionSetId::NONE);
    profile_under(lexer, cache, vocab, start, &ended.complement())
}

/// The tokens of a profile that begin with one of these bytes. Time: that of the ranges of the profile.
pub fn beginning_with(profile: &[(ClassId, TokenSet)], vocab: &Vocab, bytes: &ByteSet) -> Vec<(ClassId, TokenSet)> {
    let trie = vocab.trie();
    let mut wanted = RankSet::new();
    for child in trie.children(NodeId(0)).filter(|&child| bytes.contains(trie.byte(child))) {
        let (first, end) = trie.subtree_ranks(child);
        wanted.push_range(first, end);
    }
    let part = |(class, tokens): &(ClassId, TokenSet)| {
        let own = tokens.ranks().intersection(&wanted);
        (!own.is_empty()).then_some((*class, TokenSet { own, shared: None }))
    };
    profile.iter().filter_map(part).collect()
}
