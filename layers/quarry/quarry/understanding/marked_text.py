"""A text with what the rules have read of it so far."""

from dataclasses import dataclass, field

from quarry.understanding.marks import Mark, Role
from quarry.understanding.names import Mention, Names
from quarry.understanding.needs import Language
from quarry.understanding.text import Token
from quarry.understanding.words import Vocabulary


@dataclass
class MarkedText:
    """A token that is `taken` is read, and left alone by the rules that come later."""

    text: str
    folded: str
    words: list[Token]
    language: Language
    vocabulary: Vocabulary
    names: Names
    marks: list[Mark] = field(default_factory=list)
    roles: list[Role] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.taken = bytearray(len(self.words))

    def add(self, mark: Mark) -> None:
        self.marks.append(mark)
        self.take(mark.first, mark.last)

    def mention(self, mention: Mention) -> None:
        self.add(Mark(mention.attribute, mention.first, mention.last, *self.span(mention.first, mention.last),
                      values=mention.values, absent=mention.absent))  # fmt: skip

    def take(self, first: int, last: int) -> None:
        self.taken[first:last] = b"\1" * (last - first)

    def span(self, first: int, last: int) -> tuple[int, int]:
        """Where the tokens begin and end in the text."""
        return self.words[first].start, self.words[last - 1].end

    def tokens_within(self, start: int, end: int) -> tuple[int, int]:
        """The first token that begins between two characters, and the one after the last; equal for none."""
        within = [at for at, token in enumerate(self.words) if start <= token.start < end]
        return (within[0], within[-1] + 1) if within else (0, 0)

    def glued(self, place: int) -> bool:
        """True where letters and figures stand together: D75, XK-20."""
        if place + 1 >= len(self.words) or self.taken[place + 1]:
            return False
        token, following = self.words[place], self.words[place + 1]
        return following.gap in ("", "-") and token.number != following.number and len(token.text) < 8
