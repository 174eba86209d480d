"""Slugs and code paths: normalising their spelling, and finding those that a text names."""

import re
import unicodedata

from quarry.text import LETTER, fold

WORD = re.compile(f"(?:{LETTER})+")
LINE_NUMBER = re.compile(r"(?:#L\d+(?:-L?\d+)?|(?::\d+){1,2})$")


def slug(text: str) -> str:
    """Lower-cases a text and joins its words by hyphens: smart_folder gives smart-folder, Folder's gives folders.

    Letters of all scripts stay, with the vowels and tones that are written on them, without accents: Größe gives
    grosse, Łódź lodz.
    """
    return "-".join(WORD.findall(re.sub("['’]", "", fold(text))))


def code_path(text: str) -> str:
    """Makes a path relative, with forward slashes, without line numbers, quotes and dots; case and a final / stay."""
    bare = LINE_NUMBER.sub("", text.strip().strip("`\"'")).replace("\\", "/")
    parts: list[str] = []
    for part in bare.split("/"):
        if part == ".." and parts:
            parts.pop()
        elif part not in ("", ".", ".."):
            parts.append(part)
    path = "/".join(parts)
    return f"{path}/" if path and bare.endswith("/") else path


TOKEN = re.compile(r"[\w@~.\[\]()/\\-]{1,500}")
FILE = re.compile(r"[^/]+\.[A-Za-z][A-Za-z0-9]{0,5}")
HUMPS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
LONGEST_PHRASE = 4
MOST_PATHS = 5_000


def spelt_out(identifier: str) -> str:
    """Splits an identifier into words: trackingNumber gives "tracking Number", a_name gives "a name"."""
    return HUMPS.sub(" ", identifier).replace("_", " ").strip()


def named_paths(context: str) -> list[str]:
    """Finds what looks like a path or a file name, normalised, without a diff's a/ and b/, each once and in order."""
    found: dict[str, None] = {}
    for match in TOKEN.finditer(context):
        token = match[0].strip(".)-").lstrip("(")
        if "/" not in token and "\\" not in token and not FILE.fullmatch(token):
            continue
        # An alias for the source root stands for a folder that is not named.
        path = re.sub(r"^(?:@|~|[ab])/", "", code_path(token))
        if path:
            found.setdefault(path)
        if len(found) == MOST_PATHS:
            break
    return list(found)


def stem(path: str) -> str:
    """Returns what the column stem holds: the file name in lower case, without folder and extensions."""
    name = path.rpartition("/")[2]
    return (name[0] + name[1:].partition(".")[0]).lower() if name else ""


def names(path: str, asset: str) -> bool:
    """Returns whether ``path``, which may lack leading folders and the extension, means ``asset``."""
    said, known = path.lower().split("/"), asset.lower().split("/")
    shorter = min(len(said), len(known))
    if said[-shorter:] == known[-shorter:]:
        return True
    # Imports leave out the extension, and a file may be written in another language than its import says.
    bare = [*said[:-1], stem(path)], [*known[:-1], stem(asset)]
    if "." in said[-1] and said[-1].partition(".")[2] != known[-1].partition(".")[2]:
        return False
    return shorter > 1 and bare[0][-shorter:] == bare[1][-shorter:]


def possible_slugs(context: str) -> set[str]:
    """Returns the slugs of every run of up to four words and of its singular, with identifiers split into words."""
    # One letter may become eighteen, as U+FDFA does, so the text is cut back to the length that was read.
    spelt = unicodedata.normalize("NFKC", context)[: len(context)]
    words = [word for word in slug(HUMPS.sub(" ", spelt)).split("-") if word]
    found = set()
    for start in range(len(words)):
        for end in range(start + 1, min(start + LONGEST_PHRASE, len(words)) + 1):
            *before, last = words[start:end]
            found.add("-".join([*before, last]))
            if len(singular := _singular(last)) > 2:
                found.add("-".join([*before, singular]))
    return found


def _singular(word: str) -> str:
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word
