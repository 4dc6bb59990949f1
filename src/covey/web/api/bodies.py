"""What requests and answers of the API hold, beyond the records of `covey.web.records`."""

from typing import Annotated, Any

from fastapi import Path, Query
from pydantic import BaseModel, ConfigDict, Field

from covey.release.about import LONGEST
from covey.web.records.datasets import Dataset

Id = Annotated[str, Path(pattern="^[0-9a-f]{12}$", examples=["0123456789ab"])]
Name = Annotated[str, Query(min_length=1, max_length=300, description="What the file is called.")]
Offset = Annotated[int, Query(ge=0, le=2**31)]
Search = Annotated[str, Query(max_length=300)]
Labels = Annotated[list[Annotated[str, Field(max_length=10_000)]], Field(max_length=100_000)]
Scalar = str | int | float | bool | None


class Problem(BaseModel):
    """An error (RFC 9457)."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str = Field(description="What was wrong, where, and what would work.")
    best: Any = Field(default=None, description="When infeasible: the strongest parameter that would work.")


class Strict(BaseModel):
    """A body without fields that nobody asked for."""

    model_config = ConfigDict(extra="forbid")


class Pick(Strict):
    """A file below the root."""

    path: str = Field(max_length=4_000, examples=["sales.csv"])


class Demo(Strict):
    """Which generated data to try."""

    name: str = Field(default="shop", max_length=50)


class Reading(Strict):
    """How a dataset is to be read; replaces what was said before."""

    kind: str | None = Field(default=None, max_length=50, examples=["baskets"])
    options: dict[str, bool | str | list[str] | None] = Field(
        default_factory=dict, description="Texts, lists of columns, and true or false for switches such as fold_case."
    )


class Names(Strict):
    """A list of what is sensitive."""

    text: str = Field(max_length=10_000_000, description="One item or issue per line.")
    skip_unknown: bool = Field(default=False, description="Mark the others when the data lacks some.")


class ReleaseRequest(Strict):
    """A release to be made."""

    dataset: str = Field(max_length=50)
    guarantee: str = Field(max_length=500, examples=["degree(p=10)"])
    method: str | None = Field(default=None, max_length=100)
    options: dict[str, Scalar] = Field(default_factory=dict)
    seed: int | None = Field(default=None, ge=0, le=2**63)
    audit: float | None = Field(
        default=None,
        ge=1,
        le=1_000_000,
        allow_inf_nan=False,
        description="The highest lift that an attack may have; a release above it is refused.",
    )
    title: str | None = Field(default=None, max_length=LONGEST, description="What the release is called.")
    license: str | None = Field(
        default=None, max_length=LONGEST, description="A name such as CC-BY-4.0, or a web address."
    )
    contact: str | None = Field(
        default=None, max_length=LONGEST, description="An e-mail or web address, or Name <address>."
    )


class Age(Strict):
    """What is too old to keep."""

    older_than_days: float = Field(ge=0, le=100_000, allow_inf_nan=False, strict=True)


class Fit(BaseModel):
    """A dataset with its taxonomy, and how that fits."""

    dataset: Dataset
    fit: dict[str, Any]


class Promise(BaseModel):
    """A guarantee in plain words, and whether the data allows it."""

    text: str
    short: str
    meaning: list[str]
    limits: list[str]
    problem: str | None
    best: float | None
    warnings: list[str]


class Status(BaseModel):
    """The server's state."""

    covey: str
    root: bool
    max_upload: int
    parallel: int
    memory: int | None
    free_disk: int
    queued: int
    running: int
    unreadable: int = Field(description="Stored records that this version cannot read.")
    demos: list[str]
