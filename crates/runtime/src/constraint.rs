//! The compiled constraint: immutable parts, shared by every sequence, and the tables that fill while decoding.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use arc_swap::{ArcSwapOption, Guard};
use glrmask_automata::Id;
use glrmask_glr::{LrState, Tables};
use glrmask_instance::Rules;
use glrmask_lexer::{BitSet, Lexer};
use glrmask_vocab::{TokenId, Vocab};
use parking_lot::{Mutex, RwLock};

use crate::adopted::{Adopted, FilledPart, LinkedPart};
use crate::boundary::BoundaryTrigger;
use crate::branch::{Alternatives, Branch, Lexeme, Stacks};
use crate::completion::CompletionTable;
use crate::documents::{Document, Documents};
use crate::eager::{self, Budget, Cut};
use crate::error::{Refusal, RuntimeError};
use crate::event::{Events, TokenTerminal};
use crate::fill::Cache;
use crate::following::SharedPlaces;
use crate::frozen::{Frozen, FrozenStats};
use crate::instance::Instance;
use crate::marker::{MarkerTables, Markers};
use crate::progress::{Progress, Unfinished, Watched};
use crate::query;
use crate::split;
use crate::state::ConstraintState;
use crate::stored::StoredFrozen;
use crate::stored_split::StoredSplits;

/// What the compiler hands over.
#[derive(Clone, Debug, PartialEq)]
pub struct Parts {
    /// Terminals and components.
    pub lexer: Lexer,
    /// LR tables over the lexer's parser terminals.
    pub tables: Tables,
    /// Whether the empty text is in the language.
    pub accepts_empty: bool,
    /// The ids of every token event that a text can hold (see [`Lexer::token_terminals`]).
    pub token_terminals: Vec<TokenTerminal>,
    /// Tables in which one marker is picked, if some text has a marker.
    pub markers: Option<MarkerTables>,
    /// What is asked of the texts beside the grammar, if anything.
    pub rules: Option<Arc<Rules>>,
    /// Parts of the text that are JSON documents with rules of their own.
    pub documents: Vec<Document>,
}

/// How a constraint behaves at run time; the language does not depend on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Tokens that end the sequence, allowed exactly when the text is complete. They need not be in the vocabulary, but
    /// not be beyond [`max_end_token`] either.
    pub end_tokens: Vec<TokenId>,
    /// Bytes that tables filled while decoding may take. Beyond them what walks over the vocabulary leave behind is forgotten,
    /// then masks; where the rest takes more than three quarters of the limit, it is emptied too and starts anew.
    pub cache_bytes: usize,
    /// Walks over the vocabulary that visit at least so many nodes of its trie are compared with those of similar
    /// states; `usize::MAX` turns that off.
    pub compare_from: usize,
    /// Whether masks are asked for behind the first terminal, which is shifted for it; by default where many terminals
    /// compete. Masks are the same.
    pub shift_first: Option<bool>,
    /// The boundaries of what was put together, where they were asked for.
    pub boundary_triggers: Vec<BoundaryTrigger>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            end_tokens: Vec::new(),
            cache_bytes: 256 << 20,
            compare_from: glrmask_lexer::WIDE,
            shift_first: None,
            boundary_triggers: Vec::new(),
        }
    }
}

/// The largest id that an end token may have: 2²⁴ − 1, as in a vocabulary unless it is told otherwise, or the largest
/// id of the vocabulary if that is larger. A mask has a bit for every id up to the largest.
pub fn max_end_token(vocab: &Vocab) -> TokenId {
    TokenId(vocab.max_id().map_or(0, |id| id.0).max(glrmask_vocab::Config::default().max_id))
}

