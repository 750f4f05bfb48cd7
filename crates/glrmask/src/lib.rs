//! Grammar-constrained decoding for LLMs: exact next-token masks for JSON Schema and any context-free grammar, in microseconds.
