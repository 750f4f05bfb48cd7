//! A picture of the graph in Graphviz's language.
//!
//! Boxes are runs (top symbol first), circles are forks, the double circle is the bottom; a fork at which a stack ends
//! has a double border. Arrows lead downwards in the stack and carry the symbol popped; a weight is written where it
//! is stored.

use std::fmt::{Debug, Write};

use rustc_hash::FxHashMap;

use crate::chain::ChainId;
use crate::cursor::Cursor;
use crate::gss::Gss;
use crate::weighted::WeightedGss;

/// Symbols shown of a long run at each of its ends.
const SHOWN: usize = 4;

/// Nodes numbered in the order in which they are met.
struct Printer<'a, S, W> {
    text: String,
    numbers: FxHashMap<ChainId, usize>,
    pending: Vec<(usize, Cursor<'a, S, W>)>,
}

impl<'a, S: Debug, W: Debug> Printer<'a, S, W> {
    fn number(&mut self, place: Cursor<'a, S, W>) -> usize {
        let next = self.numbers.len();
        let number = *self.numbers.entry(place.id()).or_insert(next);
        if number == next {
            self.pending.push((number, place));
        }
        number
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        // Writing to a string does not fail.
        let _ = writeln!(self.text, "  {line}");
    }

    /// An arrow from a weighted place: where the weights below become one, it is written on the arrow.
    fn arrow(&mut self, from: &str, symbol: &str, weighted: bool, to: Cursor<'a, S, W>) {
        let number = self.number(to);
        let label = match to {
            Cursor::Plain(weight, _) if weighted => escape(&format!("{symbol} : {weight:?}")),
            _ => escape(symbol),
        };
        self.line(format_args!("{from} -> n{number} [label=\"{label}\"];"));
    }

    fn node(&mut self, number: usize, place: Cursor<'a, S, W>) {
        let weighted = matches!(place, Cursor::Mixed(_));
        let from = format!("n{number}");
        if let Some((symbols, below)) = place.as_run() {
            let label = escape(&run_label(symbols));
            self.line(format_args!("{from} [shape=box, label=\"{label}\"];"));
            return self.arrow(&from, "", weighted, below);
        }
        let borders = if place.end_weight().is_some() { 2 } else { 1 };
        let label = match place.end_weight() {
            Some(weight) if weighted => escape(&format!("{weight:?}")),
            _ => String::new(),
        };
        self.line(format_args!("{from} [shape=circle, peripheries={borders}, label=\"{label}\"];"));
        for (symbol, tail) in place.edges() {
            self.arrow(&from, &format!("{symbol:?}"), weighted, tail);
        }
    }
}

/// The symbols of a run, top first, with the middle of a long run left out.
fn run_label<S: Debug>(symbols: &[S]) -> String {
    let mut words: Vec<String> = symbols.iter().rev().map(|symbol| format!("{symbol:?}")).collect();
    if words.len() > 2 * SHOWN + 1 {
        let hidden = format!("… {} more …", words.len() - 2 * SHOWN);
        words.splice(SHOWN..words.len() - SHOWN, [hidden]);
    }
    words.join(" ")
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

fn print<'a, S: Debug, W: Debug>(root: Option<Cursor<'a, S, W>>, show_weight: bool) -> String {
    let mut printer = Printer { text: String::new(), numbers: FxHashMap::default(), pending: Vec::new() };
    printer.line(format_args!("rankdir=LR;"));
    printer.line(format_args!("top [shape=plaintext, label=\"top\"];"));
    if let Some(root) = root {
        printer.arrow("top", "", show_weight, root);
    }
    while let Some((number, place)) = printer.pending.pop() {
        printer.node(number, place);
    }
    format!("digraph gss {{\n{}}}\n", printer.text)
}

impl<S: Debug, W: Debug> WeightedGss<S, W> {
    /// The graph in Graphviz's language; symbols and weights are written as `Debug` writes them. Linear in the graph.
    ///
    /// ```
    /// use weighted_gss::WeightedGss;
    ///
    /// let gss = WeightedGss::from_stacks([(vec![0, 1], false), (vec![0, 2], true)]);
    /// assert!(gss.to_dot().starts_with("digraph gss {"));
    /// ```
    #[must_use]
    pub fn to_dot(&self) -> String {
        print(Cursor::root(&self.set), true)
    }
}

impl<S: Debug> Gss<S> {
    /// The graph in Graphviz's language. See [`WeightedGss::to_dot`].
    #[must_use]
    pub fn to_dot(&self) -> String {
        print(self.root(), false)
    }
}