/// A compiled grammar over one vocabulary. Immutable to the outside, `Send + Sync`, cheap to clone.
///
/// Tables that depend on what is generated (profiles, Parser-DWA rows, masks) are filled on first use behind a lock and
/// shared by all states; a filled step takes a read lock only.
#[derive(Clone, Debug)]
pub struct Constraint(Arc<Inner>);

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) lexer: Arc<Lexer>,
    pub(crate) tables: Tables,
    pub(crate) accepts_empty: bool,
    pub(crate) token_terminals: Vec<TokenTerminal>,
    pub(crate) events: Events,
    pub(crate) vocab: Vocab,
    pub(crate) config: Config,
    pub(crate) mask_words: usize,
    /// Whether masks are asked for behind the first terminal.
    pub(crate) shift_first: bool,
    /// Per LR state, the components in which a lexeme may start; found on first use.
    start_components: Box<[OnceLock<BitSet>]>,
    /// What was filled before decoding, if anything.
    frozen: ArcSwapOption<Frozen>,
    /// What of that was filled by parts alone.
    pub(crate) adopted: OnceLock<Adopted>,
    progress: Watched,
    pub(crate) cache: RwLock<Cache>,
    pub(crate) completions: Mutex<CompletionTable>,
    pub(crate) markers: Option<Box<Markers>>,
    pub(crate) instance: Option<Instance>,
    pub(crate) documents: Option<Documents>,
    /// Places of the grammar that searches beside it have come to.
    pub(crate) places: SharedPlaces,
}

impl Constraint {
    /// Puts a constraint together.
    ///
    /// # Errors
    /// Parts that do not fit each other; an empty language (no text satisfies the grammar and longest match); a limit
    /// on longest-match conditions, where it takes those to tell; an end token beyond [`max_end_token`].
    pub fn new(parts: Parts, vocab: Vocab, config: Config) -> Result<Self, RuntimeError> {
        let constraint = Self::unchecked(parts, vocab, config)?;
        let stacks = Stacks::from_stack([Tables::START], Alternatives::none());
        if !query::is_viable(constraint.inner(), &Branch { lexeme: Lexeme::Boundary, stacks })? {
            return Err(RuntimeError::empty_language());
        }
        let asks = constraint.0.instance.is_some() || constraint.0.documents.is_some();
        if asks && constraint.start().is_rejected() {
            return Err(RuntimeError::empty_language());
        }
        Ok(constraint)
    }

    /// [`new`](Self::new), where the language is known not to be empty.
    pub(crate) fn unchecked(parts: Parts, vocab: Vocab, config: Config) -> Result<Self, RuntimeError> {
        if parts.tables.terminals() > parts.lexer.terminal_count() {
            return Err(RuntimeError::invalid("the parser knows more terminals than the lexer"));
        }
        let largest = config.end_tokens.iter().max().map_or(0, |id| id.index());
        RuntimeError::check_limit("id of an end token", largest, max_end_token(&vocab).index())?;
        let Parts { lexer, tables, accepts_empty, token_terminals, markers, rules, documents } = parts;
        let documents = Documents::new(documents, lexer.components().len())?;
        let lexer = Arc::new(lexer);
        let markers = markers.map(|MarkerTables { tables, markers }| {
            let (lexer, events) = (lexer.clone(), token_terminals.clone());
            let inner = Inner::new(lexer, tables, false, events, None, vocab.clone(), config.clone())?;
            Markers::new(inner, markers).map(Box::new)
        });
        let markers = markers.transpose()?;
        let mut inner = Inner::new(lexer, tables, accepts_empty, token_terminals, markers, vocab, config)?;
        inner.instance = rules.map(Instance::new);
        inner.documents = documents;
        Ok(Self(Arc::new(inner)))
    }

    /// What was filled so far, to be stored: before decoding if that is over, otherwise on demand. Nothing where first
    /// terminals are shifted: see [`stored_splits`](Self::stored_splits).
    pub(crate) fn stored(&self) -> Option<StoredFrozen> {
        if self.0.shift_first {
            return None;
        }
        // Asked first: a fill on another thread may end meanwhile, and put complete tables in the place of others.
        let is_complete = self.is_complete();
        if let Some(frozen) = self.0.frozen().as_ref() {
            return Some(StoredFrozen::new(frozen, is_complete));
        }
        let cache = self.0.cache.read();
        (cache.stats().profiles > 0).then(|| StoredFrozen::new(&Frozen::new(&cache), false))
    }

    /// What places see so far, where first terminals are shifted.
    pub(crate) fn stored_splits(&self) -> Option<StoredSplits> {
        if !self.0.shift_first {
            return None;
        }
        StoredSplits::new(&self.0.cache.read())
    }

