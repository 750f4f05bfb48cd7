//! Random sequences of operations against the explicit map.

mod support;

use proptest::collection::vec;
use proptest::prelude::*;

use support::run_ops;

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn operations_agree_with_the_explicit_map(data in vec(any::<u8>(), 0..400)) {
        run_ops(&data);
    }
}

#[test]
fn no_bytes_are_no_operations() {
    run_ops(&[]);
}
