"""The order of the model's work: many waiting texts, cut into runs short enough to wait behind."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from local.embeddings.model import Tokens, Vectors

# Tokens of one run, padding included: about 50 ms on two cores. Larger runs are no faster per document.
SLICE_TOKENS = 512
# Padded over real tokens: lets queries of like length share a run, and never adds a document to them.
_MOST_PADDING = 1.5
# Every so many runs the oldest request goes first, so a stream of short ones cannot starve it.
_OLDEST_EVERY = 4


class Job:
    """The windows of one request, and the vectors of those that have been run."""

    def __init__(self, windows: Sequence[Tokens], *, dimensions: int) -> None:
        self.windows = windows
        self.vectors: Vectors = np.empty((len(windows), dimensions), dtype=np.float32)
        # Longest first, so that pop() takes the shortest and neighbours in a run are of like length.
        self.waiting = sorted(range(len(windows)), key=lambda index: len(windows[index]), reverse=True)
        self.running = 0
        self.tokens = sum(map(len, windows))
        self.finished: asyncio.Future[None] = asyncio.get_running_loop().create_future()


Slice = list[tuple[Job, int]]


def next_slice(jobs: Sequence[Job], *, oldest: bool, budget: int = SLICE_TOKENS) -> Slice:
    """Takes windows from the smallest jobs first (or the oldest first), while padding stays small."""
    order = sorted((job for job in jobs if job.waiting), key=lambda job: job.tokens)
    if oldest:
        first = next(job for job in jobs if job.waiting)
        order.remove(first)
        order.insert(0, first)
    chosen: Slice = []
    longest = tokens = 0
    for job in order:
        while job.waiting:
            length = len(job.windows[job.waiting[-1]]) + 2
            padded = max(longest, length) * (len(chosen) + 1)
            if chosen and (padded > budget or padded > _MOST_PADDING * (tokens + length)):
                return chosen
            longest, tokens = max(longest, length), tokens + length
            chosen.append((job, job.waiting.pop()))
            job.running += 1
            job.tokens -= length - 2
    return chosen


class SliceQueue:
    """Runs slices one after another on one thread; the event loop stays free in between and meanwhile."""

    def __init__(self, encode: Callable[[Sequence[Tokens]], Vectors], *, dimensions: int) -> None:
        self._encode = encode
        self._dimensions = dimensions
        self._jobs: list[Job] = []
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="model")
        self._drain: asyncio.Task[None] | None = None

    async def vectors(self, windows: Sequence[Tokens]) -> Vectors:
        """The vectors, one row per window. Cancelling takes what has not run yet out of the queue."""
        job = Job(windows, dimensions=self._dimensions)
        self._jobs.append(job)
        if self._drain is None or self._drain.done():
            self._drain = asyncio.create_task(self._run_all())
        try:
            await job.finished
        finally:
            self._jobs.remove(job)
        return job.vectors

    async def _run_all(self) -> None:
        loop = asyncio.get_running_loop()
        runs = 0
        while any(job.waiting for job in self._jobs):
            chosen = next_slice(self._jobs, oldest=runs % _OLDEST_EVERY == _OLDEST_EVERY - 1)
            batch = [job.windows[index] for job, index in chosen]
            run = loop.run_in_executor(self._thread, self._encode, batch)
            await asyncio.wait([run])
            _deliver(chosen, run)
            runs += 1


def _deliver(chosen: Slice, run: "asyncio.Future[Vectors]") -> None:
    error = run.exception()
    for row, (job, index) in enumerate(chosen):
        job.running -= 1
        if job.finished.done():
            continue  # cancelled, or failed with an earlier window
        if error is not None:
            job.waiting.clear()
            job.finished.set_exception(error)
            continue
        job.vectors[index] = run.result()[row]
        if not job.waiting and not job.running:
            job.finished.set_result(None)
