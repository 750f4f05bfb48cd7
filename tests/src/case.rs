//! One thing to check: a specification, a vocabulary, and what is committed; and the smaller cases beside it.

use std::collections::BTreeSet;
use std::fmt;

use glrmask_automata::{Id, IndexVec, NonterminalId, Symbol, TerminalId};

use crate::generate;
use crate::rng::Rng;
use crate::spec::Spec;
use crate::vocabulary::{vocabulary, Token};

/// What is committed at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Bytes, not as a token.
    Bytes(Vec<u8>),
    /// A token of the vocabulary.
    Token(u32),
}

/// A case. The kill sets of its specification are those of the groups alone; the engine adds the keyword rule.
#[derive(Clone, Debug)]
pub struct Case {
    /// The grammar.
    pub spec: Spec,
    /// The vocabulary.
    pub vocabulary: Vec<Token>,
    /// Tokens that end the text.
    pub end_tokens: Vec<u32>,
    /// What is committed, from the start.
    pub steps: Vec<Step>,
    /// Whether masks are asked for behind the first terminal; drawn like the rest of the configuration if not said.
    pub shift_first: Option<bool>,
}

impl Case {
    /// The case of `seed`, with nothing committed yet.
    pub fn random(seed: u64, tokens: usize) -> Self {
        let mut rng = Rng::new(seed);
        let spec = generate::spec(&mut rng);
        let vocabulary = vocabulary(&mut rng, &spec, tokens);
        let end_tokens = match rng.below(3) {
            0 => vec![],
            1 => vec![vocabulary[rng.below(vocabulary.len())].0],
            _ => vec![500 + rng.below(100) as u32],
        };
        Self { spec, vocabulary, end_tokens, steps: Vec::new(), shift_first: None }.settled()
    }

    /// The bytes of a token, if it is in the vocabulary.
    pub fn bytes(&self, id: u32) -> Option<&[u8]> {
        self.vocabulary.iter().find(|token| token.0 == id).map(|token| token.1.as_slice())
    }

    /// Every id that a mask may contain.
    pub fn ids(&self) -> BTreeSet<u32> {
        self.vocabulary.iter().map(|token| token.0).chain(self.end_tokens.iter().copied()).collect()
    }

    /// Kill sets made anew from the groups.
    fn settled(mut self) -> Self {
        self.spec.kills_from_groups();
        self
    }

    /// The smallest case found, going from `self` to any neighbour that still `fails` as long as there is one.
    pub fn shrink(self, mut fails: impl FnMut(&Self) -> bool) -> Self {
        let mut smallest = self;
        while let Some(smaller) = smallest.smaller().into_iter().find(&mut fails) {
            smallest = smaller;
        }
        smallest
    }

