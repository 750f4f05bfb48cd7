//! Vocabularies from pieces of the input: invariants, the trie against a plain search, storage.

use glrmask_vocab::{mask, Config, Content, RankSet, TokenId, Vocab};

fn main() {
    fuzz::fuzz("vocab", &["a", "b", "ab", ";", ";", "\0", "é", " the"], |input| {
        let tokens: Vec<&[u8]> = input.split(|&byte| byte == b';').collect();
        let ids = || (0u32..).map(|i| TokenId(i * 3 + i % 2));
        let Ok(vocab) = Vocab::new(ids().zip(tokens.iter().copied())) else { return };
        vocab.trie().check_invariants().unwrap();
        for prefix in tokens.iter().take(20).map(|token| &token[..token.len() / 2]) {
            let node = vocab.trie().find(prefix).unwrap();
            let (first, end) = vocab.trie().subtree_ranks(node);
            let mut words = vec![0; vocab.mask_words()];
            vocab.set_ranks(&RankSet::from_range(first, end), &mut words);
            let expected = vocab.iter().filter(|(_, bytes)| !bytes.is_empty() && bytes.starts_with(prefix));
            let mut expected: Vec<TokenId> = expected.map(|(id, _)| id).collect();
            expected.sort_unstable();
            assert!(mask::iter(&words).eq(expected));
        }
        let again = Content::from(&vocab).into_vocab(&Config::default()).unwrap();
        assert_eq!(again.fingerprint(), vocab.fingerprint());
    });
}
