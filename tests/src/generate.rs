//! Random specifications, small enough for the oracle and nasty enough for the engine.
//!
//! Two families. *Mixed*: terminals that overlap, keywords beside identifiers, operators, ignored text; productions at
//! random or from a list of shapes that break parsers (cyclic, ambiguous, hidden left recursion, nullable middles).
//! *Roles*: several terminals in one role, conditions that stay pending for several bytes, two ignored terminals.
//! Then a theme renames the letters, so that bytes outside ASCII, NUL or spaces take their place.

use glrmask_automata::{Id, NonterminalId, Symbol, TerminalId};
use glrmask_grammar::{Production, ROOT_SCOPE};

use crate::regex::Rx;
use crate::regex_syntax::parse;
use crate::rng::Rng;
use crate::spec::{Spec, SpecPattern, SpecScope, SpecTerminal};

const PATTERNS: &str =
    "a b c ab aa ba abc aab a+ b+ ab? [ab]c* [ab]+ [bc]+ a(b*c)? a(ca)* [ab](c[ab])* (ab)+ ab*c b(ab)* c+ \
    [abc] a|bb ac? [ab]+c? a{2,4} [ab]{3}c?";

const ROLE_PATTERNS: &str =
    "a ab b a+ ab? a(ca)* a(bc)* (ab)+ ab*c a(b*c)? [ab](c[ab])* b(cb)* bc c ca [ab]+ abc aba bab";

/// Productions in shorthand: capitals are nonterminals (A is the start), small letters stand for random terminals.
const SHAPES: &str =
    "A=Ax|y A=xA|y A=BAx|y;B=|z A=AA|x|y A=AxA|y A=xAy| A=xB;B=yB||z A=BC;B=A|x;C=|y A=xBy|w;B=|C;C=A|CzA \
    A=xy|zy|zw A=xx|yy A=xBx|yBy;B=z|Bz A=B|y|Bz;B=A|xB A=Bx|Cy;B=z|zB;C=z|zC A=xBBy;B=|z|Bw A=A|x|AB;B=|y \
    A=B|AB;B=xyz|ywz A=AxA|AyA|z A=BBB;B=|x|AB A=xBC|xCB;B=y|BB;C=|z";

const ROLE_SHAPES: &str = "A=AB|B A=BB A=BC A=BA|C A=AB|C A=ABC|B A=BC|CB";

/// What the letters `a`, `b`, `c`, `-` of the patterns become.
const THEMES: &[&[u8; 4]] = &[b"abc-", b"abc-", b"abc-", b"if_ ", b"a\xC3\xA9 ", b"\x00\xFF\x80\n", b"ab(-", b"<>= "];

