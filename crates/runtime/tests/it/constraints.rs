//! Small constraints in a compact notation, vocabularies for them, and what tests ask of states.

use std::sync::Arc;

use glrmask_automata::{Id, Limits, NonterminalId, ParseConfig, Regex, Symbol, TerminalId};
use glrmask_glr::{Adjacency, Rule, RuleSet, Tables};
use glrmask_lexer::{BitSet, Language, Lexer, TerminalDef};
use glrmask_runtime::{Config, Constraint, ConstraintState, Parts, RuntimeError};
use glrmask_vocab::{TokenId, Vocab};
use proptest::prelude::*;

/// A grammar: terminals by name with their patterns, rules `A = x y | z` of which the first is the start.
#[derive(Debug)]
pub(crate) struct Spec {
    pub(crate) terminals: &'static [(&'static str, &'static str)],
    pub(crate) rules: &'static str,
    pub(crate) ignored: &'static [&'static str],
    /// (t, k): a longer match of k forbids t.
    pub(crate) kills: &'static [(&'static str, &'static str)],
    pub(crate) accepts_empty: bool,
    /// Texts of the language and pieces of such texts.
    pub(crate) pieces: &'static [&'static str],
}

/// Lists of numbers with blanks.
pub(crate) const LISTS: Spec = Spec {
    terminals: &[("num", "-?[0-9]+"), ("open", r"\["), ("close", r"\]"), ("comma", ","), ("blank", " +")],
    rules: "V = num | open close | open L close\nL = V | L comma V",
    ignored: &["blank"],
    kills: &[],
    accepts_empty: false,
    pieces: &["[", "]", "[1", ", ", "1", "12", "-", "]]", "[[", "1,", " ", ",[", "0", "] ", "  ,", "-3]"],
};

/// Keywords and identifiers: conditions pending nearly everywhere.
pub(crate) const WORDS: Spec = Spec {
    terminals: &[("if", "if"), ("id", "[a-z]+"), ("blank", " +"), ("semi", ";")],
    rules: "S = T | S T\nT = if id semi | id id semi | id semi",
    ignored: &["blank"],
    kills: &[("if", "id")],
    accepts_empty: true,
    pieces: &["if", "i", "f", "ifx", " ", "a;", ";", "if a;", "b c", "  x", "if ", "if;", "iff;", ";if", "x "],
};

/// Ambiguous in every way: overlapping terminals, ambiguous rules.
pub(crate) const OVERLAPS: Spec = Spec {
    terminals: &[("one", "-"), ("two", "--"), ("run", "a+"), ("mix", "[ab]+")],
    rules: "E = E E | one | two | run b\nb = mix one | run",
    ignored: &[],
    kills: &[],
    accepts_empty: false,
    pieces: &["-", "--", "---", "a", "aa", "ab", "b", "-a", "ab-", "aab--", "ba", "a-a"],
};

/// `S → A A | c` with `A = a+`: what begins with a cannot go on.
pub(crate) const DOOMED: Spec = Spec {
    terminals: &[("a", "a+"), ("c", "c"), ("d", "d+")],
    rules: "S = a a | c | d S",
    ignored: &[],
    kills: &[],
    accepts_empty: false,
    pieces: &["a", "aa", "c", "d", "dd", "dc", "da", "ddc"],
};

/// Competing operators under several stacks.
pub(crate) const GENERICS: Spec = Spec {
    terminals: &[("id", "[xy]"), ("lt", "<"), ("gt", ">"), ("shr", ">>"), ("ge", ">="), ("eq", "=")],
    rules: "S = T id eq E\nT = id | id lt T gt\nE = id | E shr id | E gt id | E ge id",
    ignored: &[],
    kills: &[("gt", "ge"), ("eq", "ge")],
    accepts_empty: false,
    pieces: &["x", "y", "<", ">", ">>", ">=", "=", "x<", "y>", ">>x", "x<y>>", ">x=", "=y", "=x>", "x=y"],
};

pub(crate) const ALL: &[&Spec] = &[&LISTS, &WORDS, &OVERLAPS, &DOOMED, &GENERICS];

impl Spec {
    fn rule_set(&self) -> RuleSet {
        let lines: Vec<(&str, &str)> = self.rules.lines().filter_map(|line| line.split_once('=')).collect();
        let names: Vec<&str> = lines.iter().map(|l| l.0.trim()).collect();
        let symbol = |name: &str| match names.iter().position(|n| *n == name) {
            Some(i) => Symbol::Nonterminal(NonterminalId::from_usize(i)),
            None => Symbol::Terminal(self.terminal(name)),
        };
        let mut rules = Vec::new();
        for (i, (_, body)) in lines.iter().enumerate() {
            let lhs = NonterminalId::from_usize(i);
            rules.extend(body.split('|').map(|b| Rule { lhs, rhs: b.split_whitespace().map(symbol).collect() }));
        }
        let start = NonterminalId(0);
        RuleSet { terminals: self.terminals.len(), nonterminals: names.len(), rules, start }
    }

    fn terminal(&self, name: &str) -> TerminalId {
        TerminalId::from_usize(self.terminals.iter().position(|t| t.0 == name).expect("a known terminal"))
    }

