//! Constraints and states for people: as text, and as graphs in Graphviz's language.
//!
//! Tables that are filled on demand are shown as far as they are filled. What is large is cut, and says so.

use std::fmt::Write;
use std::sync::Arc;

use glrmask_automata::lexdag::{ClassDag, ClassId, Need, Open, IGNORED};
use glrmask_automata::{Id, TerminalId};
use glrmask_glr::{AcceptId, Reading, RowId};
use glrmask_instance::Place;
use rustc_hash::FxHashMap;

use crate::branch::{Alternatives, Branch, Lexeme};
use crate::constraint::Constraint;
use crate::eager::{self, Budget};
use crate::event::TokenTerminal;
use crate::fill::Cache;
use crate::frozen::Frozen;
use crate::state::ConstraintState;

/// Classes, rows, transitions and states of one component that are shown.
const SHOWN: usize = 500;
/// Memory for classes that are computed again to be shown.
const RECOMPUTED_BYTES: usize = 64 << 20;

/// A part of a constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum View {
    /// The components of the lexer: automata over bytes, with the terminals they match.
    Lexer,
    /// The classes of tokens found so far, as a DAG of terminal sequences.
    Classes,
    /// The LR automaton with its actions.
    Tables,
    /// The states of the Parser DWA found so far.
    Rows,
    /// The rules beside the grammar, by the place of a value in the text.
    Rules,
}

impl Constraint {
    /// A part of the constraint as text.
    ///
    /// ```
    /// # use glrmask_runtime::{Constraint, View};
    /// # fn example(constraint: &Constraint) {
    /// let text = constraint.dump(View::Tables);
    /// # }
    /// ```
    pub fn dump(&self, view: View) -> String {
        match view {
            View::Lexer => self.dump_lexer(),
            View::Classes => self.dump_classes(),
            View::Tables => self.tables().to_string(),
            View::Rows => self.dump_rows(),
            View::Rules => {
                let each: Vec<String> = self.inner().rules().map(|rules| rules.to_string()).collect();
                match each.is_empty() {
                    true => "nothing is asked beside the grammar\n".to_owned(),
                    false => each.join("\n"),
                }
            }
        }
    }

    /// A part of the constraint as a graph in Graphviz's language.
    pub fn to_dot(&self, view: View) -> String {
        match view {
            View::Lexer => self.lexer_dot(),
            View::Classes => self.classes_dot(),
            View::Tables => self.tables().to_dot(),
            View::Rows => self.rows_dot(),
            View::Rules => self.rules_dot(),
        }
    }

    fn dump_lexer(&self) -> String {
        let mut out = String::new();
        for (id, component) in self.lexer().components().iter_enumerated() {
            line(&mut out, format_args!("component {id}: {} states", component.dfa().len()));
            for (label, &terminal) in component.terminals().iter().enumerate() {
                let ignored = if self.lexer().is_ignored(terminal) { ", ignored" } else { "" };
                line(&mut out, format_args!("  label {label} is {terminal}, {}{ignored}", self.describe(terminal)));
            }
            let states = component.dfa().to_string();
            states.lines().take(SHOWN).for_each(|state| line(&mut out, format_args!("  {state}")));
            cut(&mut out, states.lines().count());
        }
        for &TokenTerminal { terminal, .. } in self.token_terminals() {
            let ignored = if self.lexer().is_ignored(terminal) { ", ignored" } else { "" };
            line(&mut out, format_args!("{terminal} is {}{ignored}", self.describe(terminal)));
        }
        out
    }