fn list(words: &'static str) -> Vec<&'static str> {
    words.split_whitespace().collect()
}

fn pick(rng: &mut Rng, words: &'static str) -> &'static str {
    rng.pick::<&str>(&list(words))
}

/// A random specification. Kill sets follow from the lexer groups; the keyword rule is marked, not applied.
pub fn spec(rng: &mut Rng) -> Spec {
    let mut spec = if rng.chance(33) { roles(rng) } else { mixed(rng) };
    if rng.chance(20) {
        add_exact_tokens(rng, &mut spec);
    }
    if rng.chance(12) {
        add_scope(rng, &mut spec);
    }
    if rng.chance(20) {
        add_marks(rng, &mut spec);
    }
    let theme = **rng.pick(THEMES);
    for terminal in spec.terminals.iter_mut() {
        if let SpecPattern::Text(rx) = &mut terminal.pattern {
            *rx = rx.map_bytes(&|b| b"abc-".iter().position(|&x| x == b).map_or(b, |i| theme[i]));
        }
    }
    spec.kills_from_groups();
    spec
}

/// Adds random members to kill sets, asymmetric ones too, as no front-end can.
pub fn disturb_kills(rng: &mut Rng, spec: &mut Spec) {
    for _ in 0..rng.between(1, 3) {
        let t = TerminalId::from_usize(rng.below(spec.terminals.len()));
        let k = TerminalId::from_usize(rng.below(spec.terminals.len()));
        spec.kills[t].insert(k);
    }
}

fn mixed(rng: &mut Rng) -> Spec {
    let count = rng.between(2, 5);
    let mut patterns = Vec::new();
    if rng.chance(50) {
        let (name, words) = *rng.pick(&[
            ("[ab]+", &["a", "ab", "b", "aa"][..]),
            ("[ab](c[ab])*", &["a", "b"]),
            ("[bc]+", &["b", "bc"]),
            ("[ab]+c?", &["a", "ab", "b", "aa"]),
            ("a+", &["a", "aa"]),
        ]);
        patterns.extend([name, rng.pick::<&str>(words)]);
    }
    while patterns.len() < count {
        let pattern = pick(rng, PATTERNS);
        if !patterns.contains(&pattern) {
            patterns.push(pattern);
        }
    }
    let ignored = if rng.chance(40) { vec![*rng.pick(&["-", "-+", "-", "c", "ca*", "-a?", "-(b-)?"])] } else { vec![] };
    let usable = if rng.chance(15) { patterns.len() + ignored.len() } else { patterns.len() };
    let (nonterminals, productions) = if rng.chance(45) { scattered(rng, usable) } else { shaped(rng, usable) };
    finish(rng, patterns, ignored, nonterminals, productions)
}

fn roles(rng: &mut Rng) -> Spec {
    let count = rng.between(2, 5);
    let patterns = rng.sample(&list(ROLE_PATTERNS), count);
    let ignored_count = *rng.pick(&[0, 0, 1, 2, 2]);
    let mut ignored = rng.sample(&["c", "ca*", "c(bc)*", "-", "-(a-)*", "-+", "-(-a)?"], ignored_count);
    ignored.retain(|w| !patterns.contains(w));
    let mut productions = Vec::new();
    for t in 0..count {
        if t == 0 || rng.chance(80) {
            productions.push(rule(1, vec![terminal(t)]));
        }
        if t == count - 1 || rng.chance(40) {
            productions.push(rule(2, vec![terminal(t)]));
        }
    }
    productions.extend(read_shape(pick(rng, ROLE_SHAPES), &[]));
    finish(rng, patterns, ignored, 3, productions)
}

fn finish(rng: &mut Rng, patterns: Vec<&str>, ignored: Vec<&str>, nonterminals: usize, rules: Vec<Production>) -> Spec {
    let regular = patterns.len();
    let all = patterns.into_iter().chain(ignored).enumerate();
    let terminals =
        all.map(|(i, p)| (format!("T{i}"), parse(p).unwrap_or_else(|_| Rx::literal(p.as_bytes())))).collect();
    let mut spec = Spec::new(terminals, nonterminals, rules);
    let ids: Vec<TerminalId> = spec.terminals.ids().collect();
    let scope = &mut spec.scopes[ROOT_SCOPE];
    scope.ignore = ids[regular..].to_vec();
    scope.keywords = rng.chance(60);
    for _ in 0..*rng.pick(&[0, 0, 0, 1, 1, 2]) {
        let size = rng.between(2, 3);
        scope.groups.push(rng.sample(&ids, size));
    }
    spec
}

/// Productions with nothing in common, at most three symbols long.
fn scattered(rng: &mut Rng, terminals: usize) -> (usize, Vec<Production>) {
    let nonterminals = rng.between(1, 4);
    let mut rules = Vec::new();
    for lhs in 0..nonterminals {
        for _ in 0..rng.between(1, 3) {
            let length = *rng.pick(&[0, 1, 1, 2, 2, 3]);
            rules.push(rule(lhs, (0..length).map(|_| symbol(rng, 55, terminals, nonterminals)).collect()));
        }
    }
    if !rules.iter().any(|r| r.rhs.iter().all(|x| matches!(x, Symbol::Terminal(_)))) {
        rules.push(rule(rng.below(nonterminals), vec![terminal(rng.below(terminals))]));
    }
    (nonterminals, rules)
}

/// One of the shapes, sometimes with a random production on top.
fn shaped(rng: &mut Rng, terminals: usize) -> (usize, Vec<Production>) {
    let slots: Vec<usize> = (0..4).map(|_| rng.below(terminals)).collect();
    let mut rules = read_shape(pick(rng, SHAPES), &slots);
    let nonterminals = 1 + rules.iter().map(|r| r.lhs.index()).max().unwrap_or(0);
    if rng.chance(40) {
        let length = rng.between(1, 3);
        let rhs = (0..length).map(|_| symbol(rng, 60, terminals, nonterminals)).collect();
        rules.push(rule(rng.below(nonterminals), rhs));
    }
    (nonterminals, rules)
}

pub(crate) fn read_shape(shape: &str, slots: &[usize]) -> Vec<Production> {
    let read = |c: char| match c {
        'A'..='Z' => Symbol::Nonterminal(NonterminalId(c as u32 - 'A' as u32)),
        _ => terminal(slots[(c as usize).wrapping_sub('w' as usize) % slots.len().max(1)]),
    };
    let definitions = shape.split(';').filter_map(|definition| definition.split_once('='));
    let alternatives = definitions.flat_map(|(lhs, rhs)| rhs.split('|').map(move |alternative| (lhs, alternative)));
    alternatives
        .map(|(lhs, rhs)| rule(usize::from(lhs.as_bytes()[0] - b'A'), rhs.chars().map(read).collect()))
        .collect()
}

/// Puts an exact-token terminal in the place of some terminals, and beside them.
/// Token events in some places: one terminal or two, which may share ids; rarely the first is ignored.
fn add_exact_tokens(rng: &mut Rng, spec: &mut Spec) {
    let mut exact = Vec::new();
    for name in ["E", "F"].iter().take(rng.between(1, 2)) {
        let pattern = SpecPattern::Tokens(rng.sample(&[2, 5, 9, 30, 65], 2));
        exact.push(spec.terminals.push(SpecTerminal { name: (*name).into(), pattern, scope: ROOT_SCOPE }));
    }
    if rng.chance(10) {
        spec.scopes[ROOT_SCOPE].ignore.push(exact[0]);
    }
    for i in 0..spec.productions.len() {
        let exact = Symbol::Terminal(*rng.pick(&exact));
        let rule = &mut spec.productions[i];
        if rule.rhs.is_empty() || rng.chance(50) {
            continue;
        }
        let at = rng.below(rule.rhs.len());
        if rng.chance(50) {
            rule.rhs.insert(at, exact);
        } else if matches!(rule.rhs[at], Symbol::Terminal(_)) {
            let mut copy = rule.clone();
            copy.rhs[at] = exact;
            spec.productions.push(copy);
        }
    }
}

/// Markers in some places, with one number or two; numbers and places repeat.
fn add_marks(rng: &mut Rng, spec: &mut Spec) {
    let ids = rng.sample(&[0, 3, 8, 70_000], 2);
    for i in 0..spec.productions.len() {
        while rng.chance(35) {
            let (scope, id) = (spec.nonterminals[spec.productions[i].lhs], *rng.pick(&ids));
            let known = spec.marks.iter().find(|mark| mark.1 == id && spec.nonterminals[mark.0] == scope);
            let mark = known.map(|mark| mark.0).unwrap_or_else(|| {
                let mark = spec.nonterminals.push(scope);
                spec.marks.push((mark, id));
                mark
            });
            let rhs = &mut spec.productions[i].rhs;
            rhs.insert(rng.below(rhs.len() + 1), Symbol::Nonterminal(mark));
        }
    }
    let nothing = spec.marks.iter().map(|&(lhs, _)| Production { lhs, rhs: Vec::new() });
    spec.productions.splice(0..0, nothing.collect::<Vec<_>>());
}

/// Adds a sub-grammar with its own terminals and ignored text, reached from one place of the root.
fn add_scope(rng: &mut Rng, spec: &mut Spec) {
    let inner = spec.scopes.push(SpecScope { keywords: rng.chance(60), ..SpecScope::default() });
    let mut patterns = rng.sample(&list(PATTERNS), 2);
    patterns.push(*rng.pick(&["-", "c", "-+", "ca*"]));
    let mut ids: Vec<TerminalId> = Vec::new();
    for (i, pattern) in patterns.into_iter().enumerate() {
        let pattern = SpecPattern::Text(parse(pattern).unwrap_or_else(|_| Rx::never()));
        ids.push(spec.terminals.push(SpecTerminal { name: format!("I{i}"), pattern, scope: inner }));
    }
    if rng.chance(70) {
        spec.scopes[inner].ignore = vec![ids[2]];
    }
    let (entry, item) = (spec.nonterminals.push(inner), spec.nonterminals.push(inner));
    let (x, y) = (Symbol::Terminal(ids[0]), Symbol::Terminal(ids[1]));
    let (list, one) = (Symbol::Nonterminal(entry), Symbol::Nonterminal(item));
    let bodies = rng.pick(&[[vec![list, one], vec![one]], [vec![one, y], vec![y]], [vec![], vec![one, list]]]).clone();
    spec.productions.extend(bodies.map(|rhs| Production { lhs: entry, rhs }));
    spec.productions.extend([vec![x], vec![y, x]].map(|rhs| Production { lhs: item, rhs }));
    let host = rng.below(spec.productions.len() - 4);
    let mut call = spec.productions[host].clone();
    call.rhs.insert(rng.below(call.rhs.len() + 1), list);
    spec.productions.push(call);
}

fn symbol(rng: &mut Rng, percent_terminals: usize, terminals: usize, nonterminals: usize) -> Symbol {
    if rng.chance(percent_terminals) {
        return terminal(rng.below(terminals));
    }
    Symbol::Nonterminal(NonterminalId::from_usize(rng.below(nonterminals)))
}

fn terminal(index: usize) -> Symbol {
    Symbol::Terminal(TerminalId::from_usize(index))
}

fn rule(lhs: usize, rhs: Vec<Symbol>) -> Production {
    Production { lhs: NonterminalId::from_usize(lhs), rhs }
}

#[cfg(test)]
mod tests {
    use super::{list, read_shape, spec, SHAPES};
    use crate::rng::Rng;

    #[test]
    fn a_seed_always_gives_the_same_specification() {
        assert!((0..50).all(|seed| spec(&mut Rng::new(seed)) == spec(&mut Rng::new(seed))));
        assert_ne!(spec(&mut Rng::new(1)), spec(&mut Rng::new(2)));
    }

    #[test]
    fn shapes_are_read_as_written() {
        let rules = read_shape("A=xB|;B=Bw", &[7, 8, 9, 10]);
        assert_eq!(rules.len(), 3);
        assert_eq!(rules[0].rhs.len(), 2);
        assert!(rules[1].rhs.is_empty());
        assert_eq!(format!("{:?}", rules[2].rhs), "[Nonterminal(n1), Terminal(t7)]");
        assert!(list(SHAPES).iter().all(|shape| read_shape(shape, &[0, 0, 0, 0]).iter().any(|r| r.lhs.0 == 0)));
    }

    #[test]
    fn everything_the_engine_must_face_occurs() {
        let specs: Vec<_> = (0..400).map(|seed| spec(&mut Rng::new(seed))).collect();
        let some = |wanted: &dyn Fn(&super::Spec) -> bool| specs.iter().filter(|s| wanted(s)).count() > 10;
        assert!(some(&|s| s.scopes.len() > 1));
        assert!(some(&|s| s.scopes.iter().any(|scope| scope.ignore.len() > 1)));
        assert!(some(&|s| s.scopes.iter().any(|scope| !scope.groups.is_empty())));
        assert!(some(&|s| s.terminals.ids().any(|t| s.text(t).is_none())));
        assert!(some(&|s| s.productions.iter().any(|r| r.rhs.is_empty())));
        assert!(some(&|s| s.marks.len() > 1 && s.scopes.iter().any(|scope| !scope.ignore.is_empty())));
        assert!(some(&|s| s.alphabet().iter().any(|&b| b >= 0x80)));
    }
}
