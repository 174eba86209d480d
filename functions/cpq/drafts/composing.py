"""Composes a letter from a draft: reads its grounds, sets page and annex, checks what was typed, adds the sheet."""

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby
from pathlib import Path

from cpq.documents.composition import StoredQuote, words_among
from cpq.documents.wording import ENGLISH, NO_LABELS, address, english_words, has_labels, untranslated, without_label
from cpq.drafts.annex import Annex
from cpq.drafts.blocks import Block, Letter, Note, Opening, Prose
from cpq.drafts.checking import Remark, check
from cpq.drafts.figures import normalised
from cpq.drafts.grounds import DELIVERY, Gathered, Grounds
from cpq.drafts.reading import Gathering
from cpq.drafts.sheet import sheet
from cpq.drafts.tables import GoodsTables, span, sums, told_totals
from cpq.drafts.typed import TypedText, tested
from cpq.drafts.value import ITEMS, NET, REFERENCE, UNSIGNED, DraftArgs, machine_in, texts_of
from cpq.model import Problem
from cpq.quotes.drafting import refusal
from quarry.attributes.model import values_of
from quarry.data.database import Connection
from quarry.data.settings import settings
from quarry.text import part_key, words_of

_TABLE = re.compile(r"(?m)^[ \t]*\{\{\s*items\s*\}\}[ \t]*$")
_WORDS = re.compile(r"\w+(?:[.,'’-]\w+)*")
_HEADING = re.compile(r"(?m)^#{1,3}(?=\s)")
_BOX = re.compile(r"☐|\[ \]")
BELOW_PAGE, BELOW_ANNEX = "####", "###"
"""How headings begin that the writer may have on the page and in the annex: below the letter's own."""
MOST_WORDS, MORE_THAN_MAIL, ABOUT = 600, 300, 1.05
"""Most words of a page beside its tables, and most by which it may be longer than the mail that it answers; the rest
is for the annex.
"""
MOST_SIGNING = 4
"""How many lines below a letter's closing phrase may say who signs; more lines are text."""
ORDERABLE = ("priced", "approved", "sent", "pending_approval")


