//! Builds a [`Grammar`]: declares symbols, and turns expressions into productions.
//!
//! Front-ends hand over [`Expr`]s; repetition, options and separated sequences become left-recursive productions here
//! (see `repeat.rs`), once for all front-ends. Lowering is memoised by shape: equal sub-expressions of a scope share one
//! nonterminal. Errors (nesting, bad bounds, foreign ids) are kept and reported by [`GrammarBuilder::build`], so that
//! the calls in between need no `?`.

use glrmask_automata::{IndexVec, NonterminalId, Regex, Symbol, TerminalId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::diagnostic::{Diagnostic, DiagnosticKind, GrammarError, MAX_DIAGNOSTICS};
use crate::embed::Shift;
use crate::expr::Expr;
use crate::ir::{
    Document, Grammar, Mark, Nonterminal, Pattern, Production, Scope, ScopeId, Slot, SlotKind, Span, Terminal,
    ROOT_SCOPE,
};
use crate::pattern::{is_visibly_empty, split_empty, MAX_REGEX_DEPTH};

/// Deepest nesting of an [`Expr`] that the builder lowers.
pub const MAX_EXPR_DEPTH: usize = 500;

/// Right-hand sides. No body at all means the empty language.
pub(crate) type Bodies = Vec<Vec<Symbol>>;

/// Builds a grammar.
///
/// ```
/// use glrmask_grammar::{Expr, GrammarBuilder};
///
/// let mut builder = GrammarBuilder::new();
/// let start = builder.nonterminal("start");
/// let (a, comma) = (builder.literal("a"), builder.literal(","));
/// // a ("," a)*
/// builder.define(start, Expr::Sequence(vec![a.into(), Expr::Sequence(vec![comma.into(), a.into()]).star()]));
/// let grammar = builder.build(start)?;
/// assert_eq!(grammar.terminals.len(), 2);
/// # Ok::<(), glrmask_grammar::GrammarError>(())
/// ```
#[derive(Debug)]
pub struct GrammarBuilder {
    terminals: IndexVec<TerminalId, Terminal>,
    /// Terminals whose pattern matched ε: every occurrence is optional.
    nullable: FxHashSet<TerminalId>,
    nonterminals: IndexVec<NonterminalId, Nonterminal>,
    productions: Vec<Production>,
    scopes: IndexVec<ScopeId, Scope>,
    /// The scopes entered and not yet left; the root scope is never left.
    open_scopes: Vec<ScopeId>,
    span: Option<Span>,
    by_pattern: FxHashMap<(ScopeId, Pattern), TerminalId>,
    by_bodies: FxHashMap<(ScopeId, Bodies), NonterminalId>,
    pub(crate) by_repeat: FxHashMap<(ScopeId, Symbol, u64), NonterminalId>,
    slots: Vec<Slot>,
    marks: Vec<Mark>,
    documents: Vec<Document>,
    made_up: u32,
    errors: Vec<Diagnostic>,
}

impl Default for GrammarBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl GrammarBuilder {
    /// A builder with an empty root scope.
    pub fn new() -> Self {
        Self {
            terminals: IndexVec::new(),
            nullable: FxHashSet::default(),
            nonterminals: IndexVec::new(),
            productions: Vec::new(),
            scopes: IndexVec::from(vec![Scope::default()]),
            open_scopes: Vec::new(),
            span: None,
            by_pattern: FxHashMap::default(),
            by_bodies: FxHashMap::default(),
            by_repeat: FxHashMap::default(),
            slots: Vec::new(),
            marks: Vec::new(),
            documents: Vec::new(),
            made_up: 0,
            errors: Vec::new(),
        }
    }

    /// The terminal of exactly these bytes, shared within the current scope. No bytes: a terminal whose every
    /// occurrence is ε.
    pub fn literal(&mut self, bytes: impl AsRef<[u8]>) -> TerminalId {
        let bytes = bytes.as_ref();
        let name = format!("\"{}\"", bytes.escape_ascii());
        self.terminal(&name, Pattern::Literal(bytes.to_vec()))
    }
    /// The terminal of this pattern in the current scope; the first name given to a pattern wins. A pattern that
    /// matches ε is stored without it, and every occurrence of the terminal is made optional.
    pub fn terminal(&mut self, name: &str, pattern: Pattern) -> TerminalId {
        let key = (self.scope(), pattern);
        if let Some(&known) = self.by_pattern.get(&key) {
            return known;
        }
        let (pattern, nullable) = split_empty(key.1.clone()).unwrap_or_else(|| {
            self.error(Diagnostic::limit("regex nesting", MAX_REGEX_DEPTH, MAX_REGEX_DEPTH + 1, self.span));
            (Pattern::Regex(Regex::empty()), false)
        });
        let terminal = Terminal { name: name.to_owned(), pattern, scope: key.0, span: self.span };
        let id = self.terminals.push(terminal);
        if nullable {
            self.nullable.insert(id);
        }
        self.by_pattern.insert(key, id);
        id
    }
    /// A new nonterminal in the current scope. The name should be unique within the scope.
    pub fn nonterminal(&mut self, name: &str) -> NonterminalId {
        self.nonterminals.push(Nonterminal { name: name.to_owned(), scope: self.scope(), span: self.span })
    }
    /// A new nonterminal with a made-up name: `$hint1`, `$hint2`, …
    pub fn fresh(&mut self, hint: &str) -> NonterminalId {
        self.made_up += 1;
        self.nonterminal(&format!("${hint}{}", self.made_up))
    }
    /// A slot of the current scope that takes a grammar: a nonterminal that derives nothing until it is bound.
    pub fn grammar_slot(&mut self, name: &str) -> NonterminalId {
        let n = self.nonterminal(name);
        self.slot(name, SlotKind::Grammar, Symbol::Nonterminal(n));
        n
    }
    /// A slot of the current scope that takes token events: a terminal that matches nothing until it is bound.
    pub fn token_slot(&mut self, name: &str) -> TerminalId {
        let pattern = Pattern::ExactTokens(Vec::new());
        let terminal = Terminal { name: name.to_owned(), pattern, scope: self.scope(), span: self.span };
        let t = self.terminals.push(terminal);
        self.slot(name, SlotKind::Token, Symbol::Terminal(t));
        t
    }
    fn slot(&mut self, name: &str, kind: SlotKind, symbol: Symbol) {
        self.slots.push(Slot { name: name.to_owned(), kind, scope: self.scope(), symbol, span: self.span });
    }
    /// A marker in the current scope: a nonterminal that derives ε, the same one for equal numbers.
    pub fn mark(&mut self, id: u32) -> NonterminalId {
        let scope = self.scope();
        let known = self.marks.iter().find(|m| m.id == id && self.nonterminals[m.nonterminal].scope == scope);
        if let Some(mark) = known {
            return mark.nonterminal;
        }
        let nonterminal = self.nonterminal(&format!("@mark({id})"));
        self.production(nonterminal, Vec::new());
        self.marks.push(Mark { nonterminal, id });
        nonterminal
    }
    /// Adds the production `lhs → rhs`.
    pub fn production(&mut self, lhs: NonterminalId, rhs: Vec<Symbol>) {
        self.productions.push(Production { lhs, rhs });
    }
    /// Adds productions by which `lhs` derives what `expr` stands for, one per alternative.
    pub fn define(&mut self, lhs: NonterminalId, expr: Expr) {
        for rhs in self.bodies(&expr, MAX_EXPR_DEPTH) {
            self.production(lhs, rhs);
        }
    }
    /// Symbols equivalent to `expr`; makes nonterminals of the current scope where needed.
    pub fn lower(&mut self, expr: Expr) -> Vec<Symbol> {
        let bodies = self.bodies(&expr, MAX_EXPR_DEPTH);
        self.choice(bodies)
    }

    /// Ignores `terminal` in the current scope.
    pub fn ignore(&mut self, terminal: TerminalId) {
        let scope = self.scope_mut();
        if !scope.ignore.contains(&terminal) {
            scope.ignore.push(terminal);
        }
    }
    /// Whether the keyword rule applies in the current scope (it does unless switched off).
    pub fn keywords(&mut self, on: bool) {
        self.scope_mut().keywords = on;
    }
    /// Lets these terminals of the current scope compete for the longest match.
    pub fn group(&mut self, members: Vec<TerminalId>) {
        self.scope_mut().groups.push(members);
    }
    /// The place given to the symbols declared from now on.
    pub fn set_span(&mut self, span: Option<Span>) {
        self.span = span;
    }
    /// Enters a new scope: symbols are declared there until [`leave_scope`](Self::leave_scope).
    pub fn enter_scope(&mut self, name: &str) -> ScopeId {
        let parent = Some(self.scope());
        let id = self.scopes.push(Scope { name: name.to_owned(), parent, ..Scope::default() });
        self.open_scopes.push(id);
        id
    }
    /// Enters a scope again that was left.
    pub fn reenter_scope(&mut self, scope: ScopeId) {
        self.open_scopes.push(scope);
    }
    /// Leaves the current scope; the root scope cannot be left.
    pub fn leave_scope(&mut self) {
        self.open_scopes.pop();
    }
    /// The current scope.
    pub fn scope(&self) -> ScopeId {
        self.open_scopes.last().copied().unwrap_or(ROOT_SCOPE)
    }

    /// The grammar, or every error met on the way.
    ///
    /// # Errors
    /// An expression nested too deeply, repetition bounds out of order, an id of another builder.
    pub fn build(mut self, start: NonterminalId) -> Result<Grammar, GrammarError> {
        self.make_nullable_optional();
        let Self { terminals, nonterminals, productions, scopes, mut slots, marks, documents, mut errors, .. } = self;
        // Outer scopes first: they are entered before the inner ones.
        slots.sort_by_key(|slot| slot.scope);
        let instance = None;
        let grammar =
            Grammar { terminals, nonterminals, productions, scopes, start, slots, marks, instance, documents };
        errors.extend(grammar.validate().err().map(|error| error.first().clone()));
        GrammarError::collect(errors).map_or(Ok(grammar), Err)
    }

    /// How far the ids of an embedded grammar move.
    pub(crate) fn shift(&self) -> Shift {
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Shift {
            terminals: count(self.terminals.len()),
            nonterminals: count(self.nonterminals.len()),
            scopes: count(self.scopes.len()),
        }
    }
    pub(crate) fn push_scope(&mut self, scope: Scope) {
        self.scopes.push(scope);
    }
    pub(crate) fn push_terminal(&mut self, terminal: Terminal) {
        self.terminals.push(terminal);
    }
    pub(crate) fn push_document(&mut self, document: Document) {
        self.documents.push(document);
    }
    pub(crate) fn push_slot(&mut self, slot: Slot) {
        self.slots.push(slot);
    }
    pub(crate) fn push_mark(&mut self, mark: Mark) {
        self.marks.push(mark);
    }
    pub(crate) fn push_nonterminal(&mut self, nonterminal: Nonterminal) {
        self.nonterminals.push(nonterminal);
    }
    pub(crate) fn error(&mut self, diagnostic: Diagnostic) {
        if self.errors.len() < MAX_DIAGNOSTICS {
            self.errors.push(diagnostic);
        }
    }
    pub(crate) fn invalid(&mut self, message: impl Into<String>) {
        self.error(Diagnostic::new(DiagnosticKind::Invalid, message, self.span));
    }
    fn scope_mut(&mut self) -> &mut Scope {
        let mut scope = self.scope();
        if self.scopes.get(scope).is_none() {
            self.invalid(format!("scope {scope} is not declared"));
            scope = ROOT_SCOPE;
        }
        &mut self.scopes[scope]
    }

    /// Occurrences of a terminal `t` whose pattern matched ε become `o` with `o → t | ε`.
    fn make_nullable_optional(&mut self) {
        if self.nullable.is_empty() {
            return;
        }
        let mut productions = std::mem::take(&mut self.productions);
        let mut optional = FxHashMap::default();
        for symbol in productions.iter_mut().flat_map(|p| &mut p.rhs) {
            if let Symbol::Terminal(t) = *symbol {
                if self.nullable.contains(&t) {
                    let n = *optional.entry(t).or_insert_with(|| self.optional_terminal(t));
                    *symbol = Symbol::Nonterminal(n);
                }
            }
        }
        productions.append(&mut self.productions);
        self.productions = productions;
    }
    fn optional_terminal(&mut self, t: TerminalId) -> NonterminalId {
        let n = self.fresh("optional");
        self.nonterminals[n].scope = self.terminals[t].scope;
        self.production(n, Vec::new());
        if !is_visibly_empty(&self.terminals[t].pattern) {
            self.production(n, vec![Symbol::Terminal(t)]);
        }
        n
    }
}

/// Lowering. Recursion is bounded by [`MAX_EXPR_DEPTH`].
impl GrammarBuilder {
    /// The alternatives of an expression.
    fn bodies(&mut self, expr: &Expr, depth: usize) -> Bodies {
        let Some(depth) = depth.checked_sub(1) else {
            self.error(Diagnostic::limit("expression nesting", MAX_EXPR_DEPTH, MAX_EXPR_DEPTH + 1, self.span));
            return Bodies::new();
        };
        match expr {
            Expr::Empty => Bodies::new(),
            Expr::Epsilon => vec![Vec::new()],
            Expr::Symbol(symbol) => vec![vec![*symbol]],
            Expr::Choice(parts) => self.union(parts, depth),
            Expr::Sequence(parts) => self.sequence(parts, depth).into_iter().collect(),
            Expr::Repeat { inner, min, max } => {
                let inner = self.bodies(inner, depth);
                self.repeat(inner, *min, *max)
            }
            Expr::Separated { separator, items } => {
                let separator = self.bodies(separator, depth);
                let separator = self.choice(separator);
                let lower = |(item, occurs): &(Expr, _)| (self.bodies(item, depth), *occurs);
                let items = items.iter().map(lower).collect();
                self.separated(&separator, items)
            }
        }
    }
    fn union(&mut self, parts: &[Expr], depth: usize) -> Bodies {
        let mut seen = FxHashSet::default();
        let bodies = parts.iter().flat_map(|part| self.bodies(part, depth));
        bodies.filter(|body| seen.insert(body.clone())).collect()
    }
    /// The concatenation, or nothing if a part is the empty language.
    fn sequence(&mut self, parts: &[Expr], depth: usize) -> Option<Vec<Symbol>> {
        let mut symbols = Vec::new();
        for part in parts {
            let bodies = self.bodies(part, depth);
            if bodies.is_empty() {
                return None;
            }
            symbols.append(&mut self.choice(bodies));
        }
        Some(symbols)
    }
    /// Symbols for a choice: the body itself if there is one only, else a nonterminal.
    pub(crate) fn choice(&mut self, mut bodies: Bodies) -> Vec<Symbol> {
        match bodies.len() {
            1 => bodies.swap_remove(0),
            _ => vec![Symbol::Nonterminal(self.shared(bodies))],
        }
    }
    /// One symbol for a choice.
    pub(crate) fn single(&mut self, bodies: Bodies) -> Symbol {
        match bodies.as_slice() {
            [body] if body.len() == 1 => body[0],
            _ => Symbol::Nonterminal(self.shared(bodies)),
        }
    }
    /// The nonterminal of these alternatives.
    fn shared(&mut self, bodies: Bodies) -> NonterminalId {
        let key = (self.scope(), bodies);
        if let Some(&known) = self.by_bodies.get(&key) {
            return known;
        }
        let n = self.fresh("choice");
        for body in &key.1 {
            self.production(n, body.clone());
        }
        self.by_bodies.insert(key, n);
        n
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glrmask_automata::ByteSet;

    #[test]
    fn equal_expressions_share_a_nonterminal() {
        let mut b = GrammarBuilder::new();
        let (start, x, y) = (b.nonterminal("start"), b.literal("x"), b.literal("y"));
        let choice = || Expr::Choice(vec![x.into(), y.into(), x.into()]);
        let one = b.lower(choice().star());
        assert_eq!(b.lower(choice().star()), one);
        b.define(start, Expr::Sequence(vec![choice(), choice()]));
        let g = b.build(start).map(|g| (g.nonterminals.len(), g.productions.len()));
        assert_eq!(g, Ok((4, 2 + 2 + 2 + 1))); // x | y, (x|y)+, its option, start
    }

    #[test]
    fn patterns_are_shared_within_a_scope_only() {
        let mut b = GrammarBuilder::new();
        let outer = b.literal("x");
        b.enter_scope("inner");
        let inner = b.literal("x");
        assert_eq!(b.terminal("again", Pattern::Literal(b"x".to_vec())), inner);
        b.leave_scope();
        assert_eq!(b.literal("x"), outer);
        assert_ne!(outer, inner);
    }

    #[test]
    fn nullable_terminals_become_optional() {
        let mut b = GrammarBuilder::new();
        let start = b.nonterminal("start");
        let spaces = b.terminal("WS", Pattern::Regex(Regex::bytes(ByteSet::single(b' ')).star()));
        let (a, nothing) = (b.literal("a"), b.literal(""));
        b.production(start, [spaces, a, nothing].map(Symbol::Terminal).to_vec());
        let g = b.build(start).expect("a valid grammar");
        assert_eq!(g.terminals[spaces].pattern, Pattern::Regex(Regex::bytes(ByteSet::single(b' ')).plus()));
        let n = crate::normalize(&g, &crate::NormalizeConfig::default()).expect("not empty");
        assert_eq!(n.productions.len(), 2); // a | WS a
    }

    #[test]
    fn mistakes_are_reported_by_build() {
        let mut b = GrammarBuilder::new();
        let start = b.nonterminal("start");
        b.define(start, Expr::Epsilon.repeat(3, Some(2)));
        let deep = (0..100_000).fold(Expr::Epsilon, |e, _| Expr::Sequence(vec![e]));
        b.define(start, deep);
        b.production(start, vec![Symbol::Terminal(TerminalId(3))]);
        let error = b.build(start).expect_err("three mistakes").to_string();
        for part in ["{3,2}", "expression nesting: limit 500", "t3 is not declared"] {
            assert!(error.contains(part), "{error}");
        }
    }
}
