//! The compiled constraint: immutable parts, shared by every sequence, and the tables that fill while decoding.

use std::sync::{Arc, OnceLock};

use glrmask_glr::{LrState, Tables};
use glrmask_lexer::{BitSet, Lexer};
use glrmask_vocab::{TokenId, Vocab};
use parking_lot::{Mutex, RwLock};

use crate::branch::{Alternatives, Branch, Lexeme, Stacks};
use crate::completion::CompletionTable;
use crate::error::RuntimeError;
use crate::fill::Cache;
use crate::query;
use crate::state::ConstraintState;

/// What the compiler hands over.
#[derive(Clone, Debug, PartialEq)]
pub struct Parts {
    /// Terminals and components.
    pub lexer: Lexer,
    /// LR tables over the lexer's parser terminals.
    pub tables: Tables,
    /// Whether the empty text is in the language.
    pub accepts_empty: bool,
}

/// How a constraint behaves at run time; the language does not depend on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Tokens that end the sequence, allowed exactly when the text is complete. They need not be in the vocabulary.
    pub end_tokens: Vec<TokenId>,
    /// Bytes that tables filled while decoding may take before they are emptied and start anew.
    pub cache_bytes: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self { end_tokens: Vec::new(), cache_bytes: 256 << 20 }
    }
}

/// A compiled grammar over one vocabulary. Immutable to the outside, `Send + Sync`, cheap to clone.
///
/// Tables that depend on what is generated (profiles, Parser-DWA rows, masks) are filled on first use behind a lock and
/// shared by all states; a filled step takes a read lock only.
#[derive(Clone, Debug)]
pub struct Constraint(Arc<Inner>);

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) lexer: Lexer,
    pub(crate) tables: Tables,
    pub(crate) accepts_empty: bool,
    pub(crate) vocab: Vocab,
    pub(crate) config: Config,
    pub(crate) mask_words: usize,
    /// Per LR state, the components in which a lexeme may start; found on first use.
    start_components: Box<[OnceLock<BitSet>]>,
    pub(crate) cache: RwLock<Cache>,
    pub(crate) completions: Mutex<CompletionTable>,
}

impl Constraint {
    /// Puts a constraint together.
    ///
    /// # Errors
    /// Parts that do not fit each other; an empty language (no text satisfies the grammar and longest match); a limit
    /// on longest-match conditions, where it takes those to tell.
    pub fn new(parts: Parts, vocab: Vocab, config: Config) -> Result<Self, RuntimeError> {
        let Parts { lexer, tables, accepts_empty } = parts;
        if tables.terminals() > lexer.terminal_count() {
            return Err(RuntimeError::invalid("the parser knows more terminals than the lexer"));
        }
        let start_components = (0..tables.states()).map(|_| OnceLock::new()).collect();
        let end_words = config.end_tokens.iter().map(|id| id.0 as usize / 32 + 1).max().unwrap_or(0);
        let mask_words = vocab.mask_words().max(end_words);
        let cache = RwLock::new(Cache::new(&lexer));
        let completions = Mutex::default();
        let inner =
            Inner { lexer, tables, accepts_empty, vocab, config, mask_words, start_components, cache, completions };
        let constraint = Self(Arc::new(inner));
        let stacks = Stacks::from_stack([Tables::START], Alternatives::none());
        if !query::is_viable(constraint.inner(), &Branch { lexeme: Lexeme::Boundary, stacks })? {
            return Err(RuntimeError::empty_language());
        }
        Ok(constraint)
    }

    /// A fresh state at the start of the text.
    pub fn start(&self) -> ConstraintState {
        ConstraintState::new(self.clone())
    }
    /// Number of 32-bit words a mask needs.
    pub fn mask_words(&self) -> usize {
        self.0.mask_words
    }
    /// The vocabulary.
    pub fn vocab(&self) -> &Vocab {
        &self.0.vocab
    }
    /// The end tokens.
    pub fn end_tokens(&self) -> &[TokenId] {
        &self.0.config.end_tokens
    }
    /// The lexer.
    pub fn lexer(&self) -> &Lexer {
        &self.0.lexer
    }
    /// The LR tables.
    pub fn tables(&self) -> &Tables {
        &self.0.tables
    }
    /// Sizes of the tables filled so far.
    pub fn stats(&self) -> Stats {
        self.0.cache.read().stats()
    }
    pub(crate) fn inner(&self) -> &Inner {
        &self.0
    }
}

/// How much has been filled on demand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// States of the scan automaton.
    pub scans: usize,
    /// Classes of tokens.
    pub classes: usize,
    /// Profiles (partitions of the vocabulary).
    pub profiles: usize,
    /// States of the Parser DWA.
    pub rows: usize,
    /// Finished masks.
    pub masks: usize,
    /// Rough memory use in bytes.
    pub bytes: usize,
    /// How often the tables were emptied because they took too much memory.
    pub clears: usize,
}

impl Inner {
    /// The components in which a lexeme may start while `top` is the top of the stack.
    pub(crate) fn start_components(&self, top: LrState) -> &BitSet {
        self.start_components[top.0 as usize].get_or_init(|| {
            let terminals: BitSet = self.tables.actionable(top).iter().map(|t| t.0 as usize).collect();
            self.lexer.components_of(&terminals)
        })
    }
}
