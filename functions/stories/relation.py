"""Stories that a context relates to: reading the context, choosing candidates and ranking them by their overlaps."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pgvector import Vector

from quarry import observation
from quarry.data.settings import settings
from quarry.embedding import provider, query_vectors
from quarry.retrieval.weights import noise_of
from quarry.tool.errors import Unavailable
from stories import queries
from stories.model import RelatedStory, ScoreParts, SharedTag, Signal, Story
from stories.naming import TOKEN, named_paths, names, possible_slugs, spelt_out, stem
from stories.queries import NearStory
from stories.ranking import POOL, Mode, RelationCandidate, Scored, inverse_frequency, rank

READ = 100_000
"""Characters of prose, or of a code's own words, that are read for entities; paths are read from the whole."""

MEANT = 8_000
"""Characters of the text to compare that are embedded."""

DIFF = re.compile(r"^(?:diff --git |@@ -\d|\+\+\+ |--- a/|index [0-9a-f]{7})", re.MULTILINE)
FILE_OF_DIFF = re.compile(r"(?:diff --git a/.+? b/|\+\+\+ (?:b/)?|--- a/)([^\t]+)")
HUNK = re.compile(r"@@[^@]*@@(.*)")
BULLET = re.compile(r"\s*(?:[-*•‣]|\d+[.)])\s+(?![\w.-]+:(?:\s|$))")

_WORDS = (
    "abstract add and any append array AS as assert async attr_accessor await begin bool boolean break by byte "
    "case cat catch cd chan char class cls commit companion console const context continue ctx data declare def "
    "default defer deinit del delete dict do done double dyn echo elif else elsif end ensure enum env err error "
    "esac except execute exit export exports extends extension fallthrough False false fi final finally float "
    "flush fmt fn for foreach from fun func function get global go goto grep guard http ID if impl implements "
    "import IN in include init instanceof int interface IS is keyof lambda lateinit lazy len let list local log "
    "long loop make map match mod module mut namespace never new nil None nonlocal not null number object of ON "
    "OR or override package partial pass php print Println println private process Promise protected protocol "
    "pub public puts raise range readonly record require rescue return rollback scalars sealed select Self self "
    "set short sizeof static str string struct sudo super suspend switch Task then this throw throws trait True "
    "true try tuple type typedef typeof undefined union unknown unless unsafe use using val var virtual void "
    "weak when where while with yield ADD ALL ALTER AND BEGIN BETWEEN BIGINT BOOLEAN CASE CHECK COLUMN COMMIT "
    "CONSTRAINT COUNT CREATE DEFAULT DELETE DISTINCT DROP ELSE END EXISTS FILTER FOREIGN FROM GRANT HAVING "
    "INDEX INNER INSERT INTEGER INTO JOIN JSONB KEY LEFT LIKE LIMIT NOT NULL NUMERIC OFFSET OUTER PRIMARY "
    "REFERENCES REVOKE RIGHT ROLLBACK SELECT SET TABLE TEXT THEN TIMESTAMP TIMESTAMPTZ UNION UNIQUE UPDATE UUID "
    "VALUES VARCHAR VIEW WHEN WHERE"
)
KEYWORDS = frozenset(_WORDS.split())
"""Keywords of the common languages; those of SQL only in capitals, as in lower case they are everyday words."""

STATEMENT = re.compile(
    r"""[ \t]*+(?:
        (?:(?:export|default|async|pub|public|private|protected|static|final|override|data|abstract|sealed)\s+)*
        (?:function|class|interface|def|fn|fun|func|struct|enum|impl|trait|resource|type)\s+[\w<"(].*[\w)\]{:;=,>]$
      | [A-Za-z_][\w.\[\]]*(?::\s*+[\w\[\], |]++)?\s*+[-+*/|&:]?=\s*\S.*
      | (?:await\s+)?[A-Za-z_][\w.]*\(.*\)\s*[;:{]?$
      | (?:return|if|elif|else|for|while|with|switch|throw|raise|await|yield|try|except|catch)\b.*[;{:)\]]$
      | .*[{};]$ | at\s++.*:\d+\)?$
    )""",
    re.VERBOSE,
)
"""Matches a line, without trailing blanks, that reads as code in one of the common languages."""

COMMENT = re.compile(r"\s*(?://|\#(?![!\[]|include|define|if|endif)|/\*|\*\s|--\s|<!--|\"\"\")")

