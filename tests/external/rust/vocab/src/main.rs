//! A mask of every token that begins with "re", over a vocabulary with gaps and an alias.

use glrmask_vocab::{mask, RankSet, TokenId, Vocab, VocabError};

fn main() -> Result<(), VocabError> {
    let tokens = [(3, "re"), (40, "read"), (41, "red"), (70, "ran"), (99, "red"), (100, "")];
    let vocab = Vocab::new(tokens.map(|(id, text)| (TokenId(id), text)))?;
    let mut words = vec![0; vocab.mask_words()];
    if let Some(node) = vocab.trie().find(b"re") {
        let (first, end) = vocab.trie().subtree_ranks(node);
        vocab.set_ranks(&RankSet::from_range(first, end), &mut words);
    }
    let ids: Vec<u32> = mask::iter(&words).map(|id| id.0).collect();
    assert_eq!(ids, [3, 40, 41, 99]);
    println!("{ids:?}");
    Ok(())
}

#[test]
fn runs() -> Result<(), VocabError> {
    main()
}
