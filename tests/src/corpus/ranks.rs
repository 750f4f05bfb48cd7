//! A vocabulary from a file of ranks as tiktoken has them.

use std::path::Path;

use glrmask_vocab::{TokenId, Vocab};

use super::suite::read;

/// A token in Base64 and its number per line.
///
/// # Errors
/// The file cannot be read or has another layout.
pub fn ranks(path: &Path) -> Result<Vocab, String> {
    let text = read(path)?;
    let token = |line: &str| {
        let (token, rank) = line.split_once(' ')?;
        Some((TokenId(rank.trim().parse().ok()?), base64(token)?))
    };
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let tokens: Option<Vec<_>> = lines.map(token).collect();
    let tokens = tokens.ok_or_else(|| format!("{}: not a file of ranks", path.display()))?;
    Vocab::new(tokens).map_err(|error| error.to_string())
}

fn base64(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let (mut bits, mut held) = (0u32, 0);
    for c in text.bytes().filter(|&c| c != b'=') {
        let digit = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(digit);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held & 0xff) as u8);
            bits &= (1 << held) - 1;
        }
    }
    Some(bytes)
}