    /// Cases with one thing left out, the biggest things first.
    fn smaller(&self) -> Vec<Self> {
        let mut all = Vec::new();
        let mut add = |change: &dyn Fn(&mut Self)| {
            let mut case = self.clone();
            change(&mut case);
            all.push(case.settled());
        };
        let half = self.vocabulary.len() / 2;
        for keep in 0..half.min(2) {
            add(&|case| case.vocabulary = case.vocabulary.chunks(half).nth(keep).unwrap_or_default().to_vec());
        }
        (0..self.steps.len()).for_each(|i| add(&|case| _ = case.steps.remove(i)));
        (0..self.spec.productions.len()).for_each(|i| add(&|case| _ = case.spec.productions.remove(i)));
        for (i, rule) in self.spec.productions.iter().enumerate() {
            for j in 0..rule.rhs.len() {
                add(&|case| _ = case.spec.productions[i].rhs.remove(j));
                if let Symbol::Nonterminal(n) = rule.rhs[j] {
                    let lower = (0..n.index()).map(NonterminalId::from_usize);
                    let alike = lower.filter(|&m| self.spec.nonterminals[m] == self.spec.nonterminals[n]);
                    alike.for_each(|m| add(&|case| case.spec.productions[i].rhs[j] = Symbol::Nonterminal(m)));
                }
            }
        }
        for scope in self.spec.scopes.ids() {
            let (ignored, groups) = (self.spec.scopes[scope].ignore.len(), self.spec.scopes[scope].groups.len());
            (0..ignored).for_each(|i| add(&|case| _ = case.spec.scopes[scope].ignore.remove(i)));
            (0..groups).for_each(|i| add(&|case| _ = case.spec.scopes[scope].groups.remove(i)));
            if self.spec.scopes[scope].keywords {
                add(&|case| case.spec.scopes[scope].keywords = false);
            }
        }
        unused(&self.spec).into_iter().for_each(|t| add(&|case| remove_terminal(&mut case.spec, t)));
        (0..self.end_tokens.len()).for_each(|i| add(&|case| _ = case.end_tokens.remove(i)));
        (0..self.vocabulary.len()).for_each(|i| add(&|case| _ = case.vocabulary.remove(i)));
        for (i, (_, word)) in self.vocabulary.iter().enumerate().filter(|(_, (_, word))| word.len() > 1) {
            (0..word.len()).for_each(|j| add(&|case| _ = case.vocabulary[i].1.remove(j)));
        }
        for (i, step) in self.steps.iter().enumerate() {
            if let Step::Bytes(bytes) = step {
                let without = |j| Step::Bytes([&bytes[..j], &bytes[j + 1..]].concat());
                (0..bytes.len()).for_each(|j| add(&|case| case.steps[i] = without(j)));
            }
        }
        all
    }
}

/// Terminals that nothing mentions.
fn unused(spec: &Spec) -> Vec<TerminalId> {
    let in_rules = |t| spec.productions.iter().any(|rule| rule.rhs.contains(&Symbol::Terminal(t)));
    let in_groups = |t| spec.scopes.iter().any(|scope| scope.groups.iter().any(|group| group.contains(&t)));
    spec.terminals.ids().filter(|&t| !in_rules(t) && !in_groups(t) && !spec.is_ignored(t)).collect()
}

/// Removes `gone`, which nothing mentions; later terminals move up.
fn remove_terminal(spec: &mut Spec, gone: TerminalId) {
    let kept = spec.terminals.iter_enumerated().filter(|&(t, _)| t != gone);
    spec.terminals = kept.map(|(_, terminal)| terminal.clone()).collect::<Vec<_>>().into();
    let moved = |t: &mut TerminalId| t.0 -= u32::from(*t > gone);
    for symbol in spec.productions.iter_mut().flat_map(|rule| &mut rule.rhs) {
        if let Symbol::Terminal(t) = symbol {
            moved(t);
        }
    }
    for scope in spec.scopes.iter_mut() {
        scope.ignore.iter_mut().for_each(moved);
        scope.groups.iter_mut().flatten().for_each(moved);
    }
    spec.kills = IndexVec::new();
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.spec)?;
        for (id, word) in &self.vocabulary {
            write!(f, "{id}=\"{}\" ", word.escape_ascii())?;
        }
        writeln!(f, "\nend tokens {:?}", self.end_tokens)?;
        for step in &self.steps {
            match step {
                Step::Bytes(bytes) => writeln!(f, "commit bytes \"{}\"", bytes.escape_ascii())?,
                Step::Token(id) => writeln!(f, "commit token {id}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Case, Step};

    #[test]
    fn shrinking_keeps_what_fails_and_little_else() {
        let mut case = Case::random(3, 20);
        case.steps = vec![Step::Bytes(b"abcab".to_vec()), Step::Token(4)];
        let has_c = |case: &Case| case.steps.iter().any(|s| matches!(s, Step::Bytes(b) if b.contains(&b'c')));
        let small = case.shrink(|case| has_c(case) && !case.spec.productions.is_empty());
        assert_eq!(small.steps, [Step::Bytes(b"c".to_vec())]);
        assert_eq!((small.spec.productions.len(), small.vocabulary.len()), (1, 0));
        assert!(small.spec.productions[0].rhs.is_empty() && small.spec.terminals.is_empty());
    }
}
