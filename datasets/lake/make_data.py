#!/usr/bin/env python3
"""Writes the tables of a small retail lake as CSV files: orders, order_items, products.

usage: datasets/lake/make_data.py FOLDER

60,000 orders of 4,000 customers over 600 days up to 2025-06-30. The shop grows, has a weekly rhythm and a busy December;
most customers come back for a while. Some products are bought together on purpose. The same files on every machine: all
chance comes from one generator with a fixed seed that is written out here.
"""
import datetime
import pathlib
import sys

CUSTOMERS, ORDERS, DAYS = 4_000, 60_000, 600
LAST_DAY = datetime.date(2025, 6, 30)
# Monday first.
WEEKDAY_WEIGHTS = [95, 90, 95, 105, 130, 150, 75]
PRODUCTS = """Espresso Machine|Coffee Beans|Milk Frother|Kettle|Teapot|Green Tea|Black Tea|Honey|Toaster|Bread Knife
Cutting Board|Olive Oil|Pasta|Tomato Sauce|Parmesan|Wine Glasses|Red Wine|Corkscrew|Blender|Smoothie Cups
Granola|Oat Milk|Notebook|Fountain Pen|Ink|Desk Lamp|Bulb|Headphones|Phone Case|Charger
Yoga Mat|Water Bottle|Running Socks|Dumbbells|Tent|Sleeping Bag|Camping Stove|Gas Cartridge|Torch|Batteries"""
# Indexes of products that go together, and how often in a hundred the second follows the first.
TOGETHER = [(0, 1, 55), (0, 2, 30), (4, 5, 35), (4, 6, 30), (12, 13, 45), (12, 14, 25), (16, 15, 20), (16, 17, 15),
            (18, 19, 40), (20, 21, 35), (23, 24, 50), (25, 26, 45), (28, 29, 20), (34, 35, 50), (36, 37, 60),
            (38, 39, 55)]


class Chance:
    """Numerical Recipes' 64-bit linear congruential generator; the high bits are used."""

    def __init__(self, seed):
        self.state = seed

    def below(self, limit):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) & 0xFFFF_FFFF_FFFF_FFFF
        return (self.state >> 33) % limit


def day_weights():
    weights = []
    for number in range(DAYS):
        day = LAST_DAY - datetime.timedelta(days=DAYS - 1 - number)
        growth = 100 + 150 * number // DAYS
        season = 140 if day.month == 12 else 100
        weights.append(growth * WEEKDAY_WEIGHTS[day.weekday()] * season)
    return weights


def spread(weights, count):
    """How many of `count` fall on each day: whole numbers whose running sums are right."""
    total, done, sums = sum(weights), 0, []
    running = 0
    for weight in weights:
        running += weight
        sums.append(running * count // total - done)
        done += sums[-1]
    return sums


def customer_of(chance, number, joined):
    """Every customer's first order comes when the shop has grown to it; returning ones are mostly recent."""
    while len(joined) < CUSTOMERS and len(joined) * ORDERS <= number * CUSTOMERS:
        joined.append(number)
        return len(joined)
    known = len(joined)
    if chance.below(100) < 35:
        back = min(known, 1 + chance.below(max(known // 3, 1)))
        return known - back + 1
    return 1 + chance.below(known)


def items_of(chance):
    chosen = []
    for _ in range(1 + chance.below(3)):
        product = min(chance.below(len(PRODUCT_NAMES)), chance.below(len(PRODUCT_NAMES) + 20))
        chosen.append(product)
        for first, second, percent in TOGETHER:
            if first == product and chance.below(100) < percent:
                chosen.append(second)
    return sorted(set(chosen))


PRODUCT_NAMES = [name for line in PRODUCTS.split("\n") for name in line.split("|")]


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    chance, joined, number = Chance(20250630), [], 0
    with open(folder / "products.csv", "w") as out:
        for index, name in enumerate(PRODUCT_NAMES):
            out.write(f"{index + 1},{name}\n")
    with open(folder / "orders.csv", "w") as orders, open(folder / "order_items.csv", "w") as items:
        for day_number, count in enumerate(spread(day_weights(), ORDERS)):
            day = LAST_DAY - datetime.timedelta(days=DAYS - 1 - day_number)
            for _ in range(count):
                customer = customer_of(chance, number, joined)
                number += 1
                chosen = items_of(chance)
                cents = sum(500 + product * 137 % 9_500 + chance.below(400) for product in chosen)
                orders.write(f"{number},{customer},{day.isoformat()},{cents // 100}.{cents % 100:02}\n")
                for product in chosen:
                    items.write(f"{number},{product + 1}\n")
    print(folder)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]))
