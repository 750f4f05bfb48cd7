//! Artifacts under a correct checksum: whatever the bytes say, loading is an error or gives a constraint that works.

use glrmask::{CompileOptions, Constraint, Grammar, Optimization, PrepareOptions, PreparedGrammar, TokenId, Vocab};
use xxhash_rust::xxh3::xxh3_128;

/// Bytes before the payload, and where the length and the checksum of the payload stand among them.
const HEADER: usize = 52;
const LENGTH: std::ops::Range<usize> = 28..36;
const CHECKSUM: std::ops::Range<usize> = 36..52;

const GRAMMARS: &[&str] = &[
    r#"start s; ignore W; t W = /[ \n]+/; nt s = "if" ID "then" s | ID; t ID = /[a-z]+/;"#,
    r#"start s; nt s = "a" s "b" | eps | @token(3) "x" @mark(7) s;"#,
];

fn main() {
    let pieces = ["a", "b", "if", "then", " ", "x", "the", "n a", "ab"];
    let vocab = Vocab::new((0..).map(TokenId).zip(pieces)).expect("a vocabulary");
    let mut artifacts = Vec::new();
    let mut prepared = Vec::new();
    for source in GRAMMARS {
        let grammar = Grammar::from_glrm(source).expect("a grammar");
        for (optimization, shift_first) in
            [(Optimization::FastBuild, false), (Optimization::FastRuntime, false), (Optimization::FastRuntime, true)]
        {
            let mut options = CompileOptions { optimization, ..CompileOptions::default() };
            // What places see is stored in another form then.
            options.config.shift_first = Some(shift_first);
            let constraint = grammar.compile(&vocab, &options).expect("a constraint");
            assert_eq!(constraint.shifts_first(), shift_first);
            play(&constraint, &[0, 4, 1, 2]);
            artifacts.push(constraint.save(false).expect("an artifact"));
        }
        let part = grammar.prepare(&vocab, &PrepareOptions::default()).expect("a prepared grammar");
        prepared.push(part.save().expect("an artifact"));
    }
    // A case is a list of places and what to do there.
    fuzz::fuzz("artifact", &["\0\0\0", "\x01\x7f\x03", "\x02\0\u{7f}", "ab\0", "\x03\u{7f}\u{7f}"], |input| {
        let choice = input.first().map_or(0, |&byte| usize::from(byte));
        if let Ok(constraint) = Constraint::load(&forged(&artifacts[choice % artifacts.len()], input), None) {
            play(&constraint, input);
        }
        if let Ok(part) = PreparedGrammar::load(&forged(&prepared[choice % prepared.len()], input), None) {
            if let Ok(constraint) = part.link(&CompileOptions::default()) {
                play(&constraint, input);
            }
        }
    });
}

/// The artifact with some bytes changed, and a checksum that says that this is right.
fn forged(artifact: &[u8], edits: &[u8]) -> Vec<u8> {
    let mut data = artifact.to_vec();
    for edit in edits.chunks_exact(3).take(8) {
        let at = HEADER + (usize::from(edit[0]) << 8 | usize::from(edit[1])) % (data.len() - HEADER);
        match edit[2] % 4 {
            0 => data[at] = edit[2],
            1 => data[at] ^= 1 << (edit[2] >> 5),
            2 => data.truncate(at.max(HEADER + 1)),
            _ => data.insert(at, edit[2]),
        }
    }
    let (length, checksum) = ((data.len() - HEADER) as u64, xxh3_128(&data[HEADER..]));
    data[LENGTH].copy_from_slice(&length.to_le_bytes());
    data[CHECKSUM].copy_from_slice(&checksum.to_le_bytes());
    data
}

fn play(constraint: &Constraint, choices: &[u8]) {
    let mut state = constraint.start();
    let mut words = vec![0; constraint.mask_words().min(1 << 20)];
    for &choice in choices.iter().take(12) {
        let _ = state.fill_mask(&mut words);
        let _ = state.commit_token(TokenId(u32::from(choice % 10)));
        let _ = (state.is_accepting(), state.marker_events().len());
    }
}
