//! The vocabulary against plain maps.

use std::collections::{BTreeMap, BTreeSet};

use glrmask_automata::ByteSet;
use glrmask_vocab::{mask, Config, Content, NodeId, Rank, RankSet, TokenId, Vocab};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;

type Mapping = BTreeMap<u32, Vec<u8>>;

/// Few distinct bytes, so that prefixes, aliases and empty strings are frequent; some with the high bit, some zero.
fn strings() -> impl Strategy<Value = Vec<u8>> {
    vec(prop::sample::select(b"ab\x00\x80\xe2\xff".to_vec()), 0..12)
}

/// Dense, gappy and very sparse ids.
fn mappings() -> impl Strategy<Value = Mapping> {
    prop_oneof![btree_map(0..60u32, strings(), 0..40), btree_map(0..(1u32 << 24), strings(), 0..40)]
}

fn build(mapping: &Mapping) -> Vocab {
    Vocab::new(mapping.iter().map(|(&id, bytes)| (TokenId(id), bytes))).unwrap_or_else(|error| panic!("{error}"))
}

fn by_bytes(mapping: &Mapping) -> BTreeMap<&[u8], Vec<TokenId>> {
    let mut map = BTreeMap::<&[u8], Vec<TokenId>>::new();
    for (&id, bytes) in mapping.iter().filter(|(_, bytes)| !bytes.is_empty()) {
        map.entry(bytes).or_default().push(TokenId(id));
    }
    map
}