    fn lexer_dot(&self) -> String {
        let mut out = String::from("digraph lexer {\n  rankdir=LR;\n  node [shape=circle];\n");
        for (id, component) in self.lexer().components().iter_enumerated() {
            let dfa = component.dfa();
            let terminals: Vec<String> = component.terminals().iter().take(4).map(|&t| self.describe(t)).collect();
            let label = escaped(&terminals.join(", "));
            line(&mut out, format_args!("  subgraph cluster_{id} {{ label=\"{id}: {label}\";"));
            for state in dfa.states().take(SHOWN) {
                let matched: Vec<String> = component.matched(state).map(|t| t.to_string()).collect();
                let shape = if matched.is_empty() { "circle" } else { "doublecircle" };
                let matched = matched.join(" ");
                line(&mut out, format_args!("    {id}_{state} [shape={shape}, label=\"{state}\\n{matched}\"];"));
                for (bytes, to) in dfa.transitions(state).filter(|(_, to)| to.index() < SHOWN) {
                    let bytes = escaped(&bytes.to_string());
                    line(&mut out, format_args!("    {id}_{state} -> {id}_{to} [label=\"{bytes}\"];"));
                }
            }
            line(&mut out, format_args!("  }}"));
        }
        out + "}\n"
    }

    fn dump_classes(&self) -> String {
        let (classes, mut out) = (self.classes(), String::new());
        for (id, open, edges) in classes.iter().take(SHOWN) {
            let edges: Vec<String> = edges.iter().map(|(t, class)| format!("{t} then {class}")).collect();
            let open: Vec<String> = open.iter().map(open_name).collect();
            line(&mut out, format_args!("{id}: open {}; {}", open.join(", "), edges.join(", ")));
        }
        cut(&mut out, classes.len());
        out
    }

    fn classes_dot(&self) -> String {
        let mut out = String::from("digraph classes {\n  rankdir=LR;\n  node [shape=box];\n");
        for (id, open, edges) in self.classes().iter().take(SHOWN) {
            let open: Vec<String> = open.iter().map(open_name).collect();
            line(&mut out, format_args!("  {id} [label=\"{id}\\nopen {}\"];", escaped(&open.join(" "))));
            for (terminal, class) in edges.iter().filter(|(_, class)| class.index() < SHOWN) {
                let label = escaped(&self.describe(*terminal));
                line(&mut out, format_args!("  {id} -> {class} [label=\"{label}\"];"));
            }
        }
        out + "}\n"
    }

    /// A copy of the classes: nobody waits while they are written. What was filled before decoding no longer has them,
    /// so some are computed anew.
    fn classes(&self) -> Vec<(ClassId, Vec<Open>, Edges)> {
        let inner = self.inner();
        let mut cache = inner.cache.write();
        if !cache.lexer_mut().dag().is_empty() || inner.frozen().is_none() {
            return copied(cache.lexer_mut().dag());
        }
        drop(cache);
        let mut again = Cache::new(&inner.lexer);
        let budget = Budget { states: SHOWN, memory: RECOMPUTED_BYTES, threads: 1, stop: &|| false };
        // Whatever stops it, what is there by then can be shown.
        let _ = eager::fill_cache(inner, &mut again, &budget);
        copied(again.lexer_mut().dag())
    }

    fn dump_rows(&self) -> String {
        let (tables, mut out) = (self.frozen_or_filled(), String::new());
        for ((query, top), to) in sorted(&tables.starts).take(SHOWN) {
            line(&mut out, format_args!("{query} with {top} on top: {}", reading_name(to)));
        }
        for ((row, symbol), to) in sorted(&tables.edges).take(SHOWN) {
            line(&mut out, format_args!("{row} reads {symbol}: {}", reading_name(to)));
        }
        cut(&mut out, tables.starts.len().max(tables.edges.len()));
        out
    }