class Composer:
    """Composes one letter; ``problems`` collects what is wrong with its ids and requirements."""

    def __init__(self, grounds: Grounds, *, accepted: frozenset[str]) -> None:
        self.grounds, self._say, self._new = grounds, grounds.wording.say, accepted
        self.tested, self.problems = tested(grounds)
        totals = told_totals(grounds)
        self.net_told = totals[NET]
        self._text = TypedText(grounds, self.tested, totals=totals)
        self._tables = GoodsTables(grounds, self._text)
        self._signed = ""

    def letter(self) -> Letter:
        for quote in self.grounds.quotes:
            for opening in _of_version(quote, self._say("tax")):
                self._text.blank(opening)
        account, notes = self.grounds.account, list(self.grounds.content.notes)
        if account and account["prospect"] and account["tax_exempt"]:
            # Nobody has checked what a prospect says of its taxes.
            notes.insert(0, "No tax, as the customer says: see the exemption certificate before it goes out.")
        page = [*self._page(), *(Note(text=text) for text in notes)]
        own = _HEADING.sub(BELOW_ANNEX, self.grounds.content.annex or "")
        annex: list[Block] = [Prose(text=self._text.filled(own, path="annex"))] if own else []
        annex += Annex(self.grounds, self._text, self._tables).blocks()
        self.problems += self._text.problems
        self.problems += self._text.not_acceptable(self._new)
        page += self._text.still()
        lines = [line for each in page if isinstance(each, Prose) for line in each.text.split("\n")]
        boxes = "\n".join(line for line in lines if _BOX.search(line))
        return Letter(
            language=self.grounds.wording.language,
            country=self.grounds.wording.country,
            date=self.grounds.wording.day(self.grounds.today),
            addressee=self._addressee(),
            number=", ".join(self.grounds.wording.quote(quote.version) for quote in self.grounds.offered),
            # A box that the page has is not printed twice: of an offer it names the letter, "A:", goods by name.
            choices=[
                each
                for each in self._tables.choices
                if not re.search(rf"\b{re.escape(re.sub(': .*', ':', each))}", boxes)
            ],
            signed_by=self._signed or self.grounds.signed_by,
            for_signature=UNSIGNED not in (self.grounds.content.page or ""),
            words=sum(len(_WORDS.findall(line)) for line in lines if not line.lstrip().startswith("|")),
            delivery=self.grounds.house.get(DELIVERY, ""),
            page=page,
            annex=annex,
            openings=list(self._text.openings.values()),
        )

    def notice(self, letter: Letter) -> str | None:
        """Returns what of the letter is not in its language, that its page is too long, that nobody signs."""
        own, layouts = self.grounds.own_language, Path(settings().templates_dir) / "pdf"
        fixed = english_words(layouts, letter.language, "composed", "text", "letter")
        left = [*fixed, *self._untranslated(foreign=letter.language != own)]
        mail = len(_WORDS.findall(self.grounds.content.request or "")) or MOST_WORDS
        most = min(MOST_WORDS, mail + MORE_THAN_MAIL)
        of = " for so short a mail" if most < MOST_WORDS else ""
        long = f"The page has {letter.words} words beside its tables, {most} at most{of}: annex has room."
        told = [untranslated(left, letter.language), long if letter.words > most * ABOUT else None]
        asked = self.grounds.content.language or (self.grounds.account or {}).get("language")
        if asked != ENGLISH and not has_labels(layouts, own):
            told.append(NO_LABELS.format(own))
        writers = f" ({', '.join(self.grounds.writers)} wrote lately)" if self.grounds.writers else ""
        told += [] if letter.signed_by else [f"Nobody signs it: give signed_by{writers}."]
        if letter.number and letter.for_signature and not letter.to_sign:
            told.append("It has nothing to sign while a field is accepted open: let the page invite no signature.")
        return " ".join(filter(None, told)) or None

    def _untranslated(self, *, foreign: bool) -> list[str]:
        """Returns what is printed without a word in the letter's language, each kind with the rows that have such
        words. In a language that is not ``foreign`` to the house that is what has a label in English alone.
        """
        grounds, language = self.grounds, self.grounds.wording.language
        had = {name for item in grounds.items if item.machine for name in item.machine["attributes"] or ()}
        unlabelled = [grounds.label(one) for name, one in grounds.attributes.by_name.items()
                      if name in had and one.position is not None and not one.label_in(language)
                      and (foreign or one.label_in(ENGLISH))]  # fmt: skip
        printed = (value for item in grounds.items if item.machine
                   for name, value in values_of(item.machine["attributes"]).items()
                   if (one := grounds.attributes.by_name.get(name)) and one.position is not None)  # fmt: skip
        texts = [text for value in printed for text in value.texts if grounds.wording.value(text) == text]
        units = without_label((item.sold_by for item in grounds.items), grounds.wording.labels)
        lacking = {
            f"composed.units of labels/{language}.toml": units if foreign else (),
            "labels of attributes": unlabelled,
            f"block of labels/{language}.toml": words_among(texts) if foreign else (),
            "names of products_for_sale": grounds.unnamed,
        }
        told = ((where, ", ".join(f"'{each}'" for each in names)) for where, names in lacking.items() if names)
        return [f"{names} (put into {where})" for where, names in told]

    def typed(self) -> tuple[str, list[tuple[str, str]]]:
        """Returns (all that the writer typed, the page first, so that line numbers are the page's; facts in it, each
        behind its model). A text about a model names it. Of facts by id only a model's are kept, because other
        figures may follow from them.
        """
        content, facts = self.grounds.content, list[tuple[str, str]]()

        def told(found: re.Match[str]) -> str:
            thing = machine_in(found[1].strip(), self.grounds.machines)
            if not thing:
                return "–"
            value = self._text.filled(found[0], path="page")
            facts.append((str(self.grounds.machines[part_key(thing)]["model"]), value))
            return f"{value} ({thing})"

        typed = [f"{model}: {text}" if model else text for model, text in texts_of(content)]
        wordings = [each.wording for item in content.items for each in item.passages if each.wording]
        return REFERENCE.sub(told, "\n\n".join([*typed, *wordings])), facts

    def _addressee(self) -> list[str]:
        account = self.grounds.account
        if account is None:
            return [self.grounds.customer]
        person, contact = self.grounds.content.customer or "", account.get("contact_name") or ""
        if not set(words_of(person)).isdisjoint(words_of(self.grounds.customer)):
            person = ""  # the company's name once more
        # A contact whom neither mail nor page names did not write it, and the page greets somebody else.
        mail, page = self.grounds.content.request, self.grounds.content.page or ""
        wrote = not mail or not set(words_of(contact)).isdisjoint(words_of(f"{mail}\n{page}"))
        to = person or (contact if wrote and words_of(contact) != words_of(self.grounds.customer) else "")
        lines = [*([self._say("attention", name=to)] if to else []), *address(account), self.grounds.abroad]
        return [self.grounds.customer, *filter(None, lines)]

    def _page(self) -> Iterator[Block]:
        page = (self.grounds.content.page or "").replace(UNSIGNED, "")
        filled = self._text.filled(_HEADING.sub(BELOW_PAGE, page), path="page")
        text, self._signed = without_closing(filled, self.grounds.wording.closings)
        if not text:
            self.problems.append(Problem(code="MISSING", path="page", message="Write the first page."))
        before, after = around_table(text)
        yield from [Prose(text=before)] if before else []
        yield from self._tables.ordered()
        yield from self._tables.beside()
        yield from [Prose(text=after)] if after else []


