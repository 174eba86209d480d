"""What approvers would be sent, kept in a file that the supervisor reads out."""

import json
import os
import re
from dataclasses import dataclass
from email.header import decode_header, make_header
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Notice:
    subject: str
    text: str

    @property
    def link(self) -> str | None:
        found = re.search(r"https?://\S+", self.text)
        return found[0] if found else None

    @property
    def link_and_whose(self) -> str | None:
        """`To John Smith: http://…`, when the message is one to a person, whom its first line names."""
        return f"{self.text.partition('\n')[0]} {self.link}" if self.link else None


class Notices:
    """A line per message; only its owner may read the file, because links are keys."""

    def __init__(self, data_dir: Path) -> None:
        self._file = data_dir / "approval-notices.jsonl"

    def append(self, *, subject: str, text: str) -> None:
        """``subject`` is a mail's header, which mail programs decode."""
        subject = str(make_header(decode_header(subject)))
        descriptor = os.open(self._file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(json.dumps({"subject": subject, "text": text}) + "\n")

    def read(self, *, skip: int = 0) -> list[Notice]:
        """All but the first ``skip``; a line that is just being written is left for the next time."""
        try:
            text = self._file.read_text(encoding="utf-8")
        except FileNotFoundError:
            return []
        whole = text[: text.rfind("\n") + 1].splitlines()
        return [Notice(**json.loads(line)) for line in whole[skip:]]
