"""What marks a line as code, and what in code is the language's or a tool's and not the product's."""

import re

_C = (
    "if else for while do switch case default break continue return goto sizeof struct enum union typedef "
    "const static"
)
_OO = (
    "class interface extends implements public private protected abstract final static new this super try "
    "catch finally throw throws import package void int long short byte char float double boolean instanceof "
    "enum var null true false"
)
_JS = (
    "export import from as default function const let var async await type interface namespace declare "
    "readonly keyof typeof undefined null true false of in new this super extends implements class static "
    "public private protected throw try catch finally yield delete void console log require module exports "
    "process env Promise number string boolean unknown never any"
)
_PYTHON = (
    "def class return if elif else for while with as import from try except finally raise yield lambda pass "
    "break continue async await global nonlocal assert del in is not and or None True False self cls print str "
    "int float bool dict list set tuple range len add commit rollback flush execute scalars"
)
_GO = (
    "func package import type struct interface map chan go defer select var const return if else for range "
    "switch case default fallthrough nil true false string error err ctx context fmt http make append len "
    "println Println"
)
_RUST = (
    "fn let mut pub use mod impl trait struct enum match if else for in while loop return self Self as dyn "
    "where unsafe"
)
_RUBY = (
    "def end do module class self nil true false require include attr_accessor puts then unless elsif begin "
    "rescue ensure"
)
_PHP = (
    "php function fn echo array foreach as use namespace public private protected static new return require include"
)
_CSHARP = (
    "using namespace async await Task string var foreach in get set record readonly override virtual sealed partial"
)
_KOTLIN = "fun val var object companion suspend override data sealed when is in null true false lateinit by"
_SWIFT = "func let var guard override init deinit extension protocol struct nil true false final weak lazy self in"
_SQL = (
    "select from where and or not null is in insert into values update set delete create alter drop table "
    "column index view add constraint primary foreign key references unique check default limit offset join "
    "left right inner outer on as having union all distinct exists between like case when then else end grant "
    "revoke begin commit rollback text integer bigint boolean uuid timestamp timestamptz jsonb varchar numeric "
    "count filter id"
)
_SHELL = (
    "if then else elif fi for in do done while case esac function return export local echo set exit sudo cd cat grep"
)


def _words(*lists: str) -> frozenset[str]:
    return frozenset(word for text in lists for word in text.split())


_SQL_WORDS = _words(_SQL, _SQL.upper())
LANGUAGES = {
    **dict.fromkeys(("ts", "tsx", "js", "jsx", "mjs", "cjs", "vue", "svelte"), _words(_C, _JS)),
    **dict.fromkeys(("py", "pyi"), _words(_PYTHON)),
    **dict.fromkeys(("java", "groovy", "scala"), _words(_C, _OO)),
    **dict.fromkeys(("kt", "kts"), _words(_C, _OO, _KOTLIN)),
    **dict.fromkeys(("c", "h", "cc", "cpp", "hpp", "m"), _words(_C, _OO)),
    **dict.fromkeys(("sh", "bash", "zsh"), _words(_SHELL)),
    **dict.fromkeys(("md", "rst", "txt", "adoc"), frozenset[str]()),
    "go": _words(_GO),
    "rs": _words(_RUST),
    "rb": _words(_RUBY),
    "php": _words(_C, _PHP),
    "cs": _words(_C, _OO, _CSHARP),
    "swift": _words(_C, _SWIFT),
    "sql": _SQL_WORDS,
}
"""A language's own words by file extension."""

KEYWORDS = _words(_C, _OO, _JS, _PYTHON, _GO, _RUST, _RUBY, _PHP, _CSHARP, _KOTLIN, _SWIFT, _SHELL, _SQL.upper())
"""Those of a snippet that no file name precedes. SQL's only in capitals: in lower case they are everyday words."""

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
