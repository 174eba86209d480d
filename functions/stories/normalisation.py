"""One spelling for slugs and code paths, at ingest and in questions."""

import re
import unicodedata

LINE_NUMBER = re.compile(r"(?:#L\d+(?:-L?\d+)?|(?::\d+){1,2})$")


def slug(text: str) -> str:
    """Lower case, words joined by hyphens: "Smart Folder's", smart_folder and smart--folder give smart-folder(s)."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text.lower()) if not unicodedata.combining(c))
    return re.sub(r"[^a-z0-9]+", "-", plain.replace("'", "").replace("’", "")).strip("-")


def code_path(text: str) -> str:
    """Relative, with forward slashes, without line numbers, quotes, `.` and `..`; case is kept, a folder's / too."""
    bare = LINE_NUMBER.sub("", text.strip().strip("`\"'")).replace("\\", "/")
    parts: list[str] = []
    for part in bare.split("/"):
        if part == ".." and parts:
            parts.pop()
        elif part not in ("", ".", ".."):
            parts.append(part)
    path = "/".join(parts)
    return f"{path}/" if path and bare.endswith("/") else path
