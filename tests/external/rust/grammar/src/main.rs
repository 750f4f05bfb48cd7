//! Three front-ends, one grammar type, printed as GLRM.

use std::error::Error;

use glrmask_grammar::{ebnf, glrm, normalize, Grammar, NormalizeConfig};
use glrmask_json_schema::Options;

fn main() -> Result<(), Box<dyn Error>> {
    show(&ebnf::parse(r#"list ::= "[" (item ("," item)*)? "]"  item ::= [0-9]+ | list"#)?)?;
    show(&glrm::parse(r#"start s; ignore WS; t WS = /[ \t]+/; nt s = "," ~ ("a"? "b"*);"#)?)?;
    show(&glrmask_json_schema::compile(r#"{"enum": [1, "two", null]}"#, &Options::default())?.grammar)?;
    assert!(glrm::parse("start s; nt s = missing;").is_err_and(|error| error.to_string().contains("missing")));
    Ok(())
}

fn show(grammar: &Grammar) -> Result<(), Box<dyn Error>> {
    let printed = glrm::print(grammar);
    assert_eq!(glrm::print(&glrm::parse(&printed)?), printed);
    println!("{} productions of\n{printed}", normalize(grammar, &NormalizeConfig::default())?.productions.len());
    Ok(())
}

#[test]
fn runs() -> Result<(), Box<dyn Error>> {
    main()
}
