//! Prepared grammars: compiled for one vocabulary as far as it goes while slots are open.

use std::sync::Arc;

use glrmask_compiler::{load_prepared, save_prepared, BoundaryTriggerDetail, Config, Optimization, Prepared};
use glrmask_grammar::{Assembly, Binding, Requirement, Source};
use glrmask_runtime::{ArtifactError, Constraint};
use glrmask_vocab::{ExactTokens, Vocab};

use crate::compile::{self, Cancel, CompileOptions, Limits, StageTime};
use crate::compose::{self, Token};
use crate::error::Error;

/// How to prepare a grammar: of [`CompileOptions`], those that matter before anything is filled, under the same names.
#[derive(Clone, Debug, Default)]
pub struct PrepareOptions {
    /// The metadata asked for when linking, unless that asks for other.
    pub boundary_trigger: Option<BoundaryTriggerDetail>,
    /// Which masks to make here, so that linking finds them: those of grammars without slots, if that is predicted to be
    /// quick; none with [`Optimization::FastBuild`]; with [`Optimization::FastRuntime`] all, which linking in that mode
    /// would do the first time.
    pub optimization: Optimization,
    /// Limits. When the time is up, that is an error.
    pub limits: Limits,
    /// Threads to prepare on; `None` is one.
    pub threads: Option<usize>,
    /// Ends the work from another thread.
    pub cancel: Option<Cancel>,
    /// Transformations and limits, for experts; kept for linking. Its `policy` and `end_tokens` are not used.
    pub config: Config,
}

impl PrepareOptions {
    /// What the compiler is told; clocks start now.
    fn config(&self) -> Config {
        let Self { boundary_trigger: _, optimization, limits, threads, cancel, config } = self.clone();
        let threads = Some(threads.unwrap_or(1));
        compile::config(&CompileOptions { optimization, limits, threads, cancel, config, ..CompileOptions::default() })
    }
}

/// What fills a slot of a [`PreparedGrammar`].
#[derive(Clone, Debug)]
pub enum PreparedValue {
    /// A prepared grammar, for `extern grammar`.
    Grammar(PreparedGrammar),
    /// One token event of this id.
    Token(Token),
    /// One token event with one of these ids.
    Tokens(ExactTokens),
}

impl From<PreparedGrammar> for PreparedValue {
    fn from(grammar: PreparedGrammar) -> Self {
        Self::Grammar(grammar)
    }
}
impl From<&PreparedGrammar> for PreparedValue {
    fn from(grammar: &PreparedGrammar) -> Self {
        Self::Grammar(grammar.clone())
    }
}
impl From<Token> for PreparedValue {
    fn from(token: Token) -> Self {
        Self::Token(token)
    }
}
impl From<ExactTokens> for PreparedValue {
    fn from(tokens: ExactTokens) -> Self {
        Self::Tokens(tokens)
    }
}
impl From<&ExactTokens> for PreparedValue {
    fn from(tokens: &ExactTokens) -> Self {
        Self::Tokens(tokens.clone())
    }
}

/// A grammar prepared for one vocabulary, possibly with open slots; bound and linked into constraints. Cheap to clone:
/// clones share what is compiled and are independent in what is bound.
#[derive(Clone, Debug)]
pub struct PreparedGrammar {
    assembly: Assembly<Prepared>,
    vocab: Vocab,
    boundary_trigger: BoundaryTriggerDetail,
    /// Transformations and limits under which it was prepared.
    config: Arc<Config>,
}

impl PreparedGrammar {
    pub(crate) fn new(assembly: &Assembly<Source>, vocab: &Vocab, options: &PrepareOptions) -> Result<Self, Error> {
        compose::check_all_events(assembly, vocab)?;
        let config = options.config();
        let assembly = unprepared(assembly);
        for part in assembly.parts() {
            part.definition.prepare(&config, vocab)?;
        }
        let boundary_trigger = options.boundary_trigger.unwrap_or_default();
        // Clocks and cancel flags were for preparing.
        let config = Arc::new(Config { policy: Default::default(), ..config });
        Ok(Self { assembly, vocab: vocab.clone(), boundary_trigger, config })
    }

