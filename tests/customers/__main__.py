"""`make customers`: each company's raw files into an empty tenant by README, questions, a quote, undo, restore."""

import io
import json
import os
import sys
import tomllib
from base64 import b64encode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from local.failure import LocalError
from local.stack import Stack, require
from quarry.tool.errors import ToolError
from tests.customers import stored
from tests.customers.files import COMPANIES, write_all
from tests.house import ENVIRONMENT, new_house

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Company:
    """``files`` are (kind, raw file, what no column says) in their order; ``quoted`` are the SKUs of a quote.

    ``enough`` is the share of the questions whose right answer has to stand first.
    """

    files: tuple[tuple[str, str, str], ...]
    account: str
    currency: str
    quoted: tuple[str, ...]
    enough: float = 0.85


CASES: Mapping[str, Company] = {
    "cascade": Company(
        (
            ("products", "Price List 2026.xlsx", ""),
            ("products_for_sale", "Price List 2026.xlsx", ""),
            ("prices", "Price List 2026.xlsx", "price_book_id=pb_2026"),
            ("accounts", "customers.csv", "currency=USD"),
            ("past_quotes", "crm_quotes.csv", ""),
            ("line_items", "crm_quote_lines.csv", ""),
        ),
        "acct_10017",
        "USD",
        ("CP-1005", "SB-2005"),
    ),
    "harz": Company(
        (
            ("products", "Preisliste_2026.xlsx", ""),
            ("products_for_sale", "Preisliste_2026.xlsx", ""),
            ("prices", "Preisliste_2026.xlsx", "price_book_id=pb_2026"),
            ("accounts", "Kunden.xls", "currency=EUR"),
            ("past_quotes", "Angebote.csv", ""),
            ("line_items", "Angebotspositionen.csv", "currency=EUR"),
        ),
        "acct_d1004",
        "EUR",
        ("OF-0370", "KT-0065"),
    ),
    "ebro": Company(
        (
            ("products", "articulos.csv", ""),
            ("products_for_sale", "articulos.csv", ""),
            ("prices", "Tarifa 2026.xlsx", "price_book_id=pb_2026"),
            ("accounts", "clientes.csv", "currency=EUR"),
            ("past_quotes", "ofertas.csv", ""),
            ("line_items", "lineas_oferta.csv", ""),
        ),
        "acct_430014",
        "EUR",
        ("VE-BO-050", "VE-RE-050"),
    ),
    "husum": Company(
        (
            ("products", "Katalog 2026.xml", ""),
            ("products_for_sale", "Katalog 2026.xml", ""),
            ("prices", "Katalog 2026.xml", "price_book_id=pb_2026"),
            ("prices", "Objektpreise.csv", "price_book_id=pb_objekt"),
            ("accounts", "Kunden.csv", "currency=EUR"),
            ("past_quotes", "Angebote.csv", ""),
            ("line_items", "Angebotspositionen.csv", "currency=EUR"),
        ),
        "acct_h2001",
        "EUR",
        ("L100116", "K315001"),
        enough=28 / 30,
    ),
}
HOUSE = ("units", "families", "attributes", "discount_policies", "approvers", "price_books", "tax_rules")
"""Files under the kinds' own names that a company writes by hand; price books come before prices."""


