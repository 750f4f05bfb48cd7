//! Linking: components that were compiled on their own become one constraint.
//!
//! Compiling a grammar with bound components and linking prepared ones are the same thing here, the former with nothing
//! prepared: the masks cannot differ. Every component is compiled in its shape ([`Prepared`]), then tables
//! (`glrmask_glr::link`) and lexers (`glrmask_lexer::link`) are put side by side. What can only be seen in the whole is
//! found there: what follows and begins components, and which terminals of one scope come to compete because a component
//! follows itself.
//!
//! The reference is [`Assembly::flatten`] and the plain compiler, which is also what is used where markers occur, and where
//! [`Config::by_parts`] is off. Which terminals compete it is told: by the keyword rule they do where some state accepts
//! both, and which states a table joins depends on how the grammar was normalised, part by part or as a whole.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use glrmask_automata::{Id, TerminalId};
use glrmask_glr::link::{link, Layout, LinkPart};
use glrmask_glr::Tables;
use glrmask_grammar::assembly::{Define, Filled, Part};
use glrmask_grammar::{Assembly, Pattern};
use glrmask_lexer::{BitSet, Lexer, LexerPart};
use glrmask_runtime::{BoundaryTrigger, Constraint, Document, Parts, TokenIds, TokenTerminal};
use glrmask_vocab::{TokenId, Vocab};

use crate::error::CompileError;
use crate::fills::Fillable;
use crate::kills::{companions, has, KillSets};
use crate::prepared::{Apart, Entry, Language, Prepared, Program, Shape, SlotShape};
use crate::triggers::{boundaries, Whole};
use crate::{check_tokens, compile_with, documents, finish, Config, Stage};

/// Compiles what is put together, telling `observe` when a stage has ended; what was prepared is used.
///
/// # Errors
/// As for [`compile`](crate::compile); an open slot.
pub fn compile_assembly(
    assembly: &Assembly<Prepared>,
    vocab: &Vocab,
    config: &Config,
    observe: &mut dyn FnMut(Stage),
) -> Result<Constraint, CompileError> {
    let parts = assembly.parts();
    let linkable = |part: &Part<'_, Prepared>| part.definition.is_linkable() && !part.slots.contains(&Filled::Open);
    let linked = if config.by_parts && parts.iter().all(linkable) {
        let mut observe = |stage| {
            observe(stage);
            config.policy.check()
        };
        link_parts(&parts, vocab, config, &mut observe)?
    } else {
        None
    };
    match linked {
        Some(parts) => finish(parts, vocab, config, &mut |stage| {
            observe(stage);
            config.policy.check()
        }),
        None => {
            let boundaries = boundaries(config, &parts, vocab, None)?;
            let flat = assembly.flatten()?;
            let kills = kills_by_parts(&parts, flat.terminals.len(), vocab, config)?;
            compile_with(&flat, vocab, config, (boundaries, kills), observe)
        }
    }
}

/// A component with something to parse.
pub(crate) struct Linked<'a> {
    /// Its number among the parts.
    number: usize,
    part: &'a Part<'a, Prepared>,
    shape: Shape,
    pub(crate) program: Arc<Program>,
    /// Slots, rising, and the number among all `Linked` of what each stands for.
    pub(crate) slots: Vec<(TerminalId, usize)>,
}

/// Tables of the whole, and what they are made of.
struct LinkedTables<'a> {
    linked: Vec<Linked<'a>>,
    tables: Tables,
    layout: Layout,
    accepts_empty: bool,
}

