"""A synthetic shop: named goods with a taxonomy, some of them sensitive, and shoppers with habits.

The goods, the profiles of shoppers and the occasions on which goods are bought together are data: ``shop.toml``.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from covey.arrays import Floats, Ids, Ints, offsets_of
from covey.data import Baskets
from covey.data.persons import numbered
from covey.parameters import integer
from covey.progress import Progress, silent
from covey.synth.draw import alias_table, fill_shop

CHUNK = 65_536
#: The root of the taxonomy shop > department > category > goods.
ROOT = "shop"
#: Within a category, popularity falls with the rank of a good to this power.
ZIPF = 1.3
#: Share of shoppers that also shop for somebody with another profile.
BLENDED = 0.35
#: Everyday goods in a basket: log-normal around the profile's median with this spread, and never more.
SPREAD, MOST_EVERYDAY = 0.6, 40


@cache
def catalogue() -> dict[str, Any]:
    """Return the tables of ``shop.toml``."""
    return tomllib.loads((files("covey.synth") / "shop.toml").read_text(encoding="utf-8"))


def amounts(text: str) -> dict[str, float]:
    """Return names with a number each, as ``shop.toml`` writes them.

    Examples
    --------
    >>> amounts("flour 0.8, baking powder 0.5")
    {'flour': 0.8, 'baking powder': 0.5}
    """
    pairs = (entry.rsplit(maxsplit=1) for entry in text.split(","))
    return {name.strip(): float(value) for name, value in pairs}


def goods_of(shelf: dict[str, Any]) -> list[str]:
    """Return the goods of a category."""
    return [name.strip() for name in shelf["goods"].split(",")]


def taxonomy() -> list[tuple[str, str]]:
    """Return every (child, parent) pair of the tree, parents before their children.

    Examples
    --------
    >>> taxonomy()[:3]
    [('fresh produce', 'shop'), ('fruit', 'fresh produce'), ('bananas', 'fruit')]
    """
    pairs = []
    for department, categories in catalogue()["departments"].items():
        pairs.append((department, ROOT))
        for category, shelf in categories.items():
            pairs += [(category, department), *((name, category) for name in goods_of(shelf))]
    return pairs


@dataclass(frozen=True, slots=True, kw_only=True)
class Shop:
    """A synthetic shop."""

    #: What was bought, the sensitive goods marked.
    baskets: Baskets
    #: Every (child, parent) pair of the tree goods > category > department > "shop".
    taxonomy: list[tuple[str, str]]
    #: The sensitive goods that occur in the baskets, in label order.
    sensitive: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """The catalogue and the shoppers as arrays; row p of a table belongs to profile p."""

    #: The names of the goods; positions in this list are their ids.
    goods: list[str]
    #: Share of all baskets, and median number of everyday goods.
    shares: Floats
    medians: Floats
    #: How likely each everyday good is; zero for sensitive goods.
    popularity: Floats
    #: How likely each occasion is.
    rates: Floats
    #: Occasion o brings each of ``bundle[starts[o]:starts[o + 1]]`` with its chance.
    starts: Ints
    bundle: Ids
    chances: Floats


def shop(
    *,
    transactions: int = 5_000,
    customers: int | None = None,
    seed: int | None = None,
    progress: Progress = silent,
) -> Shop:
    """Generate the baskets of a made-up shop in which sensitive goods go with ordinary ones.

    Every basket has a profile (a young family, a student, a pensioner, ...), and a third of them a second
    one. The profile decides how many everyday goods there are, which ones, and which occasions arise: baking,
    a barbecue, but also lice at school or a possible pregnancy. An occasion brings goods that belong
    together, and is the only source of sensitive goods: a pregnancy test comes with folic acid, ginger tea
    and pickled gherkins. So there are correlations that a good release should keep and that an attacker
    would like to use.

    Parameters
    ----------
    transactions : int
        Number of baskets. From some thousand on, every sensitive good occurs, in less than one basket out of 25.
    customers : int, optional
        Number of customers, who come back: each has one profile, and some come far more often than others. They are
        the persons of the baskets. Without it nobody is known to come twice.
    seed : int, optional
        With the same seed, a longer run begins with the baskets of a shorter one.

    Examples
    --------
    >>> from covey.synth import shop
    >>> made = shop(transactions=2_000, seed=7)
    >>> made.baskets.n, "pregnancy test" in made.sensitive
    (2000, True)
    """
    transactions = integer("shop", "transactions", transactions, minimum=1)
    if seed is not None:
        seed = integer("shop", "seed", seed, minimum=0)
    model = assemble()
    customer = profiles = None
    if customers is not None:
        integer("shop", "customers", customers, minimum=1)
        customer, profiles = returning(customers, transactions, model.shares, seed)
    indptr, indices = fill(np.random.default_rng(seed), model, transactions, progress, profiles)
    baskets = Baskets.build(indptr, indices, model.goods, person=customer)
    baskets = baskets.only(baskets.supports() > 0)
    sensitive = sorted(set(catalogue()["sensitive"]) & set(baskets.items))
    return Shop(baskets=baskets.with_sensitive(sensitive), taxonomy=taxonomy(), sensitive=sensitive)


def returning(customers: int, transactions: int, shares: Floats, seed: int | None) -> tuple[Ids, Ints]:
    """Return the customer of each basket, numbered without a gap, and the profile that the customer has."""
    rng = np.random.default_rng(None if seed is None else [seed, customers])
    often = rng.lognormal(0.0, 1.0, customers)
    profile = rng.choice(len(shares), customers, p=shares)
    customer = rng.choice(customers, transactions, p=often / often.sum())
    return numbered(customer.tolist()), profile[customer]


def assemble() -> Model:
    """Turn the catalogue and the shoppers into arrays."""
    data = catalogue()
    profiles, occasions = data["profiles"], data["occasions"]
    shelves = {name: shelf for categories in data["departments"].values() for name, shelf in categories.items()}
    goods = [name for shelf in shelves.values() for name in goods_of(shelf)]
    ids = {name: i for i, name in enumerate(goods)}
    ids_in = {category: [ids[name] for name in goods_of(shelf)] for category, shelf in shelves.items()}
    base = np.zeros(len(goods))
    for category, shelf in shelves.items():
        ranks = np.arange(1, len(ids_in[category]) + 1)
        base[ids_in[category]] = shelf["traffic"] * ranks**-ZIPF / (ranks**-ZIPF).sum()
    base[[ids[name] for name in data["sensitive"]]] = 0.0

    popularity = np.tile(base, (len(profiles), 1))
    for p, profile in enumerate(profiles.values()):
        for name, factor in amounts(profile["likes"]).items():
            popularity[p, ids_in[name] if name in ids_in else [ids[name]]] *= factor
    shares = np.array([profile["share"] for profile in profiles.values()])
    shares /= shares.sum()

    rates, names = np.ones((len(profiles), len(occasions))), list(profiles)
    for o, occasion in enumerate(occasions.values()):
        for name, factor in amounts(occasion["who"]).items():
            rates[names.index(name), o] = factor
        rates[:, o] *= occasion["rate"] / (shares @ rates[:, o])
    bundles = [amounts(occasion["goods"]) for occasion in occasions.values()]
    return Model(
        goods=goods,
        shares=shares,
        medians=np.array([profile["length"] for profile in profiles.values()]),
        popularity=popularity,
        rates=rates,
        starts=np.cumsum([0, *map(len, bundles)], dtype=np.int64),
        bundle=np.array([ids[name] for bundle in bundles for name in bundle], np.int32),
        chances=np.array([chance for bundle in bundles for chance in bundle.values()]),
    )


def fill(
    rng: np.random.Generator,
    model: Model,
    transactions: int,
    progress: Progress = silent,
    profiles: Ints | None = None,
) -> tuple[Ints, Ids]:
    """Draw the baskets, each with its profile if given; return offsets and distinct, unsorted entries."""
    # A stream for each purpose, so that baskets depend neither on the chunks nor on their number.
    for_who, for_partner, for_blend, for_sizes, for_rows = rng.spawn(5)
    tables = [alias_table(weights) for weights in model.popularity]
    keep, alias = np.array([k for k, _ in tables]), np.array([a for _, a in tables])
    kinds = len(model.shares)
    held = np.zeros(len(model.goods), np.int64)
    lengths, parts = np.zeros(transactions, np.int64), []
    for begin in range(0, transactions, CHUNK):
        progress("generate", begin / transactions)
        chunk = lengths[begin : begin + CHUNK]
        rows = len(chunk)
        who = for_who.choice(kinds, rows, p=model.shares) if profiles is None else profiles[begin : begin + rows]
        partner = for_partner.choice(kinds, rows, p=model.shares)
        partner = np.where(for_blend.random(rows) < BLENDED, partner, who)
        sizes = np.rint(model.medians[who] * for_sizes.lognormal(0.0, SPREAD, rows))
        sizes = sizes.clip(1, MOST_EVERYDAY).astype(np.int64)
        # Memory beyond the last entry is never touched, so generous room costs nothing.
        indices = np.empty(int(sizes.sum()) + rows * len(model.bundle), np.int32)
        entries = fill_shop(
            for_rows,
            who,
            partner,
            sizes,
            keep,
            alias,
            model.rates,
            model.starts,
            model.bundle,
            model.chances,
            held,
            begin,
            chunk,
            indices,
        )
        parts.append(indices[:entries].copy())
    progress("generate", 1.0)
    return offsets_of(lengths), np.concatenate(parts)
