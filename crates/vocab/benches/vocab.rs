//! A synthetic vocabulary of 128 000 tokens: building it, walking its trie, expanding rank sets into mask words.

use std::collections::BTreeSet;
use std::hint::black_box;

use criterion::{criterion_group, criterion_main, BatchSize, Criterion};
use glrmask_automata::ByteSet;
use glrmask_vocab::{mask, NodeId, RankSet, TokenId, Vocab};

const TOKENS: usize = 128_000;

/// Every byte, then distinct words of one to five syllables, many with a leading space, in shuffled order.
fn synthetic() -> Vec<(TokenId, Vec<u8>)> {
    let mut random = Random(42);
    let mut words: BTreeSet<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
    while words.len() < TOKENS {
        let mut word = if random.below(2) == 0 { b" ".to_vec() } else { Vec::new() };
        (0..1 + random.below(5)).for_each(|_| word.extend(SYLLABLES[random.below(SYLLABLES.len())]));
        words.insert(word);
    }
    let mut words: Vec<_> = words.into_iter().map(|word| (random.next(), word)).collect();
    words.sort_unstable();
    (0..).map(TokenId).zip(words.into_iter().map(|(_, word)| word)).collect()
}

const SYLLABLES: [&[u8]; 24] = [
    b"a",
    b"be",
    b"con",
    b"de",
    b"er",
    b"for",
    b"gra",
    b"he",
    b"ing",
    b"ly",
    b"ment",
    b"no",
    b"or",
    b"pre",
    b"qu",
    b"re",
    b"st",
    b"tion",
    b"un",
    b"_",
    b"(",
    b"1",
    b"\xc3\xa9",
    b"\xe4\xb8",
];

/// A small generator (SplitMix64), so that every run sees the same words.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}

/// The tokens made of these bytes only, with uniform subtrees cut: what a lexer does for a looping state.
fn inside(vocab: &Vocab, bytes: &ByteSet) -> RankSet {
    let trie = vocab.trie();
    let mut ranks = RankSet::new();
    let mut node = 1;
    while node < trie.len() as u32 {
        let here = NodeId(node);
        let live = bytes.contains(trie.byte(here));
        let uniform = trie.below(here).is_subset(bytes);
        if live && uniform {
            let (first, end) = trie.subtree_ranks(here);
            ranks.push_range(first, end);
        } else if let (true, Some(rank)) = (live, trie.token(here)) {
            ranks.push(rank);
        }
        node = if live && !uniform { node + 1 } else { trie.end(here).0 };
    }
    ranks
}

fn bench(c: &mut Criterion) {
    let entries = synthetic();
    let vocab = Vocab::new(entries.iter().cloned()).unwrap_or_else(|error| panic!("{error}"));
    let text = ByteSet::range(0, b'0').complement();
    let ranks = inside(&vocab, &text);
    let mut words = vec![0; vocab.mask_words()];

    c.bench_function("build 128k tokens", |b| {
        b.iter_batched(|| (), |()| Vocab::new(entries.iter().map(|(id, text)| (*id, text))), BatchSize::LargeInput);
    });
    c.bench_function("walk with uniform cuts", |b| b.iter(|| inside(&vocab, black_box(&text))));
    vocab.set_ranks(&ranks, &mut words);
    let ids = mask::count(&words);
    c.bench_function(&format!("set {ids} ids in {} ranges", ranks.ranges().len()), |b| {
        b.iter(|| vocab.set_ranks(black_box(&ranks), &mut words));
    });
}

criterion_group!(benches, bench);
criterion_main!(benches);
