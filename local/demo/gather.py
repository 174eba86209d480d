"""Asks the tools for everything a draft needs, in a fixed order, and records every question."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pydantic import ValidationError

from local.demo.choose import differences, pick_language, rank_language, shortlist
from local.demo.evidence import Evidence, LineEvidence
from local.demo.filters import attempts_at, filters, language_filters
from local.demo.limits import Bounds
from local.demo.results import (
    Answer,
    LineItemHit,
    Product,
    ProductHit,
    QuoteContext,
    QuoteHit,
    Search,
    Specs,
)
from local.demo.session import ToolCallError, Tools
from local.demo.trace import Row

PRECEDENTS = 4


@dataclass
class Gatherer:
    tools: Tools
    evidence: Evidence

    async def gather(self) -> Evidence:
        for number, line in enumerate(self.evidence.request.lines, start=1):
            found = LineEvidence(line, number)
            self.evidence.lines.append(found)
            await self._gather_line(found)
        await self._gather_projects()
        await self._gather_installation()
        return self.evidence

    async def _gather_line(self, found: LineEvidence) -> None:
        self._size_from_compressor(found)
        hits, searched = await self._find_equipment(found)
        words = await self._find_language(found)
        models = shortlist([hit for hit, _ in hits], line=found.line, language=[hit for hit, _ in words])
        found.products = await self._read_specs(found, models) if models else []
        if found.product:
            chosen = found.product
            found.hit = next(hit for hit, _ in hits if hit.product.name == chosen.name)
            searched.used(hit=found.hit, status="used for specs")
            words += await self._search(
                found.name,
                query={"query": chosen.name, "top_k": 5},
                tool="search_line_items",
                answer=Search[LineItemHit],
            )
        self._settle_language(found, words)
        await self._read_contexts(found)

    def _size_from_compressor(self, found: LineEvidence) -> None:
        """A dryer with no flow of its own has to pass what the compressor before it delivers."""
        before = next((e for e in self.evidence.lines if e.product and e.product.family == "compressor"), None)
        if found.line.family != "dryer" or "cfm" in found.line.limits or not before or not before.product:
            return
        if flow := before.product.cfm:
            total = flow * before.line.quantity
            found.line = replace(found.line, limits={**found.line.limits, "cfm": Bounds(low=total)})
            found.sized = f"Sized to {total:g} CFM, the rated capacity of {before.name} ({before.product.name})."

    async def _find_equipment(self, found: LineEvidence) -> tuple[list[tuple[ProductHit, Row]], Row]:
        for loosened, line in attempts_at(found.line):
            query = {"query": line.text, **filters(line), "top_k": 10}
            hits = await self._search(found.name, query=query, tool="search_equipment", answer=Search[ProductHit])
            # After an error nothing is known about the catalogue, so there is no ground to loosen anything.
            if hits or self.evidence.trace.rows[-1].status == "failed":
                found.loosened = loosened
                break
        return hits, self.evidence.trace.rows[-1]

    async def _find_language(self, found: LineEvidence) -> list[tuple[LineItemHit, Row]]:
        queries: list[dict[str, object]] = [{"query": found.line.text, "top_k": 10}]
        near = language_filters(found.line)
        if near:
            queries.insert(0, {"query": found.line.text, **near, "top_k": 10})
        words: list[tuple[LineItemHit, Row]] = []
        for query in queries:
            words += await self._search(found.name, query=query, tool="search_line_items", answer=Search[LineItemHit])
        return words

    async def _read_specs(self, found: LineEvidence, models: Sequence[Product]) -> list[Product]:
        arguments = {"models": [product.model for product in models]}
        specs, row = await self._ask(found.name, tool="get_specs", arguments=arguments, answer=Specs)
        wanted = {product.name: product for product in models}
        if specs is None:
            return list(models)
        row.used(source=", ".join(product.name for product in specs.products), status="used for specs")
        full = {product.name: product for product in specs.products}
        return [full.get(name, product) for name, product in wanted.items()]

    def _settle_language(self, found: LineEvidence, words: list[tuple[LineItemHit, Row]]) -> None:
        unique = {(hit.line_item.quote_number, hit.line_item.position): (hit, row) for hit, row in reversed(words)}
        hits = [hit for hit, _ in unique.values()]
        ranked = rank_language(hits, line=found.line, product=found.product)
        found.language = pick_language(hits, line=found.line, product=found.product)
        found.closest = None if found.language or not hits else max(hits, key=lambda hit: hit.score or 0.0)
        found.precedents = [hit for hit in ranked if hit.line_item.unit_price and hit.confidence != "probable_miss"][
            :PRECEDENTS
        ]
        for hit, row in unique.values():
            if hit is found.language:
                apart = differences(hit.line_item, line=found.line, product=found.product)
                fits = hit.confidence == "likely_good" and not apart
                row.used(hit=hit, status="used verbatim" if fits else "used with review")

    async def _read_contexts(self, found: LineEvidence) -> None:
        kept = [hit for hit in (found.language, *found.precedents) if hit]
        for number in dict.fromkeys(hit.line_item.quote_number for hit in kept):
            await self._read_context(found.name, number)

    async def _read_context(self, section: str, number: str) -> None:
        if number in self.evidence.contexts:
            return
        context, row = await self._ask(section, tool="get_quote", arguments={"quote_id": number}, answer=QuoteContext)
        if context:
            self.evidence.contexts[number] = context
            row.used(source=f"{context.quote.customer}, {number}", status="context only")

    async def _gather_projects(self) -> None:
        query = {"query": self.evidence.request.text, "top_k": 5}
        hits = await self._search("Precedent", query=query, tool="search_past_quotes", answer=Search[QuoteHit])
        self.evidence.projects = [hit for hit, _ in hits if hit.confidence != "probable_miss"][:3]
        for hit, row in hits[:1]:
            used = hit.confidence != "probable_miss"
            row.used(hit=hit, status="context only" if used else "not used")

    async def _gather_installation(self) -> None:
        query = {
            "query": f"installation of {self.evidence.request.lines[0].text}",
            "category": "INSTALLATION",
            "top_k": 5,
        }
        hits = await self._search("Installation", query=query, tool="search_line_items", answer=Search[LineItemHit])
        for hit, row in hits[:1]:
            if hit.confidence != "probable_miss":
                self.evidence.installation = hit
                await self._read_context("Installation", hit.line_item.quote_number)
            row.used(hit=hit, status="used with review" if self.evidence.installation else "not used")

    async def _search[H: (ProductHit, LineItemHit, QuoteHit)](
        self, section: str, *, query: Mapping[str, object], tool: str, answer: type[Search[H]]
    ) -> list[tuple[H, Row]]:
        found, row = await self._ask(section, tool=tool, arguments=query, answer=answer)
        if found is None:
            return []
        row.answered(found)
        if found.degraded and found.notice not in self.evidence.trace.notices:
            self.evidence.trace.notices.append(found.notice or "no reason given")
        for hit in found.results:
            if isinstance(hit, LineItemHit):
                self.evidence.customers.add(hit.source_quote.customer)
            elif isinstance(hit, QuoteHit):
                self.evidence.customers.add(hit.quote.customer)
        return [(hit, row) for hit in found.results]

    async def _ask[A: Answer](
        self, section: str, *, tool: str, arguments: Mapping[str, object], answer: type[A]
    ) -> tuple[A | None, Row]:
        row = self.evidence.trace.open(section, tool=tool, arguments=arguments)
        try:
            return await self.tools.call(tool, arguments=arguments, answer=answer), row
        except (ToolCallError, ValidationError) as error:
            row.status = "failed"
            self.evidence.trace.failures.append(f"{section}: {error}")
            return None, row
