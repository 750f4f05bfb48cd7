//! Grammars to test and measure with: a compact notation, everyday ones and large ones.

use std::collections::BTreeMap;

use glrmask_automata::{Id, NonterminalId, Symbol, TerminalId};
use glrmask_glr::{Rule, RuleSet};

/// Reads `A = x y | z` lines: names that are defined are nonterminals, others terminals; the first one is the start.
pub(crate) fn grammar(text: &str) -> RuleSet {
    let lines: Vec<(&str, &str)> = text.lines().filter_map(|line| line.split_once('=')).collect();
    let mut nonterminals = BTreeMap::new();
    for (name, _) in &lines {
        let next = NonterminalId::from_usize(nonterminals.len());
        nonterminals.entry(name.trim()).or_insert(next);
    }
    let mut terminals = BTreeMap::new();
    let mut rules = Vec::new();
    for (name, body) in &lines {
        for alternative in body.split('|') {
            let symbol = |word| match nonterminals.get(word) {
                Some(&a) => Symbol::Nonterminal(a),
                None => {
                    let next = TerminalId::from_usize(terminals.len());
                    Symbol::Terminal(*terminals.entry(word).or_insert(next))
                }
            };
            rules.push(Rule {
                lhs: nonterminals[name.trim()],
                rhs: alternative.split_whitespace().map(symbol).collect(),
            });
        }
    }
    RuleSet { terminals: terminals.len(), nonterminals: nonterminals.len(), rules, start: NonterminalId(0) }
}

/// What a JSON Schema turns into: `objects` objects in a row, each with `members` optional members in fixed order (the
/// comma fused into the key), values being strings, numbers, arrays of numbers or a later object.
pub(crate) fn objects(objects: usize, members: usize) -> RuleSet {
    let mut text = String::from("S = O0\nV = str | num | open A close\nA = num | A comma num\n");
    for o in 0..objects {
        text += &format!("O{o} = lbrace rbrace");
        (0..members).for_each(|m| text += &format!(" | lbrace M{o}_{m} rbrace"));
        let value = if o + 1 < objects { format!("O{}", o + 1) } else { "V".into() };
        for m in 0..members {
            let value = if m % 8 == 0 { &value } else { "V" };
            text += &format!("\nM{o}_{m} = key{o}_{m} {value}");
            (0..m.min(1)).for_each(|_| text += &format!(" | P{o}_{} ckey{o}_{m} {value}", m - 1));
            let earlier = if m > 0 { format!(" | P{o}_{}", m - 1) } else { String::new() };
            text += &format!("\nP{o}_{m} = M{o}_{m}{earlier}");
        }
        text += "\n";
    }
    grammar(&text)
}

/// One object with `members` optional members as the left-recursive chain `p_i → p_{i−1} | p_{i−1} ",k_i" v | k_i v`.
pub(crate) fn chain(members: usize) -> RuleSet {
    let mut text =
        format!("S = lbrace P{} rbrace | lbrace rbrace\nV = str | num | open V close\nP0 = key0 V\n", members - 1);
    for m in 1..members {
        text += &format!("P{m} = P{} | P{} ckey{m} V | key{m} V\n", m - 1, m - 1);
    }
    grammar(&text)
}

/// JSON proper.
pub(crate) fn json() -> RuleSet {
    grammar(
        "V = lbrace M rbrace | lbrace rbrace | lbracket A rbracket | lbracket rbracket | str | num | true | false | null\n\
         M = P | M comma P\nP = str colon V\nA = V | A comma V",
    )
}

