"""Does what the model called for in one turn."""

import asyncio
from collections.abc import Sequence

from assistant.actions import Action, AddTask, CompleteTask, Finish, SearchKnowledge, parse
from assistant.chat import Call
from assistant.scratchpad import NewTask, Refused, Scratchpad, Task
from assistant.searching import Searcher

MOST_CALLS = 16
"""In one turn of the model's."""

SEARCH_FIRST = (
    "Not accepted: nothing has been searched successfully yet, and an answer may rest on search results alone. "
    "Call search_knowledge."
)
READ_FIRST = "Not accepted: you cannot have read the results of the searches in this turn. Read them, then finish."


async def perform(calls: Sequence[Call], *, pad: Scratchpad, searcher: Searcher) -> list[str]:
    """A result per call, in order. The task list is changed first, then all searches run at once, then it may end."""
    actions = [
        parse(call.name, call.arguments)
        if place < MOST_CALLS
        else Refused(f"Not run: {MOST_CALLS} calls are the most in one turn.")
        for place, call in enumerate(calls)
    ]
    results = {place: str(action) for place, action in enumerate(actions) if isinstance(action, Refused)}
    results |= _change_tasks(calls, actions, pad=pad)
    searches = {place: action for place, action in enumerate(actions) if isinstance(action, SearchKnowledge)}
    found = await asyncio.gather(*(searcher.for_model(item.query, top_k=item.top_k) for item in searches.values()))
    results |= dict(zip(searches, found, strict=True))
    for place, action in enumerate(actions):
        if isinstance(action, Finish):
            results[place] = _finish(action, pad=pad, searched=searcher.succeeded, searching=bool(searches))
    return [results[place] for place in range(len(calls))]


def _change_tasks(calls: Sequence[Call], actions: Sequence[Action | Refused], *, pad: Scratchpad) -> dict[int, str]:
    # A call that cannot be read still takes an id, because the model counts it.
    places = [place for place, call in enumerate(calls) if call.name == "add_task"]
    added = pad.add([_new_task(actions[place]) for place in places])
    results = {place: _added(outcome) for place, outcome in zip(places, added, strict=True)}
    for place, action in enumerate(actions):
        if isinstance(action, CompleteTask):
            results[place] = _complete(action, pad=pad)
    return results


def _new_task(action: Action | Refused) -> NewTask | Refused:
    if isinstance(action, AddTask):
        return NewTask(action.description, tuple(action.depends_on))
    return action if isinstance(action, Refused) else Refused("Not added.")


def _added(outcome: Task | Refused) -> str:
    return str(outcome) if isinstance(outcome, Refused) else f"Task {outcome.id} added."


def _complete(action: CompleteTask, *, pad: Scratchpad) -> str:
    try:
        pad.complete(action.task_id, result=action.result)
    except Refused as refusal:
        return str(refusal)
    return f"Task {action.task_id} is complete."


def _finish(action: Finish, *, pad: Scratchpad, searched: bool, searching: bool) -> str:
    if searching:
        return READ_FIRST
    if not searched:
        return SEARCH_FIRST
    if pad.final_answer is None:
        pad.final_answer = action.answer
    return "Done."
