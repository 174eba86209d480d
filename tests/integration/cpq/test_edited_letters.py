"""Letters that a person edited in Word come back as Markdown, whatever the editor did to runs and marks."""

import copy
import io
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import docx
import pytest
from docx.oxml import OxmlElement
from docx.oxml.ns import qn

from local import edited
from quarry.tool.errors import ValidationFailed
from tests.integration.cpq.letters import ONE, compose, downloaded, got, words_of

pytestmark = pytest.mark.usefixtures("letters")
PAGE = """Dear Ms. Sturk,

we offer **one** Quincy QGV-100 for {{net}}:

- quiet
- *efficient*

{{items}}

1. When do you need it?
2. Who unloads?

| we | you |
|---|---|
| supply | unload |

Please send us your order."""


def file_of(draft: dict[str, Any], view: str = "customer") -> bytes:
    return downloaded(got(draft, view=view, format="docx"))


def after(content: bytes, edit: Callable[[Any], None]) -> edited.EditedLetter:
    """The letter as it is read once somebody has edited it and saved it."""
    document, saved = docx.Document(io.BytesIO(content)), io.BytesIO()
    edit(document)
    document.save(saved)
    return edited.read(saved.getvalue())


def paragraph(document: Any, words: str) -> Any:
    return next(each for each in document.paragraphs if words in each.text)


@pytest.fixture(scope="module")
def draft(letters: object) -> dict[str, Any]:
    alternate = {"product_id": "QGV-75", "role": "alternate"}
    return compose(page=PAGE, items=[*ONE, alternate], notes=["Ask about the slab."])


@pytest.mark.parametrize("view", ["customer", "internal"])
def test_an_untouched_file_gives_the_page_back(draft: dict[str, Any], view: str) -> None:
    letter = edited.read(file_of(draft, view))
    assert (letter.draft_id, letter.version, letter.view) == (draft["draft_id"], draft["version"], view)
    assert letter.page == PAGE.replace("{{net}}", "USD 66,900.00")
    assert edited.taken(letter, unedited=letter, stored=PAGE) == PAGE


def test_an_edited_page_keeps_its_facts_its_own_closing_and_that_there_is_nothing_to_sign() -> None:
    stored = f"{PAGE} {{{{unsigned}}}}\n\nSincerely,\nJoe Miller\nApplications"
    file = file_of(compose(page=stored))

    def edit(document: Any) -> None:
        paragraph(document, "When do you").runs[-1].text = "How soon?"

    unedited = edited.read(file)
    page = edited.taken(after(file, edit), unedited=unedited, stored=stored)
    assert "QGV-100 for {{net}}:" in page
    assert "How soon?" in page
    assert "{{unsigned}}" in page
    again = words_of(compose(page=page), view="customer", form="docx")
    assert "Joe Miller\nApplications\nGreat Lakes" in again


def test_words_that_were_written_anywhere_on_the_page_come_back(draft: dict[str, Any]) -> None:
    def edit(document: Any) -> None:
        paragraph(document, "Dear Ms. Sturk").insert_paragraph_before("By mail.")
        paragraph(document, "Quincy QGV-100 for").add_run(" It hums_along.").italic = True
        paragraph(document, "When do you").insert_paragraph_before("Two questions:")
        paragraph(document, "send us your order").runs[0].text = "#1: order by Friday."
        paragraph(document, "Sincerely").insert_paragraph_before("Yours truly indeed.")

    page = after(file_of(draft), edit).page
    assert page.startswith("By mail.\n\nDear Ms. Sturk,")
    assert "for USD 66,900.00: *It hums\\_along.*" in page
    assert "{{items}}\n\nTwo questions:\n\n1. When" in page
    assert page.endswith("| supply | unload |\n\n\\#1: order by Friday.\n\nYours truly indeed.")
    again = compose(page=page)
    assert "#1: order by Friday." in words_of(again, view="customer", form="docx")


def test_tracked_changes_are_read_as_if_accepted(draft: dict[str, Any]) -> None:
    def edit(document: Any) -> None:
        run = paragraph(document, "send us your order").runs[0]._r
        taken, added = OxmlElement("w:del"), OxmlElement("w:ins")
        run.addprevious(added)
        added.append(copy.deepcopy(run))
        added[0].find(qn("w:t")).text = "Call us."
        run.addprevious(taken)
        taken.append(run)
        for text in run.iter(qn("w:t")):
            text.tag = qn("w:delText")

    page = after(file_of(draft), edit).page
    assert page.endswith("Call us.")
    assert "your order" not in page


def test_what_was_edited_in_tables_and_annex_is_no_text_of_the_page(draft: dict[str, Any]) -> None:
    def edit(document: Any) -> None:
        document.tables[0].cell(1, 3).paragraphs[0].runs[0].text = "1.00"

    before, letter = edited.read(file_of(draft)), after(file_of(draft), edit)
    assert letter.page == before.page
    assert [line for line in letter.others if line not in before.others] != []


@pytest.mark.skipif(shutil.which("soffice") is None, reason="needs LibreOffice")
def test_another_editor_may_save_it(draft: dict[str, Any], tmp_path: Path) -> None:
    file, saved = tmp_path / "letter.docx", tmp_path / "saved"
    file.write_bytes(file_of(draft, "internal"))
    profile = f"-env:UserInstallation=file://{tmp_path}/profile"
    subprocess.run(
        ["soffice", "--headless", profile, "--convert-to", "docx", "--outdir", str(saved), str(file)],  # noqa: S607
        check=True, capture_output=True, timeout=120,
    )  # fmt: skip
    ours, theirs = edited.read(file.read_bytes()), edited.read((saved / file.name).read_bytes())
    assert theirs.page == ours.page
    assert [line for line in theirs.others if line not in ours.others] == []
    before, after = (
        sorted(one.text for one in docx.Document(str(each)).comments) for each in (file, saved / file.name)
    )
    assert "Ask about the slab." in before
    assert after == before


def test_a_file_without_its_marks_is_refused_with_what_to_do(draft: dict[str, Any]) -> None:
    def without_marks(document: Any) -> None:
        for one in list(document.element.body.iter(qn("w:bookmarkStart"))):
            one.getparent().remove(one)

    with pytest.raises(ValidationFailed, match="edit the file that draft_get gave, or send the text as page"):
        after(file_of(draft), without_marks)
    with pytest.raises(ValidationFailed, match="no Word document"):
        edited.read(b"PK\x03\x04 no")
