"""Texts for approvers in their house's language, else in English, with figures as the house writes them."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from cpq.approvals.model import broken
from cpq.documents import queries
from cpq.documents.direction import FROM_RIGHT
from cpq.documents.wording import ENGLISH, MARKS, DocumentLabels, Wording, fresh, has_labels, role, tables
from cpq.model import Language, Violation
from cpq.pricing.rules import MONEY, OF_COST, RuleCheck
from cpq.pricing.trace import Trace
from quarry.data.database import Connection
from quarry.data.settings import settings

_GAPS = re.compile(r"{(\w+)}")
_GAP = re.compile(r"\\{(\w+)\\}")


@dataclass(frozen=True, slots=True)
class ApproverWording(Wording):
    """``stored`` maps sentences with gaps that the database has in English to those of the language."""

    stored: Mapping[str, str]

    @property
    def direction(self) -> str:
        return "rtl" if self.language in FROM_RIGHT else "ltr"

    def role(self, code: str) -> str:
        return role(code, labels=self.labels)

    def total(self, value: Decimal, currency: str, *, tax: Decimal | None) -> str:
        """Formats a total, and says so where tax is not determined, because the total is then before tax."""
        shown = self.money(value, currency)
        return shown if tax is not None else f"{shown} ({self.say('tax')}: {self.say('not_on_record')})"

    def moment(self, moment: datetime, zone: str) -> str:
        """Formats a moment that is given in the local time of ``zone``."""
        return f"{self.day(moment.date())}, {moment:%H:%M} ({zone})"

    def told(self, sentence: str) -> str:
        """Translates a sentence that the server made; anybody's own words stay as they are."""
        for english, own in self.stored.items():
            if found := _pattern(english).fullmatch(sentence):
                return own.format(**found.groupdict())
        return sentence

    def reasons(self, violations: Iterable[Violation], trace: Trace) -> list[str]:
        """Tells why a person has to decide, apart from costs."""
        return [
            *(self._discount(each, trace) for each in violations if each.measure == "discount_pct"),
            *(
                self._rule(each, trace)
                for each in trace.rule_checks
                if each.outcome != "AUTO_APPROVED" and each.rule.measure not in OF_COST
            ),
        ]

    def cost_reasons(self, trace: Trace) -> list[str]:
        """Tells which rules over costs the quote breaks; only approvers may read it."""
        return [self._rule(each, trace) for each in broken(trace)]

    def _discount(self, violation: Violation, trace: Trace) -> str:
        figures = {
            "actual": self.share(violation.actual or Decimal(0), decimals=4),
            "limit": self.share(violation.threshold, decimals=4),
            "segment": trace.policy.segment_name,
        }
        said = self.say(f"discount_{violation.severity}", **figures)
        return self._about(violation.line_id, said, trace)

    def _rule(self, check: RuleCheck, trace: Trace) -> str:
        measure = check.rule.measure
        given = {"measure": self.say(f"measures.{measure}"), "segment": trace.policy.segment_name}
        if check.actual is None:
            said = self.say("rule_unknown", why=self.told(check.unknown or ""), **given)
        else:
            side = "rule_below" if check.rule.at_most is None else "rule_above"
            actual, limit = (self._measured(value, check) for value in (check.actual, check.threshold))
            said = self.say(side, actual=actual, limit=limit, **given)
        if check.outcome == "BLOCKED":
            said = self.say("nobody", reason=said)
        return self._about(check.subject.removeprefix("category:"), said, trace)

    def _measured(self, value: Decimal, check: RuleCheck) -> str:
        if check.rule.measure in MONEY:
            return self.money(value, check.rule.currency or "")
        if check.rule.measure in OF_COST:
            return self.share(value, decimals=4)
        return self.say(f"counted.{check.rule.measure}", count=self.number(value.normalize()))

    def _about(self, subject: str | None, said: str, trace: Trace) -> str:
        """Names the product or category, because an approver does not know the ids of lines."""
        if subject in (None, "quote"):
            return said
        names = {line.line_id: line.product_name for line in trace.lines}
        return self.say("about", subject=names.get(subject or "", subject), reason=said)


def of_house(connection: Connection, *, tenant: str) -> ApproverWording:
    return in_language(*queries.language_of_house(connection), tenant=tenant)


def in_language(language: str | None, country: str = "", *, tenant: str | None = None) -> ApproverWording:
    """Returns the wording of the language as the country writes it, or English where there is no file of it."""
    layouts = Path(settings().templates_dir) / "pdf"
    wording = _read(layouts, language or ENGLISH, country)
    return replace(wording, labels=wording.labels.model_copy(update=_marks(layouts, tenant)))


def accepted(header: str) -> ApproverWording:
    """Returns the wording in the first language of an Accept-Language header that has labels, else in English."""
    layouts = Path(settings().templates_dir) / "pdf"
    asked = (part.strip()[:2].lower() for part in header.split(","))
    return in_language(next((each for each in asked if each.isalpha() and has_labels(layouts, each)), None))


@fresh
def _read(layouts: Path, language: Language, country: str) -> ApproverWording:
    english = tables(layouts, ENGLISH)["approval"]
    own = tables(layouts, language, country).get("approval") if has_labels(layouts, language) else None
    language, own = (language, own) if own else (ENGLISH, english)
    labels = DocumentLabels.read(layouts, language, country)
    stored = english["stored"] | own.get("stored", {})
    words = _flat(english)
    fitting = {name: text for name, text in _flat(own).items() if _fits(text, words.get(name, ""))}
    return ApproverWording(language, labels, words | fitting, stored)


def _fits(text: str, english: str) -> bool:
    """Whether a label has no other gaps than the English one: one that has would stop a page or a mail."""
    try:
        text.format(**dict.fromkeys(_GAPS.findall(english), ""))
    except (KeyError, IndexError, ValueError):
        return False
    return True


def _marks(layouts: Path, tenant: str | None) -> dict[str, Any]:
    """Returns how the house's own profile writes figures and days, where it says so."""
    file = layouts / "companies" / f"{tenant}.toml"
    profile = tomllib.loads(file.read_text("utf-8")) if file.is_file() else {}
    found = {name: profile[name] for name in MARKS if name in profile}
    return {"amount_mark": None, **found} if "decimal_mark" in found else found


def _flat(table: Mapping[str, Any], under: str = "") -> dict[str, str]:
    """Flattens nested tables: the label ``total`` in the table ``fields`` is named ``fields.total``."""
    found: dict[str, str] = {}
    for name, value in table.items():
        found |= _flat(value, f"{under}{name}.") if isinstance(value, Mapping) else {under + name: value}
    return found


@cache
def _pattern(sentence: str) -> re.Pattern[str]:
    return re.compile(_GAP.sub(r"(?P<\1>.+)", re.escape(sentence)), re.DOTALL)
