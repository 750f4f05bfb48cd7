//! A check of uniqueness that reads a JSON array as it arrives.

use std::error::Error;
use std::sync::Arc;

use glrmask_instance::{ArrayRules, Place, Rules, Tracker};

fn main() -> Result<(), Box<dyn Error>> {
    let array = ArrayRules { unique: true, ..ArrayRules::default() };
    let mut tracker = Tracker::new(Arc::new(Rules::new(vec![Place { array, ..Place::default() }])?));
    tracker.advance(br#"[{"a": 1, "b": 2}, "#)?;
    let violation = tracker.advance(br#"{"b": 2.0, "a": 1}"#).expect_err("the same object");
    println!("{violation}");
    assert_eq!(violation.repeated(), Some(r#"{"a": 1, "b": 2}"#));
    Ok(())
}

#[test]
fn runs() -> Result<(), Box<dyn Error>> {
    main()
}
