"""The task list of one run, and the four functions with which the model works on it."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, Field, ValidationError

from quarry.tool.contract import Part

Status = Literal["pending", "running", "complete", "blocked"]

MOST_TASKS = 24
TOP_K = 3


class Refused(str):
    """The answer to something that cannot be done for the model; it says what to do instead."""

    __slots__ = ()


class AddTask(BaseModel):
    """Add one thing to find out. Task ids count from 1 in the order in which you add them."""

    description: str = Field(min_length=1, max_length=1000, description="What to find out, worded as a search.")
    depends_on: list[int] = Field(
        default_factory=list, max_length=24, description="Ids of the tasks whose results this one needs; [] if none."
    )


@dataclass(slots=True)
class Task:
    """A task. If its search ``failed``, it and every task that waits for it are blocked until it is completed."""

    id: int
    description: str
    depends_on: tuple[int, ...]
    running: bool = False
    failed: bool = False
    result: str | None = None


class AgentTask(Part):
    id: int = Field(description="Number of the task.")
    description: str = Field(description="What was to be found out.")
    status: Status = Field(
        description="running: searched, not completed; blocked: its search, or that of a task it needs, failed."
    )
    depends_on: list[int] = Field(description="Tasks whose results it waits for.")
    result: str | None = Field(description="What was found; null until complete.")


@dataclass(slots=True)
class Scratchpad:
    """The state of a run. Every request to add a task takes an id, even if refused: a model counts its requests."""

    question: str
    tasks: dict[int, Task] = field(default_factory=dict)
    final_answer: str | None = None
    relied_on: frozenset[int] = frozenset()
    last_id: int = 0

    def add(self, wanted: AddTask | Refused) -> Task | Refused:
        """Adds a task, which may depend only on those before it, so that none waits for itself. A Refused only takes
        an id.
        """
        self.last_id += 1
        if isinstance(wanted, Refused):
            return wanted
        if len(self.tasks) >= MOST_TASKS:
            return Refused(f"Not added: {MOST_TASKS} tasks are the most. Work with those there are.")
        if missing := [number for number in wanted.depends_on if number not in self.tasks]:
            return Refused(f"Not added: it depends on {_list(missing)}; tasks before it are: {_list(self.tasks)}.")
        task = Task(self.last_id, wanted.description, tuple(dict.fromkeys(wanted.depends_on)))
        self.tasks[task.id] = task
        return task

    def complete(self, task_id: int, *, result: str) -> Refused | None:
        """Records a task's result, unless it does not exist, is complete already or waits for another."""
        task = self.tasks.get(task_id)
        if task is None:
            return Refused(f"There is no task {task_id}. Tasks are: {_list(self.tasks)}.")
        if task.result is not None:
            return Refused(f"Task {task_id} is complete already.")
        if waits_for := self._incomplete(task.depends_on):
            return Refused(f"Task {task_id} waits for {_list(waits_for)}. Complete that first.")
        task.result, task.running = result, False
        return None

    def runnable(self) -> list[Task]:
        """Returns the pending tasks whose dependencies are all complete, so that none depends on another of them."""
        return [
            task
            for task in self.tasks.values()
            if self.status(task) == "pending" and not self._incomplete(task.depends_on)
        ]

    def completed(self) -> list[Task]:
        return [task for task in self.tasks.values() if task.result is not None]

    def status(self, task: Task) -> Status:
        if task.result is not None:
            return "complete"
        if task.failed or any(self.status(self.tasks[number]) == "blocked" for number in task.depends_on):
            return "blocked"
        return "running" if task.running else "pending"

    def graph(self) -> list[AgentTask]:
        tasks = ({**asdict(task), "status": self.status(task)} for task in self.tasks.values())
        return [AgentTask.model_validate(task, extra="ignore") for task in tasks]

    def as_dict(self) -> dict[str, Any]:
        """Returns the state that the model is shown on every turn."""
        tasks = [task.model_dump() for task in self.graph()]
        return {"question": self.question, "tasks": tasks, "final_answer": self.final_answer}

    def _incomplete(self, numbers: Iterable[int]) -> list[int]:
        return [number for number in numbers if self.tasks[number].result is None]


def _list(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(numbers))) or "none"


if TYPE_CHECKING:
    from openai.types.chat import ChatCompletionFunctionToolParam


class SearchKnowledge(BaseModel):
    """Search the documents for one fact. Results come back whole; an empty list means there is none."""

    query: str = Field(min_length=1, max_length=4000, description="What to look for, in words.")
    top_k: int = Field(default=TOP_K, ge=1, le=10, description="Most documents to return.")


class CompleteTask(BaseModel):
    """Record what the searches say about a task."""

    task_id: int = Field(description="Id of the task.")
    result: str = Field(min_length=1, max_length=8000, description="What was found, or that nothing was.")


class Finish(BaseModel):
    """Give the final answer and end."""

    answer: str = Field(min_length=1, max_length=50_000, description="The answer, from search results alone.")
    doc_ids: list[int] = Field(default=[], max_length=100, description="The documents that it relies on.")


Action = SearchKnowledge | AddTask | CompleteTask | Finish
ACTIONS: dict[str, type[Action]] = {
    "search_knowledge": SearchKnowledge,
    "add_task": AddTask,
    "complete_task": CompleteTask,
    "finish": Finish,
}


def parse(name: str, arguments: str) -> Action | Refused:
    """Reads a function call of the model. It never raises: Refused tells the model what was wrong."""
    if name not in ACTIONS:
        return Refused(f"There is no function '{name[:100]}'. Functions are: {', '.join(ACTIONS)}.")
    try:
        return ACTIONS[name].model_validate_json(arguments)
    except ValidationError as error:
        problems = "; ".join(
            f"{'.'.join(map(str, item['loc'])) or 'arguments'}: {item['msg']}" for item in error.errors()[:5]
        )
        return Refused(f"{name} was not run. {problems}. Call it again with valid JSON arguments.")


def tool_schemas(*, finishing: bool) -> "list[ChatCompletionFunctionToolParam]":
    """Returns the schemas of all four functions, or of finish alone."""
    return [
        {
            "type": "function",
            "function": {
                "name": name,
                "description": " ".join((action.__doc__ or "").split()),
                "parameters": _without_titles(action.model_json_schema()),
            },
        }
        for name, action in ACTIONS.items()
        if action is Finish or not finishing
    ]


def _without_titles(schema: dict[str, Any]) -> dict[str, Any]:
    plain = {key: value for key, value in schema.items() if key not in ("title", "description")}
    plain["properties"] = {
        name: {key: value for key, value in inner.items() if key != "title"}
        for name, inner in schema["properties"].items()
    }
    return plain
