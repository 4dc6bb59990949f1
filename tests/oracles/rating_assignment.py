"""Could these published ratings come from that survey by leaving ratings out? By trying; tiny data only."""

Record = dict[str, float]


def fits(published: Record, original: Record, sensitive: set[str]) -> bool:
    """Whether all published ratings are the original's, and the sensitive ones are all there."""
    return all(original.get(issue) == rating for issue, rating in published.items()) and all(
        issue in published for issue in original if issue in sensitive
    )


def assignable(published: list[Record], original: list[Record], sensitive: set[str]) -> bool:
    """Whether the published records can be given to different respondents."""
    if not published:
        return True
    first, rest = published[0], published[1:]
    return any(
        fits(first, row, sensitive) and assignable(rest, original[:i] + original[i + 1 :], sensitive)
        for i, row in enumerate(original)
    )


def short(published: list[Record], original: list[Record], sensitive: set[str]) -> bool:
    """Whether, once equal records are paired off, some record is left more often than respondents whom it fits."""
    ours, theirs = list(published), list(original)
    for record in published:
        if record in theirs:
            ours.remove(record)
            theirs.remove(record)
    return any(
        sum(other == record for other in ours) > sum(fits(record, row, sensitive) for row in theirs) for record in ours
    )
