//! Operations on weighted graph-structured stacks against an explicit map of stacks.

#[path = "../../../crates/weighted-gss/tests/support/mod.rs"]
mod support;

fn main() {
    // Every byte is an operation or an operand; words only make some of them more frequent.
    fuzz::fuzz(
        "gss",
        &["\0", "\x01", "\x02", "\x03", "\x04", "\x05\x06", "\x07", "\x08\t\n", "a", "b"],
        support::run_ops,
    );
}
