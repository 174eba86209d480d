"""What a run may spend, and what it has spent."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assistant.chat import Reply

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletionMessageParam

MOST_TURNS = 10
"""The cap on turns of the loop in one run, whatever the budget."""

CHARACTERS_PER_TOKEN = 4
LONGEST_REPLY = 8192
SHORTEST_REPLY = 256
"""Tokens; with less room than this for a reply, no turn is begun."""


@dataclass(slots=True)
class Meter:
    """Tokens against a budget; ``estimated`` when the provider left counting to us."""

    budget: int
    prompt: int = 0
    completion: int = 0
    estimated: bool = False
    last_prompt: int = 0

    def room(self, messages: Sequence["ChatCompletionMessageParam"]) -> int:
        """Tokens that a reply to ``messages`` may have; 0 when the budget is as good as spent."""
        # A conversation only grows, and the provider's count has the function schemas in it, which ours has not.
        left = self.budget - self.prompt - self.completion - max(_tokens(messages), self.last_prompt)
        return min(left, LONGEST_REPLY) if left >= SHORTEST_REPLY else 0

    def count(self, messages: Sequence["ChatCompletionMessageParam"], reply: Reply) -> None:
        if reply.usage is not None:
            self.prompt += reply.usage.prompt
            self.completion += reply.usage.completion
            self.last_prompt = reply.usage.prompt
            return
        self.estimated = True
        self.prompt += _tokens(messages)
        self.completion += _tokens([reply.text, *(call.arguments for call in reply.calls)])


def _tokens(content: object) -> int:
    return len(json.dumps(content, ensure_ascii=False)) // CHARACTERS_PER_TOKEN
