//! Engine against reference: masks token by token, and everything a state says about itself, after every commit.
//!
//! [`walk`] makes a case from a seed while it checks; [`replay`] checks a case as it stands, which is what shrinking
//! needs. A panic of the engine is a difference like any other.

use std::fmt;
use std::ops::AddAssign;
use std::panic::{catch_unwind, AssertUnwindSafe};

use glrmask_compiler::CompileError;
use glrmask_runtime::{CommitError, Constraint, ConstraintState};
use glrmask_vocab::TokenId;

use crate::case::{Case, Step};
use crate::engine;
use crate::keywords;
use crate::oracle::Oracle;
use crate::reference::Reference;
use crate::rng::Rng;
use crate::spec::Spec;
use crate::TooLarge;

/// Why a case was not checked to its end.
#[derive(Clone, Debug)]
pub enum Trouble {
    /// Engine and reference disagree: what each said.
    Differs(String),
    /// The oracle gave up.
    TooLarge(TooLarge),
    /// The engine does not support it, or reached a limit it is allowed to have.
    Refused(String),
}

impl From<TooLarge> for Trouble {
    fn from(error: TooLarge) -> Self {
        Self::TooLarge(error)
    }
}

impl From<String> for Trouble {
    fn from(message: String) -> Self {
        Self::Differs(message)
    }
}

/// What was compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Cases checked to their end.
    pub cases: usize,
    /// Empty languages, refused by both.
    pub empty: usize,
    /// Cases with kill sets beyond t ∈ K(t).
    pub competing: usize,
    /// Masks compared.
    pub masks: usize,
    /// Token decisions compared.
    pub tokens: usize,
    /// Those that allow the token.
    pub allowed: usize,
    /// Commits compared.
    pub commits: usize,
    /// Markers found to be possible.
    pub markers: usize,
    /// Cases too large for the oracle.
    pub too_large: usize,
    /// Cases that the engine refuses (unsupported, or a limit).
    pub refused: usize,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.cases += other.cases;
        self.empty += other.empty;
        self.competing += other.competing;
        self.masks += other.masks;
        self.tokens += other.tokens;
        self.allowed += other.allowed;
        self.commits += other.commits;
        self.markers += other.markers;
        self.too_large += other.too_large;
        self.refused += other.refused;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cases, empty, competing, masks, tokens, allowed, commits, markers, too_large, refused } = self;
        write!(f, "{cases} cases ({empty} empty languages, {competing} with competing terminals), {masks} masks, ")?;
        write!(f, "{tokens} token decisions ({allowed} allowed), {commits} commits, {markers} markers; ")?;
        write!(f, "skipped {too_large} too large for the oracle, {refused} refused by the engine")
    }
}

/// A difference, with the smallest case found for it.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The seed of the case.
    pub seed: u64,
    /// What happens in the smallest case.
    pub what: String,
    /// The smallest case.
    pub case: Case,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "seed {}: {}\n{}", self.seed, self.what, self.case)
    }
}

/// The most cases tried while shrinking.
const SHRINK_LIMIT: usize = 20_000;

/// Checks the case of `seed` along `walks` random walks; a difference comes back shrunk.
pub fn check(seed: u64, walks: usize) -> Result<Tally, Box<Failure>> {
    check_with(seed, walks, None)
}

/// [`check`] with masks asked for behind the first terminal, or not, if `shift_first` says so.
pub fn check_with(seed: u64, walks: usize, shift_first: Option<bool>) -> Result<Tally, Box<Failure>> {
    let mut tally = Tally::default();
    let mut case = Case { shift_first, ..Case::random(seed, 36) };
    for walk_seed in 0..walks as u64 {
        case.steps.clear();
        let mut rng = Rng::new(seed.wrapping_mul(31).wrapping_add(walk_seed));
        let walked = guarded(|| walk(&mut case, seed, &mut |reference, mask| choose(&mut rng, reference, mask)));
        match walked {
            Ok(part) => tally += part,
            Err(Trouble::TooLarge(_)) => tally.too_large = 1,
            Err(Trouble::Refused(_)) => tally.refused = 1,
            Err(Trouble::Differs(what)) => return Err(Box::new(shrunk(seed, case, what))),
        }
    }
    tally.cases = usize::from(tally.masks > 0);
    (tally.empty, tally.competing) = (tally.empty.min(1), tally.competing.min(1));
    Ok(tally)
}