TOOLING_FILE = re.compile(
    r"""(?:^|/)(?:
        [^/]*\.(?:lock|lockb|sum|map|snap|svg|tf|csproj|lockfile) | [^/]*-lock\.(?:json|yaml)
      | package\.json | go\.mod
      | (?:Cargo|pyproject)\.toml | requirements[^/]*\.(?:txt|in) | pom\.xml | build\.gradle(?:\.kts)?
      | composer\.json | Gemfile | Pipfile
      | (?:Docker|Make|Rake|Jenkins|Container)file[^/]* | (?:docker-)?compose[^/]*\.ya?ml
      | \.[^/]+ | [^/]*\.config\.[cm]?[jt]s | tsconfig[^/]*\.json | [^/]*\.min\.js
    )$ | (?:^|/)(?:\.github|\.gitlab|\.circleci|node_modules|vendor|dist)/""",
    re.VERBOSE,
)
"""Lock files, manifests, CI, containers and configuration, whose words are about tools and not about the product."""


@dataclass(frozen=True, slots=True)
class Context:
    """A context as read: ``meaning`` is compared with stories and may be empty; ``slugs`` are possible entities."""

    code: bool
    paths: list[str]
    slugs: set[str]
    meaning: str


def read_context(text: str) -> Context:
    head = text[:READ]
    paths = named_paths(text)
    if not looks_like_code(head):
        return Context(False, paths, possible_slugs(head), head[:MEANT])
    lines = list(_first(line for line in _own_lines(text) if line))
    slugs = {found for line in lines for part in line.split(",") for found in possible_slugs(part)}
    return Context(True, paths, slugs, "\n".join(lines)[:MEANT])


def _first(lines: Iterable[str]) -> Iterator[str]:
    """Yields the first lines, together at most READ characters."""
    left = READ
    for line in lines:
        if (left := left - len(line)) < 0:
            return
        yield line


def looks_like_code(context: str) -> bool:
    """Returns whether a text is a diff, or 40% of its lines are statements or paths; bulleted lines are prose."""
    if DIFF.search(context):
        return True
    lines = [line for line in context.splitlines() if line.strip()]
    statements = sum(1 for line in lines if not BULLET.match(line) and STATEMENT.match(line.rstrip()))
    paths = sum(1 for line in lines if _is_path(line))
    return bool(lines) and (statements + paths) / len(lines) >= 0.4


def _is_path(line: str) -> bool:
    """Returns whether a line is one of a list of files, with or without git's status before it."""
    bare = re.sub(r"^\s*(?:[MADRCU?]{1,2}|modified:|new file:|deleted:|renamed:)\s+", "", line).strip()
    return bool(TOKEN.fullmatch(bare)) and bool(named_paths(bare))


def _own_lines(code: str) -> Iterator[str]:
    """Yields a diff's changed files and lines, or all of a snippet, without tooling files and without keywords."""
    diff, tooling, path = bool(DIFF.search(code)), False, ""
    for line in code.splitlines():
        if not diff:
            yield _said(line)
        elif named := FILE_OF_DIFF.match(line):
            if named[1] not in (path, "/dev/null"):
                path = named[1]
                tooling = bool(TOOLING_FILE.search(path))
                yield "" if tooling else _words(path.rpartition(".")[0] or path)
        elif not tooling and (hunk := HUNK.match(line)):
            yield _said(hunk[1])
        elif not tooling and line.startswith(("+", "-")):
            yield _said(line[1:])


def _said(line: str) -> str:
    """Returns a line's own words: all of a comment, else the names and the texts in a statement."""
    if COMMENT.match(line):
        return line.strip()
    return _words(line)


def _words(text: str) -> str:
    """Splits the names in a text into words, in order; commas part the names and texts from each other."""
    names = re.split(r"[^\w\s'’-]+", text)
    spelt = (" ".join(spelt_out(word) for word in name.split() if word not in KEYWORDS) for name in names)
    return ", ".join(words for words in spelt if len(words) > 1)


LONGEST_CONTEXT = 1_000_000
"""As many characters as one request carries."""

SEARCHED = 4_000
"""Characters of the context whose words are searched; they replace the vector where one is missing."""

Frequencies = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class FoundStories:
    """Stories that a context relates to, best first; ``slugs`` and ``paths`` are those it names, with frequencies."""

    scored: list[Scored]
    near: Mapping[str, NearStory]
    slugs: Frequencies
    paths: Frequencies
    looks_like_code: bool
    mode: Mode
    degraded: bool
    notice: str | None

    def story(self, scored: Scored) -> RelatedStory:
        near = self.near[scored.candidate.story_key]
        row = near.row
        return RelatedStory(
            story=Story.model_validate(row, extra="ignore"),
            score=round(scored.score, 4),
            evidence=round(scored.evidence, 4),
            parts=ScoreParts(
                vector=_signal(near.coverage if near.cosine is None else near.cosine, scored.parts.vector),
                entity=_signal(scored.candidate.entity_overlap, scored.parts.entity),
                path=_signal(scored.candidate.path_overlap, scored.parts.path),
            ),
            matched_slugs=_tags(row["entity_slugs"], self.slugs),
            matched_paths=_tags(row["code_paths"], self.paths),
        )


