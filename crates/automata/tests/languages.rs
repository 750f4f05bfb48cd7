//! Every road to a DFA, on languages whose automata are known.

use glrmask_automata::{AutomataError, ByteSet, Dfa, FingerprintKey, Limits, ParseConfig, Regex, StateId};

const KEY: FingerprintKey = FingerprintKey::new(7);

fn compile(pattern: &str) -> Dfa {
    let dfa = Regex::parse(pattern, &ParseConfig::default()).and_then(|r| r.compile(&Limits::default()));
    let dfa = dfa.unwrap_or_else(|error| panic!("{pattern}: {error}"));
    dfa.check_invariants().unwrap_or_else(|error| panic!("{pattern}: {error}\n{dfa}"));
    dfa
}

#[test]
fn equal_languages_give_equal_automata() {
    for (a, b) in [
        ("(ab)*", "(|ab(ab)*)"),
        ("a*", "(a?)*"),
        ("(a*)*", "a*|aaaa"),
        ("((a+)+)+", "a+"),
        ("(a|b)*", "(a*b*)*"),
        ("(a?){3,5}", "a{0,5}"),
        ("(a*|b){2,}", "[ab]*"),
        ("[a-c]|d", "[a-d]"),
        ("(ab|cd){2,4}", "(ab|cd)(ab|cd)((ab|cd)(ab|cd)?)?"),
        ("(?i)k", "k|K|\u{212A}"),
        ("(?s).", r"[\x{0}-\x{10FFFF}]"),
        ("a{0}", ""),
        ("^(a|b)$", "[ab]"),
        ("(^a|b)c$", "[ab]c"),
        ("abc|abd|xbd|abc|abe|xbe|abf|xbf|ebf", "ab[c-f]|xb[d-f]|ebf"),
        ("a+?b??c*?", "a+b?c*"),
    ] {
        let (x, y) = (compile(a), compile(b));
        assert_eq!(x, y, "{a} and {b}");
        assert_eq!(x.fingerprint(KEY), y.fingerprint(KEY));
    }
    assert_ne!(compile("a").fingerprint(KEY), compile("b").fingerprint(KEY));
    assert_ne!(compile("a").fingerprint(KEY), compile("a").fingerprint(FingerprintKey::new(8)));
}