/// Checks `case` with the steps it has.
pub fn replay(case: &Case, seed: u64) -> Result<Tally, Trouble> {
    let (mut case, mut steps) = (case.clone(), case.steps.clone().into_iter());
    case.steps.clear();
    guarded(|| walk(&mut case, seed, &mut |_, _| steps.next()))
}

fn guarded(check: impl FnOnce() -> Result<Tally, Trouble>) -> Result<Tally, Trouble> {
    catch_unwind(AssertUnwindSafe(check)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        Err(Trouble::Differs(format!("panic: {}", text.unwrap_or("of another type"))))
    })
}

fn shrunk(seed: u64, case: Case, what: String) -> Failure {
    let (mut what, mut tried) = (what, 0);
    let case = case.shrink(|case| {
        tried += 1;
        match replay(case, seed) {
            Err(Trouble::Differs(message)) if tried < SHRINK_LIMIT => {
                what = message;
                true
            }
            _ => false,
        }
    });
    Failure { seed, what, case }
}

/// What to commit next; `None` ends the walk.
type Chooser<'a> = dyn FnMut(&mut Reference, &[u32]) -> Option<Step> + 'a;

/// Compiles `case` and compares along the steps that `next` chooses; they are recorded in the case.
pub fn walk(case: &mut Case, seed: u64, next: &mut Chooser<'_>) -> Result<Tally, Trouble> {
    let mut tally = Tally::default();
    let Some((constraint, mut reference)) = compiled(case, seed, &mut tally)? else {
        tally.empty = 1;
        tally.masks = 1;
        return Ok(tally);
    };
    let mut state = constraint.start();
    loop {
        let mask = compare(&state, &mut reference, case, &mut tally)?;
        let Some(step) = next(&mut reference, &mask) else { break };
        case.steps.push(step.clone());
        let (before, said) = (state.clone(), (mask, state.is_accepting()));
        commit(&mut state, &mut reference, case, &step, &mut tally)?;
        // A clone is a snapshot: what the original does later leaves it alone.
        same("the clone's mask and acceptance", &(engine::allowed(&before)?, before.is_accepting()), &said)?;
    }
    state.reset();
    reference.reset()?;
    compare(&state, &mut reference, case, &mut tally)?;
    Ok(tally)
}

/// Constraint and reference, or `None` if both find the language empty.
fn compiled(case: &Case, seed: u64, tally: &mut Tally) -> Result<Option<(Constraint, Reference)>, Trouble> {
    let config = engine::config(case, seed);
    let grammar = engine::grammar(case).map_err(Trouble::Refused)?;
    let spec = match engine::with_kills(&case.spec, &grammar, &config) {
        Ok(spec) => spec,
        Err(error) => return refused(case, error),
    };
    check_kills(&case.spec, &spec, config.normalize.global_ignore)?;
    tally.competing = usize::from(spec.kills.iter().any(|set| set.len() > 1));
    let known = Case { spec, ..case.clone() };
    let mut reference = Reference::new(&known)?;
    let empty = reference.is_empty_language()?;
    match engine::constraint(&grammar, &engine::vocab(case)?, &config) {
        Ok(_) if empty => Err(Trouble::Differs("an empty language was compiled".into())),
        Ok(constraint) => Ok(Some((engine::saved(constraint, seed)?, reference))),
        Err(error) if error.is_limit() => Err(Trouble::Refused(error.to_string())),
        Err(_) if empty => Ok(None),
        Err(error) => Err(Trouble::Differs(format!("not empty, but: {error}"))),
    }
}

/// Without kill sets there is nothing but the productions: an error must mean that they derive nothing.
fn refused<T>(case: &Case, error: CompileError) -> Result<Option<T>, Trouble> {
    if error.is_limit() || error.is_unsupported() {
        return Err(Trouble::Refused(error.to_string()));
    }
    let mut spec = case.spec.clone();
    spec.kills.iter_mut().for_each(std::collections::BTreeSet::clear);
    match Oracle::new(spec)?.viable(b"")? {
        true => Err(Trouble::Differs(format!("not empty, but: {error}"))),
        false => Ok(None),
    }
}