def main() -> int:
    wrong = 0
    with new_house(SAMPLE="0", TENANT="customers") as house, TemporaryDirectory() as folder:
        stack = require(house.data_dir)
        write_all(Path(folder))
        for name, company in CASES.items():
            print(f"\n{name}: {' '.join((COMPANIES[name].__doc__ or '').split())}")
            load(stack, name, company, folder=Path(folder) / name)
            before = first_answers(stack, name)
            failures = [
                f"{question} → {json.dumps(hit, ensure_ascii=False)[:160]}"
                for question, (right, hit) in before.items()
                if not is_right(hit, right)
            ]
            first = len(before) - len(failures)
            print(f"  {first} of {len(before)} questions have their answer first", *failures, sep="\n    ")
            wrong += first < company.enough * len(before)
            print(f"  {quoted(stack, name, company)}")
            if name == stored.COMPANY:
                lines = list(stored.wrong(exported(stack, name, Path(folder) / name / "stored")))
                print(f"  {len(lines)} values are stored otherwise than the files say", *lines, sep="\n    ")
                wrong += bool(lines)
            print(f"  {taken_back(stack, name, folder=Path(folder) / name)}")
            print(f"  {restored(stack, name, folder=Path(folder) / name)}")
            again = first_answers(stack, name)
            changed = [each for each, (_, hit) in again.items() if row_of(hit) != row_of(before[each][1])]
            same = len(before) - len(changed)
            print(f"  {same} of {len(before)} answers are the same again", *changed, sep="\n    ")
            wrong += bool(changed)
    return 1 if wrong else 0


def load(stack: Stack, tenant: str, company: Company, *, folder: Path) -> None:
    """By the commands of README, columns by the house's own mapping or as they are guessed. A preview that would
    reject everything, or an ingest that fails, ends the run.
    """
    own = [(kind, HERE / "house" / tenant / f"{kind}.csv") for kind in HOUSE]
    for kind, file in own:
        if file.is_file():
            run(stack, "local.ingest", kind, str(file), tenant=tenant)
    for kind, name, constants in company.files:
        file = folder / name
        own_mapping = HERE / "house" / tenant / f"{kind}.toml"
        how = ["--map", str(own_mapping)] if own_mapping.is_file() else ["--set", constants] if constants else []
        run(stack, "local.preview", kind, str(file), *how, tenant=tenant)
        mapping = own_mapping if own_mapping.is_file() else file.with_name(f"{name}.{kind}.toml")
        said = run(stack, "local.ingest", kind, str(file), "--map", str(mapping), tenant=tenant, rejects=True)
        print(f"  {kind:18} {said.splitlines()[0]}")


def run(stack: Stack, *command: str, rejects: bool = False, tenant: str = "", typed: str = "") -> str:
    """What a command of make prints. It runs in this process: there are a hundred, and starting takes each longer."""
    module, *arguments = command
    environment = {**ENVIRONMENT, "DATA_DIR": str(stack.data_dir), "NEW_TENANT": "1"}
    environment |= {"TENANT": tenant} if tenant else {}
    written, told = io.StringIO(), io.StringIO()
    with _as_process([module, *arguments], environment, typed), redirect_stdout(written), redirect_stderr(told):
        try:
            status = import_module(module).main()
        except (LocalError, ToolError) as failure:
            status = str(failure)
    if status and not (rejects and written.getvalue()):
        raise SystemExit(f"{' '.join(command)} failed: {status}\n{written.getvalue()}{told.getvalue()}")
    return written.getvalue()


@contextmanager
def _as_process(arguments: list[str], environment: dict[str, str], typed: str) -> Iterator[None]:
    """With the arguments, environment and keyboard that a process of its own would have."""
    before = sys.argv, dict(os.environ), sys.stdin
    sys.argv, sys.stdin = arguments, io.StringIO(typed)
    os.environ.clear()
    os.environ.update(environment)
    try:
        yield
    finally:
        sys.argv, _, sys.stdin = before
        os.environ.clear()
        os.environ.update(before[1])


@cache
def functions(data_dir: Path) -> Any:
    """The client by which questions are asked; each would take as long to make as an answer."""
    return require(data_dir).client("lambda")


