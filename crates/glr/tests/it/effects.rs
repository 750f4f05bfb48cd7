//! The automaton of stack effects and the Parser DWA against the calculus in [`crate::calculus`] and against parsing on
//! explicit stacks.

use std::collections::{BTreeMap, BTreeSet};

use glrmask_automata::lexdag::{ClassDag, ClassId, Need};
use glrmask_automata::{Id, TerminalId};
use glrmask_glr::effects::{Effects, ReadId};
use glrmask_glr::{AcceptId, Completable, Lexemes, Limits, LrState, Machine, ParserDwa, QueryId, Reading, Tables};
use proptest::prelude::*;

use crate::completing::Completing;
use crate::sequences::{accepts, class, condition_graph, lexemes, numbers, rules, sequence, stack, Numbers, Sequence};
use crate::{calculus, grammars};

/// How many symbols of a stack the calculus looks at.
const DEPTH: usize = 3;

/// Whether it is accepted after reading one symbol, two, … from the top.
fn verdicts(effects: &mut Effects, m: Machine<'_>, class: ClassId, stack: &[LrState]) -> Vec<bool> {
    let mut symbols = stack.iter().rev();
    let top = *symbols.next().expect("a stack is never empty");
    let mut state = effects.start_class(m, class, top).expect("a small cache");
    let mut verdicts = vec![state == ReadId::ACCEPT];
    for &symbol in symbols {
        let next = effects.read(m, state, symbol).expect("a small cache");
        assert_eq!(effects.read(m, state, symbol), Ok(next));
        state = next;
        verdicts.push(state == ReadId::ACCEPT);
    }
    assert!(verdicts.is_sorted(), "once accepted, accepted for good");
    verdicts
}

/// Which classes are accepted.
fn accepted(dwa: &ParserDwa, dag: &ClassDag, query: QueryId, reading: Reading, classes: &[ClassId]) -> Vec<bool> {
    let accepted: Vec<(usize, usize)> = dwa.accepted_places(reading.accepted).collect();
    let holds = |places: &Vec<(usize, usize)>| {
        let any = places.iter().any(|place| accepted.contains(place));
        assert_eq!(any, dwa.accepts_any(reading.accepted, places));
        any
    };
    classes.iter().map(|&class| dwa.places(dag, query, class).as_ref().is_some_and(holds)).collect()
}

/// Walks from the top of the stack down.
fn readings(dwa: &mut ParserDwa, m: Machine<'_>, query: QueryId, stack: &[LrState]) -> Vec<Reading> {
    let mut readings: Vec<Reading> = Vec::new();
    for &symbol in stack.iter().rev() {
        let reading = match readings.last() {
            None => {
                let reading = dwa.start(m, query, symbol).expect("a small cache");
                assert_eq!(dwa.known_start(query, symbol), Some(reading));
                reading
            }
            Some(&before) => dwa.read(m, before, symbol).expect("a small cache"),
        };
        if let Some(&before) = readings.last() {
            assert_eq!(dwa.known_read(before, symbol), Some(reading));
            assert!(!before.is_done() || reading == before, "nothing changes where nothing is left to read");
        }
        readings.push(reading);
    }
    readings
}

/// Everything that a check on one grammar needs.
struct Setting {
    tables: Tables,
    dag: ClassDag,
    completable: Completable,
    completing: Completing,
    /// Classes with the sequences they are made of.
    classes: Vec<(ClassId, BTreeSet<Sequence>)>,
}

impl Setting {
    fn new(rules: &glrmask_glr::RuleSet, lexemes: &Lexemes, classes: &[Vec<Numbers>]) -> Self {
        let tables = Tables::build(rules, &Limits::default()).expect("valid rules");
        let completable = Completable::build(&tables, lexemes, false).expect("a small automaton");
        let mut dag = ClassDag::new();
        let mut by_class = BTreeMap::new();
        for numbers in classes {
            let sequences = numbers.iter().map(|n| sequence(n, rules.terminals, lexemes.len())).collect();
            by_class.extend(class(&mut dag, &sequences).map(|class| (class, sequences)));
        }
        let completing = Completing::new(rules, lexemes, false);
        Self { tables, dag, completable, completing, classes: by_class.into_iter().collect() }
    }