    /// Fills a slot, once; as [`Grammar::bind`](crate::Grammar::bind).
    ///
    /// # Errors
    /// As for grammars; a prepared grammar or token events of another vocabulary.
    pub fn bind(&mut self, name: &str, value: impl Into<PreparedValue>) -> Result<(), Error> {
        let binding = match value.into() {
            PreparedValue::Grammar(child) if child.vocab.fingerprint() != self.vocab.fingerprint() => {
                return Err(glrmask_vocab::VocabError::other_vocab().into());
            }
            PreparedValue::Grammar(child) => Binding::Component(child.assembly),
            PreparedValue::Token(token) => Binding::Events(compose::one_event(token)),
            PreparedValue::Tokens(tokens) => Binding::Events(compose::events(&tokens)),
        };
        if let Binding::Events(events) = &binding {
            compose::check_events(events, &self.vocab)?;
        }
        self.assembly.bind(name, binding)?;
        Ok(())
    }

    /// The slots that are not filled, those of bound grammars included.
    ///
    /// # Errors
    /// More than ten thousand (a grammar bound in many places counts in each).
    pub fn requirements(&self) -> Result<Vec<Requirement>, Error> {
        Ok(self.assembly.requirements()?)
    }

    /// The vocabulary.
    pub fn vocab(&self) -> &Vocab {
        &self.vocab
    }

    /// The prepared grammar as bytes: what is bound, what is open, what is compiled, and the vocabulary. Components that are
    /// bound in several places are written once.
    ///
    /// ```
    /// use glrmask::{Grammar, PreparedGrammar, TokenId, Vocab};
    /// let vocab = Vocab::new([(TokenId(0), "a")])?;
    /// let grammar = Grammar::from_glrm("start s; extern grammar x; nt s = \"a\" x;")?;
    /// let saved = grammar.prepare(&vocab, &Default::default())?.save()?;
    /// let loaded = PreparedGrammar::load(&saved, Some(&vocab))?;
    /// assert_eq!(loaded.requirements()?[0].name(), "x");
    /// # Ok::<(), glrmask::Error>(())
    /// ```
    ///
    /// # Errors
    /// More than 1 GiB.
    pub fn save(&self) -> Result<Vec<u8>, Error> {
        Ok(save_prepared(&self.assembly, &self.vocab, self.boundary_trigger as u8)?)
    }

    /// Reads what [`save`](Self::save) wrote. A vocabulary that is given must map the same ids to the same bytes; its caches
    /// are shared then, and it need not be built anew.
    ///
    /// # Errors
    /// Bytes that are cut short, damaged, of another version, of another vocabulary, or no prepared grammar.
    pub fn load(data: &[u8], vocab: Option<&Vocab>) -> Result<Self, Error> {
        let (assembly, vocab, note) = load_prepared(data, vocab)?;
        let known = [BoundaryTriggerDetail::None, BoundaryTriggerDetail::Tokens, BoundaryTriggerDetail::Exact];
        let boundary_trigger = known.into_iter().find(|&detail| detail as u8 == note);
        let boundary_trigger = boundary_trigger.ok_or_else(|| ArtifactError::invalid("an unknown request"))?;
        compose::check_all_events(&assembly, &vocab)?;
        Ok(Self { assembly, vocab, boundary_trigger, config: Arc::default() })
    }

    /// The metadata that was asked for when preparing.
    pub fn boundary_trigger(&self) -> BoundaryTriggerDetail {
        self.boundary_trigger
    }

    /// Links into a constraint: the same masks as compiling the bound grammar.
    ///
    /// # Errors
    /// An open slot, an empty language, a limit, a cancellation, or something that is not supported.
    pub fn link(&self, options: &CompileOptions) -> Result<Constraint, Error> {
        self.link_timed(options, &mut |_| {})
    }

    /// [`link`](Self::link), telling `observe` how long each stage took.
    ///
    /// # Errors
    /// As for [`link`](Self::link).
    pub fn link_timed(
        &self,
        options: &CompileOptions,
        observe: &mut dyn FnMut(StageTime),
    ) -> Result<Constraint, Error> {
        compose::check(&self.assembly, &self.vocab)?;
        let boundary_trigger = Some(options.boundary_trigger.unwrap_or(self.boundary_trigger));
        let options = CompileOptions { config: (*self.config).clone(), boundary_trigger, ..options.clone() };
        compile::run_assembly(&self.assembly, &self.vocab, &options, observe)
    }
}

/// The same assembly with nothing compiled.
pub(crate) fn unprepared(assembly: &Assembly<Source>) -> Assembly<Prepared> {
    let prepared =
        assembly.map(&mut |source| Ok::<_, std::convert::Infallible>(Arc::new(Prepared::new(source.clone()))));
    match prepared {
        Ok(prepared) => prepared,
        Err(never) => match never {},
    }
}
