//! The declarations of GLRM, parsed but not resolved.

use crate::diagnostic::{Diagnostic, DiagnosticKind, GrammarError};
use crate::ir::{SlotKind, Span};
use crate::text::ast::Node;
use crate::text::expression::Parser;
use crate::text::lexer::{Dialect, Token};
use crate::text::source::Source;

/// Deepest nesting of `grammar NAME { … }`.
const MAX_SCOPES: usize = 64;

/// A name with its place.
pub(super) type Named<'a> = (&'a str, Span);

/// What kind of rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RuleKind {
    Nonterminal,
    Terminal,
    /// A terminal rule that only other terminal rules may use.
    Internal,
}

/// `nt NAME = body;` or a `t` rule.
#[derive(Debug)]
pub(super) struct Rule<'a> {
    pub(super) kind: RuleKind,
    pub(super) name: Named<'a>,
    pub(super) body: Node<'a>,
}

/// The declarations of a scope.
#[derive(Debug, Default)]
pub(super) struct ScopeItems<'a> {
    /// Empty for the root.
    pub(super) name: Named<'a>,
    pub(super) start: Option<Named<'a>>,
    pub(super) ignores: Vec<Node<'a>>,
    pub(super) rules: Vec<Rule<'a>>,
    pub(super) groups: Vec<(Named<'a>, Node<'a>)>,
    pub(super) children: Vec<ScopeItems<'a>>,
    pub(super) slots: Vec<(SlotKind, Named<'a>)>,
    pub(super) keywords_off: bool,
}

/// Parses the declarations of a whole text.
pub(super) fn parse<'a>(source: &Source<'a>) -> Result<ScopeItems<'a>, GrammarError> {
    let mut parser = ItemParser { parser: Parser::new(source, Dialect::Glrm), depth: 0 };
    let mut root = ScopeItems { name: ("", Span::BEGIN), ..ScopeItems::default() };
    loop {
        parser.items(&mut root);
        if *parser.parser.peek() == Token::End || parser.parser.has_given_up() {
            break;
        }
        let _: Option<()> = parser.parser.unexpected("a declaration");
        parser.parser.bump();
    }
    GrammarError::collect(parser.parser.errors).map_or(Ok(root), Err)
}

struct ItemParser<'a, 's> {
    parser: Parser<'a, 's>,
    depth: usize,
}

impl<'a> ItemParser<'a, '_> {
    /// Declarations up to `}` or the end. After an error the next one is read.
    fn items(&mut self, scope: &mut ScopeItems<'a>) {
        while !self.parser.at('}') && *self.parser.peek() != Token::End && !self.parser.has_given_up() {
            if self.item(scope).is_none() {
                self.recover();
            }
        }
    }
    /// Skips past the next `;`, or up to a `}` that was not opened on the way.
    fn recover(&mut self) {
        let mut open = 0;
        while *self.parser.peek() != Token::End && !(self.parser.at('}') && open == 0) {
            if self.parser.eat(';') {
                return;
            }
            open = match (self.parser.at('{'), self.parser.at('}')) {
                (true, _) => open + 1,
                (_, true) => open - 1,
                _ => open,
            };
            self.parser.bump();
        }
    }
    fn item(&mut self, scope: &mut ScopeItems<'a>) -> Option<()> {
        let (keyword, span) = self.parser.name("a declaration")?;
        match keyword {
            "start" => self.start(scope)?,
            "ignore" => {
                let terminal = self.parser.choice()?;
                scope.ignores.push(terminal);
            }
            "nt" => self.rule(scope, RuleKind::Nonterminal)?,
            "t" => self.rule(scope, RuleKind::Terminal)?,
            "internal" => {
                self.keyword("t")?;
                self.rule(scope, RuleKind::Internal)?;
            }
            "lexer" => self.group(scope)?,
            "keywords" => {
                self.keyword("off")?;
                scope.keywords_off = true;
            }
            "extern" => self.external(scope)?,
            "grammar" => return self.child(scope),
            _ => {
                let wanted =
                    "`start`, `ignore`, `nt`, `t`, `internal t`, `grammar`, `lexer group`, `keywords off` or `extern`";
                let message = format!("expected {wanted}, found `{}`", keyword.escape_debug());
                return self.parser.error(DiagnosticKind::Syntax, message, span);
            }
        }
        self.parser.expect(';')
    }
    fn keyword(&mut self, wanted: &str) -> Option<()> {
        let what = format!("`{wanted}`");
        if *self.parser.peek() != Token::Name(wanted) {
            return self.parser.unexpected(&what);
        }
        self.parser.bump();
        Some(())
    }
    fn start(&mut self, scope: &mut ScopeItems<'a>) -> Option<()> {
        let name = self.parser.name("the name of the start rule")?;
        if scope.start.is_some() {
            return self.parser.error(DiagnosticKind::Invalid, "a second `start`", name.1);
        }
        scope.start = Some(name);
        Some(())
    }
    fn rule(&mut self, scope: &mut ScopeItems<'a>, kind: RuleKind) -> Option<()> {
        let name = self.new_name()?;
        self.define()?;
        let body = self.parser.choice()?;
        scope.rules.push(Rule { kind, name, body });
        Some(())
    }
    fn new_name(&mut self) -> Option<Named<'a>> {
        let name = self.parser.name("a name")?;
        if name.0 == "eps" {
            return self.parser.error(
                DiagnosticKind::Invalid,
                "`eps` is the empty string and cannot be a name",
                name.1,
            );
        }
        Some(name)
    }
    fn define(&mut self) -> Option<()> {
        if *self.parser.peek() != Token::Define {
            return self.parser.unexpected("`=`");
        }
        self.parser.bump();
        Some(())
    }
    fn group(&mut self, scope: &mut ScopeItems<'a>) -> Option<()> {
        self.keyword("group")?;
        let name = self.new_name()?;
        self.define()?;
        let members = self.parser.choice()?;
        scope.groups.push((name, members));
        Some(())
    }
    fn external(&mut self, scope: &mut ScopeItems<'a>) -> Option<()> {
        let kind = match self.parser.peek() {
            Token::Name("grammar") => SlotKind::Grammar,
            Token::Name("token") => SlotKind::Token,
            _ => return self.parser.unexpected("`grammar` or `token`"),
        };
        self.parser.bump();
        let name = self.new_name()?;
        scope.slots.push((kind, name));
        Some(())
    }
    /// `grammar NAME { … }`.
    fn child(&mut self, scope: &mut ScopeItems<'a>) -> Option<()> {
        let name = self.new_name()?;
        if self.depth >= MAX_SCOPES {
            let error = Diagnostic::limit("nested grammars", MAX_SCOPES, self.depth + 1, Some(name.1));
            self.parser.errors.push(error);
            return None;
        }
        self.parser.expect('{')?;
        let mut child = ScopeItems { name, ..ScopeItems::default() };
        self.depth += 1;
        self.items(&mut child);
        self.depth -= 1;
        scope.children.push(child);
        self.parser.expect('}')
    }
}
