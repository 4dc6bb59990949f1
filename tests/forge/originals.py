"""Small made-up data of every kind, as plain Python: what honest releases are made from before tampering."""

import random

ITEMS = ["ale", "beer", "bread", "cream", "meat", "milk", "tea", "wine"]
SECRETS = ["pregnancy test", "viagra"]
GROUPS = {"ale": "alcohol", "beer": "alcohol", "wine": "alcohol", "bread": "food", "meat": "food"}
CITIES = ["Bonn", "Köln", "Ulm"]
ISSUES = ["films", "food", "music", "illness"]


def transactions(rows=90, seed=5, secrets=True):
    """Rows of items, one in nine with something sensitive."""
    drawn = random.Random(seed)
    made = [[item for item in ITEMS if drawn.random() < 0.35] for _ in range(rows)]
    for number, row in enumerate(made if secrets else []):
        if number % 9 == 0:
            row.append(SECRETS[number % 2])
    return made


def taxonomy_paths():
    """A path from leaf to root for every item, and for one that nobody buys."""
    return [[item, GROUPS.get(item, "drinks and cream"), "anything"] for item in [*ITEMS, "absinthe"]]


def people(rows=60, seed=6):
    """Columns of a table: two quasi-identifiers, one sensitive, one other."""
    drawn = random.Random(seed)
    return {
        "age": [drawn.randrange(20, 60) for _ in range(rows)],
        "city": [drawn.choice([*CITIES, None]) for _ in range(rows)],
        "illness": [drawn.choice(["asthma", "flu", "gout", "none"]) for _ in range(rows)],
        "visits": [str(drawn.randrange(9)) for _ in range(rows)],
    }


def survey(rows=70, seed=7):
    """Ratings from 0 to 4, or none, of `ISSUES`, the last of which is sensitive."""
    drawn = random.Random(seed)
    return [[drawn.choice([0, 1, 2, 3, 4, None]) for _ in ISSUES] for _ in range(rows)]
