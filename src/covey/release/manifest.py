"""manifest.json: what a release is, what it promises, and the digests of its files.

The manifest has known keys of known types only, is written in one canonical form and carries its own digest, so that
any changed byte in it is noticed. A digest is no signature: someone who can write the whole release can write a
new manifest too. Keep the fingerprint that `covey anonymize` prints; `covey verify --fingerprint` compares it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import pyarrow as pa

from covey import __version__
from covey.errors import ReleaseError, TamperedRelease
from covey.release.about import misstated
from covey.release.base import Statement

FORMAT = "covey-release/5"
#: Formats of versions before the first published one.
NEVER_PUBLISHED = ("covey-release/1", "covey-release/2", "covey-release/3", "covey-release/4")
NAME = "manifest.json"
#: What explains the rest, to people and to programs. They follow from the manifest and the tables, so their digests
#: are not listed.
README, PACKAGE = DOCUMENTS = "README.md", "datapackage.json"

#: No honest manifest comes near this many bytes, a release of a hundred thousand parts included.
LARGEST = 1 << 25

_WORD = re.compile(r"[a-z][a-z0-9_-]{0,60}")
_VERSION = re.compile(r"[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}((a|b|rc|\.dev|\.post)[0-9]{1,3})?")
_SHA256 = re.compile(r"[0-9a-f]{64}")
#: What a manifest states of its writer, and in which form.
_WRITER = {"pyarrow": _VERSION, "package_kind": re.compile(r"[a-z0-9-]{0,40}"), "templates": _SHA256}
#: The names that tables may have.
FILE = re.compile(r"[a-z]{1,30}(\.(parquet|csv)|/part-[0-9]{5}\.parquet)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """The statement that goes with the files of a release.

    The options never include a seed; `facts` is what the tables need to be understood, which depends on the kind of
    release; `notes` are the options that cut a search short; `covey` is the version that wrote it, and `writer` what
    else the bytes of the files depend on; `files` has the SHA-256 of each file of a table, and `about` what the
    publisher says (`covey.release.about.About`).
    """

    kind: str
    method: str
    guarantee: str
    options: Mapping[str, Any]
    counts: Mapping[str, int]
    covey: str
    writer: Mapping[str, str]
    files: Mapping[str, str]
    facts: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    about: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, kind: str, made: Statement, **stated: Any) -> Manifest:
        """What is `stated` of a release that this version of covey made so."""
        how = {name: getattr(made, name) for name in ("method", "guarantee", "options", "notes")}
        return cls(kind=kind, covey=__version__, writer=running_writer(), **how, **stated)

    @property
    def made(self) -> Statement:
        """How the release was made."""
        return Statement(guarantee=self.guarantee, method=self.method, options=dict(self.options), notes=self.notes)

    def to_bytes(self) -> bytes:
        """The one canonical text of this manifest."""
        stated = {each.name: getattr(self, each.name) for each in fields(self)}
        body: dict[str, Any] = {"format": FORMAT, **stated}
        body["digest"] = _digest(body)
        return _canonical(body)

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the manifest and so, through the digests in it, of the whole release."""
        return hashlib.sha256(self.to_bytes()).hexdigest()

    @property
    def names(self) -> tuple[str, ...]:
        """Every file of the release, the manifest first."""
        return (NAME, *DOCUMENTS, *sorted(self.files))


_ENTRIES = {"format", "digest", *(each.name for each in fields(Manifest))}


@cache
def running_writer() -> dict[str, str]:
    """Return what the bytes of a release depend on besides its content: builds of pyarrow, and covey's own texts.

    The templates are the files of `covey.release` and `covey.guarantees`, from which schemas, README and data package
    are made. Two commits of one version of covey may differ in them.
    """
    found = hashlib.sha256()
    for package in ("covey.release", "covey.guarantees"):
        for file in sorted(resources.files(package).iterdir(), key=lambda file: file.name):
            if file.name.endswith((".py", ".md")):
                found.update(f"{package}/{file.name}\0".encode() + file.read_bytes())
    kind = re.sub("[^a-z0-9-]", "-", pa.cpp_build_info.package_kind.lower())[:40]
    return {"pyarrow": pa.__version__, "package_kind": kind, "templates": found.hexdigest()}


def _canonical(body: Mapping[str, Any]) -> bytes:
    text = json.dumps(body, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False)
    return (text + "\n").encode()