proptest! {
    #[test]
    fn ids_and_bytes_are_those_of_the_mapping(mapping in mappings(), probe in 0..70u32) {
        let vocab = build(&mapping);
        prop_assert_eq!(vocab.len(), mapping.len());
        prop_assert_eq!(vocab.is_empty(), mapping.is_empty());
        prop_assert_eq!(vocab.max_id(), mapping.keys().next_back().map(|&id| TokenId(id)));
        prop_assert_eq!(vocab.max_token_len(), mapping.values().map(Vec::len).max().unwrap_or(0));
        prop_assert!(vocab.iter().eq(mapping.iter().map(|(&id, bytes)| (TokenId(id), &bytes[..]))));
        for id in mapping.keys().copied().chain([probe, u32::MAX]) {
            prop_assert_eq!(vocab.bytes(TokenId(id)), mapping.get(&id).map(|bytes| &bytes[..]));
            prop_assert_eq!(vocab.contains(TokenId(id)), mapping.contains_key(&id));
        }
    }

    #[test]
    fn ranks_number_the_distinct_strings_in_byte_order(mapping in mappings()) {
        let vocab = build(&mapping);
        let expected = by_bytes(&mapping);
        prop_assert_eq!(vocab.rank_count(), expected.len());
        for (rank, (bytes, ids)) in (0..).map(Rank).zip(&expected) {
            prop_assert_eq!(vocab.rank_bytes(rank), *bytes);
            prop_assert_eq!(vocab.ids(rank), &ids[..]);
            prop_assert_eq!(vocab.first_id(rank), ids.first().copied());
            prop_assert!(ids.iter().all(|&id| vocab.rank(id) == Some(rank)));
        }
        let past = Rank(expected.len() as u32);
        prop_assert!(vocab.ids(past).is_empty() && vocab.ids(Rank(u32::MAX)).is_empty());
        let exact: Vec<_> = mapping.iter().filter(|(_, b)| b.is_empty()).map(|(&id, _)| TokenId(id)).collect();
        prop_assert!(exact.iter().all(|&id| vocab.rank(id).is_none()));
        prop_assert_eq!(vocab.exact_only(), &exact[..]);
    }

    #[test]
    fn trie_nodes_are_the_prefixes_in_byte_order(mapping in mappings()) {
        let vocab = build(&mapping);
        let trie = vocab.trie();
        trie.check_invariants().map_err(TestCaseError::fail)?;
        let strings = by_bytes(&mapping);
        let prefixes: BTreeSet<&[u8]> = strings.keys().flat_map(|s| (0..=s.len()).map(|n| &s[..n])).chain([&[][..]]).collect();
        prop_assert_eq!(trie.len(), prefixes.len());
        for (node, prefix) in (0..).map(NodeId).zip(&prefixes) {
            let tokens: Vec<&[u8]> = strings.keys().copied().filter(|s| s.starts_with(prefix)).collect();
            let below: ByteSet = tokens.iter().flat_map(|s| s[prefix.len()..].iter().copied()).collect();
            let (first, end) = trie.subtree_ranks(node);
            prop_assert_eq!(trie.find(prefix), Some(node));
            prop_assert_eq!(trie.depth(node) as usize, prefix.len());
            prop_assert_eq!(trie.byte(node), prefix.last().copied().unwrap_or(0));
            prop_assert_eq!(trie.below(node), &below);
            prop_assert!((first.0..end.0).map(|rank| vocab.rank_bytes(Rank(rank))).eq(tokens));
            prop_assert_eq!(trie.token(node).map(|rank| vocab.rank_bytes(rank)), strings.get_key_value(prefix).map(|(s, _)| *s));
        }
        let distinct: BTreeSet<_> = trie.below_sets().iter().collect();
        prop_assert_eq!(distinct.len(), trie.below_sets().len());
    }

    #[test]
    fn rank_sets_become_the_bits_of_all_their_ids(mapping in mappings(), picks in vec((0..50u32, 0..9u32), 0..6)) {
        let vocab = build(&mapping);
        let ranks: RankSet = picks.iter().flat_map(|&(start, n)| (start..start + n).map(Rank)).collect();
        let expected: BTreeSet<TokenId> = ranks.iter().flat_map(|rank| vocab.ids(rank)).copied().collect();
        let mut words = vec![0; vocab.mask_words()];
        vocab.set_ranks(&ranks, &mut words);
        prop_assert!(mask::iter(&words).eq(expected.iter().copied()));
        prop_assert_eq!(mask::count(&words), expected.len());
        let mut rest = vec![u32::MAX; vocab.mask_words()];
        vocab.clear_ranks(&ranks, &mut rest);
        prop_assert!(words.iter().zip(&rest).all(|(set, left)| set ^ left == u32::MAX));
    }

    #[test]
    fn fingerprint_tells_mappings_apart(mapping in mappings(), other in mappings()) {
        let vocab = build(&mapping);
        let backwards = Vocab::new(mapping.iter().rev().map(|(&id, b)| (TokenId(id), b))).unwrap();
        prop_assert_eq!(vocab.fingerprint(), backwards.fingerprint());
        prop_assert_eq!(vocab.fingerprint() == build(&other).fingerprint(), mapping == other);
        let mut longer = mapping;
        longer.insert(1 << 23, Vec::new());
        prop_assert_eq!(vocab.fingerprint() == build(&longer).fingerprint(), vocab.contains(TokenId(1 << 23)) && vocab.bytes(TokenId(1 << 23)) == Some(b""));
    }

    #[test]
    fn content_survives_storage(mapping in mappings()) {
        let names = BTreeMap::from([("<end>".to_owned(), TokenId(77))]);
        let vocab = build(&mapping).with_special_tokens(names.clone()).with_end_tokens(vec![TokenId(77), TokenId(3)]);
        let loaded: Vocab = serde_json::from_str(&serde_json::to_string(&vocab).unwrap()).unwrap();
        prop_assert!(loaded.iter().eq(vocab.iter()));
        prop_assert_eq!(loaded.fingerprint(), vocab.fingerprint());
        prop_assert_eq!(loaded.special_tokens(), &names);
        prop_assert_eq!(loaded.end_tokens(), [TokenId(77), TokenId(3)]);
    }

    #[test]
    fn no_content_panics(ids in vec(0..9u32, 0..5), ends in vec(0..12u32, 0..5), data in vec(any::<u8>(), 0..10)) {
        let content = Content { ids: ids.iter().copied().map(TokenId).collect(), ends: ends.clone(), data: data.clone(), ..Content::default() };
        let distinct = ids.iter().collect::<BTreeSet<_>>().len() == ids.len();
        let fits = ids.len() == ends.len() && ends.is_sorted() && ends.last().is_none_or(|&end| end as usize <= data.len());
        prop_assert_eq!(content.into_vocab(&Config::default()).is_ok(), distinct && fits);
    }
}

