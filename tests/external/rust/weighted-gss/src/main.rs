//! An ambiguous reduction over shared stacks, with sets of derivation names as weights.

use std::collections::BTreeSet;

use weighted_gss::WeightedGss;

type Names = BTreeSet<&'static str>;

fn main() -> Result<(), weighted_gss::Error> {
    let names = |name| Names::from([name]);
    let both = WeightedGss::from_stacks([([0, 1, 2], names("left")), ([0, 1, 3], names("right"))]);
    assert_eq!(both.tops().copied().collect::<BTreeSet<_>>(), BTreeSet::from([2, 3]));

    let reduced = both.pop().push(9);
    let stacks = reduced.to_stacks(10)?;
    assert_eq!(stacks, [(vec![0, 1, 9], Names::from(["left", "right"]))]);
    println!("{stacks:?}");
    Ok(())
}

#[test]
fn runs() -> Result<(), weighted_gss::Error> {
    main()
}