    /// Takes over what places see, before anything else has been filled.
    pub(crate) fn restore_splits(&self, stored: StoredSplits) -> Result<(), &'static str> {
        *self.0.cache.write() = stored.restore(&self.0)?;
        Ok(())
    }

    /// Takes over stored tables.
    pub(crate) fn restore(&self, frozen: Arc<Frozen>, complete: bool) {
        self.0.frozen.store(Some(frozen));
        if complete {
            self.0.progress.set(Progress::Done(Ok(None)));
        }
    }

    /// What was filled before decoding, for constraints that this one's grammar is part of. `None` if nothing was, and
    /// where it would not be the same there: events, markers, first terminals that are shifted, and longest-match
    /// conditions that decide which stacks can be completed.
    pub fn filled_part(&self) -> Option<FilledPart> {
        let cut = match self.0.progress.wait(Some(Duration::ZERO)) {
            Progress::Done(Ok(cut)) => cut,
            _ => return None,
        };
        FilledPart::new(&self.0, self.0.frozen().as_ref()?, cut)
    }

    /// Takes over what parts have filled alone, so that [`fill`](Self::fill) leaves it out. Does nothing where something was
    /// taken over or filled before. Returns whether anything was taken over.
    ///
    /// Time: that of copying the tables, and a look at each place of the parts' lexemes. Nothing is taken over once `stop`
    /// says so, which is asked often.
    ///
    /// # Errors
    /// A limit on longest-match conditions.
    pub fn adopt(&self, parts: &[LinkedPart], stop: &dyn Fn() -> bool) -> Result<bool, RuntimeError> {
        if self.0.adopted.get().is_some() || self.0.frozen().is_some() {
            return Ok(false);
        }
        let Some(adopted) = Adopted::new(&self.0, parts, stop)? else { return Ok(false) };
        let tables = adopted.tables();
        let is_first = self.0.adopted.set(adopted).is_ok();
        if is_first {
            // A fill that has ended meanwhile has more.
            self.0.frozen.compare_and_swap(&None::<Arc<Frozen>>, tables);
        }
        Ok(is_first)
    }

    /// For how many places of a lexeme what [`adopt`](Self::adopt) was given is still true.
    pub fn adopted_places(&self) -> usize {
        self.0.adopted.get().map_or(0, Adopted::count)
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
    /// The token events that a text can hold.
    pub fn token_terminals(&self) -> &[TokenTerminal] {
        &self.0.token_terminals
    }
    /// The numbers of all markers that some text has, sorted, each once.
    pub fn marker_ids(&self) -> &[u32] {
        self.0.markers.as_ref().map_or(&[], |markers| &markers.ids)
    }
    /// The lexer.
    pub fn lexer(&self) -> &Lexer {
        &self.0.lexer
    }
    /// The LR tables.
    pub fn tables(&self) -> &Tables {
        &self.0.tables
    }
    /// Whether masks are asked for behind the first terminal: see [`Config::shift_first`].
    pub fn shifts_first(&self) -> bool {
        self.0.shift_first
    }
    /// Sizes of the tables filled so far.
    pub fn stats(&self) -> Stats {
        let stats = self.0.cache.read().stats();
        let refused = self.0.documents.as_ref().map_or(0, Documents::memory_usage);
        Stats { bytes: stats.bytes + self.0.places.memory_usage() + refused, ..stats }
    }

    /// Fills the tables before decoding, as far as the budget goes, so that decoding finds nothing left to compute
    /// (pending longest-match conditions apart, and masks where first terminals are shifted). `None` if nothing was cut off. Other threads may decode meanwhile; they
    /// see the result when it is done. No answer depends on how far tables are filled.
    ///
    /// Time and memory: those of the tables, see [`FrozenStats`].
    ///
    /// # Errors
    /// Unusable parts; limits cut the fill and are no error.
    pub fn fill(&self, budget: &Budget<'_>) -> Result<Option<Cut>, RuntimeError> {
        self.0.progress.set(Progress::Filling);
        self.finish_fill(budget, &|_| None)
    }

    /// [`fill`](Self::fill) on a thread of its own; returns at once, and decoding may start at once. The thread ends early
    /// when the constraint and all its states are gone. [`wait`](Self::wait) waits for it. The numbers are those of
    /// [`Budget`]; `refuse` may call a cut an error, for whoever waits.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub fn fill_in_background(
        &self,
        (states, memory, threads): (usize, usize, usize),
        stop: Arc<dyn Fn() -> bool + Send + Sync>,
        refuse: impl Fn(Cut) -> Option<Refusal> + Send + 'static,
    ) -> Result<(), RuntimeError> {
        self.0.progress.set(Progress::Filling);
        let constraint = self.clone();
        let work = move || {
            let stop = || stop() || Arc::strong_count(&constraint.0) == 1;
            // What went wrong is kept for whoever waits.
            let _ = constraint.finish_fill(&Budget { states, memory, threads, stop: &stop }, &refuse);
        };
        let started = std::thread::Builder::new().name("glrmask-fill".into()).spawn(work);
        started.map(drop).map_err(|_| {
            self.0.progress.set(Progress::Idle);
            RuntimeError::invalid("no thread can be started")
        })
    }

    fn finish_fill(
        &self,
        budget: &Budget<'_>,
        refuse: &dyn Fn(Cut) -> Option<Refusal>,
    ) -> Result<Option<Cut>, RuntimeError> {
        // A panic must not leave others waiting for ever.
        let unfinished = Unfinished(&self.0.progress);
        let ended = match self.fill_and_keep(budget) {
            // Decoding has got further meanwhile, and goes on by itself: nobody's limit, and not complete either.
            Ok((None, false)) => Ok(Some(Cut::Stopped)),
            Ok((None, true)) => Ok(None),
            Err(error) => Err(error),
            Ok((Some(cut), _)) => refuse(cut).map_or(Ok(Some(cut)), |why| Err(RuntimeError::refused(why))),
        };
        std::mem::forget(unfinished);
        self.0.progress.set(Progress::Done(ended.clone()));
        ended
    }

    /// Fills the tables and takes them over. What cut the fill, and whether decoding has everything that was filled.
    fn fill_and_keep(&self, budget: &Budget<'_>) -> Result<(Option<Cut>, bool), RuntimeError> {
        const TRIES: usize = 4;
        for _ in 0..TRIES {
            let known = self.0.cache.read().condition_sets();
            let filled = eager::fill(&self.0, budget)?;
            let is_frozen = filled.frozen.is_some();
            self.0.frozen.store(filled.frozen.map(Arc::new));
            if let (Some(adopted), None) = (self.0.adopted.get(), filled.cut) {
                adopted.forget_tables();
            }
            match self.go_on_from(filled.cache, known) {
                _ if is_frozen => return Ok((filled.cut, true)),
                // What places see is there already: what is left to do again is quick.
                Kept::Places if filled.cut.is_none() => {}
                kept => return Ok((filled.cut, kept == Kept::All)),
            }
        }
        Ok((None, false))
    }

    /// Lets decoding go on where a fill was cut off, instead of filling again what the fill has not frozen. `known`: how
    /// many condition sets there were when it began. If decoding has found more since, stacks may hold ids of them that
    /// mean something else to the fill.
    fn go_on_from(&self, cache: Option<Cache>, known: usize) -> Kept {
        // Without frozen tables these are all there is.
        let most = if self.0.shift_first { self.0.config.cache_bytes } else { self.0.config.cache_bytes / 4 };
        let Some(mut cache) = cache.filter(|cache| cache.memory_usage() < most) else { return Kept::Nothing };
        let mut current = self.0.cache.write();
        let same = current.condition_sets() == known;
        if same {
            cache.add_clears(&current);
            *current = cache;
            return Kept::All;
        }
        drop(current);
        match self.0.shift_first && self.go_on_from_places(&cache) {
            true => Kept::Places,
            false => Kept::Nothing,
        }
    }

    /// Takes over what places see, which is most of the work, with condition sets numbered as decoding has them. Not if
    /// decoding finds new sets faster than that.
    fn go_on_from_places(&self, filled: &Cache) -> bool {
        const TRIES: usize = 3;
        for _ in 0..TRIES {
            let known = self.0.cache.read().lexer.conditions().clone();
            let Some(stored) = StoredSplits::new(filled) else { return false };
            let Ok(mut cache) = stored.among(&known).restore(&self.0) else { return false };
            let mut current = self.0.cache.write();
            if current.condition_sets() == known.len() {
                cache.add_clears(&current);
                *current = cache;
                return true;
            }
        }
        false
    }

    /// Waits until no fill is under way, for at most `timeout`. How the last one ended (`Some(None)`: nothing was cut off);
    /// `None` if there was none, or it is still under way.
    ///
    /// # Errors
    /// Those of the fill.
    pub fn wait(&self, timeout: Option<Duration>) -> Result<Option<Option<Cut>>, RuntimeError> {
        match self.0.progress.wait(timeout) {
            Progress::Done(result) => result.map(Some),
            Progress::Idle | Progress::Filling => Ok(None),
        }
    }

    /// Whether a fill is under way.
    pub fn is_filling(&self) -> bool {
        matches!(self.0.progress.wait(Some(Duration::ZERO)), Progress::Filling)
    }

    /// Whether the last fill was not cut off, so that decoding finds nothing left to compute: pending longest-match
    /// conditions and markers apart, and where first terminals are shifted masks, and whatever has been emptied since. After
    /// [`load`](Self::load) as it was when saving; but where first terminals are shifted it is false: rows are not stored, and are made
    /// again while decoding or by [`fill`](Self::fill), which finds the walks over the vocabulary done.
    pub fn is_complete(&self) -> bool {
        matches!(self.0.progress.wait(Some(Duration::ZERO)), Progress::Done(Ok(None)))
    }

    /// How many units of work [`fill`](Self::fill) would take, about; `enough` or a little more if it is more than that.
    /// Takes far less time than the fill itself.
    pub fn predicted_work(&self, enough: usize) -> usize {
        eager::predicted_work(&self.0, enough)
    }

    /// Sizes of what was filled before decoding, if anything was.
    pub fn frozen_stats(&self) -> Option<FrozenStats> {
        self.0.frozen().as_ref().map(|frozen| frozen.stats())
    }
    pub(crate) fn inner(&self) -> &Inner {
        &self.0
    }
}

