"""`python -m local.setup company.toml`: what a house is called and how it quotes, checked, stored and printed once.

Where there is no such file yet, an example is put there to be filled in. It can be run again after any change of it.
"""

import argparse
import json
import shutil
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psycopg
import typst
from pydantic import ValidationError

from cpq.documents.content import Seller
from cpq.documents.wording import has_labels, lacking
from local import corpus_loader
from local.failure import LocalError, run_command
from local.files import ROOT
from local.settings import read_settings
from local.setup import letterhead, standing
from local.setup.answers import Answers, Known, answers_of, taxed_alone
from local.setup.standing import Standing
from local.stack import SAMPLE_TENANT, invoke
from local.tenants import running_stack
from quarry.tool.errors import ToolError, Unavailable

LAYOUTS = ROOT / "templates" / "pdf"
EXAMPLE = ROOT / "local" / "setup" / "company.toml"

Say = Callable[[str], None]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m local.setup", description=__doc__)
    parser.add_argument("file", type=Path, help="the answers; an example of them is local/setup/company.toml")
    arguments = parser.parse_args()
    house = own_house()
    if not arguments.file.exists():
        shutil.copyfile(EXAMPLE, arguments.file)
        print(f"{arguments.file} has an invented company's answers. Put yours in their place, then run this again.")
        return
    if arguments.file.resolve() != EXAMPLE and arguments.file.read_bytes() == EXAMPLE.read_bytes():
        raise LocalError(f"{arguments.file} still has the invented company's answers: put yours in their place.")
    set_up(house, file=arguments.file, say=print)


def refuse_the_sample(tenant: str) -> None:
    if tenant == SAMPLE_TENANT:
        raise LocalError(
            "The sample's house is set up already, and its own. Start yours, empty: "
            "NEW_TENANT=1 SAMPLE=0 TENANT=acme make serve"
        )


@dataclass(frozen=True, slots=True)
class House:
    """A tenant and the ways to change it: ``ingest`` takes a file and its kind and returns the report, ``publish``
    puts the layouts where documents are printed from."""

    tenant: str
    dsn: str
    layouts: Path
    test_page: Path
    ingest: Callable[[Path, str], dict[str, Any]]
    publish: Callable[[], object]


def own_house() -> House:
    """Returns the house of the tenant that commands are for. Raises LocalError for the sample's."""
    refuse_the_sample(read_settings().tenant or "")  # before a tenant of that name is made
    stack, tenant = running_stack()
    refuse_the_sample(tenant)
    return House(
        tenant=tenant,
        dsn=stack.database.dsn,
        layouts=LAYOUTS,
        test_page=stack.data_dir / f"test-page-{tenant}.pdf",
        ingest=lambda file, kind: corpus_loader.ingest(stack, file, kind=kind, tenant=tenant),
        publish=lambda: invoke(stack, "publish_templates", {}),
    )


def set_up(house: House, *, file: Path, say: Say) -> None:
    """Raises LocalError with what has to change; then the letterhead is what it was."""
    stood, known = look(house, folder=file.parent)
    answers = read_answers(file, known)
    profile = letterhead.profile_of(answers, stood.profile, language=stood.house.get("language"), tenant=house.tenant)
    with (
        letterhead.with_labels(answers.language, country=answers.country, layouts=house.layouts),
        letterhead.written(answers, profile, layouts=house.layouts, tenant=house.tenant),
    ):
        page = printed(answers, profile, known, layouts=house.layouts)
        load(house, standing.rows_of(answers, stood), say=say)
        for told in taxed_alone(answers.taxes):
            say(told)
        house.publish()
    house.test_page.write_bytes(page)
    say_what_is_english(answers.language, layouts=house.layouts, say=say)
    say(f"The letterhead is {letterhead.profile_file(house.layouts, house.tenant)}; terms of sale are its [[terms]].")
    say(f"A test page, of a made-up line that is kept nowhere: {house.test_page}")


def say_what_is_english(language: str, *, layouts: Path, say: Say) -> None:
    file = layouts / "labels" / f"{language}.toml"
    if not has_labels(layouts, language):
        say(f"There is no {file}: documents are English. Translate en.toml beside it to have yours.")
    elif missing := lacking(layouts, language):
        more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
        say(f"{file} lacks {', '.join(sorted(missing)[:5])}{more}, which are printed in English.")


def look(house: House, *, folder: Path) -> tuple[Standing, Known]:
    try:
        profile = letterhead.held(house.layouts, house.tenant)
    except ValueError as fault:
        raise LocalError(str(fault)) from fault
    with psycopg.connect(house.dsn) as connection:
        stood = standing.read(connection, tenant=house.tenant, profile=profile)
        currencies = {str(code): int(digits) for code, digits in connection.execute(standing.CURRENCIES)}
    countries = tomllib.loads((house.layouts / "labels/en.toml").read_text("utf-8"))["countries"]
    return stood, Known(currencies, countries, stood.roles, folder)


def read_answers(file: Path, known: Known) -> Answers:
    try:
        return answers_of(tomllib.loads(file.read_text("utf-8")), known)
    except FileNotFoundError as error:
        raise LocalError(f"There is no file {file}.") from error
    except UnicodeDecodeError as error:
        raise LocalError(f"{file} is not UTF-8: save it as UTF-8.") from error
    except ValueError as fault:
        raise LocalError(f"{file} has to change; nothing was stored.\n{fault}") from fault


def printed(answers: Answers, profile: dict[str, Any], known: Known, *, layouts: Path) -> bytes:
    try:
        seller = Seller.model_validate(profile)
        digits = known.currencies[answers.currency]
        return letterhead.test_page(answers, seller, minor_units=digits, layouts=layouts)
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors())
        raise LocalError(f"The letterhead has to change before it can be printed: {faults}") from error
    except Unavailable as fault:
        raise LocalError(str(fault)) from fault
    except typst.TypstError as error:
        raise LocalError(f"The test page cannot be printed, which is often the logo's fault: {error}") from error


def load(house: House, rows: standing.Rows, *, say: Say) -> None:
    """Through ingest, which lists it and can take it back."""
    with TemporaryDirectory(prefix="quarry-setup-") as folder:
        for kind in (kind for kind in standing.ROWS if rows[kind]):
            file = Path(folder) / "setup.jsonl"
            file.write_text("".join(json.dumps(row) + "\n" for row in rows[kind]), "utf-8")
            report = house.ingest(file, kind)
            if report["rejected"]:
                reasons = "; ".join(reject["reason"] for reject in report["rejects"])
                raise LocalError(
                    f"{kind}: {reasons}. Mend it and run this again; what was stored before is in `make ingests`."
                )
            say(f"{kind}: {report['inserted']} new, {report['updated']} changed, {report['unchanged']} as before")


if __name__ == "__main__":
    run_command(main, ToolError)
