//! Benchmarks of tables and parser; they share the grammars of the tests.

#[path = "../../tests/it/grammars.rs"]
mod grammars;
mod parser;
mod tables;

criterion::criterion_main!(tables::benches, parser::benches);
