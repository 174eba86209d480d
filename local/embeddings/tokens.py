"""Text to word pieces and back, with the tokenizer the model was trained with."""

from collections.abc import Sequence
from pathlib import Path

from tokenizers import Tokenizer


class WordPieces:
    def __init__(self, folder: Path) -> None:
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        # The file cuts at 128 pieces and pads to 128: the first would lose text, the second time.
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self.vocabulary = int(self._tokenizer.get_vocab_size())

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """Without [CLS] and [SEP], which the encoder adds to every window."""
        encodings = self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        return [encoding.ids for encoding in encodings]

    def decode(self, tokens: Sequence[int]) -> str:
        return str(self._tokenizer.decode(list(tokens), skip_special_tokens=True))