/// A programming language of JavaScript's size: three ladders of 17 precedence levels (with and without `in`, and
/// without a leading brace), statements and declarations; about 1 500 rules after flattening, LALR but for a few
/// conflicts.
pub(crate) fn language() -> RuleSet {
    let mut text = String::from("Program = Item | Program Item\nItem = Stmt | Decl\n");
    ["", "NoIn", "NoBrace"].iter().for_each(|variant| text += &ladder(variant));
    for s in 0..60 {
        let body = match s % 6 {
            0 => "open Expr close Stmt",
            1 => "Expr semi",
            2 => "semi | open ExprNoIn semi Expr semi Expr close Stmt",
            3 => "Block | Block else Stmt",
            4 => "id colon Stmt",
            _ => "lbracket Args rbracket semi | lbracket rbracket semi",
        };
        text += &format!("Stmt = Stmt{s}\n");
        body.split('|').for_each(|alternative| text += &format!("Stmt{s} = kw{s} {alternative}\n"));
    }
    text += "Stmt = Block | ExprNoBrace semi | if open Expr close Stmt | if open Expr close Stmt else Stmt\n";
    text += "Block = lbrace rbrace | lbrace Program rbrace\nArgs = Assign | Args comma Assign\n";
    text += "Params = id | Params comma id | Params comma id eq Assign\n";
    text += "Function = function open close Block | function open Params close Block | function id open Params close Block\n";
    text += "Object = lbrace rbrace | lbrace Props rbrace\nProps = Prop | Props comma Prop\n";
    text += "Prop = id colon Assign | str colon Assign | num colon Assign | id | get id Block | set id Block\n";
    for d in 0..12 {
        text += &format!("Decl = decl{d} Bindings{d} semi\nBindings{d} = Binding{d} | Bindings{d} comma Binding{d}\n");
        text += &format!("Binding{d} = id | id eq Assign | lbracket Params rbracket eq Assign | Object eq Assign\n");
    }
    grammar(&text)
}

/// Expressions, loosest binding first.
fn ladder(variant: &str) -> String {
    let level = |i: usize| format!("L{i}{variant}");
    let mut text = format!("Expr{variant} = Assign{variant} | Expr{variant} comma Assign\n");
    text += &format!(
        "Assign{variant} = {} | Left{variant} eq Assign | async id arrow Assign | id arrow Assign\n",
        level(0)
    );
    (0..11).for_each(|op| text += &format!("Assign{variant} = Left{variant} opeq{op} Assign\n"));
    text += &format!("L0{variant} = {} | {} question Assign colon Assign\n", level(1), level(1));
    for i in 1..12 {
        text += &format!("{} = {}\n", level(i), level(i + 1));
        let operators = 1 + i % 6;
        (0..operators).for_each(|op| text += &format!("{} = {} op{i}_{op} L{}\n", level(i), level(i), i + 1));
    }
    if variant != "NoIn" {
        text += &format!("{} = {} in L6\n", level(5), level(5));
    }
    text += &format!("L12{variant} = Postfix{variant}\n");
    ["minus", "plus", "not", "tilde", "typeof", "void", "delete", "await", "incr", "decr"]
        .iter()
        .for_each(|op| text += &format!("L12{variant} = {op} L12\n"));
    text += &format!("Postfix{variant} = Left{variant} | Left{variant} incr | Left{variant} decr\n");
    text += &format!("Left{variant} = Call{variant} | New{variant}\nNew{variant} = Member{variant} | new New\n");
    for (name, base) in [("Call", "Member"), ("Call", "Call")] {
        text += &format!("{name}{variant} = {base}{variant} open close | {base}{variant} open Args close\n");
    }
    text += &format!("Call{variant} = Call{variant} dot id | Call{variant} lbracket Expr rbracket\n");
    text += &format!(
        "Member{variant} = Primary{variant} | Member{variant} dot id | Member{variant} lbracket Expr rbracket\n"
    );
    text += &format!("Member{variant} = new Member open Args close | new Member open close | super dot id\n");
    text += &format!(
        "Primary{variant} = id | num | str | regex | template | this | true | false | null | open Expr close\n"
    );
    text += &format!("Primary{variant} = lbracket rbracket | lbracket Args rbracket | class id Block\n");
    if variant != "NoBrace" {
        text += &format!("Primary{variant} = Object | Function\n");
    }
    text
}