def _of_version(quote: StoredQuote, tax: str) -> Iterator[Opening]:
    """Yields what keeps a quote from going out."""
    version, name = quote.version, quote.version.quote_id
    if version.ended:
        yield Opening(field=f"validity of {name}", who="quote_create with a later valid_until", acceptable=False)
    if version.priced_at is None or version.status not in ORDERABLE or quote.outdated:
        yield Opening(field=f"prices of {name}", who="quote_price", acceptable=False)
        return
    if version.evaluation and not version.evaluation.auto_approved and version.status not in ("approved", "sent"):
        evaluation = version.evaluation
        roles = {each.required_approver_role or "nobody: it is above what anybody may grant"
                 for each in evaluation.violations}  # fmt: skip
        looks = f", who looks at the {' and the '.join(evaluation.reviewed)}" if evaluation.reviewed else ""
        how = f"(approval_request with account_id {version.account_id})"
        if quote.asked:
            roles = {each.approver_role for each in quote.asked}
            how = f"(asked on {quote.asked[0].created_at:%Y-%m-%d %H:%M} UTC: quote_get tells its status)"
        who = f"approval by {', '.join(sorted(roles)) or 'a person'}{looks} {how}"
        yield Opening(field=f"approval of {name}", who=who, acceptable=False)
    if version.tax_total is None:
        yield Opening(field=f"tax of {name}", who="an administrator, who loads the tax rule", told=tax)


def without_closing(text: str, phrases: Collection[str]) -> tuple[str, str]:
    """Splits off a closing that the page has of its own, because a letter is closed once: returns the page before a
    closing phrase of its language, and the lines of who signs below it.
    """
    closings = [words_of(phrase) for phrase in phrases]
    lines = text.rstrip().split("\n")
    for place in range(len(lines) - 1, -1, -1):
        signed = [line for each in lines[place + 1 :] if (line := each.strip(" \\*_"))]
        if len(signed) > MOST_SIGNING:
            break
        if words_of(lines[place]) in closings:
            return "\n".join(lines[:place]).rstrip(), "\n".join(signed)
    return text, ""


