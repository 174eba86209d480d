"""docs/architecture.md names the files of a search and of a price that a reader opens; they are the ones that run."""

from cpq import quote_price
from equipment import search_equipment
from tests.deployment import Deployment, invoke
from tests.integration.cpq.drafts import draft
from tests.reading import check
from tests.sample_catalogue import put_catalogue
from tests.trade.asking import put_sample


def test_the_files_named_for_one_search_hold_most_of_what_it_runs(deployment: Deployment) -> None:
    put_sample(deployment, kinds=["products"])
    asked = {"query": "oilless 100 hp", "filters": [{"attribute": "cfm", "is": ">= 100"}]}
    with deployment.serving("quarry_read"):
        invoke(search_equipment.handler, asked)
        check("To follow one search", most=15, share=0.62, work=lambda: invoke(search_equipment.handler, asked))


def test_the_files_named_for_one_price_hold_nearly_all_of_what_it_runs(deployment: Deployment) -> None:
    put_catalogue(deployment)
    with deployment.serving("quarry_write"):
        invoke(quote_price.handler, {"quote_id": draft(deployment)})
        asked = {"quote_id": draft(deployment), "requested_discount_pct": 10}
        check("To follow one price", most=18, share=0.89, work=lambda: invoke(quote_price.handler, asked))
