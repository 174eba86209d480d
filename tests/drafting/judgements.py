"""Sentences that judge, quote, refuse and tell the past, put into answers and openings, and what is said of them."""

import tomllib
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from functools import cache
from pathlib import Path

from cpq.drafts.evidence import PastQuote, SourceText
from tests.drafting.composing import Drafted, past
from tests.drafting.letters import drafts, report
from tests.drafting.promises import LETTERS, Half, Placed, doubted

SENTENCES = Path(__file__).with_suffix(".toml")
BEFORE = "Q24-0811"
"""The past quote to the customer of each letter."""
QUESTIONS = {"en": "And what else?", "de": "Und was sonst?", "es": "¿Y qué más?", "fr": "Et quoi d'autre ?"}


def judged(only: Half | None = None) -> Iterator[Placed]:
    for language, lists in tomllib.loads(SENTENCES.read_text("utf-8")).items():
        drafted = with_a_past(LETTERS[language])
        for kind, sentences in lists.items():
            for number, sentence in enumerate(sentences):
                half: Half = "held back" if number % 2 else "seen"
                if only not in (None, half):
                    continue
                yield Placed(sentence, kind == "harmful", half, "opening", doubted(drafted, sentence, item=False))
                yield Placed(sentence, kind == "harmful", half, "answer", _answered(drafted, sentence, language))


def _answered(drafted: Drafted, sentence: str, language: str) -> bool:
    at = drafted.text.index("### ")
    text = f"{drafted.text[:at]}### Answers\n\n**{QUESTIONS[language]}**\n\n{sentence}\n\n{drafted.text[at:]}"
    line = text[: text.index(sentence, at)].count("\n") + 1
    return any(fault.line == line for fault in report(text, drafted.evidence).faults)


@cache
def with_a_past(name: str) -> Drafted:
    drafted = next(each for each in drafts() if each.letter.name == name)
    quotes, lines = past()
    quote = quotes[BEFORE]
    told = PastQuote(BEFORE, drafted.evidence.customer, (), date.fromisoformat(quote["quote_date"]), quote["terms"])
    own = [SourceText(f"{BEFORE} line {line['position']}", "past quote", line["description"], line["model"] or "",
                      BEFORE, line["position"]) for key, line in lines.items() if key[0] == BEFORE]  # fmt: skip
    evidence = replace(
        drafted.evidence, lines=[*drafted.evidence.lines, *own],
        past_quotes={**drafted.evidence.past_quotes, BEFORE: told},
    )  # fmt: skip
    return replace(drafted, evidence=evidence)
