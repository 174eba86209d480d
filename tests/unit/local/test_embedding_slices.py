"""Who goes first on the model's one thread, and what a failure or a cancellation leaves behind."""

import asyncio
import threading
from collections.abc import Sequence

import numpy as np
import pytest

from local.embeddings.model import Tokens, Vectors
from local.embeddings.slices import Job, SliceQueue, next_slice

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def lengths_as_vectors(batch: Sequence[Tokens]) -> Vectors:
    return np.array([[len(tokens)] for tokens in batch], dtype=np.float32)


class Recorder:
    """An encoder that keeps its first run waiting, so that a test can line up more requests behind it."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.gate = threading.Event()

    def __call__(self, batch: Sequence[Tokens]) -> Vectors:
        self.gate.wait(60)
        self.batches.append([len(tokens) for tokens in batch])
        return lengths_as_vectors(batch)


def job(*lengths: int) -> Job:
    return Job([range(length) for length in lengths], dimensions=1)


async def test_a_slice_stays_within_the_budget_padding_included() -> None:
    waiting = job(*range(1, 200))
    while waiting.waiting:
        chosen = next_slice([waiting], oldest=False, budget=300)
        sizes = [len(owner.windows[index]) + 2 for owner, index in chosen]
        assert len(sizes) == 1 or max(sizes) * len(sizes) <= 300
        assert max(sizes) * len(sizes) <= 1.5 * sum(sizes)


async def test_the_smallest_request_goes_first_and_shares_its_run_with_its_like() -> None:
    batch, one, other = job(*[200] * 50), job(5), job(6)
    assert next_slice([batch, one, other], oldest=False) == [(one, 0), (other, 0)]


async def test_now_and_then_the_oldest_goes_first() -> None:
    batch, one = job(*[200] * 50), job(5)
    assert next_slice([batch, one], oldest=True)[0][0] is batch


async def test_vectors_come_back_in_the_order_asked() -> None:
    queue = SliceQueue(lengths_as_vectors, dimensions=1)
    lengths = [7, 300, 1, 45, 300, 2]
    vectors = await queue.vectors([range(length) for length in lengths])
    assert vectors[:, 0].tolist() == lengths


async def test_a_short_request_overtakes_a_large_batch_that_came_before() -> None:
    recorder = Recorder()
    queue = SliceQueue(recorder, dimensions=1)
    large = asyncio.create_task(queue.vectors([range(250)] * 40))
    await asyncio.sleep(0.05)
    short = asyncio.create_task(queue.vectors([range(5)]))
    await asyncio.sleep(0.05)
    recorder.gate.set()
    assert (await short)[0, 0] == 5
    assert recorder.batches[1] == [5]
    assert (await large).shape == (40, 1)


async def test_a_stream_of_short_requests_does_not_starve_a_large_one() -> None:
    recorder = Recorder()
    queue = SliceQueue(recorder, dimensions=1)
    tasks = [asyncio.create_task(queue.vectors([range(250)] * 4))]
    tasks += [asyncio.create_task(queue.vectors([range(150)])) for _ in range(60)]
    await asyncio.sleep(0.05)
    recorder.gate.set()
    await tasks[0]
    assert sum(150 in batch for batch in recorder.batches) < 20
    await asyncio.gather(*tasks)


async def test_a_cancelled_request_leaves_the_queue() -> None:
    recorder = Recorder()
    queue = SliceQueue(recorder, dimensions=1)
    abandoned = asyncio.create_task(queue.vectors([range(250)] * 40))
    await asyncio.sleep(0.05)
    abandoned.cancel()
    recorder.gate.set()
    with pytest.raises(asyncio.CancelledError):
        await abandoned
    assert (await queue.vectors([range(9)]))[0, 0] == 9
    assert sum(250 in batch for batch in recorder.batches) == 1


async def test_a_failing_run_fails_its_requests_and_the_next_one_works() -> None:
    def encode(batch: Sequence[Tokens]) -> Vectors:
        if any(len(tokens) == 13 for tokens in batch):
            raise RuntimeError("out of memory")
        return lengths_as_vectors(batch)

    queue = SliceQueue(encode, dimensions=1)
    with pytest.raises(RuntimeError, match="out of memory"):
        await queue.vectors([range(13), range(250), range(250), range(250)])
    assert (await queue.vectors([range(8)]))[0, 0] == 8
