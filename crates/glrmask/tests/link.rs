//! Linked constraints against the plain compiler: the same masks along random walks, with tokens that cross boundaries.

#![allow(clippy::unwrap_used)]

use glrmask::runtime::Budget;
use glrmask::{
    BoundaryTriggerDetail, CompileOptions, Constraint, Grammar, Limits, Optimization, PrepareOptions, PreparedGrammar,
    TokenId, Vocab,
};
use proptest::prelude::*;

/// Tokens of up to three bytes out of a small alphabet: most cross terminals, many cross boundaries.
fn vocab() -> Vocab {
    vocab_of(b"abc<> ")
}

fn vocab_of(bytes: &[u8]) -> Vocab {
    let mut tokens: Vec<Vec<u8>> = vec![Vec::new()];
    for len in 0..3 {
        let longer: Vec<Vec<u8>> = tokens
            .iter()
            .filter(|t| t.len() == len)
            .flat_map(|t| bytes.iter().map(|&b| [&t[..], &[b]].concat()))
            .collect();
        tokens.extend(longer);
    }
    Vocab::new(tokens.into_iter().enumerate().map(|(id, text)| (TokenId(id as u32), text))).unwrap()
}

fn mask(state: &glrmask::ConstraintState, words: usize) -> Vec<u32> {
    let mut mask = vec![0; words];
    state.fill_mask(&mut mask).unwrap();
    mask
}

/// Walks at random through both and compares everything.
fn same(one: &Constraint, other: &Constraint, mut seed: u64) -> Result<(), TestCaseError> {
    for _ in 0..6 {
        let (mut a, mut b) = (one.start(), other.start());
        for _ in 0..8 {
            let words = one.mask_words();
            let (ma, mb) = (mask(&a, words), mask(&b, words));
            prop_assert_eq!(&ma, &mb, "masks differ");
            prop_assert_eq!(a.is_accepting(), b.is_accepting());
            let allowed: Vec<TokenId> = glrmask::vocab::mask::iter(&ma).collect();
            let Some(last) = allowed.len().checked_sub(1) else { break };
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let token = allowed[(seed >> 33) as usize % (last + 1)];
            a.commit_token(token).unwrap();
            b.commit_token(token).unwrap();
        }
    }
    Ok(())
}

/// An expression over names that are defined, and slots.
fn expression(atoms: Vec<&'static str>) -> BoxedStrategy<String> {
    let leaf = prop::sample::select(atoms).prop_map(str::to_owned);
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| format!("({})", parts.join(" "))),
            prop::collection::vec(inner.clone(), 2..4).prop_map(|parts| format!("({})", parts.join(" | "))),
            (inner, prop::sample::select(vec!["?", "*", "+"])).prop_map(|(e, op)| format!("({e}){op}")),
        ]
    })
    .boxed()
}

const ATOMS: [&str; 8] = ["\"a\"", "\"b\"", "\"ab\"", "\"<\"", "\">\"", "/[ab]+/", "/c[ab]?/", "r"];

/// A grammar with up to two slots.
fn grammar(slots: &'static [&'static str]) -> impl Strategy<Value = String> {
    with_keywords(slots, false)
}

fn with_keywords(slots: &'static [&'static str], keywords: bool) -> impl Strategy<Value = String> {
    let atoms: Vec<&'static str> =
        ATOMS.iter().copied().chain(slots.iter().copied()).chain(slots.iter().copied()).collect();
    (expression(atoms.clone()), expression(atoms), any::<bool>()).prop_map(move |(s, r, ignore)| {
        let externs: String = slots.iter().map(|name| format!("extern grammar {name}; ")).collect();
        let ignore = if ignore { "ignore \" \";" } else { "" };
        // The keyword rule depends on how coarse tables are, and is decided by parts also for the plain compiler. Without
        // it that is told nothing.
        let keywords = if keywords { "" } else { "keywords off;" };
        format!("start s; {keywords} {externs} {ignore} nt s = {s}; nt r = \"c\" | ({r}) \"b\";")
    })
}

fn compiled(grammar: &Grammar, vocab: &Vocab, by_parts: bool) -> Option<Constraint> {
    let mut options = CompileOptions { optimization: Optimization::FastBuild, ..CompileOptions::default() };
    options.config.by_parts = by_parts;
    options.config.padding = by_parts;
    grammar.compile(vocab, &options).ok()
}

