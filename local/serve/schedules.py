"""What the stack does by itself while it runs: scheduled functions, and notices read out."""

import asyncio
from textwrap import indent
from typing import Never

from local.notices import Notices
from local.serve.console import Console
from local.serve.probe import status_of
from local.stack import Stack

# template.yaml runs it once a minute; here nobody waits that long for a row to become searchable.
_EMBED_SECONDS = 5.0
_EXPIRE_SECONDS = 60.0
_ANNOUNCE_SECONDS = 0.5


async def drain_embedding_queue(stack: Stack) -> Never:
    """The function finds out by itself if there is nothing to do."""
    await _invoke_every(_EMBED_SECONDS, stack, "embed_pending")


async def expire_approvals(stack: Stack) -> Never:
    await _invoke_every(_EXPIRE_SECONDS, stack, "expire_approvals")


async def announce_approvals(stack: Stack, console: Console) -> Never:
    """Reads out what approvers are sent: on this machine the console is their mailbox."""
    notices = Notices(stack.data_dir)
    said = len(notices.read())
    while True:
        for notice in notices.read(skip=said):
            console.line(f"\n{notice.subject}\n{indent(notice.link_and_whose or notice.text, '  ')}")
            said += 1
        await asyncio.sleep(_ANNOUNCE_SECONDS)


async def _invoke_every(seconds: float, stack: Stack, function: str) -> Never:
    """Invokes the function as its schedule does on AWS."""
    url = f"{stack.lambda_api}/2015-03-31/functions/quarry-{function}/invocations"
    while True:
        await status_of(url, method="POST", headers={"X-Amz-Invocation-Type": "Event"})
        await asyncio.sleep(seconds)
