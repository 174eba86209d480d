"""The annex of a draft says whose words each item uses, as an attribution above the words would."""

from cpq.drafts.letter import WORDS_FROM, sections
from local.letter import ANNEX

DRAFT = f"""\
### Item 1

Words.

### Item 2

**Attribution:** none here

## Sources (internal)

{ANNEX}
| 1 | Powerex SES100 | prod_1 | Groeb Farms, Q22-0518, 2022-05-11, line 1 | Q25-0724 | likely_good | used verbatim |
| 2 | – | – | – | none | none | no match |
| 9 | Quincy QMB30 | prod_2 | 4M Industries, Q21-0347, 2021-04-27, line 2 | none | analog | used with review |
"""


def test_a_row_of_the_annex_is_the_attribution_of_its_item() -> None:
    first, second = (section for section in sections(DRAFT) if section.item)
    [unit] = first.attributions
    assert unit.text == "Groeb Farms, Q22-0518, 2022-05-11, line 1"
    assert DRAFT.splitlines()[unit.line - 1].startswith("| 1 |")
    assert second.attributions == []


def test_the_column_is_the_one_that_the_house_template_has() -> None:
    assert ANNEX.splitlines()[0].strip("| ").split(" | ")[WORDS_FROM] == "words from"