#[test]
fn json_string_has_the_textbook_size() {
    let string = compile(r#""([^"\\\x00-\x1F]|\\(["\\/bfnrt]|u[0-9a-fA-F]{4}))*""#);
    // start, body, end, after a backslash, 4 of \u, and 7 inside UTF-8 characters (one, two, three more; E0, ED, F0, F4).
    assert_eq!(string.len(), 15);
    assert!(string.accepts("\"é€𝄞\\u00e9\\n\"".as_bytes()));
    assert!(!string.accepts(b"\"\xC0\x80\"") && !string.accepts(b"\"\n\""));
}

#[test]
fn large_repetitions_compile() {
    let dfa = compile("\"[^\"]{0,9000}\"");
    assert_eq!(dfa.len(), 9000 * 8 + 2 + 1);
    assert!(dfa.is_finite());
    assert!(compile(r"\p{L}{1,40}").accepts("Straße".as_bytes()));
}

#[test]
fn limits_are_errors() {
    let limits = Limits { states: 50, nfa_states: 1000 };
    let error = |pattern: &str| -> AutomataError {
        Regex::parse(pattern, &ParseConfig::default()).and_then(|r| r.compile(&limits)).expect_err("limit")
    };
    for pattern in ["a{4000000000}", "(a|b)*a(a|b){12}", "((((ab){99}){99}){99}){99}", "(abc){40}"] {
        assert!(error(pattern).is_limit(), "{pattern}");
    }
}

#[test]
fn deep_expressions_neither_overflow_nor_compile() {
    let mut deep = Regex::literal("a");
    for i in 0..100_000 {
        deep = match i % 4 {
            0 => Regex::concat([deep.clone(), Regex::literal("b")]),
            1 => Regex::alternate([Regex::literal("c"), deep.clone()]),
            2 => deep.intersect(&Regex::any_byte().star()),
            _ => deep.plus(),
        };
    }
    let copy = deep.clone();
    assert!(deep == copy && format!("{deep:?}").len() < 200);
    let error = deep.compile(&Limits::default()).expect_err("too deep");
    assert!(error.is_limit() && error.to_string().contains("500"));
    let mut nested = Regex::literal("a");
    while nested.depth() < Regex::MAX_DEPTH {
        nested =
            if nested.depth().is_multiple_of(2) { nested.plus() } else { nested.intersect(&Regex::any_byte().star()) };
    }
    let small_stack = std::thread::Builder::new().stack_size(2 << 20);
    let thread = small_stack.spawn(move || nested.compile(&Limits::default()).map(|dfa| dfa.len()));
    assert_eq!(thread.expect("spawn").join().expect("no overflow"), Ok(2));
}

#[test]
fn shared_expressions_stay_shared() {
    let mut doubled = Regex::literal("ab");
    for _ in 0..60 {
        doubled = Regex::concat([doubled.clone(), doubled]);
    }
    assert_eq!((doubled.as_literal(), doubled.matches_empty()), (None, false));
    assert!(doubled.compile(&Limits::default()).expect_err("2^61 bytes").is_limit());
    let long = Regex::literal("abc".repeat(5000));
    let longer = Regex::concat([long.clone(), long, Regex::literal("d")]);
    assert_eq!(longer.as_literal().map(|word| word.len()), Some(30_001));
    let mut appended = Regex::epsilon();
    (0..5000).for_each(|_| appended = Regex::concat([appended.clone(), Regex::literal("x")]));
    assert_eq!(appended.compile(&Limits::default()).map(|dfa| dfa.len()), Ok(5001));
}

#[test]
fn deep_loops_fit_a_small_stack() {
    let mut nested = Regex::literal("a");
    while nested.depth() + 3 <= Regex::MAX_DEPTH {
        nested = Regex::alternate([Regex::concat([nested, Regex::literal("b")]), Regex::literal("c")]).plus();
    }
    let small_stack = std::thread::Builder::new().stack_size(2 << 20);
    let thread = small_stack.spawn(move || {
        let printed = nested.to_string().len();
        nested.compile(&Limits::default()).map(|dfa| (dfa.accepts(b"c"), printed > 500))
    });
    assert_eq!(thread.expect("spawn").join().expect("no overflow"), Ok((true, true)));
}

#[test]
fn labelled_unions_keep_every_label() {
    let parts = [compile("if"), compile("[a-z]+"), compile("[0-9]+"), Dfa::from_literals(&[])];
    let all = Dfa::union(&[(&parts[0], 5), (&parts[1], 3), (&parts[2], 9), (&parts[3], 1)], &Limits::default());
    let all = all.expect("small");
    all.check_invariants().expect("sound");
    let q = all.run(all.start(), b"if");
    assert_eq!((all.labels(q), all.live(q), all.future(q)), (&[3, 5][..], &[3, 5][..], &[3][..]));
    assert_eq!(all.live(all.start()), &[3, 5, 9]);
    assert_eq!(all.next(Dfa::DEAD, b'a'), Dfa::DEAD);
    assert_eq!(all.next(StateId(1000), b'a'), Dfa::DEAD);
    assert_eq!(all.map_labels(|l| (l == 9).then_some(0)), parts[2]);
    assert_eq!(all.residual(all.run(all.start(), b"4")).plain(), compile("[0-9]*"));
}

#[test]
fn assertions_are_redundant_at_the_ends_only() {
    for pattern in [r"a\b", "a^b", "a$b", "(a^)*", r"\Ba", "(?m)a$\nb", r"(a|^)b^"] {
        let error = Regex::parse(pattern, &ParseConfig::default()).expect_err(pattern);
        assert!(error.is_unsupported() && error.span().is_some(), "{error}");
    }
    for pattern in [r"^\Aa\z$", "(?m)^a$", "(?:^|b)a(?:$|c)", "(^)?a", "(?i)^a", ""] {
        Regex::parse(pattern, &ParseConfig::default()).expect(pattern);
    }
    for (pattern, span) in [(r"(a)\1", 3..5), ("a(?=b)", 1..4), ("a(b", 1..2), ("ab**{", 4..5)] {
        let error = Regex::parse(pattern, &ParseConfig::default()).expect_err(pattern);
        assert_eq!(error.span(), Some(span), "{error}");
    }
    let nested = "(".repeat(5000) + &")".repeat(5000);
    assert!(Regex::parse(&nested, &ParseConfig::default()).is_err());
}

#[test]
fn byte_sets_are_printed_as_classes() {
    let random = |seed: u64| {
        (0..=255u8).filter(move |&b| (seed ^ u64::from(b)).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 61 < seed % 8)
    };
    let sets = (0..=255).map(ByteSet::single).chain((1..100).map(|seed| random(seed).collect())).chain([ByteSet::FULL]);
    for set in sets.filter(|set| !set.is_empty()) {
        let regex = Regex::bytes(set);
        let text = format!("(?-u:{regex})");
        assert_eq!(Regex::parse(&text, &ParseConfig::default()), Ok(regex), "{text}");
        assert_eq!(format!("{set}"), text[5..text.len() - 1]);
    }
    assert_eq!(ByteSet::range(b'a', b'f').union(&ByteSet::single(b'-')).to_string(), r"[\-a-f]");
    assert_eq!(ByteSet::single(b'\n').complement().to_string(), r"[^\n]");
}

#[test]
fn words_and_shortest_matches() {
    assert_eq!(compile("a|b{1,2}|").words(4), Some(vec![b"".to_vec(), b"a".to_vec(), b"b".to_vec(), b"bb".to_vec()]));
    assert_eq!((compile("a|b|c").words(2), compile("a*").words(9)), (None, None));
    let dfa = compile("x(bcd|ef|eg)+");
    assert_eq!(dfa.shortest_match(dfa.start()), Some(b"xef".to_vec()));
    assert_eq!(dfa.shortest_match(dfa.run(dfa.start(), b"xef")), Some(Vec::new()));
    assert_eq!(dfa.shortest_match(Dfa::DEAD), None);
    let empty = Dfa::from_literals(&[]);
    assert!(empty.is_empty_language() && empty.is_finite() && empty.words(0) == Some(Vec::new()));
    assert_eq!(empty.shortest_match(empty.start()), None);
    assert!(empty.to_dot().starts_with("digraph") && dfa.to_string().contains("s0: x → s1"));
}