    fn machine(&self) -> Machine<'_> {
        Machine { tables: &self.tables, dag: &self.dag, completable: &self.completable }
    }

    /// By parsing on the explicit stack.
    fn wanted(&mut self, stack: &Vec<LrState>) -> Vec<bool> {
        let Self { tables, completing, classes, .. } = self;
        classes.iter().map(|(_, sequences)| sequences.iter().any(|s| accepts(tables, completing, stack, s))).collect()
    }
}

fn walks() -> impl Strategy<Value = Vec<Vec<u8>>> {
    prop::collection::vec(prop::collection::vec(any::<u8>(), 0..9), 1..10)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn reads_are_the_composed_effects(rules in rules(), sequences in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..=3), 1..4), walks in walks()) {
        prop_assume!(rules.terminals > 0);
        let tables = Tables::build(&rules, &Limits::default()).expect("valid rules");
        for numbers in sequences {
            let r: Vec<TerminalId> = numbers.iter().map(|&t| TerminalId::from_usize(usize::from(t) % rules.terminals)).collect();
            let Some(wanted) = calculus::of_sequence(&tables, &r, DEPTH) else { continue };
            let wanted = calculus::read_prefixes(&wanted);
            let (mut dag, completable) = (ClassDag::new(), Completable::default());
            let (&open, before) = r.split_last().expect("not empty");
            let class = class(&mut dag, &BTreeSet::from([(before.to_vec(), open, Need::Free)])).expect("a class");
            let m = Machine { tables: &tables, dag: &dag, completable: &completable };
            let mut effects = Effects::default();
            for walk in &walks {
                let stack = stack(&tables, walk);
                let found = verdicts(&mut effects, m, class, &stack);
                for (read, &found) in (1..=DEPTH).zip(&found) {
                    let prefix: Vec<LrState> = stack.iter().rev().take(read).copied().collect();
                    prop_assert_eq!(found, wanted.iter().any(|u| prefix.starts_with(u)), "{:?} on {:?}", &r, &stack);
                }
            }
        }
    }

    #[test]
    fn rows_and_effects_are_parsing(rules in rules(), lexemes in lexemes(), classes in prop::collection::vec(numbers(4), 1..6), walks in walks()) {
        let lexemes = condition_graph(&lexemes, rules.terminals);
        let mut setting = Setting::new(&rules, &lexemes, &classes);
        let ids: Vec<ClassId> = setting.classes.iter().map(|c| c.0).collect();
        let (mut effects, mut dwa) = (Effects::default(), ParserDwa::default());
        let query = dwa.query(&setting.dag, ids.iter().copied());
        prop_assert_eq!(dwa.query(&setting.dag, ids.iter().rev().copied()), query);
        for walk in &walks {
            let stack = stack(&setting.tables, walk);
            let wanted = setting.wanted(&stack);
            let m = setting.machine();
            let by_class: Vec<Vec<bool>> = ids.iter().map(|&class| verdicts(&mut effects, m, class, &stack)).collect();
            let readings = readings(&mut dwa, m, query, &stack);
            for (read, &reading) in readings.iter().enumerate() {
                let found = accepted(&dwa, m.dag, query, reading, &ids);
                prop_assert_eq!(reading.accepted == AcceptId::NOTHING, !found.contains(&true));
                prop_assert_eq!(found, by_class.iter().map(|v| v[read]).collect::<Vec<_>>());
            }
            let last = *readings.last().expect("one per symbol");
            prop_assert_eq!(accepted(&dwa, m.dag, query, last, &ids), wanted, "{:?}", &stack);
        }
    }

    #[test]
    fn completable_stacks_as_reads(rules in rules(), lexemes in lexemes(), walks in walks()) {
        let lexemes = condition_graph(&lexemes, rules.terminals);
        let setting = Setting::new(&rules, &lexemes, &[]);
        let (m, mut effects) = (setting.machine(), Effects::default());
        for walk in &walks {
            let stack = stack(&setting.tables, walk);
            for &c in lexemes.keys() {
                let (&top, below) = stack.split_last().expect("a stack is never empty");
                let start = effects.completable_from(m, c, top).expect("a small cache");
                let end = below.iter().rev().try_fold(start, |state, &s| effects.read(m, state, s)).expect("a small cache");
                prop_assert_eq!(end == ReadId::ACCEPT, setting.completable.accepts(c, &stack));
            }
        }
    }

    #[test]
    fn forgotten_rows_come_back_the_same(rules in rules(), classes in prop::collection::vec(numbers(3), 1..4), walks in walks()) {
        let setting = Setting::new(&rules, &Lexemes::default(), &classes);
        let ids: Vec<ClassId> = setting.classes.iter().map(|c| c.0).collect();
        let (m, mut dwa) = (setting.machine(), ParserDwa::default());
        let query = dwa.query(m.dag, ids.iter().copied());
        let round = |dwa: &mut ParserDwa| -> Vec<Vec<bool>> {
            let last = |walk: &Vec<u8>| *readings(dwa, m, query, &stack(m.tables, walk)).last().expect("one per symbol");
            let last: Vec<Reading> = walks.iter().map(last).collect();
            last.into_iter().map(|reading| accepted(dwa, m.dag, query, reading, &ids)).collect()
        };
        let before = round(&mut dwa);
        let size = (dwa.len(), dwa.memory_usage());
        dwa.clear_rows();
        prop_assert!(dwa.len() == 1 && dwa.sizes().0 == 0);
        prop_assert_eq!(round(&mut dwa), before);
        prop_assert_eq!((dwa.len(), dwa.memory_usage()), size);
    }
}

