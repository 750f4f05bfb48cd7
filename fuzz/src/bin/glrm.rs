//! GLRM text: never a panic, and what parses can be printed, parsed again and printed the same.

use glrmask_grammar::{glrm, normalize, NormalizeConfig};

const WORDS: &[&str] = &[
    "start s;",
    "start ",
    "nt s = ",
    "nt a = ",
    "t T = ",
    "internal t I = ",
    "ignore T;",
    "lexer group G = T | \"x\";",
    "grammar g { start s; nt s = \"a\"; }",
    "extern grammar e;",
    "extern token k;",
    "keywords off;",
    "s ",
    "a ",
    "T ",
    "I ",
    "g ",
    ";",
    "::= ",
    "= ",
    "| ",
    "* ",
    "+ ",
    "? ",
    "{2} ",
    "{0,3} ",
    "{1,} ",
    "( ",
    ") ",
    "\"ab\" ",
    "\"\\x41\\n\"i ",
    "/[a-z]+/ ",
    "[^a-c] ",
    ". ",
    "eps ",
    "@token(3) ",
    "@mark(1) ",
    "& ",
    "- ",
    "\",\" ~ (s? a T*) ",
    "// c\n",
    "/* c */",
    "\"",
    "{",
    "}",
];

fn main() {
    fuzz::fuzz("glrm", WORDS, |input| {
        let text = String::from_utf8_lossy(input);
        check(&text);
        check(&format!("start s; nt a = \"x\" | T; t T = /[a-z]+/ - I; internal t I = \"if\"; nt s = {text};"));
    });
}

fn check(text: &str) {
    let grammar = match glrm::parse(text) {
        Ok(grammar) => grammar,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let printed = glrm::print(&grammar);
    let again = glrm::parse(&printed).unwrap_or_else(|error| panic!("{error}\nin\n{printed}"));
    assert_eq!(glrm::print(&again), printed);
    // An empty language is an error, not a panic.
    let _ = normalize(&grammar, &NormalizeConfig::default());
}
