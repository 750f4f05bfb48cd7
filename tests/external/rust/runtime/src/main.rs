//! One compiled constraint, shared by threads that each decode their own sequence.

use std::error::Error;
use std::thread;

use glrmask_compiler::Config;
use glrmask_grammar::glrm;
use glrmask_runtime::{Constraint, ConstraintState, RuntimeError};
use glrmask_vocab::{mask, TokenId, Vocab};

fn main() -> Result<(), Box<dyn Error>> {
    let vocab = Vocab::new([(0, "("), (1, ")"), (2, "()"), (3, "x"), (4, "))")].map(|(id, text)| (TokenId(id), text)))?;
    let grammar = glrm::parse(r#"start s; nt s = "(" s ")" | "x";"#)?;
    let constraint = glrmask_compiler::compile(&grammar, &vocab, &Config::default())?;
    thread::scope(|scope| {
        for depth in 0..4 {
            let constraint = &constraint;
            scope.spawn(move || assert!(nested(constraint, depth).is_ok()));
        }
    });
    println!("{:?}", allowed(&constraint.start())?);
    Ok(())
}

/// Goes `depth` parentheses deep and checks what may follow the `x` inside.
fn nested(constraint: &Constraint, depth: usize) -> Result<(), Box<dyn Error>> {
    let mut state = constraint.start();
    for _ in 0..depth {
        assert_eq!(allowed(&state)?, [0, 3]);
        state.commit_token(TokenId(0))?;
    }
    state.commit_token(TokenId(3))?;
    let expected: &[u32] = [&[][..], &[1], &[1, 4]][depth.min(2)];
    assert_eq!(allowed(&state)?, expected);
    assert_eq!(state.is_accepting(), depth == 0);
    Ok(())
}

fn allowed(state: &ConstraintState) -> Result<Vec<u32>, RuntimeError> {
    let mut words = vec![0; state.constraint().mask_words()];
    state.fill_mask(&mut words)?;
    Ok(mask::iter(&words).map(|id| id.0).collect())
}

#[test]
fn runs() -> Result<(), Box<dyn Error>> {
    main()
}