/// Runs with a small stack: what recursed without care would overflow it.
fn on_a_small_stack(f: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(512 << 10).spawn(f).expect("a thread");
    thread.join().expect("no overflow and no panic");
}

/// One class with one sequence of `length` times `t`.
fn run_of(t: TerminalId, length: usize) -> (ClassDag, ClassId) {
    let mut dag = ClassDag::new();
    let open = dag.open(t, Need::Free);
    let class = (1..length).fold(open, |rest, _| dag.intern(vec![], vec![(t, rest)]).expect("a class"));
    (dag, class)
}

#[test]
fn a_token_of_very_many_terminals_needs_no_deep_stack() {
    for text in ["S = S a | a", "S = a S | a"] {
        on_a_small_stack(move || {
            let tables = Tables::build(&grammars::grammar(text), &Limits::default()).expect("valid rules");
            let (dag, class) = run_of(TerminalId(0), 20_000);
            let completable = Completable::default();
            let m = Machine { tables: &tables, dag: &dag, completable: &completable };
            let mut effects = Effects::default();
            assert_eq!(effects.start_class(m, class, Tables::START), Ok(ReadId::ACCEPT));
            let mut dwa = ParserDwa::default();
            let query = dwa.query(&dag, [class]);
            let reading = dwa.start(m, query, Tables::START).expect("a small cache");
            assert!(reading.is_done() && reading.accepted != AcceptId::NOTHING);
        });
    }
}

#[test]
fn a_long_unit_chain_needs_no_deep_stack() {
    on_a_small_stack(|| {
        let mut text = String::from("S = A0 x\n");
        (0..3_000).for_each(|i| text += &format!("A{i} = A{}\n", i + 1));
        let tables = Tables::build(&grammars::grammar(&(text + "A3000 = y")), &Limits::default()).expect("valid rules");
        let x = (0..2).map(TerminalId).find(|&t| tables.shift(Tables::START, t).is_none()).expect("x is no start");
        let y = TerminalId(1 - x.0);
        let (dag, class) = run_of(x, 1);
        let completable = Completable::default();
        let m = Machine { tables: &tables, dag: &dag, completable: &completable };
        let mut effects = Effects::default();
        let top = tables.shift(Tables::START, y).expect("y is the start");
        let start = effects.start_class(m, class, top).expect("a small cache");
        assert_eq!(effects.read(m, start, Tables::START), Ok(ReadId::ACCEPT));
    });
}

#[test]
fn many_keys_are_reduced_for_at_once() {
    // After a member every key may follow, once the reductions before it are done: a few atoms, not one per key.
    let keys = 400;
    let rules = grammars::chain(keys);
    let tables = Tables::build(&rules, &Limits::default()).expect("valid rules");
    let mut dag = ClassDag::new();
    let classes: Vec<ClassId> = (0..rules.terminals).map(|t| dag.open(TerminalId::from_usize(t), Need::Free)).collect();
    let completable = Completable::default();
    let m = Machine { tables: &tables, dag: &dag, completable: &completable };
    let mut dwa = ParserDwa::default();
    let query = dwa.query(&dag, classes.iter().copied());
    assert_eq!(dwa.get_query(query).groups.len(), 1);
    let stack = stack(&tables, &[0, 0]);
    readings(&mut dwa, m, query, &stack);
    let (atoms, states) = dwa.sizes();
    assert!(atoms < 20 && states < 20, "{atoms} atoms, {states} states");
}
