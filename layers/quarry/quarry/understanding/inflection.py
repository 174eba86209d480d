"""Phrases in the words that a request is cut into, and in the forms that grammar gives them."""

from quarry.understanding.text import fold, tokens

LONGEST_PHRASE = 8


def plain(phrase: str) -> str:
    """The phrase in the words that a request is cut into."""
    return " ".join(token.text for token in tokens(fold(phrase)))


_ENDINGS = {
    "en": ("s",),
    "de": ("e", "en", "er", "es", "em", "n", "s"),
    "es": ("s", "es"),
    "fr": ("s", "e", "es", "x"),
}


def _forms(word: str, language: str) -> list[str]:
    if len(word) < 4 or word[0].isdigit():
        return [word]
    forms = [word, *(word + ending for ending in _ENDINGS.get(language, ()))]
    if language == "es" and word.endswith("o"):
        forms += [word[:-1] + ending for ending in ("a", "as")]
    if language == "en" and word.endswith("y"):
        forms.append(word[:-1] + "ies")
    if language == "en" and word.endswith(("s", "x", "ch", "sh")):
        forms.append(word + "es")
    return forms


def inflected(phrase: str, language: str) -> list[str]:
    """A phrase in the forms that its language gives to its last word, and in es and fr to its first word too."""
    words = phrase.split()
    if not words or len(words) > LONGEST_PHRASE:
        return []
    lasts = _forms(words[-1], language)
    if len(words) == 1:
        return lasts
    first = _forms(words[0], language)[:2] if language in ("es", "fr", "de") else words[:1]
    return [" ".join([head, *words[1:-1], tail]) for head in first for tail in lasts[: 7 if language == "de" else 3]]
