"""What the stack's tools did, told every ten minutes in which something happened, and when the stack stops."""

import asyncio
from typing import Never

from local.metrics import Ledger, ledger_of
from local.serve.console import Console
from local.stack import Stack

_EVERY_SECONDS = 600.0


async def tell_regularly(stack: Stack, console: Console) -> Never:
    ledger = ledger_of(stack.data_dir)
    try:
        while True:
            await asyncio.sleep(_EVERY_SECONDS)
            tell(ledger, console)
    finally:
        tell(ledger, console)


def tell(ledger: Ledger, console: Console) -> None:
    if ledger.catch_up():
        console.line("\nSince the start:\n" + "\n".join(f"  {line}" for line in ledger.lines()))