    fn rows_dot(&self) -> String {
        let tables = self.frozen_or_filled();
        let mut out = String::from("digraph rows {\n  rankdir=LR;\n  node [shape=box];\n");
        for row in (0..tables.rows as usize).take(SHOWN).map(RowId::from_usize) {
            match row {
                RowId::DONE => line(&mut out, format_args!("  {row} [peripheries=2, label=\"done\"];")),
                _ => line(&mut out, format_args!("  {row};")),
            }
        }
        let shown = |row: RowId| row.index() < SHOWN;
        let accepts = |to: Reading| match to.accepted {
            AcceptId::NOTHING => String::new(),
            accepted => format!(" / {accepted}"),
        };
        for ((query, top), to) in sorted(&tables.starts).filter(|(_, to)| shown(to.row)).take(SHOWN) {
            line(&mut out, format_args!("  {query} -> {} [label=\"{top}{}\"];", to.row, accepts(to)));
        }
        for ((row, symbol), to) in sorted(&tables.edges).filter(|((row, _), to)| shown(*row) && shown(to.row)) {
            line(&mut out, format_args!("  {row} -> {} [label=\"{symbol}{}\"];", to.row, accepts(to)));
        }
        out + "}\n"
    }

    fn rules_dot(&self) -> String {
        let mut out = String::from("digraph rules {\n  rankdir=LR;\n  node [shape=box];\n");
        for (rules, part) in self.inner().rules().zip(0..) {
            rules_dot(&mut out, rules.places(), part);
        }
        out + "}\n"
    }

    fn frozen_or_filled(&self) -> Arc<Frozen> {
        let frozen = self.inner().frozen();
        frozen.as_ref().map_or_else(|| Arc::new(Frozen::new(&self.inner().cache.read())), Arc::clone)
    }
}

/// First terminals with the class of what follows.
type Edges = Vec<(TerminalId, ClassId)>;

fn copied(dag: &ClassDag) -> Vec<(ClassId, Vec<Open>, Edges)> {
    let one = |id: ClassId| (id, dag.node(id).open.to_vec(), dag.node(id).edges.to_vec());
    (0..dag.len()).map(|id| one(ClassId::from_usize(id))).collect()
}

fn reading_name(to: Reading) -> String {
    let left = if to.is_done() { "done".to_owned() } else { to.row.to_string() };
    match to.accepted {
        AcceptId::NOTHING => left,
        accepted => format!("{left}, accepts {accepted}"),
    }
}

fn sorted<K: Copy + Ord, V: Copy + Ord>(map: &FxHashMap<K, V>) -> impl Iterator<Item = (K, V)> {
    let mut all: Vec<(K, V)> = map.iter().map(|(&key, &value)| (key, value)).collect();
    all.sort_unstable();
    all.into_iter()
}

impl ConstraintState {
    /// The branches as text: where the lexer stands, what it may be reading, and the stacks (top first; at most
    /// twenty of them) with the conditions that are pending.
    pub fn dump(&self) -> String {
        let mut out = String::new();
        let status = match (self.is_rejected(), self.is_terminated(), self.is_accepting()) {
            (true, _, _) => "rejected",
            (_, true, _) => "ended",
            (_, _, true) => "accepting",
            _ => "incomplete",
        };
        line(&mut out, format_args!("{status}, {} commits can be undone", self.history_len()));
        for branch in self.branches() {
            line(&mut out, format_args!("{}", self.place(branch)));
            match branch.stacks.to_stacks(20) {
                Ok(stacks) => stacks.iter().for_each(|(stack, weight)| {
                    let symbols: Vec<String> = stack.iter().rev().map(|s| s.to_string()).collect();
                    line(&mut out, format_args!("  {}{}", symbols.join(" "), self.conditions(weight)));
                }),
                Err(_) => line(&mut out, format_args!("  more than 20 stacks")),
            }
        }
        out
    }

    /// The stacks of all branches as a graph in Graphviz's language, a cluster for each branch.
    pub fn to_dot(&self) -> String {
        let mut out = String::from("digraph state {\n  rankdir=LR;\n");
        for (number, branch) in self.branches().iter().enumerate() {
            let label = escaped(&self.place(branch));
            line(&mut out, format_args!("subgraph cluster_{number} {{\n  label=\"{label}\";"));
            let graph = branch.stacks.map_weights(|weight| Shown(self.conditions(weight))).to_dot();
            // The names of nodes are those of one graph; a prefix keeps the graphs of several branches apart.
            for inner in graph.lines().filter(|inner| inner.starts_with("  ")) {
                line(&mut out, format_args!("{}", renamed(inner, number)));
            }
            line(&mut out, format_args!("}}"));
        }
        out + "}\n"
    }