    fn def(&self, name: &str, pattern: &str, rules: &RuleSet, adjacency: &Adjacency) -> TerminalDef {
        let t = self.terminal(name);
        let dfa = Regex::parse(pattern, &ParseConfig::default()).unwrap().compile(&Limits::default()).unwrap();
        let used = rules.rules.iter().any(|rule| rule.rhs.contains(&Symbol::Terminal(t)));
        TerminalDef {
            language: Language::Automaton(Arc::new(dfa)),
            ignored: self.ignored.contains(&name),
            parser_terminal: used.then_some(t),
            kills: self.kills.iter().filter(|k| k.0 == name).map(|k| self.terminal(k.1)).collect(),
            followers: adjacency.follow(t).iter().map(|u| u.index()).collect::<BitSet>(),
        }
    }

    /// What a compiler would hand over.
    pub(crate) fn parts(&self) -> Parts {
        let rules = self.rule_set();
        let limits = glrmask_glr::Limits::default();
        let adjacency = Adjacency::new(&rules, &limits).unwrap();
        let defs: Vec<_> = self.terminals.iter().map(|(n, p)| self.def(n, p, &rules, &adjacency)).collect();
        Parts {
            lexer: Lexer::new(&defs, &Limits::default()).unwrap(),
            tables: Tables::build(&rules, &limits).unwrap(),
            accepts_empty: self.accepts_empty,
            token_terminals: Vec::new(),
            markers: None,
            rules: None,
            documents: Vec::new(),
        }
    }

    pub(crate) fn try_constraint(&self, vocab: &Vocab, config: Config) -> Result<Constraint, RuntimeError> {
        Constraint::new(self.parts(), vocab.clone(), config)
    }

    pub(crate) fn constraint(&self, vocab: &Vocab) -> Constraint {
        self.with(vocab, Config::default())
    }

    pub(crate) fn with(&self, vocab: &Vocab, config: Config) -> Constraint {
        self.try_constraint(vocab, config).expect("a constraint")
    }

    /// A vocabulary of the pieces.
    pub(crate) fn vocab(&self) -> Vocab {
        vocab(self.pieces.iter().map(|p| p.as_bytes().to_vec()))
    }
}

pub(crate) fn vocab<B: AsRef<[u8]>>(tokens: impl IntoIterator<Item = B>) -> Vocab {
    Vocab::new(tokens.into_iter().enumerate().map(|(i, t)| (TokenId::from_usize(i), t))).unwrap()
}

/// One of the grammars with a vocabulary of glued pieces: ids with gaps, aliases, tokens without bytes.
pub(crate) fn settings() -> impl Strategy<Value = (&'static Spec, Vocab)> {
    prop::sample::select(ALL).prop_flat_map(|spec| {
        let token = prop::collection::vec(prop::sample::select(spec.pieces), 0..4).prop_map(|p| p.concat());
        let tokens = prop::collection::vec((token, 1u32..40), 0..16);
        (Just(spec), tokens).prop_map(|(spec, more)| {
            let pieces = spec.pieces.iter().map(|p| (p.to_string(), 1));
            let mut id = 0;
            let mut entry = |(token, gap): (String, u32)| {
                id += gap;
                (TokenId(id), token)
            };
            (spec, Vocab::new(pieces.chain(more).map(&mut entry)).unwrap())
        })
    })
}

/// The mask in words.
pub(crate) fn words(state: &ConstraintState) -> Vec<u32> {
    let mut words = vec![u32::MAX; state.constraint().mask_words()];
    state.fill_mask(&mut words).unwrap();
    words
}

/// The allowed ids.
pub(crate) fn allowed(state: &ConstraintState) -> Vec<TokenId> {
    glrmask_vocab::mask::iter(&words(state)).collect()
}

/// What can be seen of a state.
pub(crate) fn seen(state: &ConstraintState) -> (Vec<u32>, bool, bool, bool) {
    (words(state), state.is_accepting(), state.is_rejected(), state.is_terminated())
}

/// Tokens of a walk through allowed tokens, `choices` saying which.
pub(crate) fn walk(constraint: &Constraint, choices: &[u8]) -> Vec<TokenId> {
    let (mut state, mut tokens) = (constraint.start(), Vec::new());
    for &choice in choices {
        let allowed = allowed(&state);
        let Some(&token) = allowed.get(usize::from(choice) % allowed.len().max(1)) else { break };
        state.commit_token(token).unwrap();
        tokens.push(token);
    }
    tokens
}

/// Tokens that mean something to some of the grammars.
pub(crate) const PIECES: [&str; 16] =
    ["[", "]", "1", ", ", "if", "x", "x;", " ", "a", "aa", "-", "--", "ab", "c", "d", "\"k\": "];

/// The same answers along a walk.
pub(crate) fn same(wanted: &Constraint, found: &Constraint, choices: &[u8]) {
    let (mut a, mut b) = (wanted.start(), found.start());
    assert_eq!(seen(&a), seen(&b));
    for token in walk(wanted, choices) {
        assert_eq!(a.commit_token(token), b.commit_token(token));
        assert_eq!(seen(&a), seen(&b));
    }
}

/// What can be seen before each of the tokens.
pub(crate) fn trace(constraint: &Constraint, tokens: &[TokenId]) -> Vec<(Vec<u32>, bool, bool, bool)> {
    let mut state = constraint.start();
    let mut step = |&token: &TokenId| {
        let before = seen(&state);
        state.commit_token(token).unwrap();
        before
    };
    tokens.iter().map(&mut step).collect()
}
