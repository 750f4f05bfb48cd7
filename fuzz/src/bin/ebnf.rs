//! EBNF text: never a panic, and what parses prints as GLRM that parses.

use glrmask_grammar::{ebnf, glrm, normalize, NormalizeConfig};

const WORDS: &[&str] = &[
    "start ::= ",
    "root ::= ",
    "a ::= ",
    "b ::= ",
    "a ",
    "b ",
    "start ",
    "| ",
    "* ",
    "+ ",
    "? ",
    "- ",
    "( ",
    ") ",
    "\n",
    "'x' ",
    "\"ab\" ",
    "\"\\n\\x41\" ",
    "'\\'' ",
    "[a-z] ",
    "[^abc] ",
    "[#x20-#x7E] ",
    "#x41 ",
    "# comment\n",
    "/* c */",
    "\"",
    "[",
    "é",
];

fn main() {
    fuzz::fuzz("ebnf", WORDS, |input| {
        let text = String::from_utf8_lossy(input);
        check(&text);
        check(&format!("a ::= 'x' | b\nb ::= [a-z] a\nstart ::= {text}"));
    });
}

fn check(text: &str) {
    let grammar = match ebnf::parse(text) {
        Ok(grammar) => grammar,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let printed = glrm::print(&grammar);
    glrm::parse(&printed).unwrap_or_else(|error| panic!("{error}\nin\n{printed}"));
    // An empty language is an error, not a panic.
    let _ = normalize(&grammar, &NormalizeConfig::default());
}
