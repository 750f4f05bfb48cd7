//! The runtime on constraints put together by hand: one binary, so that all tests share them.

#![allow(clippy::expect_used, clippy::unwrap_used)]

mod artifacts;
mod constraints;
mod end_tokens;
mod explain;
mod fills;
mod masks;
mod sharing;
mod states;
