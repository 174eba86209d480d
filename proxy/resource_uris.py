"""URI templates of the simple kind: `{variable}` stands for one path segment."""

import re
from collections.abc import Mapping
from urllib.parse import quote, unquote

from proxy.manifest import PLACEHOLDER


class UriPattern:
    """A compiled URI template."""

    def __init__(self, template: str) -> None:
        parts = PLACEHOLDER.split(template)
        # split() alternates literal text and variable names.
        pieces = [f"(?P<{part}>[^/?#]+)" if i % 2 else re.escape(part) for i, part in enumerate(parts)]
        self._pattern = re.compile("".join(pieces))

    def match(self, uri: str) -> dict[str, str] | None:
        """The variables' decoded values, or None if `uri` has another shape."""
        if (found := self._pattern.fullmatch(uri)) is None:
            return None
        return {name: unquote(value) for name, value in found.groupdict().items()}


def variables(template: str) -> list[str]:
    """Names in the order of their first appearance."""
    return list(dict.fromkeys(PLACEHOLDER.findall(template)))


def expand(template: str, values: Mapping[str, str], *, escape: bool = True) -> str:
    """Fill the placeholders; `escape` percent-encodes the values for a URI."""
    filled = {name: quote(value, safe="") for name, value in values.items()} if escape else values
    return PLACEHOLDER.sub(lambda found: filled[found[1]], template)
