//! The oracle against the definition, on all short strings of random specifications.

use glrmask_tests::generate::{disturb_kills, spec};
use glrmask_tests::oracle::{bytes, Event, Oracle};
use glrmask_tests::rng::Rng;
use glrmask_tests::spec::SpecPattern;
use glrmask_tests::TooLarge;

/// All texts over `letters` of at most `length` events, shorter ones first.
fn texts(letters: &[Event], length: usize) -> Vec<Vec<Event>> {
    let mut all = vec![Vec::new()];
    let mut from = 0;
    for _ in 0..length {
        let last = all.len();
        for i in from..last {
            let text = all[i].clone();
            all.extend(letters.iter().map(|&letter| [text.clone(), vec![letter]].concat()));
        }
        from = last;
    }
    all
}

/// All bytes that terminals read, and two tokens if there are exact-token terminals.
fn letters(oracle: &Oracle) -> Vec<Event> {
    let mut letters = bytes(&oracle.spec().alphabet());
    for terminal in oracle.spec().terminals.iter() {
        if let SpecPattern::Tokens(ids) = &terminal.pattern {
            letters.extend([Event::Token(ids[0]), Event::Token(77)]);
        }
    }
    letters
}

/// Checks one seed; the number of members found.
fn check(seed: u64) -> Result<usize, TooLarge> {
    let mut rng = Rng::new(seed);
    let mut spec = spec(&mut rng);
    if rng.chance(50) {
        disturb_kills(&mut rng, &mut spec);
    }
    let mut oracle = Oracle::new(spec)?;
    let letters = letters(&oracle);
    let mut members = 0;
    for text in texts(&letters, if letters.len() <= 3 { 6 } else { 4 }) {
        let member = oracle.member_by_definition(&text)?;
        let show = |oracle: &Oracle| format!("seed {seed}, text {text:?}\n{}", oracle.spec());
        assert_eq!(member, oracle.member_events(&text)?, "{}", show(&oracle));
        members += usize::from(member);
        let mut viable = true;
        for end in 0..=text.len() {
            let longer = oracle.viable_events(&text[..end])?;
            assert!(viable || !longer, "prefixes are closed: {}", show(&oracle));
            assert!(longer || !member, "a prefix of a member is viable: {}", show(&oracle));
            viable = longer;
        }
    }
    Ok(members)
}

#[test]
fn prefixes_and_members_agree_with_the_definition() {
    let (mut skipped, mut with_members) = (0, 0);
    for seed in 0..600 {
        match check(seed) {
            Ok(members) => with_members += usize::from(members > 0),
            Err(_) => skipped += 1,
        }
    }
    println!("{with_members} of 600 languages have short members, {skipped} skipped as too large");
    assert!(skipped <= 6 && with_members > 300, "{skipped} skipped, {with_members} with members");
}

/// A viable prefix can be completed: walk on through viable bytes and find a member. (The other direction is above.)
#[test]
fn what_is_viable_can_be_completed() {
    let mut completed = 0;
    for seed in 0..300 {
        let mut oracle = Oracle::new(spec(&mut Rng::new(seed))).unwrap();
        let letters = letters(&oracle);
        for text in texts(&letters, 2) {
            if oracle.viable_events(&text) == Ok(true) {
                completed += 1;
                assert!(completes(&mut oracle, &letters, &text), "seed {seed} {text:?}\n{}", oracle.spec());
            }
        }
    }
    assert!(completed > 1000);
}

/// Random walks over viable extensions until one is a member.
fn completes(oracle: &mut Oracle, letters: &[Event], text: &[Event]) -> bool {
    let mut rng = Rng::new(text.len() as u64);
    (0..100).any(|_| {
        let mut walk = text.to_vec();
        (0..25).any(|_| oracle.member_events(&walk) == Ok(true) || !step(&mut rng, oracle, letters, &mut walk))
            && oracle.member_events(&walk) == Ok(true)
    })
}

/// Appends a random viable letter; false if there is none.
fn step(rng: &mut Rng, oracle: &mut Oracle, letters: &[Event], walk: &mut Vec<Event>) -> bool {
    for letter in rng.sample(letters, letters.len()) {
        walk.push(letter);
        if oracle.viable_events(walk) == Ok(true) {
            return true;
        }
        walk.pop();
    }
    false
}
