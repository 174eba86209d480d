"""`make customers`: each company's raw files into an empty tenant by README, questions, a quote, undo, restore."""

import json
import subprocess
import sys
import tomllib
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from local.stack import Stack, require
from tests.customers.files import COMPANIES, write_all
from tests.house import ENVIRONMENT, new_house

HERE = Path(__file__).parent
ENOUGH = 0.85
"""Share of a company's questions whose right answer stands first."""


@dataclass(frozen=True, slots=True)
class Company:
    """``files`` are (kind, raw file, what no column says) in their order; ``quoted`` are the SKUs of a quote."""

    files: tuple[tuple[str, str, str], ...]
    account: str
    currency: str
    quoted: tuple[str, ...]


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
}
HOUSE = ("families", "attributes", "discount_policies", "approvers", "price_books", "tax_rules")
"""Files under the kinds' own names that a company writes by hand; price books come before prices."""


def main() -> int:
    wrong = 0
    with new_house() as house, TemporaryDirectory() as folder:
        stack = require(house.data_dir)
        write_all(Path(folder))
        for name, company in CASES.items():
            print(f"\n{name}: {' '.join((COMPANIES[name].__doc__ or '').split())}")
            load(stack, name, company, folder=Path(folder) / name)
            share, failures = answered(stack, name)
            print(f"  {share:.2f} of the questions have their answer first", *failures, sep="\n    ")
            wrong += share < ENOUGH
            print(f"  {quoted(stack, name, company)}")
            print(f"  {taken_back(stack, name, folder=Path(folder) / name)}")
            before = first_answers(stack, name)
            print(f"  {restored(stack, name, folder=Path(folder) / name)}")
            changed = [
                question for question, first in first_answers(stack, name).items() if first != before[question]
            ]
            print(
                f"  {len(before) - len(changed)} of {len(before)} answers are the same again", *changed, sep="\n    "
            )
            wrong += bool(changed)
    return 1 if wrong else 0


def load(stack: Stack, tenant: str, company: Company, *, folder: Path) -> None:
    """By the commands of README; a preview that would reject everything, or an ingest that fails, ends the run."""
    own = [(kind, HERE / "house" / tenant / f"{kind}.csv") for kind in HOUSE]
    for kind, file in own:
        if file.is_file():
            run(stack, "local.ingest", kind, str(file), tenant=tenant)
    for kind, name, constants in company.files:
        file = folder / name
        run(stack, "local.preview", kind, str(file), *(["--set", constants] if constants else []), tenant=tenant)
        mapping = file.with_name(f"{name}.{kind}.toml")
        said = run(stack, "local.ingest", kind, str(file), "--map", str(mapping), tenant=tenant, rejects=True)
        print(f"  {kind:18} {said.splitlines()[0]}")


def run(stack: Stack, *command: str, rejects: bool = False, tenant: str = "", typed: str = "") -> str:
    environment = {**ENVIRONMENT, "DATA_DIR": str(stack.data_dir), "NEW_TENANT": "1"}
    environment |= {"TENANT": tenant} if tenant else {}
    done = subprocess.run(
        [sys.executable, "-m", *command], env=environment, check=False, capture_output=True, text=True, input=typed
    )
    if done.returncode and not (rejects and done.stdout):
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def ask(stack: Stack, tenant: str, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    context = b64encode(json.dumps({"custom": {"tenant": tenant, "subject": "tests"}}).encode()).decode()
    answer = stack.client("lambda").invoke(
        FunctionName=f"quarry-{tool}", Qualifier="live", Payload=json.dumps(arguments), ClientContext=context
    )
    result: dict[str, Any] = json.loads(answer["Payload"].read())
    if result.get("error"):
        raise SystemExit(f"{tool} {arguments} failed: {result}")
    return result


def answered(stack: Stack, tenant: str) -> tuple[float, list[str]]:
    """(share of the questions with the right answer first, what stood first where it was another)."""
    failures = []
    count = 0
    for group in tomllib.loads((HERE / "questions.toml").read_text("utf-8"))[tenant]:
        for question, right in group["ask"]:
            count += 1
            results = ask(stack, tenant, group["tool"], {"query": question, "top_k": 3, "full": True})["results"]
            if not results or not is_right(results[0], right):
                first = json.dumps(results[0], ensure_ascii=False)[:160] if results else "nothing"
                failures.append(f"{group['tool']}: {question} → {first}")
    return 1 - len(failures) / count, failures


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


def first_answers(stack: Stack, tenant: str) -> dict[str, str]:
    """By question, what stands first, without its score."""
    found = {}
    for group in tomllib.loads((HERE / "questions.toml").read_text("utf-8"))[tenant]:
        for question, _ in group["ask"]:
            results = ask(stack, tenant, group["tool"], {"query": question, "top_k": 3, "full": True})["results"]
            named: dict[str, Any] = next(
                (results[0][part] for part in ("product", "line_item", "quote") if part in results[0]), {}
            )
            found[f"{group['tool']}: {question}"] = json.dumps(named, sort_keys=True)
    return found


def is_right(hit: Mapping[str, Any], right: str) -> bool:
    """Whether a hit is of the model, the quote, or a line with the words."""
    product, item, source = hit.get("product", {}), hit.get("line_item", {}), hit.get("quote", {})
    named = (product.get("model"), item.get("model"), source.get("quote_number"))
    return right in named or (" " in right and right in str(item.get("description")))


def quoted(stack: Stack, tenant: str, company: Company) -> str:
    """A quote of two articles by their numbers, priced and printed."""
    lines = [{"product_id": sku, "quantity": 2} for sku in company.quoted]
    arguments = {"account_id": company.account, "currency": company.currency, "line_items": lines}
    terms = {"term_months": 1, "payment_terms": "net_30", "idempotency_key": f"{tenant}-1"}
    made = ask(stack, tenant, "quote_create", {**arguments, **terms})
    quote_id = made["quote"]["id"]
    priced = ask(stack, tenant, "quote_price", {"quote_id": quote_id, "idempotency_key": f"{tenant}-2"})
    printed = ask(stack, tenant, "quote_pdf", {"quote_id": quote_id})
    return f"{quote_id}: {json.dumps(priced.get('totals', priced.get('pricing')))[:160]}; {str(printed)[:80]}"


if __name__ == "__main__":
    sys.exit(main())