/// `None` if there is nothing to parse.
fn link_tables<'a>(
    parts: &'a [Part<'a, Prepared>],
    vocab: &Vocab,
    config: &Config,
    observe: &mut dyn FnMut(Stage) -> Result<(), CompileError>,
) -> Result<Option<LinkedTables<'a>>, CompileError> {
    let mut languages: Vec<Language> = Vec::with_capacity(parts.len());
    let mut linked: Vec<Linked<'_>> = Vec::new();
    // Number among all `linked`, by part.
    let mut numbers: Vec<usize> = Vec::with_capacity(parts.len());
    for (number, part) in parts.iter().enumerate() {
        check_tokens(part.definition.grammar(), vocab)?;
        let alone = parts.len() == 1 && part.definition.ignores();
        let shape = Shape { alone, slots: shape(part, &languages) };
        let language = part.definition.language(shape.clone(), config, vocab.cache(), observe)?;
        numbers.push(linked.len());
        if let Language::Texts(program) = &language {
            let child = |entry: &Entry| match part.slots.get(entry.group) {
                Some(&Filled::Part(child)) => Some((entry.terminal, *numbers.get(child)?)),
                _ => None,
            };
            let slots = program.slots.iter().filter_map(child).collect();
            linked.push(Linked { number, part, shape, program: program.clone(), slots });
        }
        languages.push(language);
    }
    let Some(Language::Texts(root)) = languages.last() else { return Ok(None) };
    let (accepts_empty, linked) = (root.accepts_empty, entered(linked));
    let parts_to_link: Vec<LinkPart<'_>> =
        linked.iter().map(|part| LinkPart { tables: &part.program.tables, slots: &part.slots }).collect();
    let (tables, layout) = match parts_to_link.as_slice() {
        [only] => (only.tables.clone(), Layout::new(&[*only])),
        all => link(all, &config.tables)?,
    };
    observe(Stage::Tables)?;
    Ok(Some(LinkedTables { linked, tables, layout, accepts_empty }))
}

