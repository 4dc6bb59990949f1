"""One original of each kind of data, and feasible instances of each guarantee on it."""

import numpy as np

import covey

#: Feasible on the data below.
INSTANCES = {
    "coherence": ["coherence(h=0.8, k=3, p=2)"],
    "degree": ["degree(p=4)"],
    "k-anonymity": ["k-anonymity(k=4)"],
    "k-eps-l": ["k-eps-l(k=4, epsilon=1, l=1)", "k-eps-l(k=4, epsilon=1)"],
    "k-km-anonymity": ["k-km-anonymity(k=3, m=2)"],
    "km-anonymity": ["km-anonymity(k=3, m=2)"],
    "label-dp": ["label-dp(epsilon=1)", "label-dp(epsilon=0.5, cap=1)"],
    "l-diversity": ["l-diversity(l=2, k=3)", "l-diversity(l=2, k=3, kind=frequency)"],
}


def shop(sensitive):
    rng = np.random.default_rng(5)
    rows = []
    for i in range(300):
        taste = i % 3
        row = {f"t{taste}-{j}" for j in rng.integers(0, 8, rng.integers(0, 6))}
        row |= {f"any-{j}" for j in rng.integers(0, 5, rng.integers(0, 3))}
        if rng.random() < 0.12:
            row.add(f"secret-{taste}")
        if rng.random() < 0.03:
            row.add("secret-rare")
        rows.append(sorted(row))
    secrets = sorted({x for row in rows for x in row if x.startswith("secret")})
    return covey.Baskets.of(rows, sensitive=secrets if sensitive else [])


def people(sensitive):
    rng = np.random.default_rng(3)
    n = 211
    tree = covey.Hierarchy.from_paths(
        [[f"{r}{i}", r, "*"] for r in ("north", "south") for i in range(3)] + [["abroad", "*"]]
    )
    place = rng.choice(list(tree.labels[: tree.leaves]), n)
    age = rng.normal(40, 15, n).round().tolist()
    return covey.Table.of(
        {
            "age": [None if rng.random() < 0.1 else a for a in age],
            "place": place.tolist(),
            "sex": [None if rng.random() < 0.05 else s for s in rng.choice(["f", "m"], n)],
            "illness": rng.choice(["flu", "cold", "none"], n, p=[0.3, 0.3, 0.4]).tolist(),
            "note": [f"n{i % 7}" for i in range(n)],
        },
        sensitive=["illness"],
        other=["note"],
        hierarchies={"place": tree},
    )


def customers(sensitive):
    table, baskets = people(sensitive), shop(sensitive).take(np.arange(211))
    if not sensitive:
        return covey.Records(table.with_sensitive([]), baskets)
    # Of every second person the illness is not known: a value that more than 1 in p have allows no degree.
    told = [table.column("illness").values[code] for code in table.column("illness").codes]
    known = covey.Table.of({"illness": [one if i % 2 else None for i, one in enumerate(told)]}, sensitive=["illness"])
    columns = (*(column for column in table.columns if column.role != "sensitive"), *known.columns)
    return covey.Records(covey.Table(columns), baskets)


def survey(sensitive):
    rng = np.random.default_rng(7)
    rows = [
        [int(x) if rng.random() < 0.8 else None for x in rng.integers(1, 6, 3)] + [int(rng.integers(1, 6))]
        for _ in range(120)
    ]
    issues = ["food", "rooms", "price", "politics"]
    return covey.Ratings.of(rows, issues=issues, scale="1:5", sensitive=["politics"])


#: Kind of data → ``(whether the guarantee protects what is sensitive) -> data``.
ORIGINALS = {"baskets": shop, "ratings": survey, "table": people, "records": customers}


def original(entry, text):
    """Data that a method takes for a guarantee."""
    return ORIGINALS[entry.data](covey.guarantee(text).protects_sensitive)