/// What decoding takes over of the tables of a fill.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kept {
    All,
    /// What places see, where first terminals are shifted.
    Places,
    Nothing,
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
    /// How often the tables were emptied because they took too much memory, scans left out.
    pub clears: usize,
    /// How often only the scans were forgotten because the tables took too much memory: what was known stays known, and
    /// what is new takes a little longer.
    pub scan_clears: usize,
    /// How often masks were forgotten along with the scans.
    pub mask_clears: usize,
}

impl Inner {
    fn new(
        lexer: Arc<Lexer>,
        tables: Tables,
        accepts_empty: bool,
        token_terminals: Vec<TokenTerminal>,
        markers: Option<Box<Markers>>,
        vocab: Vocab,
        config: Config,
    ) -> Result<Self, RuntimeError> {
        let start_components = (0..tables.states()).map(|_| OnceLock::new()).collect();
        let end_words = config.end_tokens.iter().map(|id| id.0 as usize / 32 + 1).max().unwrap_or(0);
        let mask_words = vocab.mask_words().max(end_words);
        let events = Events::new(&lexer, &vocab, &token_terminals, mask_words)?;
        let cache = RwLock::new(Cache::new(&lexer));
        let shift_first = config.shift_first.unwrap_or_else(|| split::is_worth_it(&lexer));
        let (frozen, progress, completions) = (ArcSwapOption::empty(), Watched::default(), Mutex::default());
        Ok(Self {
            lexer,
            tables,
            accepts_empty,
            token_terminals,
            events,
            vocab,
            config,
            mask_words,
            shift_first,
            start_components,
            frozen,
            adopted: OnceLock::new(),
            progress,
            cache,
            completions,
            markers,
            instance: None,
            documents: None,
            places: SharedPlaces::default(),
        })
    }

    /// The rules beside the grammar: of the whole text, or of each document in it.
    pub(crate) fn rules(&self) -> impl Iterator<Item = &Rules> {
        let whole = self.instance.iter().map(|instance| instance.rules().as_ref());
        let parts = self.documents.iter().flat_map(|documents| documents.stored());
        whole.chain(parts.map(|document| document.rules.as_ref()))
    }
    /// What was filled before decoding, if anything was.
    #[inline]
    pub(crate) fn frozen(&self) -> Guard<Option<Arc<Frozen>>> {
        self.frozen.load()
    }
    /// The components in which a lexeme may start while `top` is the top of the stack.
    pub(crate) fn start_components(&self, top: LrState) -> &BitSet {
        self.start_components[top.0 as usize].get_or_init(|| {
            let terminals: BitSet = self.tables.actionable(top).iter().map(|t| t.0 as usize).collect();
            self.lexer.components_of(&terminals)
        })
    }
}
