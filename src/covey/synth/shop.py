"""A synthetic shop: named goods with a taxonomy, some of them sensitive, and shoppers with habits.

The goods are in `covey.synth.catalogue`, the shoppers in `covey.synth.shoppers`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from covey.arrays import Floats, Ids, Ints
from covey.data import Baskets
from covey.data.persons import numbered
from covey.parameters import integer
from covey.progress import Progress, silent
from covey.synth import catalogue
from covey.synth.draw import alias_table, fill_shop
from covey.synth.shoppers import OCCASIONS, PROFILES, amounts

CHUNK = 65_536

# Within a category, popularity falls with the rank of a good to this power.
ZIPF = 1.3

# Share of shoppers that also shop for somebody with another profile.
BLENDED = 0.35

# Everyday goods in a basket: log-normal around the profile's median with this spread, and never more.
SPREAD = 0.6
MOST_EVERYDAY = 40


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
        Number of baskets, at least 1.
    customers : int, optional
        Number of customers, who come back: each has one profile, and some come far more often than others. They are
        the persons of the baskets. Without it nobody is known to come twice.
    seed : int, optional
        The same seed gives the same baskets; without one, every call gives different ones.

    Returns
    -------
    Shop
        The baskets, their taxonomy and the sensitive goods. Goods that nobody bought are in the taxonomy
        alone. From some thousand baskets on, every sensitive good occurs, in less than one basket out of 25.

    Notes
    -----
    With the same seed, a longer run begins with the baskets of a shorter one.

    Examples
    --------
    >>> from covey.synth import shop
    >>> made = shop(transactions=2_000, seed=7)
    >>> made.baskets.n, "pregnancy test" in made.sensitive
    (2000, True)
    >>> [parent for child, parent in made.taxonomy if child == "pregnancy test"]
    ['intimate care']
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
    bought = set(baskets.items)
    sensitive = [name for name in sorted(catalogue.SENSITIVE) if name in bought]
    return Shop(baskets=baskets.with_sensitive(sensitive), taxonomy=catalogue.taxonomy(), sensitive=sensitive)


def returning(customers: int, transactions: int, shares: Floats, seed: int | None) -> tuple[Ids, Ints]:
    """The customer of each basket, numbered without a gap, and the profile that the customer has."""
    rng = np.random.default_rng(None if seed is None else [seed, customers])
    often = rng.lognormal(0.0, 1.0, customers)
    profile = rng.choice(len(shares), customers, p=shares)
    customer = rng.choice(customers, transactions, p=often / often.sum())
    return numbered(customer.tolist()), profile[customer]


def assemble() -> Model:
    """Turn the catalogue and the shoppers into arrays."""
    shelves = [
        (category, shelf) for categories in catalogue.DEPARTMENTS.values() for category, shelf in categories.items()
    ]
    goods = [name for _, shelf in shelves for name in shelf.names()]
    ids = {name: i for i, name in enumerate(goods)}
    ids_in = {category: [ids[name] for name in shelf.names()] for category, shelf in shelves}
    base = np.zeros(len(goods))
    for category, shelf in shelves:
        ranks = np.arange(1, len(ids_in[category]) + 1)
        base[ids_in[category]] = shelf.traffic * ranks**-ZIPF / (ranks**-ZIPF).sum()
    base[[ids[name] for name in catalogue.SENSITIVE]] = 0.0

    popularity = np.tile(base, (len(PROFILES), 1))
    for p, profile in enumerate(PROFILES.values()):
        for name, factor in amounts(profile.likes).items():
            popularity[p, ids_in[name] if name in ids_in else [ids[name]]] *= factor
    shares = np.array([profile.share for profile in PROFILES.values()])
    shares /= shares.sum()

    rates = np.ones((len(PROFILES), len(OCCASIONS)))
    names = list(PROFILES)
    for o, occasion in enumerate(OCCASIONS.values()):
        for name, factor in amounts(occasion.who).items():
            rates[names.index(name), o] = factor
        rates[:, o] *= occasion.rate / (shares @ rates[:, o])
    bundles = [amounts(occasion.goods) for occasion in OCCASIONS.values()]
    return Model(
        goods=goods,
        shares=shares,
        medians=np.array([profile.length for profile in PROFILES.values()]),
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
    """Draw the baskets, each with its profile if these are given; return offsets and distinct, unsorted entries."""
    # A stream for each purpose, so that baskets depend neither on the chunks nor on their number.
    for_who, for_partner, for_blend, for_sizes, for_rows = rng.spawn(5)
    tables = [alias_table(weights) for weights in model.popularity]
    keep, alias = np.array([k for k, _ in tables]), np.array([a for _, a in tables])
    kinds = len(model.shares)
    held = np.zeros(len(model.goods), np.int64)
    indptr = np.zeros(transactions + 1, np.int64)
    indices = np.empty(10 * transactions + CHUNK, np.int32)
    for begin in range(0, transactions, CHUNK):
        progress("generate", begin / transactions)
        end = min(begin + CHUNK, transactions)
        who = for_who.choice(kinds, end - begin, p=model.shares) if profiles is None else profiles[begin:end]
        partner = for_partner.choice(kinds, end - begin, p=model.shares)
        partner = np.where(for_blend.random(end - begin) < BLENDED, partner, who)
        sizes = np.rint(model.medians[who] * for_sizes.lognormal(0.0, SPREAD, end - begin))
        sizes = sizes.clip(1, MOST_EVERYDAY).astype(np.int64)
        row = begin
        while row < end:
            done = row - begin
            row = fill_shop(
                for_rows,
                who[done:],
                partner[done:],
                sizes[done:],
                keep,
                alias,
                model.rates,
                model.starts,
                model.bundle,
                model.chances,
                held,
                indptr,
                indices,
                row,
            )
            if row < end:
                # In place, because a copy would double the peak; no other reference exists.
                indices.resize(int(len(indices) * 1.25) + MOST_EVERYDAY + len(model.bundle), refcheck=False)
    progress("generate", 1.0)
    indices.resize(int(indptr[-1]), refcheck=False)
    return indptr, indices
