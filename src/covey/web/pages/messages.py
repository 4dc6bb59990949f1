"""Messages of the library as the page says them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from covey.web.pages.words import READING, ROLES

#: Options of the command line, as the page calls what does the same. Options of the server itself are not here:
#: whoever runs it does give those on the command line.
_FIELDS: Mapping[str, str] = {
    **{name: words[0] for name, words in READING.items()},
    "kind": "What it holds",
    "quasi": ROLES["quasi"][0],
    "identifier": ROLES["identifier"][0],
    "other": ROLES["other"][0],
    "taxonomy": "Taxonomy",
    "hierarchy": "Broader values",
}

_VALUE = r"'[^']*'|[A-Z]{2,}\b|fimi|csv-long|csv-wide|csv|parquet|table|low:\w+:\w+|[\w:.-]*\d(?:[\w:.-]*\w)?"
_ONE = rf"--({'|'.join(_FIELDS)})\b(?: ({_VALUE}))?"
_OPTION = re.compile(_ONE)
_OPTIONS = re.compile(rf"{_ONE}(?: {_ONE})+")
_MARKING = re.compile(r"[Gg]ive them with --sensitive(?: \(a file [^)]*\))?")


def on_page(text: str) -> str:
    """A message of the library with the fields of the page in place of options of the command line.

    Examples
    --------
    >>> on_page("Try --encoding latin-1 (encoding='latin-1').")
    'Try latin-1 under “Encoding”.'
    >>> on_page("If every line is one transaction, give --format fimi --separator ','.")
    "If every line is one transaction, give fimi under “Format” and ',' under “Separator”."
    >>> on_page("None is named. Give them with --sensitive (a file with one item per line, or a comma list).")
    'None is named. Mark them in step 2, “What it is”.'
    """
    # What the same option is called in Python helps nobody here.
    text = re.sub(r" \(\w+=[^)]*\)", "", text) if "--" in text else text
    text = _MARKING.sub("Mark them in step 2, “What it is”", text)
    text = text.replace("ask for it with --sensitive", "choose it as the sensitive item")
    text = text.replace("--sensitive", "“What is sensitive?”")
    text = _OPTIONS.sub(lambda found: found[0].replace(" --", " and --"), text)
    return _OPTION.sub(_under, text)


def _under(found: re.Match[str]) -> str:
    name, value = _FIELDS[found[1]], found[2]
    return f"“{name}”" if value is None or value.isupper() else f"{value} under “{name}”"
