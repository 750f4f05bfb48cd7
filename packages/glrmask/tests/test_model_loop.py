"""The sampling loop of a program that uses llama-cpp-python and torch, with small stand-ins for both.

Neither is installed here. The stand-ins have the few members that the loop uses, with the same meaning: scores as a
NumPy array by position, byte-wise tokens, and a categorical distribution over logits. What is tested is that the loop
runs as it is usually written, not that the real libraries behave so.
"""

import glrmask
import numpy as np
import pytest

END = 2
TOKENS = [b"", b"", b""] + [bytes([b]) for b in range(32, 127)] + [b"positive", b'"ne', b"ga", b"tive", b"neutral"]
TOKEN_OF_BYTE = {token[0]: i for i, token in enumerate(TOKENS) if len(token) == 1}


class Llama:
    """Scores tokens at random, with a strong wish to say something else."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.scores = np.zeros((512, self.n_vocab()), dtype=np.float32)
        self.n_tokens = 0

    def n_vocab(self) -> int:
        return 128

    def tokenize(self, text: bytes) -> list[int]:
        return [1] + [TOKEN_OF_BYTE[byte] for byte in text]

    def detokenize(self, tokens: list[int]) -> bytes:
        return b"".join(TOKENS[token] for token in tokens)

    def eval(self, tokens: list[int]) -> None:
        for _ in tokens:
            self.scores[self.n_tokens] = self.rng.normal(size=self.n_vocab())
            self.scores[self.n_tokens, TOKEN_OF_BYTE[ord("z")]] += 9
            self.n_tokens += 1


class Tensor:
    """A number in an array, as `sample()` gives it."""

    def __init__(self, value: int) -> None:
        self.value = value

    def item(self) -> int:
        return self.value


class Categorical:
    """Samples an index with the probabilities that logits stand for."""

    rng = np.random.default_rng(5)

    def __init__(self, logits: np.ndarray) -> None:
        weights = np.exp(logits - logits.max(), dtype=np.float64)
        self.probabilities = weights / weights.sum()

    def sample(self) -> Tensor:
        return Tensor(int(self.rng.choice(len(self.probabilities), p=self.probabilities)))


def from_numpy(array: np.ndarray) -> np.ndarray:
    return array


@pytest.mark.parametrize("constraint_class", [glrmask.Constraint, glrmask.DynamicConstraint])
@pytest.mark.parametrize("seed", range(5))
def test_the_loop_gives_one_of_three_strings(constraint_class, seed):
    llm = Llama(seed)
    vocab = glrmask.Vocab.from_id_to_bytes(dict(enumerate(TOKENS)), end_token_ids=[END])
    end_token_ids = vocab.end_token_ids

    schema = '{"type":"string","enum":["positive","negative","neutral"]}'
    constraint = constraint_class.from_json_schema(schema, vocab, end_token_ids=end_token_ids)

    prompt = "Classify this review: The story dragged badly. Sentiment: "
    llm.eval(llm.tokenize(prompt.encode()))

    state = constraint.start()
    generated = []

    for _ in range(64):
        logits = llm.scores[llm.n_tokens - 1]
        mask = state.mask(llm.n_vocab())
        logits[~mask] = -np.inf

        token = Categorical(logits=from_numpy(logits)).sample().item()
        llm.eval([token])
        state.commit_token(token)
        generated.append(token)

        if token in end_token_ids:
            break

    assert llm.detokenize(generated) in (b'"positive"', b'"negative"', b'"neutral"')
    assert generated[-1] == END
    assert state.is_terminated()
