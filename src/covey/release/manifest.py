"""manifest.json: what a release is, what it promises, and the digests of its files.

The manifest is written in one canonical form and carries its own digest, so that any changed byte in it is
noticed. A digest is no signature: whoever can write the whole release can write a new manifest too. Keep the
fingerprint that `covey anonymize` prints; `covey verify --fingerprint` compares it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from covey.contracts import Check, Verdict
from covey.errors import ReleaseError, TamperedRelease

FORMAT = "covey-release/1"
NAME = "manifest.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """The statement that goes with the files of a release.

    Attributes
    ----------
    kind : str
        Kind of release, for example ``grouped``.
    method, guarantee : str
        Which method made it and what it promises.
    options : mapping
        The method's options; never a seed.
    counts : mapping
        Totals over the whole release.
    covey : str
        Version of covey that wrote it.
    files : mapping
        SHA-256 of each file beside the manifest.
    """

    kind: str
    method: str
    guarantee: str
    options: Mapping[str, Any]
    counts: Mapping[str, int]
    covey: str
    files: Mapping[str, str]

    def to_bytes(self) -> bytes:
        """The one canonical text of this manifest."""
        body = {"format": FORMAT} | {name: _plain(getattr(self, name)) for name in self.__slots__}
        body["digest"] = _digest(body)
        return _canonical(body)

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the manifest and so, through the digests in it, of the whole release."""
        return hashlib.sha256(self.to_bytes()).hexdigest()

    @property
    def listed(self) -> str:
        """How many files there are, in words."""
        return f"{len(self.files)} {'file' if len(self.files) == 1 else 'files'} and {NAME}"


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else value


def _canonical(body: Mapping[str, Any]) -> bytes:
    return (json.dumps(body, indent=2, sort_keys=True, ensure_ascii=False) + "\n").encode()


def _digest(body: Mapping[str, Any]) -> str:
    return hashlib.sha256(_canonical({k: v for k, v in body.items() if k != "digest"})).hexdigest()


def read_manifest(directory: Path) -> Manifest:
    """Read and check the manifest of a release.

    Raises
    ------
    ReleaseError
        The directory is not a release, or of a format this version does not know.
    TamperedRelease
        The manifest is not as it was written.
    """
    path = directory / NAME
    try:
        if not directory.exists():
            raise ReleaseError(
                f"{directory}: there is no such directory. Give the one `covey anonymize -o` wrote."
            )
        if not directory.is_dir():
            raise ReleaseError(f"{directory} is a file; a release is a directory with {NAME} in it.")
        raw = path.read_bytes()
    except FileNotFoundError:
        raise ReleaseError(f"{directory} is not a covey release: it has no {NAME}.") from None
    except OSError as error:
        raise ReleaseError(f"{path} cannot be read: {error.strerror}.") from None
    try:
        body = json.loads(raw)
    except (UnicodeDecodeError, json.JSONDecodeError):
        raise TamperedRelease(f"{path} is not valid JSON: it was changed or damaged after writing.") from None
    if not isinstance(body, dict) or not str(body.get("format", "")).startswith("covey-release/"):
        raise TamperedRelease(f"{path} is not the manifest of a covey release, or was changed after writing.")
    if body["format"] != FORMAT:
        raise ReleaseError(
            f"{path} has the format {body['format']!r}; this version of covey reads {FORMAT!r}."
        )
    if raw != _canonical(body) or body.get("digest") != _digest(body):
        raise TamperedRelease(f"{path} was changed after writing: its digest does not match its text.")
    try:
        return Manifest(**{name: body[name] for name in Manifest.__slots__})
    except KeyError as error:
        raise TamperedRelease(f"{path} lacks the entry {error}.") from None


def file_digest(path: Path) -> str:
    """SHA-256 of a file, read in pieces."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def tampered(error: TamperedRelease) -> Verdict:
    """The verdict on a release whose manifest is not as it was written."""
    check = Check(name="the manifest is as it was written", passed=False, detail=str(error))
    return Verdict(guarantee="unknown", checks=(check,))


def with_fingerprint(verdict: Verdict, manifest: Manifest, fingerprint: str | None) -> Verdict:
    """The verdict with a check before all others that the fingerprint is the one somebody noted, if they give it."""
    if fingerprint is None:
        return verdict
    same = len(fingerprint) >= 8 and manifest.fingerprint.startswith(fingerprint.lower())
    detail = (
        manifest.fingerprint if same else f"it is {manifest.fingerprint} (give at least 8 characters of it)"
    )
    check = Check(name="the fingerprint is the one given", passed=same, detail=detail)
    return replace(verdict, checks=(check, *verdict.checks))
