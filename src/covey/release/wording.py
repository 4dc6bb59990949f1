"""What earlier formats said in other words.

A verifier writes README and data package of a release again and compares them to the byte, so their words belong to the
format. Only the phrases that differ are kept here; everything else reads as it did.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from covey.release.kinds import ReleaseKind
from covey.release.tables import Schema

#: Of the last format with other words: each phrase of today, and what it was then. None holds text from the data.
EARLIER: Mapping[int, Mapping[str, str]] = {
    3: {
        "is stated by the publisher, and can be checked against the original.": (
            "is stated by whoever made the release, and can be checked by whoever has the original."
        ),
        "all that were read": "all of the original",
        " cannot rule out that at least": " finds at least",
        "baskets have them.": "baskets that fit.",
        "persons have them.": "persons that fit.",
        "of a basket finds at least": "of a person finds at least",
        "can do better; by how much, the publisher can measure with `covey attack`.": (
            "can do better; the attacks measure by how much."
        ),
        "Every published set is identical": "Every published person is identical",
        "recognizes a basket's ordinary items, even all of them, learns which group that basket is in": (
            "recognizes a person's ordinary items, even all of them, learns which group that person is in"
        ),
        "may be recognized by how often an item occurs": "may be told by how often an item occurs",
        " That someone does not have an item is not hidden either: where a group does not count it, no member has "
        "it.": "",
        "It treats every member": "It takes every member",
        "knows all of them about a person": "knows all of them of a person",
        "knows all of them about a row": "knows all of them of a person",
        "no row is picked out": "nobody is picked out",
        "Whatever someone knows about a basket,": "Whatever someone knows about a person,",
        "no basket is picked out": "nobody is picked out",
        "does not give the row's own value away": "does not give the sensitive value away",
        "does not give the person's own value away": "does not give the sensitive value away",
        " is counted several times, so nothing is promised about that person.": " is counted several times.",
        "It does not cover someone who knows that a person does not have an item.": (
            "It does not cover knowing that a person does not have an item."
        ),
        "(Python; install it with `pip install .` in a copy of its source):\n\n    covey verify": (
            "(Python):\n\n    pip install covey\n    covey verify"
        ),
        "may mean much the same thing, or": "may mean much the same, or",
        "Someone who knows the exact ratings may find": "Whoever knows ratings exactly may find",
        "Everyone who is close may agree on what is sensitive; then it is learned anyway.": (
            "All who are close may agree on what is sensitive; then it is learned all the same."
        ),
        ", and they do not all rate what is sensitive alike.": ", who disagree on what is sensitive.",
        ", where a missing rating counts as one step below the scale (0 on a scale from 1).": ".",
        "A few people can make up the spread:": "A spread can come from few people:",
        "Every item is published. Items of one basket stay together only where enough other baskets hold them too: "
        "whichever few of its items someone knows, the files fit an original in which enough baskets hold all of "
        "them. Baskets were cut into pieces until this held.": (
            "Every item is published, but what one basket holds together only as far as others hold it too: whatever "
            "few items of a person somebody knows, the files may as well be of an original in which so many baskets "
            "hold them. Baskets were cut into pieces, which nobody can put together again, until this held."
        ),
        "each with the items of all their transactions": "with all their transactions hold",
        "How to read the tables": "To understand the tables",
        "A quasi-identifier: a value": "a quasi-identifier: a value",
        "Sensitive; published as it was.": "sensitive; published as it was.",
        "Published as it was.": "published as it was.",
        "the publisher gave you by another route, then": "the publisher told you in another way, then",
        "For items in one chunk it is known how many records hold them together; items in different chunks were\n"
        "separated, and how often they occur together is not published.": (
            "Of items in one chunk it is known how many records hold them together; items of different chunks were put"
            "\napart, and how often they go together is not published."
        ),
        "estimates what chunks do not say,": "estimates what chunks do not tell,",
        "holds; how many records hold each is not published.": "holds, nobody knows how many.",
        "Nobody is told which transactions hold a sensitive item. Estimate:": (
            "For a sensitive item, nobody is told which transactions hold it. Estimate:"
        ),
        "This treats every transaction of a group as": "This takes every transaction of a group as",
        "really occurs together with what": "really goes with what",
        "it is never\noutside the sums": "it is never outside\nthe sums",
        ". Where ratings were left out\n(see above how many), that was not at random: means and counts describe what "
        "is published.": (
            "; some were left out, and which\nones is not by chance, so means and counts are of what is published."
        ),
        "without further knowledge, treat each of them": "without further knowledge, take each of them",
        "sets published empty": "transactions published empty",
        "weight each\npublished row by the share": "count each published\nrow with the share",
    }
}


def worded(text: str, format: int) -> str:
    """A text of covey's own in the words of a format.

    Examples
    --------
    >>> worded("It treats every member alike.", 3), worded("It treats every member alike.", 4)
    ('It takes every member alike.', 'It treats every member alike.')
    >>> worded("knows up to 1 published item of a person", 3), worded("knows more than 1 item.", 3)
    ('knows up to 1 published items of a person', 'knows more than 1 items.')
    >>> worded("at least 1 other rates the same", 3), worded("identical to at least 1 other.", 3)
    ('at least 1 others rate the same', 'identical to at least 1 others.')
    """
    for last, phrases in EARLIER.items():
        if format <= last:
            for now, then in phrases.items():
                text = text.replace(now, then)
    if format <= 3:
        text = re.sub(r"at most (g / \d+) have any one of them", r"none of them is in more than \1", text)
        # One was a plural, and shares were rounded to whole percents.
        text = re.sub(r"((?:up to|more than) 1 (?:published |public )?(?:item|label))\b", r"\1s", text)
        text = re.sub(r"at least 1 other\b(, which differ| rate|)s?", r"at least 1 others\1", text)
        text = re.sub(r"\d+\.\d+%", lambda share: f"{float(share[0][:-1]) / 100:.0%}", text)
    return text


def kind_worded(kind: ReleaseKind, format: int) -> ReleaseKind:
    """What a kind says of its releases, in the words of a format."""
    counts, facts = ({key: worded(text, format) for key, text in said.items()} for said in (kind.counts, kind.facts))
    of_records = {} if format <= 3 else kind.of_records
    return replace(kind, use=worded(kind.use, format), counts=counts, of_records=of_records, facts=facts)


def schema_worded(schema: Schema, format: int) -> Schema:
    """What a table's columns mean, in the words of a format."""
    says = {column: worded(text, format) for column, text in schema.says.items()}
    return replace(schema, row=worded(schema.row, format), says=says)