fn linked(grammars: [&Grammar; 3], vocab: &Vocab) -> Option<Constraint> {
    let [root, middle, leaf] = grammars.map(|g| g.prepare(vocab, &PrepareOptions::default()).unwrap());
    let mut root = root;
    root.bind("x", &middle).unwrap();
    root.bind("y", &leaf).unwrap();
    root.bind("x::z", &leaf).unwrap();
    let options = CompileOptions { optimization: Optimization::FastRuntime, ..CompileOptions::default() };
    root.link(&options).ok()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn linked_masks_are_those_of_the_whole(
        (root, middle, leaf) in any::<bool>().prop_flat_map(|keywords| (
            with_keywords(&["x", "y"], keywords),
            with_keywords(&["z"], keywords),
            with_keywords(&[], keywords),
        )),
        seed: u64,
    ) {
        let vocab = vocab();
        let read = |text: &str| Grammar::from_glrm(text).unwrap();
        let (root, middle, leaf) = (read(&root), read(&middle), read(&leaf));
        let mut bound = root.clone();
        bound.bind("x", &middle).unwrap();
        bound.bind("y", &leaf).unwrap();
        bound.bind("x::z", &leaf).unwrap();
        let whole = compiled(&bound, &vocab, false);
        let by_parts = compiled(&bound, &vocab, true);
        let linked = linked([&root, &middle, &leaf], &vocab);
        prop_assert_eq!(whole.is_some(), by_parts.is_some());
        prop_assert_eq!(whole.is_some(), linked.is_some());
        if let (Some(whole), Some(by_parts), Some(linked)) = (whole, by_parts, linked) {
            same(&whole, &by_parts, seed)?;
            same(&whole, &linked, seed ^ 1)?;
            prop_assert_eq!(by_parts.lexer(), linked.lexer());
            prop_assert_eq!(by_parts.tables(), linked.tables());
        }
    }
}

/// How a grammar is prepared and linked; the masks do not depend on it.
#[derive(Clone, Debug)]
struct Ways {
    prepare: Optimization,
    link: Optimization,
    threads: usize,
    saved: bool,
}

fn ways() -> impl Strategy<Value = Ways> {
    let mode = || {
        let modes = [Optimization::Auto, Optimization::Balanced, Optimization::FastBuild, Optimization::FastRuntime];
        prop::sample::select(modes.to_vec())
    };
    (mode(), mode(), 1..3usize, any::<bool>()).prop_map(|(prepare, link, threads, saved)| Ways {
        prepare,
        link,
        threads,
        saved,
    })
}

impl Ways {
    fn link(&self, root: &Grammar, slots: &[(&str, &Grammar)], vocab: &Vocab) -> Result<Constraint, glrmask::Error> {
        let options = PrepareOptions { optimization: self.prepare, ..PrepareOptions::default() };
        let mut whole = root.prepare(vocab, &options)?;
        for (slot, child) in slots {
            whole.bind(slot, child.prepare(vocab, &options)?)?;
        }
        if self.saved {
            whole = PreparedGrammar::load(&whole.save()?, Some(vocab))?;
        }
        let linking =
            CompileOptions { optimization: self.link, threads: Some(self.threads), ..CompileOptions::default() };
        // The second time everything that can be taken over is there.
        whole.link(&linking)?;
        let constraint = whole.link(&linking)?;
        match self.saved {
            true => Ok(Constraint::load(&constraint.save(true)?, Some(vocab))?),
            false => Ok(constraint),
        }
    }
}

