"""The task list: what may run, what is refused, and that no accepted graph can ever get stuck."""

from collections.abc import Iterable, Sequence

from hypothesis import given
from hypothesis import strategies as st

from assistant.scratchpad import MOST_TASKS, AddTask, Refused, Scratchpad, Task


def task(description: str, depends_on: Iterable[int] = ()) -> AddTask:
    return AddTask(description=description, depends_on=list(depends_on))


wanted_tasks = st.lists(st.builds(task, st.just("find out"), st.lists(st.integers(0, 30), max_size=4)), max_size=30)


def pad(*dependencies: tuple[int, ...]) -> Scratchpad:
    scratchpad = Scratchpad("?")
    for number, one in enumerate(dependencies, start=1):
        scratchpad.add(task(f"task {number}", one))
    return scratchpad


def added(scratchpad: Scratchpad, wanted: Sequence[AddTask | Refused]) -> list[Task | Refused]:
    return [scratchpad.add(each) for each in wanted]


def runnable(scratchpad: Scratchpad) -> list[int]:
    return [one.id for one in scratchpad.runnable()]


def statuses(scratchpad: Scratchpad) -> list[str]:
    return [one["status"] for one in scratchpad.as_dict()["tasks"]]


def test_only_tasks_without_open_dependencies_are_runnable() -> None:
    scratchpad = pad((), (), (1, 2))
    assert runnable(scratchpad) == [1, 2]
    scratchpad.complete(1, result="found")
    assert runnable(scratchpad) == [2]
    scratchpad.complete(2, result="found")
    assert runnable(scratchpad) == [3]


def test_a_running_task_is_not_run_again() -> None:
    scratchpad = pad((), ())
    scratchpad.tasks[1].running = True
    assert runnable(scratchpad) == [2]
    assert statuses(scratchpad) == ["running", "pending"]


def test_a_refused_task_takes_its_number_with_it() -> None:
    scratchpad = Scratchpad("?")
    outcome = added(scratchpad, [Refused("not JSON"), task("b", ()), task("c", (1,)), task("d", (3,))])
    assert [str(item) if isinstance(item, Refused) else item.id for item in outcome] == [
        "not JSON",
        2,
        "Not added: it depends on 1; tasks before it are: 2.",
        "Not added: it depends on 3; tasks before it are: 2.",
    ]
    later = scratchpad.add(task("e", (2,)))
    assert isinstance(later, Task)
    assert later.id == 5


def test_a_task_depends_on_those_before_it_alone_so_that_none_waits_for_itself() -> None:
    scratchpad = Scratchpad("?")
    outcome = added(scratchpad, [task("a", (2,)), task("b", ()), task("c", (2, 3)), task("d", (2,))])
    assert [isinstance(item, Refused) for item in outcome] == [True, False, True, False]


def test_a_failed_task_blocks_those_that_wait_for_it_until_it_is_completed() -> None:
    scratchpad = pad((), (1,), (2,))
    scratchpad.tasks[1].failed = True
    assert statuses(scratchpad) == ["blocked", "blocked", "blocked"]
    scratchpad.complete(1, result="found another way")
    assert statuses(scratchpad) == ["complete", "pending", "pending"]
    assert runnable(scratchpad) == [2]


def test_the_list_is_bounded() -> None:
    scratchpad = Scratchpad("?")
    outcome = added(scratchpad, [task("a", ())] * (MOST_TASKS + 2))
    assert [isinstance(item, Refused) for item in outcome[-3:]] == [False, True, True]
    assert isinstance(scratchpad.add(task("b", ())), Refused)


@given(wanted_tasks, wanted_tasks)
def test_every_accepted_task_can_be_reached_and_completed(first: list[AddTask], second: list[AddTask]) -> None:
    scratchpad = Scratchpad("?")
    added(scratchpad, [*first, *second])
    while ready := scratchpad.runnable():
        for one in ready:
            scratchpad.complete(one.id, result="found")
    assert len(scratchpad.completed()) == len(scratchpad.tasks)
