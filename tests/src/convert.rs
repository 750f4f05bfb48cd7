//! Between specifications and grammars: random specifications become grammars for the engine, and hand-written
//! grammars become specifications for the oracle.

use glrmask_automata::{ByteSet, Regex, RegexKind, TerminalId};
use glrmask_grammar::{Grammar, GrammarBuilder, Pattern, Production};

use crate::regex::{Node, Rx};
use crate::spec::{Spec, SpecPattern, SpecScope, SpecTerminal};

/// The grammar of `spec`: same ids for terminals and nonterminals. Kill sets are not part of it; they must follow from
/// the groups and the keyword rule. An error if the builder takes two terminals for one.
pub fn grammar(spec: &Spec) -> Result<Grammar, String> {
    let mut builder = GrammarBuilder::new();
    for scope in spec.scopes.ids().skip(1) {
        builder.enter_scope(&scope.to_string());
        builder.leave_scope();
    }
    for (t, terminal) in spec.terminals.iter_enumerated() {
        builder.reenter_scope(terminal.scope);
        let id = match &terminal.pattern {
            SpecPattern::Tokens(ids) => builder.terminal(&terminal.name, Pattern::ExactTokens(sorted(ids))),
            SpecPattern::Text(rx) => match rx.as_literal() {
                Some(bytes) => builder.literal(bytes),
                None => builder.terminal(&terminal.name, Pattern::Regex(regex(rx))),
            },
        };
        builder.leave_scope();
        if id != t {
            return Err(format!("{} equals an earlier terminal", terminal.name));
        }
    }
    for (n, &scope) in spec.nonterminals.iter_enumerated() {
        let mark = spec.marks.iter().find(|mark| mark.0 == n);
        let derives_nothing = |rule: &&Production| rule.lhs == n && rule.rhs.is_empty();
        if mark.is_some() && spec.productions.iter().filter(derives_nothing).count() != 1 {
            return Err(format!("marker N{} must derive nothing", n.0));
        }
        builder.reenter_scope(scope);
        let made = match mark {
            Some(&(_, id)) => builder.mark(id),
            None => builder.nonterminal(&format!("N{}", n.0)),
        };
        builder.leave_scope();
        if made != n {
            return Err(format!("marker N{} is there already", n.0));
        }
    }
    let is_mark = |n| spec.marks.iter().any(|mark| mark.0 == n);
    for rule in spec.productions.iter().filter(|rule| !is_mark(rule.lhs)) {
        builder.production(rule.lhs, rule.rhs.clone());
    }
    for (id, scope) in spec.scopes.iter_enumerated() {
        builder.reenter_scope(id);
        builder.keywords(scope.keywords);
        scope.ignore.iter().for_each(|&t| builder.ignore(t));
        scope.groups.iter().for_each(|group| builder.group(sorted(group)));
        builder.leave_scope();
    }
    builder.build(spec.start).map_err(|e| e.to_string())
}

fn sorted<T: Ord + Copy>(items: &[T]) -> Vec<T> {
    let mut items = items.to_vec();
    items.sort_unstable();
    items.dedup();
    items
}

/// The same expression in the crates' own type.
pub fn regex(rx: &Rx) -> Regex {
    match rx.node() {
        Node::Never => Regex::empty(),
        Node::Unit => Regex::epsilon(),
        Node::Set(bytes) => {
            let mut set = ByteSet::default();
            bytes.iter().for_each(|&b| set.insert(b));
            Regex::bytes(set)
        }
        Node::Seq(a, b) => Regex::concat([regex(a), regex(b)]),
        Node::Either(parts) => Regex::alternate(parts.iter().map(regex)),
        Node::Star(inner) => regex(inner).star(),
        Node::Both(a, b) => regex(a).intersect(&regex(b)),
        Node::Except(a, b) => regex(a).difference(&regex(b)),
    }
}

/// The specification of `grammar`, its kill sets made from groups alone.
pub fn spec(grammar: &Grammar) -> Spec {
    let terminal = |terminal: &glrmask_grammar::Terminal| SpecTerminal {
        name: terminal.name.clone(),
        pattern: pattern(&terminal.pattern),
        scope: terminal.scope,
    };
    let scope = |scope: &glrmask_grammar::Scope| SpecScope {
        ignore: scope.ignore.clone(),
        keywords: scope.keywords,
        groups: scope.groups.clone(),
    };
    let terminals: Vec<SpecTerminal> = grammar.terminals.iter().map(terminal).collect();
    let mut spec = Spec {
        kills: Vec::<std::collections::BTreeSet<TerminalId>>::new().into(),
        terminals: terminals.into(),
        nonterminals: grammar.nonterminals.iter().map(|n| n.scope).collect::<Vec<_>>().into(),
        productions: grammar.productions.clone(),
        scopes: grammar.scopes.iter().map(scope).collect::<Vec<_>>().into(),
        start: grammar.start,
        marks: grammar.marks.iter().map(|mark| (mark.nonterminal, mark.id)).collect(),
    };
    spec.kills_from_groups();
    spec
}

fn pattern(pattern: &Pattern) -> SpecPattern {
    match pattern {
        Pattern::Literal(bytes) => SpecPattern::Text(Rx::literal(bytes)),
        Pattern::LiteralIgnoreCase(text) => SpecPattern::Text(ignore_case(text)),
        Pattern::Regex(regex) => SpecPattern::Text(from_regex(regex)),
        Pattern::ExactTokens(ids) => SpecPattern::Tokens(ids.clone()),
    }
}

/// Letters in both cases, as far as each has one upper and one lower form of one character.
fn ignore_case(text: &str) -> Rx {
    let forms = |c: char| {
        let all = [c.to_string(), c.to_lowercase().to_string(), c.to_uppercase().to_string()];
        Rx::either(all.iter().filter(|s| s.chars().count() == 1).map(|s| Rx::literal(s.as_bytes())))
    };
    text.chars().rev().fold(Rx::unit(), |rest, c| forms(c).then(rest))
}

fn from_regex(regex: &Regex) -> Rx {
    match regex.kind() {
        RegexKind::Empty => Rx::never(),
        RegexKind::Epsilon => Rx::unit(),
        RegexKind::Bytes(set) => Rx::set(set.iter()),
        RegexKind::Concat(parts) => parts.iter().rev().fold(Rx::unit(), |rest, part| from_regex(part).then(rest)),
        RegexKind::Alternate(parts) => Rx::either(parts.iter().map(from_regex)),
        RegexKind::Repeat { inner, min, max } => from_regex(inner).repeat(*min, *max),
        RegexKind::Intersect(a, b) => from_regex(a).both(&from_regex(b)),
        RegexKind::Difference(a, b) => from_regex(a).except(&from_regex(b)),
    }
}

#[cfg(test)]
mod tests {
    use crate::generate;
    use crate::rng::Rng;

    #[test]
    fn a_specification_survives_the_way_there_and_back() {
        let (mut same, mut refused) = (0, 0);
        for seed in 0..300 {
            let before = generate::spec(&mut Rng::new(seed));
            let Ok(grammar) = super::grammar(&before) else {
                refused += 1;
                continue;
            };
            let after = super::spec(&grammar);
            assert_eq!(before.productions, after.productions, "seed {seed}");
            assert_eq!(before.kills, after.kills, "seed {seed}");
            assert_eq!(before.nonterminals, after.nonterminals, "seed {seed}");
            assert_eq!(before.marks, after.marks, "seed {seed}");
            same += 1;
        }
        assert!(refused < 10, "{same} converted, {refused} refused");
    }
}
