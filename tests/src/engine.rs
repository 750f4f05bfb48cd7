//! The engine as the harness drives it: a case compiled, with the kill sets it found.

use glrmask_compiler::{analyze, compile, CompileError, Config, Optimization};
use glrmask_grammar::{Grammar, NormalizeConfig};
use glrmask_runtime::{Constraint, ConstraintState};
use glrmask_vocab::{mask, TokenId, Vocab};

use crate::case::Case;
use crate::convert;
use crate::rng::Rng;
use crate::spec::Spec;

/// A configuration drawn from `seed`: the language must not depend on it. Every third one is the default.
pub fn config(case: &Case, seed: u64) -> Config {
    let mut rng = Rng::new(seed ^ 0xC0F1);
    let mut config =
        Config { end_tokens: case.end_tokens.iter().map(|&id| TokenId(id)).collect(), ..Config::default() };
    if !rng.chance(33) {
        config.normalize = NormalizeConfig {
            global_ignore: rng.chance(70),
            split: true,
            right_recursion: rng.chance(50),
            inline: rng.chance(50),
            unit_bypass: *rng.pick(&[0, 1, 8]),
            merge_terminals: rng.chance(50),
            ..NormalizeConfig::default()
        };
        config.cache_bytes = *rng.pick(&[0, 20_000, 256 << 20]);
        config.policy.optimization = *rng.pick(&[
            Optimization::FastBuild,
            Optimization::FastRuntime,
            Optimization::Balanced,
            Optimization::Auto,
        ]);
        config.policy.limits.states = *rng.pick(&[None, None, Some(1), Some(40), Some(400)]);
        config.compare_from = *rng.pick(&[0, 20, config.compare_from, usize::MAX]);
        config.shift_first = *rng.pick(&[None, Some(false), Some(true)]);
        config.policy.background = rng.chance(20);
        config.policy.threads = *rng.pick(&[1, 1, 3]);
    }
    config.shift_first = case.shift_first.or(config.shift_first);
    config
}

/// The grammar of `case` for the engine; an error if the case cannot be told to it.
pub fn grammar(case: &Case) -> Result<Grammar, String> {
    convert::grammar(&case.spec)
}

/// The vocabulary of `case`.
pub fn vocab(case: &Case) -> Result<Vocab, String> {
    Vocab::new(case.vocabulary.iter().map(|(id, word)| (TokenId(*id), word))).map_err(|e| e.to_string())
}

/// `spec` with the kill sets that the compiler finds.
pub fn with_kills(spec: &Spec, grammar: &Grammar, config: &Config) -> Result<Spec, CompileError> {
    let program = analyze(grammar, config)?;
    let mut spec = spec.clone();
    spec.kills =
        spec.terminals.ids().map(|t| program.kills[t].iter().copied().chain([t]).collect()).collect::<Vec<_>>().into();
    Ok(spec)
}

/// Compiles `grammar` for `case`.
pub fn constraint(grammar: &Grammar, vocab: &Vocab, config: &Config) -> Result<Constraint, CompileError> {
    compile(grammar, vocab, config)
}

/// `constraint`, for every third seed after saving and loading.
pub fn saved(constraint: Constraint, seed: u64) -> Result<Constraint, String> {
    let mut rng = Rng::new(seed ^ 0x5A7E);
    if !rng.chance(33) {
        return Ok(constraint);
    }
    let external = rng.chance(50);
    let data = constraint.save(external).map_err(|e| e.to_string())?;
    Constraint::load(&data, external.then(|| constraint.vocab())).map_err(|e| e.to_string())
}

/// The ids allowed in `state`, sorted.
pub fn allowed(state: &ConstraintState) -> Result<Vec<u32>, String> {
    let mut words = vec![u32::MAX; state.constraint().mask_words() + 1];
    state.fill_mask(&mut words).map_err(|e| e.to_string())?;
    Ok(mask::iter(&words).map(|id| id.0).collect())
}
