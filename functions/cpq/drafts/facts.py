"""Facts that a page names by id, such as {{QGV-100.flow}}, and what stands in their place."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from cpq.documents.wording import payment
from cpq.drafts import proven
from cpq.drafts.blocks import Opening
from cpq.drafts.folding import model_key
from cpq.drafts.grounds import Grounds, machine_in
from cpq.drafts.value import HOUSE, ITEMS, LINE, NET, REFERENCE, TOTAL
from cpq.model import Problem
from quarry.attributes.model import values_of
from quarry.characteristics import label_of
from quarry.spelling import alike

LIST_PRICE, LEAD_TIME, NAMES = "list_price", "lead_time", ("model", "manufacturer")
_OF_QUOTE = ("total", "valid_until", "payment_terms", "version")


class Facts:
    """Fills texts from the grounds; ``problems`` are ids that name nothing, ``openings`` those without a value."""

    def __init__(self, grounds: Grounds, *, total: str, net: str) -> None:
        self._grounds, self._totals = grounds, {TOTAL: total, NET: net}
        self.problems: list[Problem] = []
        self.openings: dict[str, Opening] = {}

    def filled(self, text: str, *, path: str, missing: Callable[[Opening], str]) -> str:
        def value(match: re.Match[str]) -> str:
            name = match[1].strip()
            if name == ITEMS:
                return match[0]
            found = self._value(name, path)
            if isinstance(found, Opening):
                return missing(self.openings.setdefault(found.field, found))
            return found

        return REFERENCE.sub(value, text)

    def _value(self, name: str, path: str) -> str | Opening:
        if name in self._totals:
            told = self._say("total")
            return self._totals[name] or Opening(field=name, who="quote_create and quote_price", told=told)
        if name.startswith(HOUSE):
            return self._of_house(name, path)
        if thing := machine_in(name, self._grounds.machines):
            machine = self._grounds.machines[model_key(thing)]
            return self._of_machine(name, machine, name[len(thing) + 1 :], path)
        if line := LINE.fullmatch(name):
            return self._of_line(line[1], line[2], path)
        thing, _, what = name.rpartition(".")
        quote = next((each.version for each in self._grounds.quotes if each.version.quote_id == thing.upper()), None)
        if quote is not None:
            return self._of_quote(name, what, path)
        return self._wrong(
            path, name, f"Write {{{{model.attribute}}}}, {{{{total}}}} or {{{{items}}}}, not '{name}'."
        )

    def _wrong(self, path: str, name: str, message: str) -> str:
        self.problems.append(Problem(code="NOT_FOUND", path=path, message=message))
        return name

    def _say(self, key: str, **given: object) -> str:
        return self._grounds.wording.say(key, **given)

    def _of_house(self, name: str, path: str) -> str:
        known, asked = self._grounds.house, name.removeprefix(HOUSE)
        if asked in known:
            return known[asked]
        near = alike(asked, known) or list(known)
        return self._wrong(path, name, f"The house says nothing of '{asked}'; it says {', '.join(near)}.")

    def _of_line(self, name: str, what: str | None, path: str) -> str | Opening:
        line, wording = self._grounds.lines[name], self._grounds.wording
        if not line.released:
            return self._wrong(path, name, f"{name} is another customer's, and no reference that may be told.")
        if what is None:
            paid = wording.money(line.unit_price, line.currency) if line.unit_price is not None else ""
            return proven.told(line, f"{paid} {self._say('each')}" if paid and line.quantity != 1 else paid)
        return self._attribute(f"{name}.{what}", {"attributes": line.attributes or {}}, what, path)

    def _of_quote(self, name: str, what: str, path: str) -> str | Opening:
        grounds = self._grounds
        quote = next(each.version for each in grounds.quotes if name.upper().startswith(f"{each.version.quote_id}."))
        match what:
            case "total" if quote.priced_at is not None:
                return grounds.wording.money(quote.total, quote.currency)
            case "total":
                return Opening(field=name, who="quote_price", told=self._say("total"), acceptable=False)
            case "valid_until":
                return grounds.wording.day(quote.valid_until)
            case "payment_terms":
                return payment(quote.payment_terms, labels=grounds.wording.labels)
            case "version":
                return str(quote.version)
        return self._wrong(path, name, f"A quote tells {', '.join(_OF_QUOTE)}, not '{what}'.")

    def _of_machine(self, name: str, machine: Mapping[str, Any], what: str, path: str) -> str | Opening:
        grounds = self._grounds
        if not what:
            return f"{machine['manufacturer']} {machine['model']}"
        if what in NAMES:
            return str(machine[what])
        sale = grounds.sold.get((str(machine["manufacturer"]), str(machine["model"])))
        if what in (LIST_PRICE, "price"):
            if sale and sale.list_price is not None and sale.list_currency:
                return grounds.wording.money(sale.list_price, sale.list_currency)
            return self._open(name, "price_of", machine, "whoever keeps the price book")
        if what == LEAD_TIME and (sale is None or sale.lead_time is None):
            return self._open(name, LEAD_TIME, machine, "the maker, asked by the salesperson")
        if what == LEAD_TIME and sale and sale.lead_time:
            return grounds.wording.value(sale.lead_time.replace("..", "–"))
        return self._attribute(name, machine, what, path)

    def _attribute(self, name: str, row: Mapping[str, Any], what: str, path: str) -> str | Opening:
        grounds = self._grounds
        attribute = grounds.attributes.named(what)
        if attribute is None:
            near = alike(what, grounds.attributes.by_name)
            return self._wrong(
                path, name, f"No attribute '{what}'. Nearest: {', '.join(near) or 'see list_attributes'}."
            )
        value = values_of(row["attributes"]).get(attribute.name)
        if value is None:
            label = label_of(attribute, grounds.wording.language)
            told = f"{label} {row.get('model') or ''}".strip()
            return Opening(field=name, who="the maker, asked by the salesperson", told=told)
        return grounds.told(value, attribute)

    def _open(self, name: str, key: str, machine: Mapping[str, Any], who: str) -> Opening:
        return Opening(field=name, who=who, told=self._say(key, what=machine["model"]))