def ask(stack: Stack, tenant: str, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    context = b64encode(json.dumps({"custom": {"tenant": tenant, "subject": "tests"}}).encode()).decode()
    answer = functions(stack.data_dir).invoke(
        FunctionName=f"quarry-{tool}", Qualifier="live", Payload=json.dumps(arguments), ClientContext=context
    )
    result: dict[str, Any] = json.loads(answer["Payload"].read())
    if result.get("error"):
        raise SystemExit(f"{tool} {arguments} failed: {result}")
    return result


def first_answers(stack: Stack, tenant: str) -> dict[str, tuple[str, dict[str, Any]]]:
    """By question the right answer, and the hit that stands first."""
    found: dict[str, tuple[str, dict[str, Any]]] = {}
    for group in tomllib.loads((HERE / "questions.toml").read_text("utf-8"))[tenant]:
        for question, right in group["ask"]:
            results = ask(stack, tenant, group["tool"], {"query": question, "top_k": 3, "full": True})["results"]
            found[f"{group['tool']}: {question}"] = right, next(iter(results), {})
    return found


def row_of(hit: Mapping[str, Any]) -> Any:
    """What a hit is of, without its score."""
    return next((hit[part] for part in ("product", "line_item", "quote") if part in hit), {})


def exported(stack: Stack, tenant: str, folder: Path) -> dict[str, bytes]:
    """All that was loaded, by file; the folder stays."""
    run(stack, "local.export", str(folder), tenant=tenant)
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir())}


def taken_back(stack: Stack, tenant: str, *, folder: Path) -> str:
    """A file of products with a changed row and a new one, loaded and undone: the rows are as before, to the byte."""
    before = exported(stack, tenant, folder / "before")
    row = json.loads(before["products.jsonl"].splitlines()[0])
    changed = folder / "changed.jsonl"
    rows = [{**row, "description": "Another machine altogether."}, {**row, "model": "NEW-1"}]
    changed.write_text("".join(json.dumps(each) + "\n" for each in rows), "utf-8")
    run(stack, "local.ingest", "products", str(changed), tenant=tenant)
    if exported(stack, tenant, folder / "between") == before:
        raise SystemExit(f"{tenant}: the changed file changed nothing")
    number = run(stack, "local.ingests", tenant=tenant).split()[0]
    run(stack, "local.ingests", "--undo", number, tenant=tenant)
    if exported(stack, tenant, folder / "after") != before:
        raise SystemExit(f"{tenant}: undoing ingest {number} left other rows than there were")
    return f"ingest {number} undone: {len(before)} files of rows as before"


def restored(stack: Stack, tenant: str, *, folder: Path) -> str:
    """Exported, deleted, loaded again: an export of that is the same to the byte."""
    run(stack, "local.delete_tenant", tenant=tenant, typed=tenant)
    run(stack, "local.export", str(folder / "before"), "--load", tenant=tenant)
    before = {file.name: file.read_bytes() for file in sorted((folder / "before").iterdir())}
    if exported(stack, tenant, folder / "again") != before:
        raise SystemExit(f"{tenant}: what was loaded again is not what was exported")
    return f"deleted and loaded again: {len(before)} files the same to the byte"


def is_right(hit: Mapping[str, Any], right: str) -> bool:
    """Whether a hit is of the model, the quote, or a line with the words."""
    product, item, source = hit.get("product", {}), hit.get("line_item", {}), hit.get("quote", {})
    named = (product.get("model"), item.get("model"), source.get("quote_number"))
    return right in named or (" " in right and right in str(item.get("description")))


def quoted(stack: Stack, tenant: str, company: Company) -> str:
    """A quote of two articles by their numbers, priced and printed."""
    lines = [{"product_id": sku, "quantity": 2} for sku in company.quoted]
    arguments = {"account_id": company.account, "currency": company.currency, "line_items": lines}
    terms = {"term_months": 1, "payment_terms": "net_30", "price": True, "idempotency_key": f"{tenant}-1"}
    made = ask(stack, tenant, "quote_create", {**arguments, **terms})
    quote_id = made["quote"]["id"]
    printed = ask(stack, tenant, "quote_pdf", {"quote_id": quote_id})
    return f"{quote_id}: {json.dumps(made['pricing'])[:160]}; {str(printed)[:80]}"


if __name__ == "__main__":
    sys.exit(main())
