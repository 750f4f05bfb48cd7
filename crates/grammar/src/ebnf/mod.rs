//! EBNF in the style of the W3C specifications. The reference page is `docs/ebnf.md`.

mod resolve;
#[cfg(test)]
mod tests;

use crate::diagnostic::{DiagnosticKind, GrammarError};
use crate::ir::{Grammar, Span};
use crate::text::ast::Node;
use crate::text::expression::Parser;
use crate::text::lexer::{Dialect, Token};
use crate::text::source::{Source, MAX_SOURCE};

/// `name ::= body`.
struct Rule<'a> {
    name: (&'a str, Span),
    body: Node<'a>,
}

/// Reads a grammar in EBNF.
///
/// Each literal and each character class is a terminal, and repetition is made of productions, so that no longest-match
/// rule applies; there is no keyword rule either. The root is `start`, else `root`, else the first rule.
///
/// ```
/// let grammar = glrmask_grammar::ebnf::parse("
///     list ::= '[' (item (',' item)*)? ']'   # a comment
///     item ::= [0-9]+ | list
/// ")?;
/// assert_eq!(grammar.nonterminals[grammar.start].name, "list");
/// # Ok::<(), glrmask_grammar::GrammarError>(())
/// ```
///
/// # Errors
/// All syntax errors of the text or, if there are none, all others: undefined and duplicate names, `-` between
/// expressions that are not sets of single characters, limits.
pub fn parse(source: &str) -> Result<Grammar, GrammarError> {
    if source.len() > MAX_SOURCE {
        return Err(GrammarError::limit("grammar text in bytes", MAX_SOURCE, source.len(), None));
    }
    let text = Source::new(source);
    let rules = rules(&text).map_err(|e| e.with_source(source))?;
    resolve::resolve(&text, &rules).map_err(|e| e.with_source(source))
}

fn rules<'a>(source: &Source<'a>) -> Result<Vec<Rule<'a>>, GrammarError> {
    let mut parser = Parser::new(source, Dialect::Ebnf);
    let mut rules = Vec::new();
    while *parser.peek() != Token::End && !parser.has_given_up() {
        match rule(&mut parser) {
            Some(rule) => rules.push(rule),
            None => recover(&mut parser),
        }
    }
    GrammarError::collect(parser.errors).map_or(Ok(rules), Err)
}

fn rule<'a>(parser: &mut Parser<'a, '_>) -> Option<Rule<'a>> {
    let name = parser.name("a rule")?;
    if *parser.peek() != Token::Define {
        return parser.unexpected("`::=`");
    }
    parser.bump();
    let body = parser.choice()?;
    match (parser.peek(), parser.peek_at(1)) {
        (Token::End, _) | (Token::Name(_), Token::Define) => Some(Rule { name, body }),
        (Token::Define, _) => {
            parser.error(DiagnosticKind::Syntax, "`::=` without a rule name before it", parser.span())
        }
        _ => parser.unexpected("the end of the rule"),
    }
}

/// Skips to the next `name ::=`.
fn recover(parser: &mut Parser<'_, '_>) {
    parser.bump();
    while *parser.peek() != Token::End
        && !(matches!(parser.peek(), Token::Name(_)) && *parser.peek_at(1) == Token::Define)
    {
        parser.bump();
    }
}