/// A grammar of which no lexeme at the end leaves a condition, so that what it has filled alone can be taken over.
fn closed() -> impl Strategy<Value = String> {
    let atoms = || ATOMS.to_vec();
    (expression(atoms()), expression(atoms()), any::<bool>(), any::<bool>()).prop_map(|(s, r, ignore, first)| {
        let ignore = if ignore { "ignore \" \";" } else { "" };
        let begin = if first { "\"<\"" } else { "" };
        format!("start s; keywords off; {ignore} nt s = {begin} ({s}) \">\"; nt r = \"c\" | ({r}) \"b\";")
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn what_parts_have_filled_alone_is_true_in_the_whole(
        (root, middle) in (grammar(&["x", "y"]), grammar(&["z"])),
        (leaf, other) in (closed(), closed()),
        ways in ways(),
        nested: bool,
        seed: u64,
    ) {
        let vocab = vocab();
        let read = |text: &str| Grammar::from_glrm(text).unwrap();
        let (root, leaf, other) = (read(&root), read(&leaf), read(&other));
        let (mut middle_bound, mut bound) = (read(&middle), root.clone());
        middle_bound.bind("z", &leaf).unwrap();
        let x = if nested { &middle_bound } else { &other };
        bound.bind("x", x).unwrap();
        bound.bind("y", &leaf).unwrap();
        let whole = compiled(&bound, &vocab, false);
        let linked = ways.link(&root, &[("x", x), ("y", &leaf)], &vocab).ok();
        prop_assert_eq!(whole.is_some(), linked.is_some());
        if let (Some(whole), Some(linked)) = (whole, linked) {
            same(&whole, &linked, seed)?;
            same(&whole, &linked, seed ^ 7)?;
        }
        // Alone, too.
        if let Some(whole) = compiled(&leaf, &vocab, false) {
            same(&whole, &ways.link(&leaf, &[], &vocab).unwrap(), seed)?;
        }
    }
}

/// The tokens `>a` and `>>` leave the child; `b>` ends it.
#[test]
fn places_that_no_token_leaves_are_taken_over() {
    let vocab = vocab();
    let child = Grammar::from_glrm("start s; nt s = \"<\" (\"abc\" | \"bca\" | /[ab]+c/ \"cab\") \">\";").unwrap();
    let taken = |end: &str| {
        let root = Grammar::from_glrm(&format!("start s; extern grammar x; nt s = \"a\" x {end};")).unwrap();
        let mut bound = root.clone();
        bound.bind("x", &child).unwrap();
        let whole = compiled(&bound, &vocab, false).unwrap();
        let mut taken = 0;
        for prepare in [Optimization::FastBuild, Optimization::Auto, Optimization::FastRuntime] {
            for link in [Optimization::FastBuild, Optimization::Auto, Optimization::FastRuntime] {
                let ways = Ways { prepare, link, threads: 1, saved: false };
                let linked = ways.link(&root, &[("x", &child)], &vocab).unwrap();
                // Linking in the last mode fills what was not filled when preparing, and keeps it.
                let filled = prepare != Optimization::FastBuild || link == Optimization::FastRuntime;
                match filled && link != Optimization::FastBuild {
                    true => taken = linked.adopted_places(),
                    false => assert_eq!(linked.adopted_places(), 0, "{end} {ways:?}"),
                }
                assert_eq!(linked.is_complete(), link != Optimization::FastBuild, "{end} {ways:?}");
                for seed in 0..10 {
                    same(&whole, &linked, seed).unwrap();
                }
            }
        }
        taken
    };
    let [left, never_left, follows_itself, once] = ["\">\"", "\"x\"", "(x | \">\")", "(\"c\" x)?"].map(taken);
    assert!(0 < left && left < never_left && 0 < once);
    assert_eq!(follows_itself, 0);
}

/// What a limit has cut off when preparing is filled when it is linked without one.
#[test]
fn limits_of_preparing_are_none_of_linking() {
    let vocab = vocab();
    let child = Grammar::from_glrm("start s; nt s = \"<\" (\"abc\" | \"bca\" | /[ab]+c/ \"cab\") \">\";").unwrap();
    let root = Grammar::from_glrm("start s; extern grammar x; nt s = \"a\" x \"x\";").unwrap();
    let mut bound = root.clone();
    bound.bind("x", &child).unwrap();
    let whole = compiled(&bound, &vocab, false).unwrap();
    let optimization = Optimization::FastRuntime;
    let limits = Limits { states: Some(2), ..Limits::default() };
    let preparing = PrepareOptions { optimization, limits, ..PrepareOptions::default() };
    let mut parts = root.prepare(&vocab, &preparing).unwrap();
    parts.bind("x", child.prepare(&vocab, &preparing).unwrap()).unwrap();
    let linked = parts.link(&CompileOptions { optimization, ..CompileOptions::default() }).unwrap();
    assert!(linked.is_complete());
    assert!(linked.adopted_places() > 0);
    same(&whole, &linked, 3).unwrap();
}

/// Several parts, of which each takes numbers behind those of the one before.
#[test]
fn many_parts_are_taken_over() {
    let vocab = vocab();
    let children = ["abc", "bca", "cab", "acb"]
        .map(|word| Grammar::from_glrm(&format!("start s; nt s = \"<\" (\"{word}\" | /[ab]+c/ s) \">\";")).unwrap());
    let names = ["w", "x", "y", "z"];
    let externs: String = names.iter().map(|name| format!("extern grammar {name}; ")).collect();
    let root = Grammar::from_glrm(&format!("start s; {externs} nt s = (\"a\" w | \"b\" x | \"c\" (y | z)) \" \" s?;"));
    let root = root.unwrap();
    let mut bound = root.clone();
    names.iter().zip(&children).for_each(|(name, child)| bound.bind(name, child).unwrap());
    let whole = compiled(&bound, &vocab, false).unwrap();
    let slots: Vec<(&str, &Grammar)> = names.into_iter().zip(&children).collect();
    for (prepare, saved) in [(Optimization::Auto, false), (Optimization::FastRuntime, true)] {
        let ways = Ways { prepare, link: Optimization::FastRuntime, threads: 1, saved };
        let linked = ways.link(&root, &slots, &vocab).unwrap();
        assert!(saved || linked.adopted_places() > 0);
        assert!(linked.is_complete());
        let filled = linked.frozen_stats();
        assert_eq!(linked.fill(&Budget::default()).unwrap(), None);
        if !saved {
            assert_eq!(linked.frozen_stats(), filled, "a fill with nothing left to do adds nothing");
        }
        for seed in 0..40 {
            same(&whole, &linked, seed).unwrap();
        }
    }
}

/// Each part has an integer of its own, all with one automaton. When conditions named each of them, a thousand parts made
/// a thousand sets of conditions, under each of which was asked what each part can begin with.
#[test]
fn conditions_of_parts_that_are_alike_are_the_same() {
    let vocab = vocab_of(b"<>0a");
    let slots = 60;
    let declared: String = (0..slots).map(|i| format!("extern grammar s{i}; ")).collect();
    let alternatives: Vec<String> = (0..slots).map(|i| format!("\"{}\" s{i} \"<\"", "a".repeat(i + 1))).collect();
    let text = format!("start s; {declared} nt s = {};", alternatives.join(" | "));
    let mut root = Grammar::from_glrm(&text).unwrap();
    for i in 0..slots {
        let part = format!("start s; nt s = INT \"a\"? \">{}\"; t INT = /0+/;", ">".repeat(i));
        root.bind(&format!("s{i}"), Grammar::from_glrm(&part).unwrap()).unwrap();
    }
    let [one, other] = [true, false].map(|by_parts| compiled(&root, &vocab, by_parts).unwrap());
    assert_eq!(one.lexer().kill_automata().len(), 1);
    same(&one, &other, 1).unwrap();
}

/// In a part, ignored text is spelt out. A name and then a keyword cannot stand side by side, so that names were not free and
/// every stack had to be asked: more transitions than the limit allows for SQL, and seconds before that.
#[test]
fn programming_languages_can_be_parts() {
    let vocab = vocab_of(b"`aS \n;");
    let whole = Grammar::from_glrm("start s; extern grammar code; nt s = \"```\" code \"```\";").unwrap();
    for (name, text) in [("sql", "```SELECT a FROM b;```"), ("javascript", "```let a = b;```"), ("c", "```int a;```")] {
        let mut whole = whole.clone();
        whole.bind("code", Grammar::builtin(name).unwrap()).unwrap();
        let options = CompileOptions { optimization: Optimization::FastBuild, ..CompileOptions::default() };
        let mut state = whole.compile(&vocab, &options).unwrap().start();
        state.commit_bytes(text.as_bytes()).unwrap();
        assert!(state.is_accepting(), "{name}");
    }
}

/// Nothing of a child is taken over whose last lexeme may still become longer, where what follows could do that.
#[test]
fn conditions_that_outlive_a_part_keep_it_from_being_taken_over() {
    let vocab = vocab();
    let child = Grammar::from_glrm("start s; nt s = \"<\" /[ab]+/;").unwrap();
    let root = Grammar::from_glrm("start s; extern grammar x; nt s = x (\"a\" | \"c\");").unwrap();
    let mut bound = root.clone();
    bound.bind("x", &child).unwrap();
    let whole = compiled(&bound, &vocab, false).unwrap();
    let ways = Ways { prepare: Optimization::Auto, link: Optimization::FastRuntime, threads: 1, saved: false };
    let linked = ways.link(&root, &[("x", &child)], &vocab).unwrap();
    assert_eq!(linked.adopted_places(), 0);
    for seed in 0..20 {
        same(&whole, &linked, seed).unwrap();
    }
}

/// Behind `abc`, what ends `ab` is where it was at the start: one more `ab`, of which the parent has the `b`, is a longer match.
#[test]
fn conditions_that_are_back_at_their_start_outlive_a_part_as_well() {
    let vocab = vocab();
    let child = "start s; t A = \"ab\"; t K = /ab(cab)*/; lexer group g = A | K; nt s = A \"c\" (\"a\" | \"<\");";
    let child = Grammar::from_glrm(child).unwrap();
    let root = Grammar::from_glrm("start s; extern grammar x; nt s = x \"b\";").unwrap();
    let mut bound = root.clone();
    bound.bind("x", &child).unwrap();
    let whole = compiled(&bound, &vocab, false).unwrap();
    let ways = Ways { prepare: Optimization::Auto, link: Optimization::FastRuntime, threads: 1, saved: false };
    let linked = ways.link(&root, &[("x", &child)], &vocab).unwrap();
    for seed in 0..20 {
        same(&whole, &linked, seed).unwrap();
    }
}

#[test]
fn a_component_that_follows_itself_competes_with_itself() {
    // After one text of the component the next may begin: only then can a state accept both "ab" and the name.
    let child = Grammar::from_glrm("start s; nt s = \"ab\" \"<\" | \"<\" N; t N = [a-c]+;").unwrap();
    let twice = Grammar::from_glrm("start s; extern grammar x; nt s = x+;").unwrap();
    let vocab = vocab();
    let mut bound = twice.clone();
    bound.bind("x", &child).unwrap();
    let mut linked = twice.prepare(&vocab, &PrepareOptions::default()).unwrap();
    linked.bind("x", child.prepare(&vocab, &PrepareOptions::default()).unwrap()).unwrap();
    let linked = linked.link(&CompileOptions::default()).unwrap();
    let whole = compiled(&bound, &vocab, false).unwrap();
    let by_parts = compiled(&bound, &vocab, true).unwrap();
    assert_eq!(linked.lexer(), by_parts.lexer());
    for text in ["<aab<", "<ab<ab", "ab<ab<", "<c<cab"] {
        let accepts = |c: &Constraint| c.start().commit_bytes(text.as_bytes()).is_ok();
        assert_eq!(accepts(&whole), accepts(&linked), "{text}");
    }
}

/// In `a` and `b` the child stands for the whole, so that the plain compiler has states of their own after it, in which
/// `if` alone may follow, or a name alone. The child's own tables have one state, in which both may.
#[test]
fn which_terminals_compete_is_decided_by_parts() {
    let vocab = vocab_of(b"([12ifxc");
    let text =
        "start s; extern grammar x; nt s = \"(\" a \"if\" \"x\" | \"[\" b ID; nt a = x | \"1\"; nt b = x | \"2\";
        t ID = [a-z]+;";
    // With a marker it is the plain compiler that does it.
    let marked = text.replace("\"(\"", "\"(\" @mark(1)");
    let child = Grammar::from_glrm("start s; nt s = \"c\";").unwrap();
    let bound = |text: &str| {
        let mut grammar = Grammar::from_glrm(text).unwrap();
        grammar.bind("x", &child).unwrap();
        grammar
    };
    let grammar = bound(text);
    let linked = grammar.prepare(&vocab, &PrepareOptions::default()).unwrap().link(&CompileOptions::default()).unwrap();
    let whole = compiled(&grammar, &vocab, false).unwrap();
    let by_parts = compiled(&grammar, &vocab, true).unwrap();
    let marked = compiled(&bound(&marked), &vocab, true).unwrap();
    assert_eq!(marked.marker_ids(), [1]);
    for other in [&whole, &by_parts, &marked] {
        for seed in 0..20 {
            same(&linked, other, seed).unwrap();
        }
    }
    // `ifx` is one name.
    assert!(linked.start().commit_bytes(b"(cifx").is_err());
    assert!(linked.start().commit_bytes(b"[cifx").is_ok());
}

/// A prepared grammar with everything that artifacts hold.
fn saved(vocab: &Vocab) -> Vec<u8> {
    let read = |text: &str| Grammar::from_glrm(text).unwrap().prepare(vocab, &PrepareOptions::default()).unwrap();
    let mut root = read("start s; extern grammar x; extern token t; nt s = \"<\" x \">\" (t | s)?;");
    let mut middle = read("start s; ignore \" \"; extern grammar z; nt s = z \"a\" | N; t N = [ab]+;");
    middle.bind("z", read("start s; nt s = \"c\"* | \"ab\";")).unwrap();
    root.bind("x", &middle).unwrap();
    root.bind("t", vocab.tokens([TokenId(0), TokenId(3)]).unwrap()).unwrap();
    root.link(&CompileOptions::default()).unwrap();
    root.save().unwrap()
}

/// Bytes that say what they should about their content.
fn resealed(mut data: Vec<u8>) -> Vec<u8> {
    let sum = xxhash_rust::xxh3::xxh3_128(&data[52..]).to_le_bytes();
    data[36..52].copy_from_slice(&sum);
    data
}

#[test]
fn what_was_saved_is_linked_alike() {
    let vocab = vocab();
    let data = saved(&vocab);
    let [own, given] = [None, Some(&vocab)].map(|vocab| PreparedGrammar::load(&data, vocab).unwrap());
    let constraint = own.link(&CompileOptions::default()).unwrap();
    assert_eq!(constraint.tables(), given.link(&CompileOptions::default()).unwrap().tables());
    let mut state = constraint.start();
    state.commit_bytes(b"< cab >").unwrap_err();
    state.reset();
    state.commit_bytes(b"< ca >").unwrap();
    assert!(state.is_accepting());
    assert_eq!(PreparedGrammar::load(&data, Some(&vocab)).unwrap().save().unwrap(), data);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn forged_artifacts_are_errors_or_grammars(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4)) {
        let vocab = vocab();
        let mut data = saved(&vocab);
        // Not in the vocabulary, which has tests of its own: it comes first, and takes some thousand bytes.
        let from = 52 + 5_000;
        for (place, value) in changes {
            let at = from + place.index(data.len() - from);
            data[at] = value;
        }
        if let Ok(loaded) = PreparedGrammar::load(&resealed(data), Some(&vocab)) {
            let options = CompileOptions {
                boundary_trigger: Some(BoundaryTriggerDetail::Exact),
                optimization: Optimization::FastBuild,
                ..CompileOptions::default()
            };
            if let Ok(constraint) = loaded.link(&options) {
                let mut words = vec![0; constraint.mask_words()];
                let state = constraint.start();
                let _ = (state.fill_mask(&mut words), state.boundary_triggers());
            }
        }
    }

    #[test]
    fn boundary_sets_hold_every_token_that_enters(root in grammar(&["y"]), child in capitals(), seed: u64) {
        let vocab = vocab_of(b"ab<AB ");
        let mut bound = Grammar::from_glrm(&root).unwrap();
        bound.bind("y", Grammar::from_glrm(&format!("start s; keywords off; nt s = {child};")).unwrap()).unwrap();
        let options = CompileOptions { boundary_trigger: Some(BoundaryTriggerDetail::Exact), ..CompileOptions::default() };
        let Ok(constraint) = bound.compile(&vocab, &options) else { return Ok(()) };
        let all = &constraint.boundary_triggers()[0].tokens;
        for id in all.ids() {
            prop_assert!(vocab.bytes(id).unwrap().iter().any(u8::is_ascii_uppercase), "{:?} has nothing of the child", id);
        }
        let (mut state, mut seed, mut inside) = (constraint.start(), seed, false);
        for _ in 0..6 {
            let here = &state.boundary_triggers().unwrap()[0];
            let allowed: Vec<TokenId> = glrmask::vocab::mask::iter(&mask(&state, constraint.mask_words())).collect();
            for id in here.ids() {
                prop_assert!(allowed.contains(&id) && all.contains(id));
            }
            let Some(last) = allowed.len().checked_sub(1) else { break };
            for &token in &allowed {
                // A capital after anything else can only be the first byte of the child.
                let mut before = inside;
                let enters = vocab.bytes(token).unwrap().iter().any(|byte| {
                    let capital = byte.is_ascii_uppercase();
                    !std::mem::replace(&mut before, capital) && capital
                });
                prop_assert!(!enters || here.contains(token), "{:?} enters", vocab.bytes(token));
            }
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let token = allowed[(seed >> 33) as usize % (last + 1)];
            state.commit_token(token).unwrap();
            inside = vocab.bytes(token).unwrap().last().map_or(inside, u8::is_ascii_uppercase);
        }
    }
}

/// A child of which no byte occurs elsewhere.
fn capitals() -> BoxedStrategy<String> {
    expression(vec!["\"A\"", "\"B\"", "\"AB\"", "/[AB]+/", "/A*B/"])
}
