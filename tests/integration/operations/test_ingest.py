"""ingest: files in S3 into rows, through the handler."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any
from urllib.parse import quote_plus

import pytest

from onboarding.contents import opened
from operations.bounds import MOST_KEPT_REJECTS
from operations.ingest import KINDS, handler
from operations.ingest_account import CHUNK
from operations.tables.columns import guess
from tests.aws import client
from tests.customers.files import COMPANIES, HOUSE
from tests.declarations import declared_beside
from tests.deployment import Deployment, invoke
from tests.sample_rows import LINES, PRODUCTS, QUOTES, Row, line, product, quote

BUCKET = "incoming"


@dataclass
class Inbox:
    """A bucket, and the ingest function beside it, for tenants that have declared what the rows of tests have."""

    s3: Any
    deployment: Deployment

    def put(self, key: str, content: str | bytes) -> None:
        self.s3.put_object(Bucket=BUCKET, Key=key, Body=content.encode() if isinstance(content, str) else content)

    def arrive(self, key: str, content: str | bytes, **beside: str) -> dict[str, Any]:
        """The answer to the event that S3 sends for the object, with what a person gives ``beside`` it."""
        self.put(key, content)
        record = {"s3": {"bucket": {"name": BUCKET}, "object": {"key": quote_plus(key, safe="/")}}}
        return invoke(handler, {"Records": [record], **beside}, tenant="nobody")

    def report(self, key: str, content: str | bytes, **beside: str) -> dict[str, Any]:
        self.deployment.declare_sample(tenant=key.partition("/")[0])
        answer = self.arrive(key, content, **beside)
        assert "error" not in answer, answer
        [report] = answer["reports"]
        assert isinstance(report, dict)
        return report


def counts(report: dict[str, Any]) -> dict[str, int]:
    names = ("rows_read", "inserted", "updated", "unchanged", "merged", "rejected")
    return {name: report[name] for name in names if report[name]}


def jsonl(rows: Sequence[Row]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


@pytest.fixture
def inbox(deployment: Deployment, aws_url: str, aws_variables: dict[str, str]) -> Iterator[Inbox]:
    s3 = client("s3", aws_url)
    s3.create_bucket(Bucket=BUCKET)
    with deployment.serving("quarry_ingest", **aws_variables):
        yield Inbox(s3, deployment)


@pytest.mark.parametrize(("kind", "rows"), [("products", PRODUCTS), ("past_quotes", QUOTES), ("line_items", LINES)])
def test_the_same_file_twice_changes_nothing_the_second_time(
    inbox: Inbox, deployment: Deployment, kind: str, rows: tuple[Row, ...]
) -> None:
    inbox.report("idem/past_quotes/q.jsonl", jsonl(QUOTES))
    inbox.report(f"idem/{kind}/a.jsonl", jsonl(rows))
    deployment.rows("DELETE FROM quarry.embedding_queue", tenant="idem")
    again = inbox.report(f"idem/{kind}/b.jsonl", jsonl(rows))
    assert counts(again) == {"rows_read": len(rows), "unchanged": len(rows)}
    assert deployment.rows("SELECT 1 FROM quarry.embedding_queue", tenant="idem") == []


def test_a_changed_row_counts_as_updated_and_an_absent_field_stays_as_it_is(
    inbox: Inbox, deployment: Deployment
) -> None:
    inbox.report("upd/products/a.jsonl", jsonl([product("A", hp=5), product("B", hp=5)]))
    report = inbox.report("upd/products/b.jsonl", jsonl([product("A", hp=7.5), product("B"), product("C")]))
    assert counts(report) == {"rows_read": 3, "inserted": 1, "updated": 1, "unchanged": 1}
    stored = deployment.rows(
        "SELECT model, attributes -> 'hp' AS hp FROM equipment.products ORDER BY model", tenant="upd"
    )
    assert [(row["model"], row["hp"]) for row in stored] == [("A", 7.5), ("B", 5), ("C", None)]


def test_a_new_price_costs_no_new_embedding(inbox: Inbox, deployment: Deployment) -> None:
    inbox.report("cheap/past_quotes/q.jsonl", jsonl([quote("Q")]))
    inbox.report("cheap/line_items/a.jsonl", jsonl([line("Q", 1, "Freight.", unit_price="1.00")]))
    deployment.rows("DELETE FROM quarry.embedding_queue", tenant="cheap")
    report = inbox.report("cheap/line_items/b.jsonl", jsonl([line("Q", 1, "Freight.", unit_price="2.00")]))
    assert report["updated"] == 1
    assert deployment.rows("SELECT 1 FROM quarry.embedding_queue", tenant="cheap") == []


def test_rejects_are_reported_and_kept_with_line_reason_and_raw_text(inbox: Inbox, deployment: Deployment) -> None:
    content = (
        "model,manufacturer,category,family,description,hp\n"
        "A,Acme,DRYER,dryer,Dries.,5\n"
        "B,Acme,DRYER,toaster,Dries.,5\n"
        "C,Acme,DRYER\n"
        '"D"x,Acme,DRYER,dryer,Dries.,5\n'
        "E,Acme,DRYER,dryer,Dries.,five\n"
        "F,Acme,DRYER,dryer,Dries.,\n"
    )
    report = inbox.report("rej/products/mixed.csv", content)
    assert counts(report) == {"rows_read": 6, "inserted": 2, "rejected": 4}
    assert [item["line"] for item in report["rejects"]] == [3, 4, 5, 6]
    kept = deployment.rows("SELECT * FROM quarry.ingest_rejects ORDER BY line", tenant="rej")
    assert [(row["line"], row["reason"]) for row in kept] == [
        (item["line"], item["reason"]) for item in report["rejects"]
    ]
    assert "toaster" in kept[0]["raw"]
    [account] = deployment.rows("SELECT * FROM quarry.ingests", tenant="rej")
    assert (account["rejected"], account["inserted"], account["source"]) == (
        4,
        2,
        f"s3://{BUCKET}/rej/products/mixed.csv",
    )
    assert account["finished_at"] is not None


def test_what_postgres_cannot_store_is_a_reject_not_a_crash(inbox: Inbox, deployment: Deployment) -> None:
    good = json.dumps(product("A"))
    lines = [
        b'{"na\\u0000me": 1}',
        b'{"\\ud800": 1}',
        b'{"a\xff": "\x00"}',
        good.replace("Rotary", "\\u0000").encode(),
    ]
    report = inbox.report("bytes/products/x.jsonl", b"\n".join([*lines, good.encode()]))
    assert counts(report) == {"rows_read": 5, "inserted": 1, "rejected": 4}
    assert len(deployment.rows("SELECT 1 FROM quarry.ingest_rejects", tenant="bytes")) == 4


def test_a_file_of_several_chunks_with_a_repeated_key_takes_the_last(inbox: Inbox, deployment: Deployment) -> None:
    rows = [product(f"M{n}") for n in range(CHUNK + 20)] + [product("M7", hp=9)]
    report = inbox.report("big/products/x.jsonl", jsonl(rows))
    assert counts(report) == {"rows_read": CHUNK + 21, "inserted": CHUNK + 20, "merged": 1}
    told = f"rows with the key of one before, of which the last stands: line {CHUNK + 21}"
    assert report["doubts"] == [told]
    [stored] = deployment.rows("SELECT attributes FROM equipment.products WHERE model = 'M7'", tenant="big")
    assert stored["attributes"] == {"hp": 9}


def test_a_line_of_an_unknown_quote_is_rejected_with_the_quotes_number(inbox: Inbox) -> None:
    inbox.report("orph/past_quotes/q.jsonl", jsonl([quote("Q-1")]))
    rows = [line("Q-1", 1, "Known."), line("Q-9", 1, "Orphan."), line("Q-1", 2, "Known too.")]
    report = inbox.report("orph/line_items/l.jsonl", jsonl(rows))
    assert counts(report) == {"rows_read": 3, "inserted": 2, "rejected": 1}
    [reject] = report["rejects"]
    assert reject["line"] == 2
    assert "no past quote 'Q-9'" in reject["reason"]


def test_a_past_quote_has_its_own_currency_or_the_houses_and_is_rejected_without_either(
    inbox: Inbox, deployment: Deployment
) -> None:
    silent = [quote("Q-1", currency=None), quote("Q-2", currency="CHF")]
    report = inbox.report("money/past_quotes/q.jsonl", jsonl(silent))
    assert counts(report) == {"rows_read": 2, "inserted": 1, "rejected": 1}
    [reject] = report["rejects"]
    assert reject["line"] == 1
    for told in ("currency: neither the row nor the house says one", 'SET="currency=EUR"', "make setup"):
        assert told in reject["reason"]
    inbox.report("money/house/h.csv", "payment_terms,units\nnet_30,metric\n")
    assert counts(inbox.report("money/past_quotes/q.jsonl", jsonl(silent)))["rejected"] == 1
    inbox.report("money/house/h.csv", "currency\nEUR\n")
    assert counts(inbox.report("money/past_quotes/q.jsonl", jsonl(silent)))["inserted"] == 1
    found = deployment.rows("SELECT currency FROM quotes.past_quotes ORDER BY quote_number", tenant="money")
    assert [row["currency"] for row in found] == ["EUR", "CHF"]


def test_a_line_without_a_currency_has_its_quotes(inbox: Inbox, deployment: Deployment) -> None:
    inbox.report("coin/past_quotes/q.jsonl", jsonl([quote("Q-1", currency="CHF")]))
    lines = [line("Q-1", 1, "A pump.", unit_price="9"), line("Q-1", 2, "Freight.", unit_price="1", currency="EUR")]
    inbox.report("coin/line_items/l.jsonl", jsonl(lines))
    found = deployment.rows("SELECT currency FROM quotes.line_items ORDER BY position", tenant="coin")
    assert [row["currency"] for row in found] == ["CHF", "EUR"]


def test_products_that_arrive_after_their_lines_are_linked(inbox: Inbox, deployment: Deployment) -> None:
    inbox.report("late/past_quotes/q.jsonl", jsonl([quote("Q-1")]))
    inbox.report("late/line_items/l.jsonl", jsonl([line("Q-1", 1, "A dryer.", manufacturer="Acme", model="D-1")]))
    inbox.report("late/products/p.jsonl", jsonl([product("D-1"), product("D-1", manufacturer="Zenith")]))
    [linked] = deployment.rows(
        "SELECT p.manufacturer FROM quotes.line_items l JOIN equipment.products p ON p.id = l.product_id",
        tenant="late",
    )
    assert linked == {"manufacturer": "Acme"}


def test_the_tenant_and_kind_come_from_a_key_with_blanks_and_umlauts(inbox: Inbox, deployment: Deployment) -> None:
    report = inbox.report("north-1/products/2024/Märkte + Größen.jsonl", jsonl([product("A")]))
    assert (report["tenant"], report["kind"], report["inserted"]) == ("north-1", "products", 1)
    assert deployment.rows("SELECT 1 FROM equipment.products", tenant="nobody") == []


def test_a_direct_invoke_writes_to_the_callers_tenant(inbox: Inbox, deployment: Deployment) -> None:
    inbox.put("loose.jsonl", jsonl([product("A")]))
    deployment.declare_sample(tenant="direct")
    event = {"bucket": BUCKET, "key": "loose.jsonl", "kind": "products"}
    [report] = invoke(handler, event, tenant="direct")["reports"]
    assert (report["tenant"], report["inserted"]) == ("direct", 1)


@pytest.mark.parametrize(
    ("event", "code", "part"),
    [
        ({"bucket": BUCKET, "key": "acme/products/none.csv"}, "NOT_FOUND", "s3://incoming/acme/products/none.csv"),
        ({"bucket": "no-such-bucket", "key": "acme/products/none.csv"}, "NOT_FOUND", "NoSuchBucket"),
        ({"bucket": BUCKET}, "VALIDATION_ERROR", "'key' is missing"),
        ({"bucket": BUCKET, "key": "x.csv"}, "VALIDATION_ERROR", "<tenant>/<kind>/<file>"),
        ({"bucket": BUCKET, "key": "acme/toasters/x.csv"}, "VALIDATION_ERROR", "products, past_quotes, line_items"),
        ({"bucket": BUCKET, "key": "x.csv", "kind": "toasters"}, "VALIDATION_ERROR", "'toasters' is no kind of data"),
        ({"bucket": BUCKET, "key": "acme/products/x.csv", "kind": ["products"]}, "VALIDATION_ERROR", "past_quotes"),
        ({"Event": "s3:TestEvent"}, "VALIDATION_ERROR", "'bucket' is missing"),
    ],
)
def test_a_file_that_cannot_be_had_says_why(inbox: Inbox, event: dict[str, Any], code: str, part: str) -> None:
    answer = invoke(handler, event)
    assert answer["code"] == code
    assert part in answer["message"]


@pytest.mark.parametrize(
    ("key", "content", "part"),
    [
        ("bad/products/x.csv", "model,colour\n", "unknown columns ['colour']"),
        (
            "bad/products/x.csv",
            "model,series\n",
            "missing columns ['manufacturer', 'category', 'family', 'description']",
        ),
        ("bad/products/x.pages", "x", "(.xlsx, .xls, .ods, .csv, .tsv), a catalogue (.xml) nor .jsonl"),
        ("Bad Name/products/x.csv", "model\n", "'Bad Name' cannot name a tenant"),
    ],
)
def test_a_file_that_cannot_be_read_leaves_no_row(
    inbox: Inbox, deployment: Deployment, key: str, content: str, part: str
) -> None:
    answer = inbox.arrive(key, content)
    assert answer["code"] == "VALIDATION_ERROR"
    assert part in answer["message"]
    assert deployment.rows("SELECT 1 FROM equipment.products", tenant="bad") == []
    unfinished = "SELECT 1 FROM quarry.ingests WHERE finished_at IS NULL OR stopped IS NULL"
    assert deployment.rows(unfinished, tenant="bad") == []


def test_a_row_that_only_the_database_refuses_costs_no_other_row(inbox: Inbox, deployment: Deployment) -> None:
    """A thousand letters of three bytes are more than an index of Postgres takes."""
    long = "".join(map(chr, Random(4).choices(range(0x4E00, 0x9F00), k=1000)))
    texts = [{"doc_id": n, "title": "t", "content": f"c {n}", "source": f"s{n}", "version": "1"} for n in range(5)]
    report = inbox.report("unfit/documents/x.jsonl", jsonl([*texts[:3], {**texts[3], "source": long}, texts[4]]))
    assert counts(report) == {"rows_read": 5, "inserted": 4, "rejected": 1}
    [reject] = report["rejects"]
    assert reject["line"] == 4
    assert reject["reason"].startswith("the database refuses the row: index row size")
    assert report["finished"]


def test_no_more_rejects_are_kept_than_may_be_and_all_are_counted(inbox: Inbox, deployment: Deployment) -> None:
    bad = MOST_KEPT_REJECTS + 5
    report = inbox.report("flood/products/x.jsonl", "{}\n" * bad)
    assert (report["rejected"], report["finished"], report["stopped"]) == (bad, True, None)
    assert len(report["rejects"]) == 20
    [kept] = deployment.rows("SELECT count(*) AS rows FROM quarry.ingest_rejects", tenant="flood")
    assert kept["rows"] == MOST_KEPT_REJECTS


def test_an_ingest_that_no_run_goes_on_with_is_closed_by_the_next(inbox: Inbox, deployment: Deployment) -> None:
    inbox.report("left/products/x.jsonl", jsonl(PRODUCTS))
    deployment.rows(
        "UPDATE quarry.ingests SET finished_at = NULL, started_at = now() - interval '25 hours'", tenant="left"
    )
    inbox.report("left/products/y.jsonl", jsonl(PRODUCTS))
    found = deployment.rows(
        "SELECT stopped FROM quarry.ingests WHERE finished_at IS NOT NULL ORDER BY id", tenant="left"
    )
    assert [account["stopped"] for account in found] == [
        "Its last run ended before the file did; put it again.",
        None,
    ]


def test_ingested_rows_wait_for_embedding(inbox: Inbox, deployment: Deployment) -> None:
    inbox.report("wait/products/x.jsonl", jsonl([product("A"), product("B")]))
    queued = deployment.rows("SELECT corpus FROM quarry.embedding_queue WHERE tenant = 'wait'", tenant="wait")
    assert [row["corpus"] for row in queued] == ["equipment.products"] * 2


def test_one_bad_file_of_an_event_does_not_keep_the_others_out(inbox: Inbox) -> None:
    inbox.put("shared-event/nonsense/a.csv", "x")
    inbox.deployment.declare_sample(tenant="shared-event")
    inbox.put("shared-event/products/b.jsonl", json.dumps(PRODUCTS[0]))
    records = [
        {"s3": {"bucket": {"name": BUCKET}, "object": {"key": key}}}
        for key in ("shared-event/nonsense/a.csv", "shared-event/products/b.jsonl")
    ]
    refused, report = invoke(handler, {"Records": records}, tenant="nobody")["reports"]
    assert (refused["code"], report["inserted"]) == ("VALIDATION_ERROR", 1)


def test_a_damaged_file_in_another_encoding_adds_up(inbox: Inbox, deployment: Deployment) -> None:
    rows = [
        "A;Weiß;DRYER;dryer;Größe 5.",
        'B;"Müller;DRYER;dryer;Offen.',
        "C;Weiß;DRYER;dryer;Gut.",
        "A;Weiß;DRYER;dryer;Neu.",
        "D;x",
    ]
    text = "\r\n".join(["model;manufacturer;category;family;description", *rows])
    report = inbox.report("enc/products/x.csv", text.encode("cp1252"))
    assert counts(report) == {"rows_read": 5, "inserted": 2, "merged": 1, "rejected": 2}
    assert (report["encoding"], report["separator"]) == ("cp1252", ";")
    stored = deployment.rows("SELECT model, description FROM equipment.products ORDER BY model", tenant="enc")
    assert [(row["model"], row["description"]) for row in stored] == [("A", "Neu."), ("C", "Gut.")]
    [account] = deployment.rows("SELECT merged, encoding, separator FROM quarry.ingests", tenant="enc")
    assert account == {"merged": 1, "encoding": "cp1252", "separator": ";"}


def test_a_price_list_of_its_own_columns_goes_in_by_its_mapping_which_the_next_one_needs_no_more(
    inbox: Inbox, deployment: Deployment
) -> None:
    content = COMPANIES["harz"]()["Preisliste_2026.xlsx"]
    refused = inbox.arrive("harz/products/list.xlsx", content)
    assert "Run make preview KIND=products" in refused["message"]
    for kind in ("families", "attributes"):
        inbox.report(f"harz/{kind}/own.csv", (HOUSE / "harz" / f"{kind}.csv").read_text("utf-8"))
    own = declared_beside(HOUSE / "harz" / "list.xlsx")
    mapping = guess(opened(content, "list.xlsx")[0], KINDS["products"], attributes=own)[0]
    assert mapping is not None
    inbox.report("harz/mappings/list.toml", mapping.written())
    report = inbox.report("harz/products/list.xlsx", content)
    assert counts(report) == {"rows_read": 12, "inserted": 12}
    assert report["encoding"] == "xlsx, sheets 'Preise', numbers as 1.234,56"
    assert counts(inbox.report("harz/products/next-year.xlsx", content)) == {"rows_read": 12, "unchanged": 12}
    assert "Run make preview" in inbox.arrive("other/products/list.xlsx", content)["message"]
    [machine] = deployment.rows(
        "SELECT attributes, family FROM equipment.products WHERE model = 'HSK 75'", tenant="harz"
    )
    assert machine["family"] == "compressor"
    assert machine["attributes"] == {"power": 75, "flow": 13.1, "pressure": 10, "noise": 72, "weight": 1650}


def test_the_mapping_that_is_given_reads_a_file_whatever_others_are_remembered(inbox: Inbox) -> None:
    file = "Typ;Art;Text;Neu\nA-1;compressor;alt;neu\n"
    mappings = [
        f'''kind = "products"
        [[tables]]
        constants = {{ manufacturer = "Acme", category = "Luft" }}
        [tables.fields]
        model = {{ from = "Typ" }}
        family = {{ from = "Art" }}
        description = {{ from = "{column}" }}'''
        for column in ("Text", "Neu")
    ]
    for name, mapping in enumerate(mappings):
        inbox.report(f"given/mappings/{name}.toml", mapping)
    assert counts(inbox.report("given/products/a.csv", file)) == {"rows_read": 1, "inserted": 1}
    assert counts(inbox.report("given/products/a.csv", file, mapping=mappings[1])) == {"rows_read": 1, "unchanged": 1}
    assert counts(inbox.report("given/products/a.csv", file, mapping=mappings[0])) == {"rows_read": 1, "updated": 1}


def test_a_family_of_its_own_is_declared_before_its_rows(inbox: Inbox) -> None:
    pump = product("TC-15", family="pump", category="PUMP", description="End suction pump, cast iron.")
    [reject] = inbox.report("own/products/a.jsonl", jsonl([pump]))["rejects"]
    assert reject["reason"].startswith("family: 'pump' is no family of yours: accessory, blower")
    inbox.report("own/families/a.csv", 'family;name;words\npump;Pumpe;"Kreiselpumpe;sump pump"\n')
    assert inbox.report("own/products/b.jsonl", jsonl([pump]))["inserted"] == 1


def test_a_price_names_its_product_by_id_or_by_sku(inbox: Inbox, deployment: Deployment) -> None:
    goods = "id,sku,name,description,product_type,category\nprod_one,VE-1,One,A valve,simple,valve\n"
    inbox.report("skus/products_for_sale/a.csv", goods)
    inbox.report("skus/price_books/a.csv", "id,name,currency\npb_list,List,EUR\n")
    prices = "price_book_id,product_id,price\npb_list,VE-1,28.40\npb_list,VE-2,5\n"
    report = inbox.report("skus/prices/a.csv", prices)
    assert counts(report) == {"rows_read": 2, "inserted": 1, "rejected": 1}
    assert report["rejects"][0]["reason"] == "product_id: no product 'VE-2'; ingest products_for_sale first"
    [cause] = report["causes"]
    assert cause.startswith("product_id no product; ingest products_for_sale first (1): 'VE-2' in line")
    [stored] = deployment.rows("SELECT product_id, price FROM cpq.price_book_entries", tenant="skus")
    assert (stored["product_id"], str(stored["price"])) == ("prod_one", "28.40")
