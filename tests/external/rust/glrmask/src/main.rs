//! A sampling loop as an inference server would write it, with the first allowed token as its model.

use glrmask::{CompileOptions, Error, Grammar, TokenId, Vocab};

const END: TokenId = TokenId(300);

fn main() -> Result<(), Error> {
    let words = ["{\"", "ok", "\": ", "true", "false", "}", "null"];
    let bytes = (0u8..=255).map(|byte| vec![byte]).chain(words.map(|word| word.as_bytes().to_vec()));
    let vocab = Vocab::new((0..).map(TokenId).zip(bytes))?;
    let schema = r#"{"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"],
                     "additionalProperties": false}"#;
    let options = CompileOptions { end_tokens: vec![END], ..CompileOptions::default() };
    let constraint = Grammar::from_json_schema(schema)?.compile(&vocab, &options)?;

    let mut state = constraint.start();
    let mut mask = vec![0; constraint.mask_words()];
    let mut text = Vec::new();
    while !state.is_terminated() {
        state.fill_mask(&mut mask)?;
        let token = glrmask::vocab::mask::iter(&mask).last().unwrap_or(END);
        text.extend_from_slice(vocab.bytes(token).unwrap_or_default());
        state.commit_token(token)?;
    }
    assert_eq!(text, br#"{"ok": false}"#);
    println!("{}", text.escape_ascii());
    Ok(())
}

#[test]
fn runs() -> Result<(), Error> {
    main()
}