    fn place(&self, branch: &Branch) -> String {
        let Lexeme::Inside((id, state)) = branch.lexeme else { return "between lexemes".to_owned() };
        let live = self.constraint().lexer().component(id).live(state);
        let count = live.len();
        let mut names: Vec<String> = live.take(6).map(|t| self.constraint().describe(t)).collect();
        if count > names.len() {
            names.push(format!("{} more", count - names.len()));
        }
        format!("inside {} at {id} {state}", names.join(" or "))
    }

    fn conditions(&self, weight: &Alternatives) -> String {
        if weight.is_none() {
            return String::new();
        }
        let mut cache = self.constraint().inner().cache.write();
        let sets = cache.lexer_mut().conditions();
        let one = |set| {
            let names: Vec<String> = sets.get(set).iter().map(|c| format!("{} at {}", c.terminal, c.state)).collect();
            names.join(", ")
        };
        let alternatives: Vec<String> = weight.iter().map(one).collect();
        format!(", no longer match of {}", alternatives.join("; or of "))
    }
}

/// A text as the weight of a graph that is only looked at.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Shown(String);

impl std::fmt::Debug for Shown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl weighted_gss::Weight for Shown {
    fn join(&self, other: &Self) -> Self {
        Self(format!("{}; {}", self.0, other.0))
    }
}

/// A line of a graph with the names of its nodes, `n0`, `n1`, … and `top`, after the number of the graph.
fn renamed(text: &str, graph: usize) -> String {
    let rename = |word: &str| {
        let number = word.strip_prefix('n').map(|n| n.trim_end_matches(';'));
        match word == "top" || number.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit())) {
            true => format!("g{graph}_{word}"),
            false => word.to_owned(),
        }
    };
    let (names, attributes) = text.split_at(text.find('[').unwrap_or(text.len()));
    names.split(' ').map(rename).collect::<Vec<_>>().join(" ") + attributes
}

fn open_name(open: &Open) -> String {
    let terminal = if open.terminal == IGNORED { "ignored text".to_owned() } else { open.terminal.to_string() };
    match open.need {
        Need::Free => terminal,
        Need::Pending(conditions) => format!("{terminal} under {conditions}"),
    }
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string does not fail.
    let _ = writeln!(out, "{text}");
}

fn cut(out: &mut String, total: usize) {
    if total > SHOWN {
        line(out, format_args!("… {} more", total - SHOWN));
    }
}

/// As the inside of a string in Graphviz's language.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// The places of the rules of a part.
fn rules_dot(out: &mut String, places: &[Place], part: usize) {
    let name = |place: usize| if part == 0 { place.to_string() } else { format!("p{part}_{place}") };
    for (from, place) in places.iter().enumerate().take(SHOWN) {
        let unique = if place.array.unique { "\\nno two items equal" } else { "" };
        let distinct = if place.object.distinct { "\\nno key twice" } else { "" };
        line(out, format_args!("  {} [label=\"{from}{unique}{distinct}\"];", name(from)));
        let items = place.array.prefix.iter().copied().chain(place.array.items).map(|to| ("item".to_owned(), to));
        let named = place.object.named.iter().map(|(key, &to)| (format!("{key:?}"), to));
        let others = place.object.others.iter().map(|&(_, to)| ("others".to_owned(), to));
        for (label, to) in items.chain(named).chain(others).filter(|(_, to)| to.index() < SHOWN) {
            line(out, format_args!("  {} -> {} [label=\"{}\"];", name(from), name(to.index()), escaped(&label)));
        }
    }
}
