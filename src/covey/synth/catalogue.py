"""The goods of the synthetic shop and the tree in which they stand, as plain data.

The taxonomy has four levels: shop, department, category, goods. No name occurs twice in it. Who buys the
goods, and for what, is in `covey.synth.shoppers`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

ROOT = "shop"


class Category(NamedTuple):
    """A shelf: how much everyday traffic it has, and its goods, the most popular first.

    Examples
    --------
    >>> Category(5.0, "lettuce, fresh basil").names()
    ['lettuce', 'fresh basil']
    """

    traffic: float
    goods: str

    def names(self) -> list[str]:
        """The goods of this category."""
        return [name.strip() for name in self.goods.split(",")]


DEPARTMENTS: Mapping[str, Mapping[str, Category]] = {
    "fresh produce": {
        "fruit": Category(11.0, "bananas, apples, strawberries, oranges, grapes, lemons, pears, blueberries, melon"),
        "vegetables": Category(
            12.0, "tomatoes, onions, potatoes, carrots, cucumber, peppers, broccoli, courgettes, celery"
        ),
        "salad and herbs": Category(
            5.0, "lettuce, rocket salad, fresh basil, garlic, spring onions, parsley, fresh ginger"
        ),
    },
    "bakery": {
        "bread": Category(8.0, "wholegrain bread, white bread, bread rolls, baguette, toast bread, pita bread"),
        "cakes and pastries": Category(3.0, "croissants, doughnuts, apple pie, cheesecake, muffins"),
        "baking needs": Category(
            3.0,
            "flour, sugar, baking powder, vanilla sugar, yeast, cocoa powder, chocolate chips, marzipan, icing sugar",
        ),
    },
    "dairy and eggs": {
        "milk and cream": Category(9.0, "whole milk, skimmed milk, whipping cream, sour cream, buttermilk"),
        "cheese": Category(6.0, "gouda, mozzarella, cream cheese, feta, parmesan, cheddar, camembert"),
        "yogurt and desserts": Category(
            5.0, "natural yogurt, fruit yogurt, quark, chocolate pudding, skyr, rice pudding"
        ),
        "eggs and butter": Category(6.0, "free range eggs, butter, margarine"),
    },
    "meat and fish": {
        "fresh meat": Category(
            5.0,
            "chicken breast, minced beef, pork chops, beef steak, bratwurst, turkey escalopes, spare ribs",
        ),
        "sausage and ham": Category(4.0, "cooked ham, salami, bacon, frankfurters, liver sausage"),
        "fish and seafood": Category(2.0, "salmon fillet, tuna tins, smoked trout, shrimps, herring"),
    },
    "pantry": {
        "pasta and rice": Category(5.0, "spaghetti, rice, penne, lasagne sheets, rice noodles, couscous, quinoa"),
        "tins and jars": Category(
            4.0,
            "tinned tomatoes, sweetcorn, kidney beans, chickpeas, olives, pickled gherkins, coconut milk, sauerkraut",
        ),
        "oils and sauces": Category(
            4.0, "olive oil, ketchup, mustard, mayonnaise, soy sauce, barbecue sauce, curry paste, salsa"
        ),
        "breakfast": Category(4.0, "oat flakes, muesli, strawberry jam, honey, cornflakes, peanut butter, bran flakes"),
        "plant based": Category(1.5, "oat drink, tofu, hummus, soy yogurt, lentils, vegan burgers"),
    },
    "snacks and sweets": {
        "chocolate": Category(4.0, "milk chocolate, dark chocolate, chocolate bars, pralines, chocolate biscuits"),
        "sweets and gum": Category(3.0, "gummy bears, chewing gum, lollipops, liquorice, sugar free sweets"),
        "crisps and nuts": Category(
            4.0, "potato crisps, peanuts, tortilla chips, salted crackers, popcorn, almonds, rice cakes"
        ),
        "sports nutrition": Category(0.8, "protein bars, whey powder, isotonic drink"),
    },
    "drinks": {
        "water and soft drinks": Category(
            7.0,
            "mineral water, cola, orange juice, lemonade, diet cola, energy drink, apple juice, tonic water, "
            "prune juice",
        ),
        "coffee and tea": Category(
            5.0,
            "ground coffee, black tea, instant coffee, peppermint tea, green tea, ginger tea, camomile tea, "
            "lavender tea",
        ),
        "beer wine and spirits": Category(
            5.0,
            "lager beer, red wine, white wine, wheat beer, sparkling wine, gin, vodka, alcohol free beer",
        ),
    },
    "frozen food": {
        "frozen meals": Category(3.0, "frozen pizza, fish fingers, chips, frozen lasagne, spring rolls"),
        "ice and frozen vegetables": Category(
            3.0, "vanilla ice cream, frozen peas, frozen spinach, ice lollies, frozen berries, ice cubes"
        ),
    },
    "household": {
        "paper goods": Category(4.0, "toilet paper, kitchen roll, tissues, napkins, moist toilet tissue"),
        "cleaning and laundry": Category(
            4.0,
            "washing powder, dish soap, all purpose cleaner, fabric softener, bin bags, sponges, "
            "bathroom cleaner, laundry disinfectant, rubber gloves",
        ),
        "home and garden": Category(
            1.5,
            "candles, light bulbs, batteries, cut flowers, charcoal, firelighters, paper plates, bathroom scales",
        ),
        "stationery": Category(
            0.8, "exercise books, pencils, greeting card, gift wrap, felt tips, lunch box, hair ties"
        ),
    },
    "health and beauty": {
        "body care": Category(
            4.0,
            "toothpaste, shower gel, shampoo, deodorant, razor blades, body lotion, face cream, "
            "make up remover, sun cream",
        ),
        "hair and skin treatments": Category(
            0.3,
            "plasters, lip balm, hair loss shampoo, lice treatment, antifungal cream, cold sore cream, "
            "wart remover, acne gel",
        ),
        "pain and cold": Category(1.2, "throat lozenges, paracetamol, nasal spray, cough syrup, thermometer"),
        "vitamins and wellbeing": Category(
            0.7,
            "vitamin c, magnesium, multivitamins, zinc tablets, folic acid, psyllium husk, st johns wort, "
            "sleeping tablets, menopause capsules, weight loss shakes, nicotine patches, potency tablets",
        ),
        "intimate care": Category(
            0.6,
            "tampons, sanitary towels, panty liners, massage oil, condoms, lubricant, pregnancy test, "
            "thrush cream, ovulation test, emergency contraceptive",
        ),
        "bowel and bladder": Category(
            0.3,
            "antacid tablets, rehydration salts, laxative, incontinence pads, haemorrhoid cream, worm tablets",
        ),
        "seniors and tests": Category(
            0.2,
            "reading glasses, support stockings, denture cleaner, blood sugar strips, hearing aid batteries, "
            "home hiv test",
        ),
    },
    "family and pets": {
        "baby care": Category(0.8, "nappies, baby wipes, baby shampoo, nappy cream"),
        "baby food": Category(0.7, "fruit puree, infant formula, baby porridge, fennel tea"),
        "pet supplies": Category(1.6, "cat food, cat litter, dog food, dog biscuits, cat treats, chew bones"),
    },
}

# Goods that a shopper would not want to be linked with. Only an occasion brings them into a basket.
SENSITIVE: tuple[str, ...] = (
    "acne gel",
    "antifungal cream",
    "blood sugar strips",
    "cold sore cream",
    "condoms",
    "emergency contraceptive",
    "haemorrhoid cream",
    "hair loss shampoo",
    "hearing aid batteries",
    "home hiv test",
    "incontinence pads",
    "laxative",
    "lice treatment",
    "lubricant",
    "menopause capsules",
    "nicotine patches",
    "ovulation test",
    "potency tablets",
    "pregnancy test",
    "sleeping tablets",
    "st johns wort",
    "thrush cream",
    "wart remover",
    "weight loss shakes",
    "worm tablets",
)


def taxonomy() -> list[tuple[str, str]]:
    """Every (child, parent) pair of the tree, parents before their children.

    Examples
    --------
    >>> pairs = taxonomy()
    >>> pairs[:3]
    [('fresh produce', 'shop'), ('fruit', 'fresh produce'), ('bananas', 'fruit')]
    """
    pairs = []
    for department, categories in DEPARTMENTS.items():
        pairs.append((department, ROOT))
        for category, shelf in categories.items():
            pairs.append((category, department))
            pairs += [(name, category) for name in shelf.names()]
    return pairs
