//! Goals to productions.
//!
//! Each goal is one symbol: a terminal if only one scalar type is left, else a nonterminal. Arrays and objects are
//! memoised by shape and put on a queue, so emission never recurses and recursive schemas end. A goal that nothing
//! satisfies has no symbol; whatever needs it gets no production, and what this makes impossible is found at the end.
//! Objects of many keys in any order come last (`crowded.rs`): what the run time remembers of them depends on all places.

mod apart;
mod array;
mod chain;
mod counted;
mod crowded;
mod divisor;
mod linear;
mod number;
mod object;
mod obligation;
mod order;
mod pattern_syntax;
mod productive;
mod remainder;
mod run;
mod string;
mod text;
mod value;
mod watched;

use std::rc::Rc;

use glrmask_automata::{Dfa, NonterminalId, Regex, RegexKind, Symbol, TerminalId};
use glrmask_grammar::{Grammar, GrammarBuilder, Instance, Pattern};
use indexmap::IndexMap;
use rustc_hash::FxHashMap;

use crate::algebra::{Algebra, Case, Goal};
use crate::decimal::Decimal;
use crate::error::{Result, SchemaError};
use crate::json::{Node, Value};
use crate::language;
use crate::options::Unsupported;
use crate::places;
use crate::schema::SchemaId;
use crate::shape::{ArrayShape, NumberShape, ObjectShape, StringShape, Unique};
use crate::types::TypeSet;

use crowded::Crowded;
use productive::Needs;
use text::Text;

/// The grammar of a schema. Where the places of its rules do not agree, values with rules become documents (`apart.rs`).
pub(crate) fn grammar(algebra: &mut Algebra<'_>, root: SchemaId) -> Result<Grammar> {
    let goal = algebra.goal([root]);
    let warned = algebra.warnings.len();
    match emitted(algebra, &goal, false) {
        Err(error) if error.documents_may_help() => {
            // What was left out on the way may be enforced then.
            algebra.warnings.truncate(warned);
            apart::grammar(algebra, &goal).ok_or(error)
        }
        Ok(grammar) => Ok(apart::instead_of_weakened(algebra, &goal, warned).unwrap_or(grammar)),
        error => error,
    }
}

/// The grammar of a goal; with values that have rules as documents, or with rules for all of it.
fn emitted(algebra: &mut Algebra<'_>, goal: &Goal, apart: bool) -> Result<Grammar> {
    let mut emitter = Emitter::new(algebra);
    emitter.whole = apart.then(|| goal.clone());
    let start = emitter.builder.nonterminal("start");
    match emitter.symbol(goal)? {
        Some(symbol) => emitter.production(start, vec![symbol])?,
        None => emitter.blame(start, goal),
    }
    let mut remembers = false;
    while let Some(task) = emitter.queue.pop() {
        match task {
            Task::Array(lhs, shape) => {
                remembers |= matches!(shape.unique, Unique::Remembered { .. });
                emitter.array(lhs, &shape)?;
            }
            Task::Object(lhs, shape) => {
                remembers |= shape.distinct;
                emitter.object(lhs, &shape)?;
            }
        }
    }
    let mut rules = None;
    if remembers || !emitter.crowded.is_empty() {
        apart::check_none(&emitter)?;
        let crowded = emitter.crowded.keys().cloned().collect();
        let found = places::rules(emitter.algebra, goal, crowded)?;
        emitter.crowded_objects(&found.remembered)?;
        rules = found.rules;
    }
    let is_optional = emitter.algebra.options.unsupported == Unsupported::Weaken;
    let instance = rules.map(|rules| Instance { rules, is_optional });
    let grammar = emitter.finish(start)?;
    Ok(Grammar { instance, ..grammar })
}

enum Task {
    Array(NonterminalId, Rc<ArrayShape>),
    Object(NonterminalId, Rc<ObjectShape>),
}

