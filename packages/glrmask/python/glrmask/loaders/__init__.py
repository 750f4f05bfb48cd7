"""Vocabularies of tokenizers that others make: their files and objects to (bytes by id, special tokens, end ids).

Formats are read here, without the libraries that wrote them, and as if an enemy had written the file: sizes and counts
have limits, and whatever does not fit is an error that says what and where. A loader never guesses bytes: where the
bytes of a token depend on its neighbours (WordPiece), it refuses.

Special tokens have no text: they are declared with no bytes, so that only their ids can name them.
"""

from glrmask.loaders.content import END_NAMES, Loaded
from glrmask.loaders.ggml import gguf
from glrmask.loaders.native import llama_cpp
from glrmask.loaders.ranked import tekken, tiktoken
from glrmask.loaders.spm import sentencepiece
from glrmask.loaders.tokenizers import huggingface, tokenizer_json

__all__ = [
    "END_NAMES",
    "Loaded",
    "gguf",
    "huggingface",
    "llama_cpp",
    "sentencepiece",
    "tekken",
    "tiktoken",
    "tokenizer_json",
]