/// The kill sets of the flattened grammar, which has so many terminals. `None` if the plain compiler can find them: there is
/// one part, or nothing to parse.
fn kills_by_parts(
    parts: &[Part<'_, Prepared>],
    terminals: usize,
    vocab: &Vocab,
    config: &Config,
) -> Result<Option<KillSets>, CompileError> {
    let is_open = |part: &Part<'_, Prepared>| part.slots.contains(&Filled::Open);
    if parts.len() < 2 || parts.iter().any(is_open) {
        return Ok(None);
    }
    let mut observe = |_| config.policy.check();
    let Some(whole) = link_tables(parts, vocab, config, &mut observe)? else { return Ok(None) };
    let mut kills = KillSets::from_elem(Vec::new(), terminals);
    for (part, &first) in whole.linked.iter().zip(&whole.layout.terminals) {
        let own = part.part.definition.grammar().terminals.len();
        // In the flattened grammar a part stands before those that are bound in it.
        let before = |part: &Part<'_, Prepared>| part.definition.grammar().terminals.len();
        let offset: usize = parts.iter().skip(part.number + 1).map(before).sum();
        let flat = |t: TerminalId| TerminalId::from_usize(offset + t.index());
        let within = part.program.kills.iter_enumerated().flat_map(|(t, set)| set.iter().map(move |&k| (t, k)));
        for (t, k) in within.chain(part.competing(&whole.tables, first)).filter(|(t, k)| t.index().max(k.index()) < own)
        {
            kills[flat(t)].push(flat(k));
        }
    }
    for t in kills.ids() {
        kills[t].sort_unstable();
    }
    Ok(Some(kills))
}

/// What a constraint is put together from: parts, boundaries, and the components that may have been filled alone, if any was
/// prepared.
type LinkedParts = (Parts, Vec<BoundaryTrigger>, Option<Vec<Fillable>>);

/// `None` if there is nothing to parse: the plain compiler says so.
fn link_parts(
    parts: &[Part<'_, Prepared>],
    vocab: &Vocab,
    config: &Config,
    observe: &mut dyn FnMut(Stage) -> Result<(), CompileError>,
) -> Result<Option<LinkedParts>, CompileError> {
    let Some(whole) = link_tables(parts, vocab, config, observe)? else { return Ok(None) };
    let LinkedTables { linked, tables, layout, accepts_empty } = whole;
    let lexers = lexers(&linked, &tables, &layout, (config, vocab))?;
    let first = first(&linked, &layout);
    let follow = follow(&linked, &layout, &first);
    observe(Stage::Relations)?;
    let lexer = match lexers.as_slice() {
        [only] => only.clone().into_owned(),
        all => link_lexers(&linked, all, &layout, (&first, &follow)),
    };
    let is_prepared = linked.iter().any(|part| part.program.fills.get().is_some());
    let components = is_prepared.then(|| Fillable::all(&linked, &lexers, &layout, (&first, &follow)));
    observe(Stage::Lexer)?;
    let events = linked.iter().zip(&layout.terminals).flat_map(|(part, &first)| part.events(first));
    let mut token_terminals: Vec<TokenTerminal> = events.collect();
    token_terminals.sort_by_key(|event| event.terminal);
    let numbers = linked.iter().enumerate().map(|(i, part)| (part.number, i)).collect();
    let whole = Whole {
        linked: &linked,
        numbers: &numbers,
        layout: &layout,
        lexer: &lexer,
        events: &token_terminals,
        first: &first,
        vocab,
    };
    let boundaries = boundaries(config, parts, vocab, Some(&whole))?;
    // What is asked of the whole text, the root knows.
    let asked = parts.last().and_then(|root| root.definition.grammar().instance.as_ref());
    let rules = asked.map(|asked| asked.rules.clone());
    let documents = documents(&linked, &layout, &lexer, config)?;
    let parts = Parts { lexer, tables, accepts_empty, token_terminals, markers: None, rules, documents };
    Ok(Some((parts, boundaries, components)))
}

/// The documents of all parts; one that is bound may be one itself.
fn documents(
    linked: &[Linked<'_>],
    layout: &Layout,
    lexer: &Lexer,
    config: &Config,
) -> Result<Vec<Document>, CompileError> {
    let mut found = Vec::new();
    for (i, (part, &first)) in linked.iter().zip(&layout.terminals).enumerate() {
        let (definition, is_part) = (part.part.definition, i + 1 < linked.len());
        definition.check_texts(is_part, config)?;
        found.extend(documents::documents(definition.grammar(), &definition.documents(is_part), lexer, first));
    }
    let name = |t: TerminalId| {
        let part = layout.terminals.partition_point(|&first| first <= t.0).checked_sub(1)?;
        let own = TerminalId(t.0 - layout.terminals.get(part)?);
        Some(linked.get(part)?.part.definition.grammar().terminals.get(own)?.name.as_str())
    };
    documents::check_neighbours(lexer, &found, name)?;
    Ok(found)
}

impl Linked<'_> {
    /// The number among all `Linked` of what stands in the place of a terminal, if that is a slot.
    pub(crate) fn child(&self, t: TerminalId) -> Option<usize> {
        let found = self.slots.binary_search_by_key(&t, |slot| slot.0).ok()?;
        self.slots.get(found).map(|slot| slot.1)
    }

    /// The own number of the nonterminal in whose place the component of a slot stands.
    pub(crate) fn entry_symbol(&self, slot: usize) -> u32 {
        (self.program.tables.nonterminals().saturating_sub(self.program.slots.len()) + slot) as u32
    }

    /// Terminals that compete in the whole, and not within the component alone; its first terminal is given.
    fn competing<'t>(&'t self, tables: &'t Tables, first: u32) -> impl Iterator<Item = (TerminalId, TerminalId)> + 't {
        let moved = move |t: TerminalId| TerminalId(first + t.0);
        let meeting = move |same: &'t [Apart]| {
            let near = same.first().map_or_else(Vec::new, |apart| companions(tables, moved(apart.known.0)));
            same.iter().filter(move |apart| has(&near, moved(apart.known.1))).map(|apart| apart.pair)
        };
        self.program.apart.chunk_by(|a, b| a.known.0 == b.known.0).flat_map(meeting)
    }

    /// Its token events, by the numbers of the whole.
    fn events(&self, first: u32) -> impl Iterator<Item = TokenTerminal> + '_ {
        self.program
            .lexer
            .token_terminals()
            .iter()
            .map(move |&t| TokenTerminal { terminal: TerminalId(first + t.0), ids: self.ids(t) })
    }

    fn ids(&self, t: TerminalId) -> TokenIds {
        let slot = self.program.events.iter().find(|event| event.0 == t).and_then(|event| self.part.slots.get(event.1));
        if let Some(Filled::Events(events)) = slot {
            let ranges = events.ranges.iter().map(|&(first, last)| (TokenId(first), TokenId(last)));
            return TokenIds::from_ranges(ranges);
        }
        match self.part.definition.grammar().terminals.get(t).map(|t| &t.pattern) {
            Some(Pattern::ExactTokens(ids)) => ids.iter().copied().map(TokenId).collect(),
            _ => TokenIds::default(),
        }
    }
}

/// What matters of the things that are bound in a part.
fn shape(part: &Part<'_, Prepared>, languages: &[Language]) -> Vec<SlotShape> {
    let mut first: BTreeMap<usize, usize> = BTreeMap::new();
    let slot = |(i, filled): (usize, &Filled<'_>)| {
        let child = match filled {
            Filled::Part(child) => child,
            Filled::Events(events) if !events.ranges.is_empty() => return SlotShape::Event,
            Filled::Events(_) | Filled::Open => return SlotShape::Nothing,
        };
        match languages.get(*child) {
            None | Some(Language::Nothing) => SlotShape::Nothing,
            Some(Language::Epsilon) => SlotShape::Epsilon,
            Some(Language::Texts(program)) => {
                SlotShape::Texts { group: *first.entry(*child).or_insert(i), nullable: program.accepts_empty }
            }
        }
    };
    part.slots.iter().enumerate().map(slot).collect()
}

