"""`python -m local.bid LV.x83 Q-2026-0042`: the X84 that bids a quote's prices on a bill of quantities."""

import argparse
import os
from datetime import date
from pathlib import Path

from local.failure import LocalError, run_command
from local.settings import read_settings
from local.setup import letterhead
from local.setup.__main__ import LAYOUTS
from local.stack import invoke, require
from local.tenants import tenant_of
from operations.exchange.requests import Bid, offered
from quarry.tool.errors import ToolError


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m local.bid", description=__doc__)
    parser.add_argument("file", type=Path, help="the bill of quantities, .x83")
    parser.add_argument("quote", help="a priced quote whose lines name their positions in their notes: OZ 01.02.0010")
    asked = parser.parse_args()
    if not asked.file.is_file():
        raise LocalError(f"There is no file {asked.file}.")
    settings = read_settings(os.environ)
    stack = require(settings.data_dir)
    tenant = tenant_of(settings, stack)
    quote = invoke(stack, "quote_get", {"quote_id": asked.quote}, tenant=tenant)
    house = letterhead.held(LAYOUTS, tenant)
    bidder, currency = [house.get("name", tenant), *house.get("address", [])], quote["quote"]["currency"]
    bid, written = Bid(offered(quote["line_items"])), asked.file.with_suffix(".x84")
    content = bid.on(
        asked.file.read_bytes(), file_name=asked.file.name, currency=currency, bidder=bidder, day=date.today()
    )
    written.write_bytes(content)
    print("\n".join([*bid.told, f"{written}: {len(bid.numbers)} positions with their prices."]))


if __name__ == "__main__":
    run_command(main, ToolError)
