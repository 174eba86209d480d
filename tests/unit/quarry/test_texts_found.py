"""What a search says of texts by their words, where the model of meaning tells little."""

from quarry.retrieval.legs import Found, Match
from quarry.retrieval.ranking import all_alike, candidates, named_texts, rank
from quarry.retrieval.weights import PROBABLE_MISS, WEIGHTS


def texts(*cosines: float, words: dict[int, float]) -> tuple[list[dict[str, float]], Found]:
    rows = [{"_doc": doc, "_cosine": cosine, "_closeness": cosine} for doc, cosine in enumerate(cosines)]
    matches = {doc: Match(raw=10 * coverage, coverage=coverage) for doc, coverage in words.items()}
    return rows, Found(dict(enumerate(cosines)), matches)


def test_the_best_text_with_every_word_as_few_have_is_no_miss_and_first() -> None:
    rows, found = texts(0.36, 0.34, 0.2, *[0.1] * 20, words={2: 1.0, 1: 0.6})
    best, *others = rank(candidates(rows, found, judged=named_texts(rows, found)), weights=WEIGHTS["passages"])
    assert best.candidate.doc == 2
    assert best.score >= PROBABLE_MISS > others[0].score
    rows, found = texts(*[0.2] * 20, words=dict.fromkeys(range(20), 1.0))
    assert not any(each["named"] for each in named_texts(rows, found))


def test_texts_that_are_all_about_as_near_are_alike_unless_one_has_the_words() -> None:
    alike = [0.61, *[0.5] * 20]
    assert all_alike(candidates(*texts(*alike, words={3: 0.1})))
    assert not all_alike(candidates(*texts(*alike, words={3: 0.4})))
    assert not all_alike(candidates(*texts(0.7, *alike[1:], words={})))
    assert not all_alike(candidates(*texts(0.61, 0.55, words={})))
