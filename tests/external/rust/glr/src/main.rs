//! Tables of the ambiguous grammar E → E + E | n, and a parse that follows one of its conflicts by hand.

use glrmask_automata::{NonterminalId, Symbol, TerminalId};
use glrmask_glr::{Adjacency, GlrError, Limits, Rule, RuleSet, Tables};

fn main() -> Result<(), GlrError> {
    let (e, plus, n) = (NonterminalId(0), TerminalId(0), TerminalId(1));
    let sum = vec![Symbol::Nonterminal(e), Symbol::Terminal(plus), Symbol::Nonterminal(e)];
    let rules = vec![Rule { lhs: e, rhs: sum }, Rule { lhs: e, rhs: vec![Symbol::Terminal(n)] }];
    let grammar = RuleSet { terminals: 2, nonterminals: 1, rules, start: e };

    let adjacency = Adjacency::new(&grammar, &Limits::default())?;
    assert!(adjacency.follow(plus).contains(n) && !adjacency.follow(n).contains(n));

    let tables = Tables::build(&grammar, &Limits::default())?;
    assert_eq!(tables.conflicts(), 1);
    let after_n = tables.shift(Tables::START, n);
    assert!(after_n.is_some_and(|state| tables.reductions(state, plus).len() == 1));
    assert!(tables.goto(Tables::START, e).is_some_and(|state| tables.accepts(state)));
    println!("{} states, {} conflict", tables.states(), tables.conflicts());
    Ok(())
}

#[test]
fn runs() -> Result<(), GlrError> {
    main()
}
