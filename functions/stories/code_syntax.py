"""What marks a line as code, and what in code is the language's or a tool's and not the product's."""

import re

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
"""The common languages' own words. SQL's only in capitals: in lower case they are everyday words."""

_CONTAINER = r"(?:FROM|RUN|COPY|ADD|CMD|ENTRYPOINT|WORKDIR|ENV|ARG|EXPOSE|VOLUME|USER|LABEL|HEALTHCHECK)\s+\S"
_PIPELINE = (
    r"(?:-\s+)?(?:uses|runs-on|run|image|stages?|cache|needs|with|steps|jobs|script|on|volumes|ports)\s*:(?:\s|$)"
)

STATEMENT = re.compile(
    rf"""[ \t]*+(?:
        import\s[\w.,\s]+$ | import\s.+\sfrom\s | import\s*[\w{{*"'][\w.{{}}*"']*;?$ | from\s+[\w.]+\s+import\s
      | \#include\s*[<"] | (?:package|using|use|module)\s+[\w.:/]+;?$
      | (?:(?:export|default|async|pub|public|private|protected|static|final|override|data|abstract|sealed)\s+)*
        (?:function|class|interface|def|fn|fun|func|struct|enum|impl|trait|resource|type)\s+[\w<"(].*[\w)\]{{:;=,>]$
      | (?:export\s+)?(?:const|let|var|val)\s+[\w{{\[(].*=
      | [A-Za-z_][\w.\[\]]*(?::\s*+[\w\[\], |]++)?\s*+[-+*/|&:]?=\s*\S.*
      | (?:await\s+)?[A-Za-z_][\w.]*\(.*\)\s*[;:{{]?$
      | (?:return|if|elif|else|for|while|with|switch|throw|raise|await|yield|try|except|catch)\b.*[;{{:)\]]$
      | return\s+[\w.]+(?:\(.*\))?$
      | (?:SELECT|INSERT\s+INTO|UPDATE|DELETE\s+FROM|CREATE|ALTER|DROP|GRANT|REVOKE)\s.*[\w;(,*)]$
      | (?:FROM|WHERE|ORDER\s+BY|GROUP\s+BY|HAVING|LIMIT|(?:LEFT\s+)?JOIN|VALUES|SET|AND|OR)\s+[\w("']
      | {_CONTAINER} | {_PIPELINE} | \[\[?[\w.-]+\]?\]$ | \#!/
      | .*[{{}};]$ | [)\]}}]++[;,)]*+$ | </?\w[^>]*>.*$ | @\w+(?:\(.*\))?$ | \.\w+\(
      | "[\w./@-]+"\s*:\s | end$ | \w+\s+:\w+ | at\s++.*:\d+\)?$ | File\s".*",\sline\s\d+
      | \w+\s+(?:uuid|text|integer|bigint|numeric|boolean|date|timestamp\w*|varchar|jsonb?|serial)\b.*,?$
    )""",
    re.VERBOSE,
)
"""Matches a line, without blanks at its end, that reads as code in one of the common languages."""

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
"""Lock files, manifests, CI, containers and configuration: what they say is about tools, whatever its words."""

TOOLING_LINE = re.compile(
    rf"""\s*+(?:{_CONTAINER} | {_PIPELINE}
      | "?(?:version|resolved|integrity|checksum|engines|license|source|dependencies|devDependencies)"?\s*[:=]
      | \[\[package\]\] | name\s*=\s*"[\w-]+"$ | [@\w./"-]+\s*:\s*"[\^~]?\d++\.\d++[^"]*+",?$
      | import\s++(?:[\w{{}},*\s]+(?<=\s)from\s++)?["'](?!@/)[\w@] | import\s+[\w.]+(?:\s+as\s+\w+)?;?$
      | from\s+\w[\w.]*\s+import\s | (?:const|let|var)\s[\w{{}},\s]++=\s*require\(["'][\w@]
      | \#include\s | use\s+(?:std|core)\b | using\s+[\w.]+; | package\s+[\w.]+;?$
      | </?(?:dependency|groupId|artifactId|version|scope|plugin)>
    )""",
    re.VERBOSE,
)
"""Imports of libraries, versions, steps of CI and of containers."""
