//! Which files are sentences of a grammar: `cargo run --release --example accepts -- GRAMMAR FILE…`.
//!
//! The grammar's format follows from its extension (.lark, .glrm, .ebnf, .gbnf, .json for a schema); a name without one
//! is that of a built-in grammar. The vocabulary is the 256
//! single bytes, so what is timed is reading, compiling and committing, not masks.

use std::error::Error;
use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

use glrmask::{CompileOptions, Grammar, TokenId, Vocab};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("usage: accepts GRAMMAR FILE…")?;
    let mut out = io::stdout();
    let begin = Instant::now();
    let grammar = read(Path::new(&path))?;
    let read = begin.elapsed();
    let vocab = Vocab::new((0..=255u8).map(|byte| (TokenId(byte.into()), [byte])))?;
    let constraint = grammar.compile(&vocab, &CompileOptions::default())?;
    writeln!(out, "{path}: read in {read:.1?}, compiled in {:.1?}", begin.elapsed() - read)?;
    for file in arguments {
        let text = std::fs::read(&file)?;
        let begin = Instant::now();
        let mut state = constraint.start();
        let verdict = match text.iter().position(|byte| state.commit_bytes(&[*byte]).is_err()) {
            Some(at) => {
                format!("rejected at byte {at}: {}", String::from_utf8_lossy(&text[at.saturating_sub(40)..=at]))
            }
            None if state.is_accepting() => "accepted".to_owned(),
            None => "not complete".to_owned(),
        };
        writeln!(out, "{file}: {verdict} ({} bytes in {:.1?})", text.len(), begin.elapsed())?;
    }
    Ok(())
}

fn read(path: &Path) -> Result<Grammar, Box<dyn Error>> {
    let extension = path.extension().and_then(|extension| extension.to_str());
    if extension.is_none() {
        return Ok(Grammar::builtin(path.to_str().unwrap_or(""))?);
    }
    let source = std::fs::read_to_string(path)?;
    Ok(match extension {
        Some("lark") => Grammar::from_lark(&source)?,
        Some("glrm") => Grammar::from_glrm(&source)?,
        Some("ebnf") => Grammar::from_ebnf(&source)?,
        Some("gbnf") => Grammar::from_gbnf(&source)?,
        Some("json") => Grammar::from_json_schema(&source)?,
        _ => return Err("the extension must be lark, glrm, ebnf, gbnf or json".into()),
    })
}
