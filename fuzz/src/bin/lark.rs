//! Lark text in both profiles: never a panic, and what parses prints as GLRM that parses.

use std::collections::BTreeMap;

use glrmask_grammar::lark::{self, Options, Profile};
use glrmask_grammar::{glrm, normalize, NormalizeConfig};

const WORDS: &[&str] = &[
    "start: ",
    "a: ",
    "?b: ",
    "T: ",
    "T.2: ",
    "t{x}: x ",
    "t{a} ",
    "a ",
    "b ",
    "T ",
    "WORD ",
    "start ",
    "| ",
    "* ",
    "+ ",
    "? ",
    "~ 2 ",
    "~ 1..3 ",
    "( ",
    ") ",
    "[ ",
    "] ",
    "-> name ",
    "\n",
    "\"ab\" ",
    "\"ab\"i ",
    "\"a\"..\"f\" ",
    "/[a-z]+/ ",
    "/a.c/si ",
    "%import common.WORD\n",
    "%ignore /[ ]+/\n",
    "%declare D\n",
    "%regex { \"pattern\": \"a+\" } ",
    "%json { } ",
    "<[7]> ",
    "<think> ",
    "a[lazy]: /x.*y/\n",
    "a[suffix=\"z\"]: /x*/\n",
    "a[stop=\"z\"]: /x*/\n",
    "& ",
    "~ ",
    "// comment\n",
    "\"",
    "/",
    "é",
];

fn main() {
    let token_names = BTreeMap::from([("think".to_owned(), vec![3])]);
    fuzz::fuzz("lark", WORDS, |input| {
        let text = String::from_utf8_lossy(input);
        for profile in [Profile::Recognition, Profile::Llm] {
            let options = Options { profile, token_names: token_names.clone(), json_schema: None };
            for text in [text.to_string(), format!("start: a | {text}\na: \"x\" start?\n")] {
                if let Ok(grammar) = lark::parse(&text, &options) {
                    let printed = glrm::print(&grammar);
                    glrm::parse(&printed).unwrap_or_else(|error| panic!("{printed}\n{error}"));
                    let _ = normalize(&grammar, &NormalizeConfig::default());
                }
            }
        }
    });
}