struct Emitter<'a, 'o> {
    algebra: &'a mut Algebra<'o>,
    builder: GrammarBuilder,
    text: Text,
    symbols: FxHashMap<Goal, Option<Symbol>>,
    arrays: FxHashMap<Rc<ArrayShape>, NonterminalId>,
    objects: FxHashMap<Rc<ObjectShape>, NonterminalId>,
    /// Values with the colon before them, where it is an atom of its own.
    behind_colon: FxHashMap<Symbol, Symbol>,
    queue: Vec<Task>,
    /// Objects that are written once the others are.
    crowded: IndexMap<Rc<ObjectShape>, Crowded>,
    /// What an object cannot do without, although its productions do.
    needs: Needs,
    productions: usize,
    /// Sets of keys told apart in objects of any order.
    key_sets: usize,
    /// Strings that are regular expressions, if there are any.
    pattern_syntax: Option<NonterminalId>,
    /// The goal of the whole text, if values with rules in it are documents of their own.
    whole: Option<Goal>,
    /// Where to look if a nonterminal turns out to derive nothing.
    origins: FxHashMap<NonterminalId, Rc<str>>,
}

/// What the cases of a goal add up to.
#[derive(Default)]
struct Alternatives {
    /// `null`, `true`, `false`.
    words: Vec<&'static str>,
    numbers: Vec<Regex>,
    /// Numbers that have no small expression.
    automata: Vec<Dfa>,
    strings: Vec<StringShape>,
    string_values: Vec<String>,
    /// Arrays and objects given by value.
    texts: Vec<Regex>,
    arrays: Vec<ArrayShape>,
    objects: Vec<ObjectShape>,
}

fn add<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

impl<'a, 'o> Emitter<'a, 'o> {
    fn new(algebra: &'a mut Algebra<'o>) -> Self {
        let mut builder = GrammarBuilder::new();
        // JSON puts punctuation between words, so no word can be cut out of a longer one.
        builder.keywords(false);
        Self {
            text: Text::new(algebra.options),
            algebra,
            builder,
            symbols: FxHashMap::default(),
            arrays: FxHashMap::default(),
            objects: FxHashMap::default(),
            behind_colon: FxHashMap::default(),
            queue: Vec::new(),
            crowded: IndexMap::new(),
            needs: Needs::default(),
            productions: 0,
            key_sets: 0,
            pattern_syntax: None,
            whole: None,
            origins: FxHashMap::default(),
        }
    }
    /// The symbol of a goal. `None`: nothing satisfies it.
    fn symbol(&mut self, goal: &Goal) -> Result<Option<Symbol>> {
        if let Some(&known) = self.symbols.get(goal) {
            return Ok(known);
        }
        let pointer = self.algebra.goal_pointer(goal);
        let at = |error: SchemaError| error.at(&pointer, "");
        let alternatives = self.alternatives(goal).map_err(at)?;
        if self.is_document(goal, &alternatives) {
            return self.document(goal);
        }
        let mut symbols = self.scalars(alternatives.words, alternatives.numbers);
        symbols.extend(self.strings(&alternatives.strings, &alternatives.string_values).map_err(at)?);
        for dfa in &alternatives.automata {
            symbols.push(self.linear(dfa)?);
        }
        if !alternatives.texts.is_empty() {
            symbols.push(self.terminal("VALUE", Regex::alternate(alternatives.texts)));
        }
        for shape in alternatives.arrays {
            symbols.push(self.array_symbol(shape, &pointer));
        }
        for shape in alternatives.objects {
            symbols.push(self.object_symbol(shape, &pointer));
        }
        let symbol = match symbols.as_slice() {
            [] => None,
            [symbol] => Some(*symbol),
            _ => Some(self.choice(&symbols)?),
        };
        self.symbols.insert(goal.clone(), symbol);
        Ok(symbol)
    }
    fn choice(&mut self, symbols: &[Symbol]) -> Result<Symbol> {
        let lhs = self.builder.fresh("value");
        for &symbol in symbols {
            self.production(lhs, vec![symbol])?;
        }
        Ok(Symbol::Nonterminal(lhs))
    }

