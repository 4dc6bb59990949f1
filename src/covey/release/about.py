"""What a publisher says of a release in words of their own: a title, a licence, and whom to ask."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from covey.errors import ParameterError

#: Characters at most, so that a title stays a title.
LONGEST = 200

_EMAIL = r"[^\s<>@\"]+@[^\s<>@\"]+\.[^\s<>@\"]+"
_WEB = r"https?://[^\s<>\"]+"
_CONTACT = re.compile(rf"(?:(?P<title>[^<>@\"]+?) <(?P<named>{_EMAIL})>)|(?P<email>{_EMAIL})|(?P<path>{_WEB})")
_LICENSE = re.compile(rf"(?P<name>[A-Za-z0-9][A-Za-z0-9.+-]*)|(?P<path>{_WEB})")


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What a release is called, under which licence it may be used, and who answers questions; all optional.

    Examples
    --------
    >>> About(title="Sales of 2024", license="CC-BY-4.0").given()
    {'title': 'Sales of 2024', 'license': 'CC-BY-4.0'}
    """

    #: One line.
    title: str | None = None
    #: A short name such as ``CC-BY-4.0``, or the web address of the text.
    license: str | None = None
    #: An e-mail address, a web address, or ``Name <address>``.
    contact: str | None = None

    def __post_init__(self) -> None:
        for name, text in self.given().items():
            if not isinstance(text, str) or not text.strip() or text != text.strip() or not text.isprintable():
                raise ParameterError(f"The {name} must be one line of text. Got {str(text)[:60]!r} instead.")
            if len(text) > LONGEST:
                raise ParameterError(f"The {name} has {len(text)} characters; at most {LONGEST} fit.")
        if self.license and not _LICENSE.fullmatch(self.license):
            raise ParameterError(
                f"The license must be a short name such as CC-BY-4.0, or a web address. Got {self.license!r} instead."
            )
        if self.contact and not _CONTACT.fullmatch(self.contact):
            raise ParameterError(
                "The contact must be an e-mail address, a web address, or both name and e-mail address as in "
                f"'Data office <data@example.org>'. Got {self.contact!r} instead."
            )

    def given(self) -> dict[str, str]:
        """What is said, by name."""
        return {name: text for name, text in asdict(self).items() if text is not None}

    def licenses(self) -> list[dict[str, str]]:
        """The licence as a data package has it."""
        found = _LICENSE.fullmatch(self.license or "")
        return [_named(found)] if found else []

    def contributors(self) -> list[dict[str, Any]]:
        """Whom to ask, as a data package has it."""
        found = _CONTACT.fullmatch(self.contact or "")
        if not found:
            return []
        told = {name.replace("named", "email"): text for name, text in _named(found).items()}
        return [{**told, "roles": ["ContactPerson"]}]


def _named(found: re.Match[str]) -> dict[str, str]:
    return {name: text for name, text in found.groupdict().items() if text is not None}


def misstated(stated: Mapping[str, Any]) -> str:
    """What is wrong with what a manifest says of a release, in words; nothing when nothing is.

    Examples
    --------
    >>> misstated({"author": "Ann"}), misstated({"title": "Sales"})
    ("states 'author' in 'about', which has no such entry", '')
    """
    odd = sorted(set(stated) - set(About.__slots__))
    if odd:
        return f"states {odd[0][:60]!r} in 'about', which has no such entry"
    if None in stated.values():
        return "has an empty entry in 'about', which must be left out"
    try:
        About(**stated)
    except ParameterError as error:
        return f"has an entry in 'about' that is not allowed ({error})"
    return ""
