"""The log of a web shop as JSON lines, the table of its customers, and a list of what was planted in it.

python examples/abandoned_carts/generate.py --users 12 --events shop.jsonl --customers customers.csv --truth truth.csv

Each user comes once a day and behaves in one of six ways: buys at once, walks away from a full cart, comes back and buys,
pays in vain three times, only looks, or fills a cart with more than 500 euros.
"""
# ruff: noqa: INP001 -- a script, not a package

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np

ATHENS = ZoneInfo("Europe/Athens")
PRODUCTS = {
    "mug": 9.5, "teapot": 34.0, "kettle": 49.9, "grinder": 89.0, "scale": 27.5, "toaster": 64.0, "espresso": 389.0,
}  # fmt: skip
CHEAP = [name for name, price in PRODUCTS.items() if price < 100]
TIERS = ("gold", "silver", "basic")
COUNTRIES = ("GR", "CY", "DE")
Line = tuple[datetime, dict[str, Any]]


@dataclass
class Visit:
    """What one user does, one thing after the other, with some seconds to minutes in between."""

    random: np.random.Generator
    user: str
    time: datetime
    lines: list[Line] = field(default_factory=list)
    cart: list[dict[str, Any]] = field(default_factory=list)

    def wait(self, low: float, high: float) -> None:
        """Some minutes in which nothing happens."""
        self.time += timedelta(seconds=int(self.random.integers(int(low * 60), int(high * 60) + 1)))

    def write(self, kind: str, **more: Any) -> None:
        """A line of the log."""
        self.lines.append((self.time, {"type": kind, "user": {"id": self.user}, **more}))
        self.wait(0.3, 3)

    def look(self, product: str) -> None:
        """A page is opened."""
        self.write("page.viewed", page={"path": f"/products/{product}", "product": product})

    def add(self, product: str, quantity: int = 1) -> None:
        """A product is put into the cart."""
        item = {"sku": product, "price": PRODUCTS[product], "quantity": quantity}
        self.cart.append(item)
        self.write("cart.added", item=item | {"amount": PRODUCTS[product] * quantity})

    def fail(self) -> None:
        """A payment does not go through."""
        self.write("payment.failed", payment={"method": "card", "reason": "declined"})

    def order(self, number: int) -> None:
        """All of the cart is bought."""
        total = sum(item["price"] * item["quantity"] for item in self.cart)
        self.write("order.placed", order={"id": f"o{number}", "total": total, "items": self.cart})

    def some(self) -> list[str]:
        """One to three products that are not expensive."""
        return [str(name) for name in self.random.choice(CHEAP, int(self.random.integers(1, 4)), replace=False)]


def buys(visit: Visit, number: int) -> None:
    """Looks, adds, orders."""
    for product in visit.some():
        visit.look(product)
        visit.add(product)
    visit.order(number)


def leaves(visit: Visit, _number: int) -> None:
    """Adds, and never comes back."""
    for product in visit.some():
        visit.add(product)


def returns(visit: Visit, number: int) -> None:
    """Leaves a cart, and orders what is in it an hour or two later."""
    leaves(visit, number)
    visit.wait(60, 120)
    visit.look(visit.cart[0]["sku"])
    visit.order(number)


def fails(visit: Visit, _number: int) -> None:
    """Three payments in a few minutes, none of which goes through."""
    leaves(visit, _number)
    for _ in range(3):
        visit.fail()


def looks(visit: Visit, _number: int) -> None:
    """Opens the pages of five products and adds nothing."""
    for product in visit.random.choice(CHEAP, 5, replace=False):
        visit.look(str(product))


def spends(visit: Visit, number: int) -> None:
    """A cart of more than 500 euros, within an hour."""
    visit.add("espresso")
    visit.add("grinder")
    visit.add("toaster")
    if number // len(BEHAVIOUR) % 2:
        visit.order(number)


BEHAVIOUR = {"bought": buys, "left": leaves, "returned": returns, "failed": fails, "looked": looks, "spent": spends}


def visits(users: int, days: int, random: np.random.Generator) -> Iterator[tuple[Visit, str]]:
    """One visit of each user on each day, from Friday 27 March 2026 on: clocks are put forward on Sunday."""
    number = 0
    for day in range(days):
        for user in range(1, users + 1):
            behaviour = list(BEHAVIOUR)[(user + day) % len(BEHAVIOUR)]
            number += 1
            start = datetime(2026, 3, 27, 8, tzinfo=ATHENS) + timedelta(days=day)
            visit = Visit(random, f"u{user}", start + timedelta(minutes=int(random.integers(0, 14 * 60))))
            BEHAVIOUR[behaviour](visit, number)
            yield visit, behaviour


def main() -> None:
    """Write the log, the customers and the truth."""
    options = argparse.ArgumentParser(description="The log of a web shop as JSON lines.")
    options.add_argument("--users", type=int, default=12)
    options.add_argument("--days", type=int, default=1)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--events", type=Path, required=True)
    options.add_argument("--customers", type=Path, required=True)
    options.add_argument("--truth", type=Path, required=True)
    given = options.parse_args()
    random = np.random.default_rng(given.seed)
    found = list(visits(given.users, given.days, random))
    lines = sorted((line for visit, _ in found for line in visit.lines), key=lambda line: line[0])
    given.events.write_text(
        "".join(
            json.dumps({"at": f"{time.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}", **line}) + "\n" for time, line in lines
        ),
        encoding="utf-8",
    )
    rows = [f"u{user},{TIERS[user % 3]},{COUNTRIES[user // 3 % 3]}" for user in range(1, given.users + 1)]
    given.customers.write_text("\n".join(["user,tier,country", *rows]) + "\n", encoding="utf-8")
    rows = [f"{visit.user},{behaviour},{visit.lines[0][0].isoformat()}" for visit, behaviour in found]
    given.truth.write_text("\n".join(["user,behaviour,since", *rows]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