    fn alternatives(&mut self, goal: &Goal) -> Result<Alternatives> {
        let cases = self.algebra.expand(goal)?;
        let mut all = Alternatives::default();
        for case in cases.iter() {
            match case {
                Case::Values(values) => values.iter().for_each(|value| self.add_value(&mut all, value)),
                Case::Assertions { members, types } => self.add_case(&mut all, members, *types)?,
            }
        }
        Ok(all)
    }
    fn add_case(&mut self, all: &mut Alternatives, members: &[SchemaId], types: TypeSet) -> Result<()> {
        let words = [("null", Value::Null), ("true", Value::Bool(true)), ("false", Value::Bool(false))];
        for (word, value) in words {
            let value = Node { value, bytes: (0, 0) };
            if types.meets(TypeSet::of(&value)) && !self.algebra.excludes(members, &value) {
                add(&mut all.words, word);
            }
        }
        if types.meets(TypeSet::NUMBER) {
            self.add_numbers(all, members, types)?;
        }
        if types.meets(TypeSet::STRING) {
            add(&mut all.strings, StringShape::merge(self.algebra, members)?);
        }
        if types.meets(TypeSet::ARRAY) {
            if let Some(shape) = ArrayShape::merge(self.algebra, members)? {
                add(&mut all.arrays, shape);
            }
        }
        if types.meets(TypeSet::OBJECT) {
            if let Some(shape) = ObjectShape::merge(self.algebra, members)? {
                add(&mut all.objects, shape);
            }
        }
        Ok(())
    }
    fn add_numbers(&mut self, all: &mut Alternatives, members: &[SchemaId], types: TypeSet) -> Result<()> {
        let shape = NumberShape::merge(self.algebra, members, types)?;
        number::check_excluded(&shape)?;
        let Some(language) = number::language(&shape) else { return Ok(()) };
        let divisors = shape.multiple_of.iter().map(|p| (p, true));
        let divisors = divisors.chain(shape.not_multiple_of.iter().map(|p| (p, false)));
        let general: Vec<_> = divisors.filter(|(p, _)| !divisor::is_expressible(p)).collect();
        if general.is_empty() {
            if shape.is_visibly_inhabited() || self.is_inhabited(&language)? {
                add(&mut all.numbers, language);
            }
            return Ok(());
        }
        let multiples = self.multiples(&language, &general);
        let divides = |id: SchemaId| {
            let rules = &self.algebra.store.get(id).number;
            !rules.multiple_of.is_empty() || !rules.not_multiple_of.is_empty()
        };
        let id = members.iter().find(|&&id| divides(id));
        let pointer = id.map(|&id| self.algebra.store.pointer(id));
        let dfa = multiples.map_err(|error| error.at(pointer.as_deref().unwrap_or(""), "multipleOf"))?;
        if !dfa.is_empty_language() {
            add(&mut all.automata, dfa);
        }
        Ok(())
    }
    /// The part of a language that is (or is not) a multiple of each divisor.
    fn multiples(&self, language: &Regex, divisors: &[(&Decimal, bool)]) -> Result<Dfa> {
        let limits = &self.algebra.options.limits;
        let mut dfa = language::compile(language, limits)?;
        for &(divisor, wanted) in divisors {
            let (multiples, bounds) = (remainder::multiples(divisor, limits)?, language::bounds(limits));
            let part = if wanted { dfa.intersect(&multiples, &bounds) } else { dfa.difference(&multiples, &bounds) };
            dfa = part.map_err(|error| language::automaton_error(&error, limits))?;
        }
        Ok(dfa)
    }
    fn scalars(&mut self, words: Vec<&'static str>, numbers: Vec<Regex>) -> Vec<Symbol> {
        let mut symbols = Vec::new();
        if words.contains(&"null") {
            symbols.push(self.terminal("NULL", Regex::literal("null")));
        }
        let booleans: Vec<Regex> = words.into_iter().filter(|word| *word != "null").map(Regex::literal).collect();
        if !booleans.is_empty() {
            symbols.push(self.terminal("BOOLEAN", Regex::alternate(booleans)));
        }
        if !numbers.is_empty() {
            symbols.push(self.terminal("NUMBER", Regex::alternate(numbers)));
        }
        symbols
    }
    fn array_symbol(&mut self, shape: ArrayShape, pointer: &Rc<str>) -> Symbol {
        if let Some(&known) = self.arrays.get(&shape) {
            return Symbol::Nonterminal(known);
        }
        let lhs = self.builder.fresh("array");
        let shape = Rc::new(shape);
        self.arrays.insert(shape.clone(), lhs);
        self.origins.insert(lhs, pointer.clone());
        self.queue.push(Task::Array(lhs, shape));
        Symbol::Nonterminal(lhs)
    }
    fn object_symbol(&mut self, shape: ObjectShape, pointer: &Rc<str>) -> Symbol {
        if let Some(&known) = self.objects.get(&shape) {
            return Symbol::Nonterminal(known);
        }
        let lhs = self.builder.fresh("object");
        let shape = Rc::new(shape);
        self.objects.insert(shape.clone(), lhs);
        self.origins.insert(lhs, pointer.clone());
        self.queue.push(Task::Object(lhs, shape));
        Symbol::Nonterminal(lhs)
    }