/// The components that can be entered from the root, which is the last one.
fn entered(linked: Vec<Linked<'_>>) -> Vec<Linked<'_>> {
    let mut needed = vec![false; linked.len()];
    needed.iter_mut().last().into_iter().for_each(|root| *root = true);
    for (i, part) in linked.iter().enumerate().rev() {
        if needed[i] {
            part.slots.iter().for_each(|&(_, child)| needed[child] = true);
        }
    }
    let before = |i: usize| needed.iter().take(i).filter(|&&needed| needed).count();
    let numbers: Vec<usize> = (0..linked.len()).map(before).collect();
    let kept = linked.into_iter().zip(&needed).filter(|(_, &needed)| needed).map(|(mut part, _)| {
        part.slots.iter_mut().for_each(|slot| slot.1 = numbers[slot.1]);
        part
    });
    kept.collect()
}

/// The lexer of each component; made anew where more terminals compete than within it alone.
fn lexers<'l>(
    linked: &'l [Linked<'_>],
    tables: &Tables,
    layout: &Layout,
    (config, vocab): (&Config, &Vocab),
) -> Result<Vec<Cow<'l, Lexer>>, CompileError> {
    let lexer = |(part, &first): (&'l Linked<'_>, &u32)| {
        let more: Vec<_> = part.competing(tables, first).collect();
        let anew = match more.is_empty() {
            true => None,
            false => part.part.definition.lexer_with(&part.shape, &more, config, vocab.cache())?,
        };
        Ok(anew.map_or(Cow::Borrowed(&part.program.lexer), Cow::Owned))
    };
    linked.iter().zip(&layout.terminals).map(lexer).collect()
}

/// Per component, terminals of the whole.
type Sets = Vec<BitSet>;

fn link_lexers(
    linked: &[Linked<'_>],
    lexers: &[Cow<'_, Lexer>],
    layout: &Layout,
    (first, follow): (&Sets, &Sets),
) -> Lexer {
    let slots: Vec<Vec<(TerminalId, BitSet)>> = linked
        .iter()
        .map(|part| part.slots.iter().map(|&(slot, child)| (slot, first[child].clone())).collect())
        .collect();
    let part = |i: usize| LexerPart {
        lexer: &lexers[i],
        first_terminal: layout.terminals[i],
        slots: &slots[i],
        last: &linked[i].program.last,
        follow: &follow[i],
    };
    let parts: Vec<LexerPart<'_>> = (0..linked.len()).map(part).collect();
    Lexer::link(&parts, layout.terminal_count)
}

/// What each component can begin with.
fn first(linked: &[Linked<'_>], layout: &Layout) -> Sets {
    let mut first: Sets = Vec::with_capacity(linked.len());
    for (i, part) in linked.iter().enumerate() {
        first.push(in_whole(part, layout.terminals[i], &part.program.first, &first));
    }
    first
}

/// What can follow each component: found from the root down.
fn follow(linked: &[Linked<'_>], layout: &Layout, first: &Sets) -> Sets {
    let mut follow: Sets = vec![BitSet::default(); linked.len()];
    for (i, part) in linked.iter().enumerate().rev() {
        for &(slot, child) in &part.slots {
            let Some(entry) = part.program.slots.iter().find(|entry| entry.terminal == slot) else { continue };
            follow[child].union_with(&in_whole(part, layout.terminals[i], &entry.follow, first));
            if part.program.last.contains(slot.index()) {
                let outer = follow[i].clone();
                follow[child].union_with(&outer);
            }
        }
    }
    follow
}

/// Terminals of a component by the numbers of the whole, slots replaced by what can begin there.
fn in_whole(part: &Linked<'_>, offset: u32, own: &BitSet, first: &[BitSet]) -> BitSet {
    let mut set = BitSet::default();
    for t in own.iter() {
        match part.child(TerminalId::from_usize(t)) {
            Some(child) => set.union_with(&first[child]),
            None => set.insert(offset as usize + t),
        }
    }
    set
}