/// The compiler's kill sets lie between what every table must find and what some table may.
fn check_kills(plain: &Spec, found: &Spec, sharp: bool) -> Result<(), Trouble> {
    let Ok(bounds) = keywords::bounds(plain) else { return Ok(()) };
    for (t, set) in found.kills.iter_enumerated() {
        for &k in set.iter().filter(|&&k| sharp && !plain.kills[t].contains(&k)) {
            if !bounds.possible.contains(&(t, k)) {
                return Err(Trouble::Differs(format!("{k} must not be in K({t})")));
            }
        }
    }
    let grouped = plain.kills.iter_enumerated().flat_map(|(t, set)| set.iter().map(move |&k| (t, k)));
    for (t, k) in grouped.chain(bounds.certain) {
        if !found.kills[t].contains(&k) && keywords::can_outgrow(plain, t, k)? {
            return Err(Trouble::Differs(format!("{k} must be in K({t})")));
        }
    }
    Ok(())
}

/// Everything that can be asked without changing the state. Returns the mask.
fn compare(
    state: &ConstraintState,
    reference: &mut Reference,
    case: &Case,
    tally: &mut Tally,
) -> Result<Vec<u32>, Trouble> {
    let expected = reference.mask()?;
    let mask = engine::allowed(state)?;
    same("mask", &mask, &expected)?;
    same("is_accepting", &state.is_accepting(), &reference.is_accepting()?)?;
    same("is_rejected", &state.is_rejected(), &reference.is_rejected())?;
    same("is_terminated", &state.is_terminated(), &(reference.is_rejected() || reference.is_ended()))?;
    let markers: Vec<(usize, u32)> = state.marker_events().iter().map(|event| (event.offset, event.id)).collect();
    same("marker_events", &markers, &reference.markers()?)?;
    tally.markers += markers.len();
    tally.masks += 1;
    tally.tokens += case.ids().len();
    tally.allowed += mask.len();
    Ok(mask)
}

fn commit(
    state: &mut ConstraintState,
    reference: &mut Reference,
    case: &Case,
    step: &Step,
    tally: &mut Tally,
) -> Result<(), Trouble> {
    tally.commits += 1;
    let over = state.is_terminated();
    reference.commit(step)?;
    let outcome = match step {
        Step::Bytes(bytes) => state.commit_bytes(bytes),
        Step::Token(id) => state.commit_token(TokenId(*id)),
    };
    let unknown = matches!(step, Step::Token(id) if !case.ids().contains(id));
    let fine = match &outcome {
        Ok(()) => !over && !reference.is_rejected(),
        Err(CommitError::UnknownToken(_)) => unknown,
        Err(CommitError::Terminated) => over,
        Err(CommitError::ForbiddenToken(_) | CommitError::ForbiddenBytes(_)) => reference.is_rejected(),
        Err(CommitError::Runtime(error)) => return Err(Trouble::Refused(error.to_string())),
    };
    match fine {
        true => Ok(()),
        false => Err(Trouble::Differs(format!("commit said {outcome:?}, rejected: {}", reference.is_rejected()))),
    }
}

fn same<T: PartialEq + fmt::Debug>(what: &str, engine: &T, expected: &T) -> Result<(), Trouble> {
    if engine == expected {
        return Ok(());
    }
    Err(Trouble::Differs(format!("{what} is {engine:?}, expected {expected:?}")))
}

/// Mostly allowed tokens; sometimes bytes, sometimes something forbidden or unknown, which should end the walk.
fn choose(rng: &mut Rng, reference: &mut Reference, mask: &[u32]) -> Option<Step> {
    if reference.steps() >= 7 || reference.is_rejected() && rng.chance(70) {
        return None;
    }
    match rng.below(20) {
        0 => Some(Step::Token(rng.below(60) as u32)),
        1..=4 => reference.viable_bytes(rng).map(Step::Bytes),
        _ if mask.is_empty() => None,
        _ => Some(Step::Token(*rng.pick(mask))),
    }
}
