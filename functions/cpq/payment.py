"""Terms of payment as people write them: when an invoice is due."""

import re
from typing import Annotated

from pydantic import AfterValidator, Field

from cpq.model import PLAIN

HOW = "Write e.g. net_30, due_on_receipt, or '30 days net, 2% within 10 days'."

_DAYS = re.compile(r"(\d{1,3})\s*+-?\s*+(?:days?|tagen?|tage|d[ií]as?|jours?|t\b|d\b|j\b)", re.IGNORECASE)
_NET = re.compile(r"(?:net|netto|neto)[ _]*(\d{1,3})\b|\b(\d{1,3})\s*(?:net|netto|neto)\b", re.IGNORECASE)
_PERCENT = re.compile(r"\d{1,2}(?:[.,]\d{1,2})?\s*%")
_TRADE = re.compile(r"\b\d{1,2}(?:[.,]\d)?\s*/\s*\d{1,3}\b[\s,;]*+(?:net|n)\s*+/?\s*+(\d{1,3})\b", re.IGNORECASE)
_AT_ONCE = re.compile(
    r"due_on_receipt|on receipt|immediate|in advance|pre-?pa(?:id|yment)|cash on delivery|sofort|bei erhalt|vorkasse|"
    r"vorauskasse|anticipad|al contado|a la vista|comptant|d.avance|à réception",
    re.IGNORECASE,
)
_END_OF_MONTH = re.compile(r"end of (?:the )?month|\beom\b|monatsende|fin de m(?:es|ois)", re.IGNORECASE)
_PARTS = re.compile(r"[;\n]|,(?!\d)|\b(?:or|oder|otherwise|sonst|ou|sinon|si no|then)\b", re.IGNORECASE)
_VALID = re.compile(
    r"\b(?:valid(?:ity)?|g[üu]ltig(?:keit)?|bindefrist|v[áa]lid[oa]|vigencia|valable|validit[ée])\D{0,12}(\d{1,3})\b"
    r"\s*(?:days?|tagen?|tage|d[ií]as?|jours?)?",
    re.IGNORECASE,
)
_LONGEST_MONTH = 31


def due(text: str) -> int | None:
    """Days from the invoice, the latest that the terms allow; None where they name none: nobody guesses when money
    comes.
    """
    if trade := _TRADE.search(text):
        return int(trade[1])
    # A part with a percentage says until when the discount is, not when all is due.
    parts = (part for part in _PARTS.split(_VALID.sub("", text)) if not _PERCENT.search(part))
    return max((days for part in parts if (days := _days_of(part)) is not None), default=None)


def _days_of(part: str) -> int | None:
    counts = [int(match[1]) for match in _DAYS.finditer(part)]
    counts += [int(match[1] or match[2]) for match in _NET.finditer(part)]
    if counts:
        return max(counts) + (_LONGEST_MONTH if _END_OF_MONTH.search(part) else 0)
    return 0 if _AT_ONCE.search(part) else None


def _readable(text: str) -> str:
    if due(text) is None:
        raise ValueError(f"'{text}' does not say when an invoice is due. {HOW}")
    return text


ProposedTerms = Annotated[str, Field(min_length=1, max_length=200), PLAIN]
"""What a quote asks for: where no day can be read in it, a person decides."""
PaymentTerms = Annotated[ProposedTerms, AfterValidator(_readable)]
"""What a house or an account has agreed."""


def worded(text: str) -> str:
    """As printed: a code in words, free text to the letter."""
    if re.fullmatch(r"net_\d+", text):
        return f"Net {text.removeprefix('net_')} days"
    return "Due on receipt" if text == "due_on_receipt" else text
