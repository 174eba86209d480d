"""The schema of the column ``attributes``: values that files may bring and that the database stores."""

from typing import Annotated, Required, TypedDict

from pydantic import AfterValidator, ConfigDict, Field, StrictBool, with_config

Name = Annotated[str, Field(pattern=r"^[a-z][0-9a-z_]{0,39}$")]
Figure = (
    Annotated[int, Field(strict=True, ge=-(10**15), le=10**15)]
    | Annotated[float, Field(strict=True, allow_inf_nan=False)]
)
Text = Annotated[str, Field(min_length=1, max_length=500)]


def _rising(ends: list[int | float]) -> list[int | float]:
    if ends[0] > ends[1]:
        raise ValueError("a range begins with its lower end")
    return ends


Range = Annotated[list[Figure], Field(min_length=2, max_length=2), AfterValidator(_rising)]
Plain = StrictBool | Figure | Text | Range | Annotated[list[Text], Field(min_length=1, max_length=50)]


@with_config(ConfigDict(extra="forbid"))
class Told(TypedDict, total=False):
    """A value with what is known of it: ``raw`` is what its file says, in ``unit``; the classification it is from."""

    value: Required[Plain]
    raw: Text
    unit: Annotated[str, Field(max_length=40)]
    language: Annotated[str, Field(pattern=r"^[a-z]{2}$")]
    source: Annotated[str, Field(max_length=500)]
    system: Annotated[str, Field(max_length=40)]
    release: Annotated[str, Field(max_length=40)]
    code: Annotated[str, Field(max_length=100)]


Stored = Annotated[
    Annotated[dict[Name, Plain | Told], Field(max_length=200)] | None, AfterValidator(lambda value: value or None)
]
"""Values by attribute name; None stands for an empty mapping."""