def _digest(body: Mapping[str, Any]) -> str:
    return hashlib.sha256(_canonical({k: v for k, v in body.items() if k != "digest"})).hexdigest()


def read_manifest(directory: Path) -> Manifest:
    """Read and check the manifest of a release.

    Raises
    ------
    ReleaseError
        The directory is not a release, or of a format this version does not know.
    TamperedRelease
        The manifest is not as covey writes it.
    """
    path = directory / NAME
    raw = _raw(directory, path)
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        raise TamperedRelease(f"{path} is not valid JSON: it was changed or damaged after writing.") from None
    if not isinstance(body, dict) or not str(body.get("format", "")).startswith("covey-release/"):
        raise TamperedRelease(f"{path} is not the manifest of a covey release, or was changed after writing.")
    if body["format"] in NEVER_PUBLISHED:
        number = body["format"].rpartition("/")[2]
        raise ReleaseError(
            f"{path} is of format {number}. Format {number} was never published; make the release again."
        )
    if body["format"] != FORMAT:
        raise ReleaseError(
            f"{path} has the format {str(body['format'])[:80]!r}; this version of covey reads {FORMAT!r}."
        )
    try:
        sealed = raw == _canonical(body) and body.get("digest") == _digest(body)
    except (ValueError, RecursionError):  # numbers that JSON does not know, lone surrogates, endless nesting
        sealed = False
    if not sealed:
        raise TamperedRelease(f"{path} was changed after writing: its digest does not match its text.")
    problem = _problem(body)
    if problem:
        raise TamperedRelease(f"{path} {problem}.")
    stated = {key: value for key, value in body.items() if key not in ("format", "digest", "notes")}
    return Manifest(notes=tuple(body["notes"]), **stated)


def _raw(directory: Path, path: Path) -> bytes:
    try:
        if not directory.exists():
            raise ReleaseError(f"{directory}: there is no such directory. Give the one `covey anonymize -o` wrote.")
        if not directory.is_dir():
            raise ReleaseError(f"{directory} is a file; a release is a directory with {NAME} in it.")
        if path.is_symlink() or (path.exists() and not path.is_file()):
            raise TamperedRelease(f"{path} is not a regular file, and a release holds no others.")
        if path.stat().st_size > LARGEST:
            raise TamperedRelease(f"{path} is larger than any manifest ({path.stat().st_size:,} bytes).")
        return path.read_bytes()
    except FileNotFoundError:
        raise ReleaseError(
            f"{directory} is not a covey release: it has no {NAME}. Give the directory that `covey anonymize -o` wrote."
        ) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise ReleaseError(f"{path} cannot be read: {reason}.") from None


def _problem(body: Mapping[str, Any]) -> str:
    """What is not of the type that a manifest has, in words; nothing when all is."""
    if odd := sorted(set(body) ^ _ENTRIES):
        return f"lacks the entry {odd[0]!r}" if odd[0] in _ENTRIES else f"holds the unknown entry {odd[0][:80]!r}"
    mappings = ("options", "counts", "files", "facts", "writer", "about")
    if wrong := [entry for entry in mappings if not isinstance(body[entry], dict)]:
        return f"has no mapping as {wrong[0]!r}"
    words = [body["kind"], body["method"], *(body["notes"] if isinstance(body["notes"], list) else [None])]
    if not all(_fits(_WORD, word) for word in words):
        return "does not name its kind, its method and its notes by plain words"
    if not isinstance(body["guarantee"], str) or len(body["guarantee"]) > 400:
        return "does not state a guarantee"
    if not _fits(_VERSION, body["covey"]):
        return "does not state the version of covey that wrote it"
    writer = body["writer"]
    if set(writer) != set(_WRITER) or not all(_fits(form, writer[name]) for name, form in _WRITER.items()):
        return "does not state the writer of its files by pyarrow, package_kind and templates"
    if not all(type(count) is int and count >= 0 for count in body["counts"].values()):
        return "has a count that is not a whole number"
    for name, digest in body["files"].items():
        if not FILE.fullmatch(name):
            return f"lists {name[:80]!r}, which is not a file of a release"
        if not _fits(_SHA256, digest):
            return f"has no SHA-256 for {name!r}"
    return misstated(body["about"])


def _fits(form: re.Pattern[str], value: object) -> bool:
    return isinstance(value, str) and form.fullmatch(value) is not None


def file_digest(path: Path) -> str:
    """SHA-256 of a file, read in pieces."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