def around_table(text: str) -> tuple[str, str]:
    """Splits the page before and after the table of items: at its mark, else after the second paragraph."""
    if marked := _TABLE.search(text):
        return text[: marked.start()].strip(), text[marked.end() :].strip()
    parts = text.replace(f"{{{{{ITEMS}}}}}", "").strip().split("\n\n")
    return "\n\n".join(parts[:2]).strip(), "\n\n".join(parts[2:]).strip()


def composed(
    connection: Connection, content: DraftArgs, tenant: str, *, accepted: frozenset[str] = frozenset()
) -> tuple[Letter, list[Remark], Composer]:
    """Returns the letter as the rows are now, remarks on what was typed, and the composer. Raises a ToolError that
    names everything that is wrong with the draft's ids.

    ``accepted`` are open fields that this call accepts, which have to be open.
    """
    grounds = Gathered(connection, content, tenant=tenant, templates=Path(settings().templates_dir)).grounds()
    composer = Composer(grounds, accepted=accepted)
    letter = composer.letter()
    if composer.problems:
        raise refusal(composer.problems)
    remarks = _findings(connection, grounds, *composer.typed())
    # What is another customer's keeps the letter from going out.
    names = dict.fromkeys(each.text for each in remarks if each.verdict == "foreign")
    who = "whoever writes the page: it is another customer's"
    found = [Opening(field=f"finding: {name}", who=who, acceptable=False) for name in names]
    letter = letter.model_copy(update={"openings": [*letter.openings, *found]})
    return letter.model_copy(update={"sheet": sheet(grounds, composer.tested, letter, remarks)}), remarks, composer


def _findings(connection: Connection, grounds: Grounds, typed: str, facts: Sequence[tuple[str, str]]) -> list[Remark]:
    """Returns remarks on what was typed without a source and is not told in the notes, in the order of the page."""
    content = grounds.content
    said = "\n".join([typed, *(line.name for line in grounds.lines.values())])
    found = Gathering(connection, said, today=grounds.today, attributes=grounds.attributes, needs=grounds.needs())
    models = [str(machine["model"]) for machine in grounds.machines.values()]
    found.rows(
        request="\n".join([content.request or "", *(each.text for each in content.requirements)]),
        account=content.account_id or grounds.customer,
        things=[*models, *(item.product_id for item in grounds.items)],
        numbers=sorted({line.quote_number for line in grounds.lines.values()}),
        quotes=grounds.quotes,
    )
    for (_, model), sale in grounds.sold.items():
        found.text(f"the lead time told of {model}", f"{sale.lead_time}\n{sale.kept}", of=part_key(model))
    for model, fact in facts:
        found.text(f"the catalogue, of {model}", fact, of=part_key(model), own=True)
    told = (*grounds.items, *grounds.compared.values())
    found.table([(item.name, [item.unit_price, item.amount]) for item in told], grounds.currency)
    totals = [value for _, value in (*sums(grounds, grounds.ordered), *grounds.recurring)]
    ends = [end for item in grounds.items for end in item.allowance or ()]
    for _, items in groupby(grounds.items, key=lambda item: (item.quote, item.role == "item")):
        ends += span(list(items)) or ()
    found.table([("the total", totals), ("the ends of its allowances", ends)], grounds.currency)
    found.evidence.counts |= {int(item.quantity) for item in grounds.items} | {len(grounds.items)}
    found.evidence.dates |= {each.by for each in content.accept_open}
    notes = normalised("\n".join(content.notes))
    return [
        each for each in check(typed, found.evidence) if each.verdict != "supported" and not _told_in(notes, each)
    ]


def _told_in(notes: str, remark: Remark) -> bool:
    """Whether the writer's notes say where a statement is from; they are no source of what is another customer's."""
    text = normalised(remark.text)
    # An amount counts without the sign of its currency, which notes leave out or write as a code.
    named = [text, *(re.findall(r"\d[\d.,]*\d", text)[:1] if remark.kind == "amount" else [])]
    told = "|".join(map(re.escape, named))
    return remark.verdict != "foreign" and re.search(rf"(?<![\w.,])(?:{told})(?!\w)", notes) is not None