def find(context: str, *, mode: Mode, tenant: str) -> FoundStories:
    """Finds related stories. Raises Unavailable if embeddings are down and neither words nor overlaps find any."""
    read = read_context(context)
    used: Mode = "structural" if read.code and mode == "blended" else mode
    slugs, paths = _footprint(read, tenant=tenant)
    vector, reason = _vector(read.meaning, tenant=tenant) if read.meaning else (None, None)
    pool = _pool(read.meaning, vector, mode=used, paths=paths, tenant=tenant)
    scored = rank([_candidate(near, slugs=slugs, paths=paths) for near in pool], mode=used)
    if reason and not scored:
        raise Unavailable(
            f"Embeddings are unavailable ({reason}) and neither words nor shared files found a story, which does not "
            "mean that none fits. Try again later, or name files and entities of the product.",
            retryable=True,
        )
    observation.note_search([None] * len(scored), degraded=reason is not None)
    notice = f"Embeddings are unavailable ({reason}): words stood in for meaning." if reason else None
    by_key = {near.key: near for near in pool}
    return FoundStories(scored, by_key, slugs, paths, read.code, used, degraded=reason is not None, notice=notice)


def _footprint(context: Context, *, tenant: str) -> tuple[Frequencies, Frequencies]:
    """Returns the entities and the files that the context names and some story has, with their doc frequencies."""
    known = queries.known_slugs(tenant, slugs=sorted(context.slugs)) if context.slugs else []
    by_stem: dict[str, list[str]] = {}
    for path in context.paths:
        by_stem.setdefault(stem(path), []).append(path)
    assets = queries.known_paths(tenant, stems=sorted(by_stem)) if by_stem else []
    return (
        {row["name"]: row["doc_frequency"] for row in known},
        {
            row["name"]: row["doc_frequency"]
            for row in assets
            if any(names(path, row["name"]) for path in by_stem[stem(row["name"])])
        },
    )


def _vector(meaning: str, *, tenant: str) -> tuple[Vector | None, str | None]:
    try:
        return query_vectors.vector_of(meaning, tenant=tenant), None
    except provider.EmbeddingsDown as error:
        return None, error.reason


def _pool(meaning: str, vector: Vector | None, *, mode: Mode, paths: Frequencies, tenant: str) -> list[NearStory]:
    """Returns the stories whose overlaps are looked at; for code, first those that share its files."""
    near = [] if not meaning else queries.nearest(tenant, text=meaning[:SEARCHED], vector=vector)
    # Without vectors nothing tells which stories are near, so those that share a file are candidates as well.
    if not paths or (mode != "structural" and vector is not None) or mode == "semantic":
        return near
    coverage = {one.key: one.coverage for one in near}
    sharing = queries.sharing_paths(tenant, paths=list(paths), vector=vector)
    pool = {one.key: replace(one, coverage=coverage.get(one.key)) for one in sharing}
    pool |= {one.key: one for one in near if one.key not in pool}
    return list(pool.values())[: max(POOL, len(sharing))]


def _candidate(near: NearStory, *, slugs: Frequencies, paths: Frequencies) -> RelationCandidate:
    row = near.row
    return RelationCandidate(
        story_key=near.key,
        section_key=row["section_key"],
        closeness=_closeness(near.cosine, near.coverage),
        entity_overlap=inverse_frequency(slugs[name] for name in row["entity_slugs"] if name in slugs),
        path_overlap=inverse_frequency(paths[name] for name in row["code_paths"] if name in paths),
    )


def _closeness(cosine: float | None, coverage: float | None) -> float:
    """Scales the cosine above the model's noise to [0, 1]; without one, returns the share of words that matched."""
    if cosine is None:
        return float(coverage or 0.0)
    noise = noise_of(settings().embedding_model)
    return min(max((cosine - noise) / (1 - noise), 0.0), 1.0)


def _signal(raw: float | None, contribution: float) -> Signal:
    return Signal(raw=None if raw is None else round(float(raw), 4), contribution=round(contribution, 4))


def _tags(names_of_story: Sequence[str], known: Frequencies) -> list[SharedTag]:
    shared = [SharedTag(name=name, doc_frequency=known[name]) for name in names_of_story if name in known]
    return sorted(shared, key=lambda tag: (tag.doc_frequency, tag.name))
