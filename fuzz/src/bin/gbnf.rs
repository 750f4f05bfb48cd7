//! GBNF text: never a panic, and what parses prints as GLRM that parses.

use std::collections::BTreeMap;

use glrmask_grammar::{gbnf, glrm, normalize, NormalizeConfig};

const WORDS: &[&str] = &[
    "root ::= ",
    "a ::= ",
    "b-1 ::= ",
    "a ",
    "b-1 ",
    "root ",
    "| ",
    "* ",
    "+ ",
    "? ",
    "{2} ",
    "{1,3} ",
    "{0,} ",
    "( ",
    ") ",
    "\n",
    "\"ab\" ",
    "\"\\n\\x41\\u00e9\" ",
    "[a-z] ",
    "[^\\]\\n] ",
    ". ",
    "<think> ",
    "<[7]> ",
    "!<[7]> ",
    "# comment\n",
    "\"",
    "[",
    "é",
];

fn main() {
    let names = BTreeMap::from([("think".to_owned(), vec![3])]);
    fuzz::fuzz("gbnf", WORDS, |input| {
        let text = String::from_utf8_lossy(input);
        for text in [text.to_string(), format!("root ::= a | {text}\na ::= \"x\" root?\n")] {
            if let Ok(grammar) = gbnf::parse(&text, &names) {
                let printed = glrm::print(&grammar);
                glrm::parse(&printed).unwrap_or_else(|error| panic!("{printed}\n{error}"));
                let _ = normalize(&grammar, &NormalizeConfig::default());
            }
        }
    });
}
