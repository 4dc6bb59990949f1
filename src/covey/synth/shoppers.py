"""Who comes to the synthetic shop, and the occasions for which goods are bought together, as plain data.

Profiles drive the everyday goods. Occasions put the correlations into the data, also those between sensitive
and ordinary goods, and arise more often with some profiles than with others.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Profile(NamedTuple):
    """A kind of shopper: share of all baskets, median number of everyday goods, and tastes.

    `likes` multiplies the popularity of a good, or of every good in a category; the rest counts once.
    """

    share: float
    length: float
    likes: str


class Occasion(NamedTuple):
    """A reason to buy some goods together.

    `rate` is the share of all baskets in which it arises, `who` how many times likelier it is with some
    profiles than with the others, and `goods` the probability with which each good is then bought.
    """

    rate: float
    who: str
    goods: str


def amounts(text: str) -> dict[str, float]:
    """Read names with a number each, as the tables below write them.

    Examples
    --------
    >>> amounts("flour 0.8, baking powder 0.5")
    {'flour': 0.8, 'baking powder': 0.5}
    """
    pairs = (entry.rsplit(maxsplit=1) for entry in text.split(","))
    return {name.strip(): float(value) for name, value in pairs}


PROFILES: Mapping[str, Profile] = {
    "young family": Profile(
        0.14,
        9.5,
        "baby care 8, baby food 8, breakfast 2, yogurt and desserts 2, fish fingers 3, stationery 3",
    ),
    "student": Profile(
        0.13,
        4.0,
        "frozen meals 4, pasta and rice 3, energy drink 4, lager beer 3, fresh meat 0.5, bread 0.7",
    ),
    "pensioner": Profile(
        0.15,
        5.5,
        "cakes and pastries 2.5, herring 5, liver sausage 5, camomile tea 5, reading glasses 8, "
        "denture cleaner 15, support stockings 15, frozen meals 0.3, energy drink 0.1",
    ),
    "fitness": Profile(
        0.08,
        6.0,
        "sports nutrition 20, skyr 6, quark 3, chicken breast 3, oat flakes 3, quinoa 5, "
        "chocolate 0.3, cakes and pastries 0.2",
    ),
    "pet owner": Profile(
        0.12,
        6.0,
        "pet supplies 15, home and garden 1.5",
    ),
    "vegan": Profile(
        0.06,
        6.5,
        "plant based 15, vegetables 1.5, fresh meat 0, sausage and ham 0, fish and seafood 0, "
        "cheese 0, milk and cream 0, yogurt and desserts 0, eggs and butter 0",
    ),
    "office worker": Profile(
        0.17,
        4.0,
        "frozen meals 2.5, coffee and tea 2, bread rolls 2, croissants 3, crisps and nuts 1.5",
    ),
    "home cook": Profile(
        0.15,
        8.0,
        "salad and herbs 2.5, oils and sauces 2, parmesan 3, red wine 2, frozen meals 0.3, baking needs 2",
    ),
}

OCCASIONS: Mapping[str, Occasion] = {
    # Meals and everyday life.
    "baking sunday": Occasion(
        0.05,
        "young family 2, home cook 3, pensioner 2",
        "flour 0.8, sugar 0.6, butter 0.6, baking powder 0.5, free range eggs 0.6, "
        "vanilla sugar 0.5, chocolate chips 0.3, cocoa powder 0.3, icing sugar 0.3, marzipan 0.15",
    ),
    "barbecue": Occasion(
        0.045,
        "young family 2, student 1.5, vegan 0.1",
        "charcoal 0.5, firelighters 0.3, bratwurst 0.7, spare ribs 0.3, barbecue sauce 0.5, "
        "baguette 0.5, lager beer 0.5, paper plates 0.25, ketchup 0.4",
    ),
    "pasta evening": Occasion(
        0.07,
        "student 2, home cook 1.5",
        "spaghetti 0.6, tinned tomatoes 0.6, parmesan 0.4, fresh basil 0.3, garlic 0.4, minced beef 0.3",
    ),
    "taco night": Occasion(
        0.03,
        "student 2, young family 2",
        "tortilla chips 0.6, salsa 0.6, kidney beans 0.5, sweetcorn 0.5, cheddar 0.4, sour cream 0.4",
    ),
    "curry night": Occasion(
        0.03,
        "vegan 4, home cook 2",
        "curry paste 0.6, coconut milk 0.7, rice 0.6, fresh ginger 0.4, chickpeas 0.35, lentils 0.25",
    ),
    "party": Occasion(
        0.035,
        "student 4, office worker 2, pensioner 0.2",
        "vodka 0.3, gin 0.35, tonic water 0.4, ice cubes 0.4, potato crisps 0.6, peanuts 0.4, cola 0.4",
    ),
    "sunday breakfast": Occasion(
        0.06,
        "young family 2, home cook 1.5",
        "bread rolls 0.6, croissants 0.4, orange juice 0.4, strawberry jam 0.3, cooked ham 0.3, honey 0.25",
    ),
    "flu": Occasion(
        0.03,
        "young family 1.5, office worker 1.5",
        "tissues 0.6, throat lozenges 0.5, nasal spray 0.4, paracetamol 0.4, cough syrup 0.35, "
        "camomile tea 0.3, vitamin c 0.25, thermometer 0.1",
    ),
    "spring cleaning": Occasion(
        0.03,
        "home cook 1.5, pensioner 1.5",
        "all purpose cleaner 0.6, bathroom cleaner 0.5, sponges 0.4, rubber gloves 0.4, bin bags 0.4",
    ),
    "start of school": Occasion(
        0.02,
        "young family 10",
        "exercise books 0.7, pencils 0.6, felt tips 0.4, lunch box 0.35, hair ties 0.2",
    ),
    "birthday": Occasion(
        0.025,
        "young family 2, pensioner 1.5",
        "greeting card 0.5, gift wrap 0.4, pralines 0.3, candles 0.3, cut flowers 0.3, sparkling wine 0.25",
    ),
    "baby at home": Occasion(
        0.035,
        "young family 20",
        "nappies 0.7, baby wipes 0.5, fruit puree 0.4, infant formula 0.3, nappy cream 0.2, fennel tea 0.2",
    ),
    "cat at home": Occasion(
        0.05,
        "pet owner 20",
        "cat food 0.8, cat litter 0.5, cat treats 0.3",
    ),
    "dog at home": Occasion(
        0.045,
        "pet owner 20",
        "dog food 0.8, dog biscuits 0.4, chew bones 0.35",
    ),
    "training day": Occasion(
        0.03,
        "fitness 20",
        "protein bars 0.5, isotonic drink 0.4, whey powder 0.35, bananas 0.5, skyr 0.4",
    ),
    # What one would rather keep to oneself.
    "maybe a baby": Occasion(
        0.016,
        "young family 3, student 2, office worker 2, pensioner 0",
        "pregnancy test 0.8, folic acid 0.45, ginger tea 0.35, pickled gherkins 0.35, "
        "salted crackers 0.3, ovulation test 0.2",
    ),
    "trying for a baby": Occasion(
        0.008,
        "young family 3, office worker 2, pensioner 0",
        "ovulation test 0.75, folic acid 0.5, zinc tablets 0.3, alcohol free beer 0.3",
    ),
    "date night": Occasion(
        0.02,
        "student 3, office worker 2, fitness 2, pensioner 0.2",
        "condoms 0.75, candles 0.35, red wine 0.5, strawberries 0.4, massage oil 0.3, lubricant 0.3, "
        "dark chocolate 0.3",
    ),
    "morning after": Occasion(
        0.008,
        "student 4, office worker 2, pensioner 0",
        "emergency contraceptive 0.8, pregnancy test 0.2, paracetamol 0.3, mineral water 0.4, home hiv test 0.15",
    ),
    "peace of mind": Occasion(
        0.007,
        "student 3, office worker 2, pensioner 0",
        "home hiv test 0.75, condoms 0.35, camomile tea 0.25",
    ),
    "giving up smoking": Occasion(
        0.014,
        "office worker 2, student 1.5",
        "nicotine patches 0.85, chewing gum 0.55, lollipops 0.35, carrots 0.4, green tea 0.3",
    ),
    "slimming": Occasion(
        0.016,
        "office worker 2, fitness 2, pet owner 1.5",
        "weight loss shakes 0.8, rice cakes 0.45, diet cola 0.4, celery 0.35, bathroom scales 0.25, laxative 0.15",
    ),
    "sluggish bowels": Occasion(
        0.014,
        "pensioner 4",
        "laxative 0.75, prune juice 0.5, psyllium husk 0.4, bran flakes 0.4, haemorrhoid cream 0.15",
    ),
    "sore seat": Occasion(
        0.01,
        "pensioner 2, office worker 2",
        "haemorrhoid cream 0.8, moist toilet tissue 0.55, toilet paper 0.5, prune juice 0.25",
    ),
    "caring at home": Occasion(
        0.016,
        "pensioner 8",
        "incontinence pads 0.8, laundry disinfectant 0.35, baby wipes 0.3, rubber gloves 0.3, "
        "denture cleaner 0.3, support stockings 0.2",
    ),
    "hard of hearing": Occasion(
        0.012,
        "pensioner 10",
        "hearing aid batteries 0.85, reading glasses 0.3, denture cleaner 0.3, batteries 0.25",
    ),
    "diabetes": Occasion(
        0.014,
        "pensioner 3",
        "blood sugar strips 0.8, sugar free sweets 0.5, diet cola 0.35, wholegrain bread 0.5, almonds 0.25",
    ),
    "lice at school": Occasion(
        0.012,
        "young family 12, student 0.2, pensioner 0.2",
        "lice treatment 0.85, exercise books 0.35, hair ties 0.4, laundry disinfectant 0.4, "
        "lunch box 0.25, pencils 0.25",
    ),
    "worms at home": Occasion(
        0.008,
        "young family 6, pet owner 4",
        "worm tablets 0.85, laundry disinfectant 0.4, felt tips 0.2, dog food 0.3",
    ),
    "low spirits": Occasion(
        0.012,
        "student 1.5, office worker 2",
        "st johns wort 0.8, lavender tea 0.4, dark chocolate 0.4, magnesium 0.3, sleeping tablets 0.15",
    ),
    "sleepless": Occasion(
        0.012,
        "pensioner 2, office worker 2, young family 1.5",
        "sleeping tablets 0.8, lavender tea 0.45, camomile tea 0.3, magnesium 0.3, honey 0.2",
    ),
    "change of life": Occasion(
        0.012,
        "home cook 2, pensioner 2, pet owner 2, student 0",
        "menopause capsules 0.8, panty liners 0.35, soy yogurt 0.35, green tea 0.3, magnesium 0.25",
    ),
    "thinning hair": Occasion(
        0.012,
        "office worker 2, fitness 2",
        "hair loss shampoo 0.85, razor blades 0.45, zinc tablets 0.3, potency tablets 0.12",
    ),
    "second spring": Occasion(
        0.008,
        "pensioner 3, fitness 2, student 0.2",
        "potency tablets 0.8, lubricant 0.3, sparkling wine 0.35, zinc tablets 0.3",
    ),
    "teenage skin": Occasion(
        0.014,
        "student 4, young family 2, pensioner 0",
        "acne gel 0.8, make up remover 0.45, zinc tablets 0.25, energy drink 0.3",
    ),
    "swimming pool": Occasion(
        0.012,
        "fitness 4, young family 2",
        "antifungal cream 0.7, wart remover 0.4, shower gel 0.5, sun cream 0.35, isotonic drink 0.3",
    ),
    "verruca": Occasion(
        0.008,
        "young family 3, fitness 2",
        "wart remover 0.75, plasters 0.5",
    ),
    "cold sore": Occasion(
        0.014,
        "office worker 2, student 1.5",
        "cold sore cream 0.8, lip balm 0.5, vitamin c 0.3, multivitamins 0.25",
    ),
    "thrush": Occasion(
        0.012,
        "student 2, office worker 1.5",
        "thrush cream 0.8, panty liners 0.4, natural yogurt 0.45, sanitary towels 0.25",
    ),
}
