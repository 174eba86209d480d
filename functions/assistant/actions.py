"""The four functions the model may call: their schemas, and its calls read into checked values."""

from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, Field, ValidationError

from assistant.scratchpad import Refused

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletionFunctionToolParam


class SearchKnowledge(BaseModel):
    """Search the documents for one fact. Results come back whole; an empty list means there is none."""

    query: str = Field(min_length=1, max_length=4000, description="What to look for, in words.")
    top_k: int = Field(default=3, ge=1, le=10, description="Most documents to return.")


class AddTask(BaseModel):
    """Add one thing to find out. Task ids count from 1 in the order in which you add them."""

    description: str = Field(min_length=1, max_length=1000, description="What to find out, worded as a search.")
    depends_on: list[int] = Field(
        default_factory=list, max_length=24, description="Ids of the tasks whose results this one needs; [] if none."
    )


class CompleteTask(BaseModel):
    """Record what the searches say about a task."""

    task_id: int = Field(description="Id of the task.")
    result: str = Field(min_length=1, max_length=8000, description="What was found, or that nothing was.")


class Finish(BaseModel):
    """Give the final answer and end."""

    answer: str = Field(min_length=1, max_length=50_000, description="The answer, from search results alone.")


Action = SearchKnowledge | AddTask | CompleteTask | Finish
ACTIONS: dict[str, type[Action]] = {
    "search_knowledge": SearchKnowledge,
    "add_task": AddTask,
    "complete_task": CompleteTask,
    "finish": Finish,
}


def parse(name: str, arguments: str) -> Action | Refused:
    """Never raises: whatever a model sends, it is told what was wrong with it."""
    if name not in ACTIONS:
        return Refused(f"There is no function '{name[:100]}'. Functions are: {', '.join(ACTIONS)}.")
    try:
        return ACTIONS[name].model_validate_json(arguments)
    except ValidationError as error:
        problems = "; ".join(
            f"{'.'.join(map(str, item['loc'])) or 'arguments'}: {item['msg']}" for item in error.errors()[:5]
        )
        return Refused(f"{name} was not run. {problems}. Call it again with valid JSON arguments.")


def tool_schemas(*, finishing: bool = False) -> "list[ChatCompletionFunctionToolParam]":
    """All four, or finish alone."""
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