#[test]
fn empty_vocabulary_has_a_root_and_nothing_else() {
    let vocab = Vocab::new::<&[u8]>([]).unwrap();
    assert_eq!((vocab.len(), vocab.rank_count(), vocab.mask_words(), vocab.max_id()), (0, 0, 0, None));
    assert_eq!((vocab.trie().len(), vocab.trie().find(b""), vocab.trie().find(b"a")), (1, Some(NodeId::ROOT), None));
    assert_eq!(vocab.trie().token(NodeId::ROOT), None);
    vocab.trie().check_invariants().unwrap();
}

#[test]
fn strings_that_share_eight_bytes_are_ordered_by_the_rest() {
    let strings: [&[u8]; 5] = [b"12345678", b"12345678\0", b"1234567\0", b"1234567", b"12345678b"];
    let vocab = Vocab::new((0..).map(TokenId).zip(strings)).unwrap();
    let order: Vec<_> = (0..5).map(|rank| vocab.ids(Rank(rank))[0].0).collect();
    assert_eq!(order, [3, 2, 0, 1, 4]);
}

#[test]
fn deep_trie_costs_no_stack() {
    let long = vec![b'x'; 3_000_000];
    let vocab = Vocab::new([(TokenId(0), &long[..]), (TokenId(1), &long[..1_000_000])]).unwrap();
    assert_eq!(vocab.trie().len(), long.len() + 1);
    assert_eq!(vocab.trie().find(&long).map(|node| vocab.trie().depth(node)), Some(3_000_000));
}

#[test]
fn ids_above_the_limit_are_refused_unless_raised() {
    let entry = [(TokenId(1 << 24), "a")];
    let error = Vocab::new(entry).unwrap_err();
    assert_eq!(error.to_string(), "token id 16777216 is above the limit of 16777215; raise `max_id` to allow it");
    let raised = Vocab::with_config(entry, &Config { max_id: 1 << 24, ..Config::default() }).unwrap();
    assert_eq!((raised.bytes(TokenId(1 << 24)), raised.mask_words()), (Some(&b"a"[..]), (1 << 19) + 1));
    let largest = Vocab::with_config([(TokenId(u32::MAX), "a")], &Config { max_id: u32::MAX, ..Config::default() });
    assert_eq!(largest.unwrap().mask_words(), 1 << 27);
}

#[test]
fn too_many_bytes_are_refused() {
    let config = Config { max_bytes: 5, ..Config::default() };
    let entries = [(TokenId(0), "abc"), (TokenId(1), "de"), (TokenId(2), "f")];
    assert!(Vocab::with_config(entries.into_iter().take(2), &config).is_ok());
    let error = Vocab::with_config(entries, &config).unwrap_err();
    assert_eq!(error.to_string(), "the token strings have at least 6 bytes in all, the limit is 5");
    let error = Vocab::new([(TokenId(0), vec![b'a'; (1 << 26) + 1])]).unwrap_err();
    assert_eq!(error.to_string(), "the token strings have at least 67108865 bytes in all, the limit is 67108864");
}

#[test]
fn an_id_twice_is_refused_even_with_equal_or_no_bytes() {
    for (first, second) in [("a", "a"), ("a", ""), ("", "")] {
        let error = Vocab::new([(TokenId(7), first), (TokenId(7), second)]).unwrap_err();
        assert_eq!(error.to_string(), "token id 7 is declared twice");
    }
}

#[test]
fn fingerprint_is_the_same_in_every_version() {
    let vocab = Vocab::new([(TokenId(0), "a"), (TokenId(5), ""), (TokenId(9), "bc")]).unwrap();
    assert_eq!(format!("{:032x}", vocab.fingerprint()), "7443038d72430d8a6ab8476f69061d07");
}

#[test]
fn clones_share_trie_and_cache() {
    let vocab = Vocab::new([(TokenId(0), "a")]).unwrap();
    let named = vocab.clone().with_end_tokens(vec![TokenId(0)]);
    assert!(std::ptr::eq(vocab.trie(), named.trie()) && std::ptr::eq(vocab.cache(), named.cache()));
    assert!(vocab.end_tokens().is_empty());
}
