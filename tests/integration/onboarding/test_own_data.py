"""docs/own-data.md: its examples are loaded as they stand there, up to a priced quote."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

from cpq import quote_create, quote_price
from local.files import ROOT
from local.preview import constants_of
from operations.own_words import FIELDS
from quarry.attributes.units import shipped
from tests.deployment import Deployment, invoke
from tests.integration.onboarding.conftest import Desk

TEXT = (ROOT / "docs" / "own-data.md").read_text("utf-8")
FENCES = re.compile(r"(?P<before>[^\n]*)\n\n```(?P<language>\w*)\n(?P<content>.*?)```", re.DOTALL)
NAMED = re.compile(r"`(?P<file>[\w.]+\.csv)`(?: \(`KIND=(?P<kind>\w+)`\))?")


def examples(folder: Path) -> dict[str, str]:
    """The documents' files, written into the folder; by name their kinds, where they say one."""
    found = {}
    for paragraph, language, content in FENCES.findall(TEXT):
        if language == "" and (named := NAMED.search(paragraph) or NAMED.search(before(content))):
            (folder / named["file"]).write_text(content, "utf-8")
            found[named["file"]] = named["kind"] or ""
        elif language == "toml" and content.startswith("kind = "):
            (folder / "Preise.csv.products.toml").write_text(content, "utf-8")
    return found


def before(content: str) -> str:
    """The paragraph above an example."""
    return TEXT.partition(content)[0].split("\n\n")[-2]


def commands() -> list[dict[str, str]]:
    [section] = re.findall(r"### From a price list to a priced quote.*?```sh\n(.*?)```", TEXT, re.DOTALL)
    return [
        {"does": line.split()[1], **dict(part.split("=", 1) for part in shlex.split(line)[2:])}
        for line in section.splitlines()
    ]


def load(desk: Desk, kind: str, path: Path, mapping: Path | None = None) -> None:
    desk.load_whole(kind, path.read_bytes(), mapping.read_text("utf-8") if mapping else "", name=path.name)


def guess(desk: Desk, kind: str, path: Path, constants: dict[str, str]) -> None:
    """Previews a file, which writes its mapping beside it."""
    said = desk.previewed(kind, path, constants=constants)
    assert "Rejected" not in said, said
    assert "NEEDED" not in said, said


def net_of(desk: Desk, deployment: Deployment, order: dict[str, Any]) -> str:
    with deployment.serving("quarry_write"):
        made = invoke(quote_create.handler, order, tenant=desk.tenant)
        assert "error" not in made, made
        priced = invoke(
            quote_price.handler,
            {"quote_id": made["quote"]["id"], "idempotency_key": made["quote"]["id"]},
            tenant=desk.tenant,
        )
    return str(priced["pricing"]["net_total"])


def test_each_example_is_loaded_as_it_stands_up_to_a_priced_quote(
    desk: Desk, deployment: Deployment, tmp_path: Path
) -> None:
    kinds = examples(tmp_path)
    assert set(kinds) >= {"families.csv", "attributes.csv", "units.csv", "vocabulary.csv", "Preise.csv"}

    desk.has_segment("standard")
    for command in commands():
        path = tmp_path / command["FILE"]
        if command["does"] == "preview":
            guess(desk, command["KIND"], path, constants_of(command.get("SET", "")))
        else:
            load(desk, command["KIND"], path, tmp_path / command["MAP"] if "MAP" in command else None)
    for name in ("units.csv", "vocabulary.csv"):
        load(desk, kinds[name], tmp_path / name)
    goods = desk.rows("SELECT model, family, attributes FROM equipment.products ORDER BY model")
    assert [(row["model"], row["family"]) for row in goods] == [
        ("AN-20", "actuator"), ("KH-50", "ball_valve"), ("KH-80", "ball_valve")
    ]  # fmt: skip
    assert goods[1]["attributes"]["height"] == 120
    [asked] = [json.loads(content) for _, language, content in FENCES.findall(TEXT) if language == "json"]
    assert net_of(desk, deployment, asked) == "2778.00"


def test_a_matrix_of_discounts_and_tiers_by_row_come_to_the_price_that_is_told(
    desk: Desk, deployment: Deployment, tmp_path: Path
) -> None:
    examples(tmp_path)
    for name, content in re.findall(r"```toml\n# ([\w.]+)\n(.*?)```", TEXT, re.DOTALL):
        (tmp_path / name).write_text(content, "utf-8")
    for segment in ("standard", "handel"):
        desk.has_segment(segment)
    lists, goods = tmp_path / "Staffeln.csv", tmp_path / "Staffeln.csv.products_for_sale.toml"
    guess(desk, "products_for_sale", lists, {"category": "goods"})
    load(desk, "products_for_sale", lists, goods)
    for kind, name in (("price_books", "price_books.csv"), ("accounts", "accounts.csv")):
        load(desk, kind, tmp_path / name)
    load(desk, "prices", lists, tmp_path / "Staffeln.csv.prices.toml")
    load(desk, "discounts", tmp_path / "Rabatte.csv", tmp_path / "Rabatte.csv.discounts.toml")
    load(desk, "discounts", tmp_path / "Kundenrabatte.csv")
    order = {"account_id": "acct_1001", "payment_terms": "net_30", "billing_frequency": "one_time"}
    [(count, product, net)] = re.findall(
        r"^(\d+) (\S+) for customer 1001, .*less 20 % ([\d.,]+) €", TEXT, re.MULTILINE
    )
    line = {"product_id": product, "quantity": int(count)}
    assert net_of(desk, deployment, {**order, "line_items": [line]}) == net.replace(".", "").replace(",", ".")
    # 25 at 440.00, less the customer's own 15 %, which comes before his segment's.
    more = {"product_id": "AN-20", "quantity": 25}
    assert net_of(desk, deployment, {**order, "line_items": [more]}) == "9350.00"


def test_the_names_that_no_attribute_may_have_and_the_base_units_are_the_code_s() -> None:
    [told] = re.findall(r"those of fields that every row has: (.*?)\.\n", TEXT, re.DOTALL)
    assert {name.strip() for name in told.split(",")} == set(FIELDS)
    [bases] = re.findall(r"with their base units: (.*?)\. A dimension", TEXT, re.DOTALL)
    said = dict(re.findall(r"`([^`]+)` ?([^,]*?)(?:,|$| and | or )", " ".join(bases.split())))
    ours = {unit.dimension for unit in shipped().by_spelling.values() if not unit.is_currency}
    assert said.keys() - {"amount in EUR"} == ours
    for dimension, name in said.items():
        if (unit := shipped().named(name)) is not None:
            assert (unit.dimension, unit.factor, unit.offset) == (dimension, 1, 0)