    /// The terminal of a language that is not empty.
    fn terminal(&mut self, name: &str, regex: Regex) -> Symbol {
        Symbol::Terminal(self.terminal_id(name, regex))
    }
    fn terminal_id(&mut self, name: &str, regex: Regex) -> TerminalId {
        match as_literal(&regex) {
            Some(bytes) => self.builder.literal(bytes),
            None => self.builder.terminal(name, Pattern::Regex(regex)),
        }
    }
    /// Whether a language has a string. Compiles only what can be empty without showing it.
    fn is_inhabited(&self, regex: &Regex) -> Result<bool> {
        match regex.kind() {
            RegexKind::Empty => Ok(false),
            _ if !has_boolean_operation(regex) => Ok(true),
            _ => Ok(!language::compile(regex, &self.algebra.options.limits)?.is_empty_language()),
        }
    }
    fn production(&mut self, lhs: NonterminalId, rhs: Vec<Symbol>) -> Result<()> {
        self.productions += 1;
        let limit = self.algebra.options.limits.productions;
        if self.productions > limit {
            return Err(SchemaError::limit("productions of the grammar", self.productions, limit));
        }
        self.builder.production(lhs, rhs);
        Ok(())
    }
    /// Notes that `lhs` lost a production because nothing satisfies `goal`.
    fn blame(&mut self, lhs: NonterminalId, goal: &Goal) {
        let pointer = self.algebra.goal_pointer(goal);
        self.origins.insert(lhs, pointer);
    }
    fn finish(self, start: NonterminalId) -> Result<Grammar> {
        let grammar = self.builder.build(start);
        let mut grammar = grammar.map_err(|error| SchemaError::invalid(format!("grammar: {error}")))?;
        productive::check(&mut grammar, &self.needs, &self.origins)?;
        Ok(grammar)
    }
}

/// The bytes of a regular expression that is a plain byte string.
fn as_literal(regex: &Regex) -> Option<Vec<u8>> {
    let byte = |part: &Regex| match part.kind() {
        RegexKind::Bytes(set) if set.len() == 1 => set.first(),
        _ => None,
    };
    match regex.kind() {
        RegexKind::Concat(parts) => parts.iter().map(byte).collect(),
        _ => byte(regex).map(|b| vec![b]),
    }
}

fn has_boolean_operation(regex: &Regex) -> bool {
    let mut pending = vec![regex];
    while let Some(regex) = pending.pop() {
        match regex.kind() {
            RegexKind::Empty | RegexKind::Intersect(..) | RegexKind::Difference(..) => return true,
            RegexKind::Concat(parts) | RegexKind::Alternate(parts) => pending.extend(parts),
            RegexKind::Repeat { inner, .. } => pending.push(inner),
            RegexKind::Epsilon | RegexKind::Bytes(_) => {}
        }
    }
    false
}
