"""What is in stock, and what has to be ordered."""

import json
from dataclasses import dataclass


@dataclass
class Item:
    """One kind of thing on the shelf."""

    sku: str
    name: str
    count: int
    price: float
    minimum: int = 5

    def value(self):
        return self.count * self.price

    def is_low(self):
        return self.count < self.minimum


class Inventory:
    """All items, by their stock keeping unit."""

    def __init__(self, items=()):
        self._items = {item.sku: item for item in items}

    def __len__(self):
        return len(self._items)

    def __contains__(self, sku):
        return sku in self._items

    def get(self, sku):
        return self._items[sku]

    def add(self, item):
        if item.sku in self._items:
            raise KeyError(f"{item.sku} exists")
        self._items[item.sku] = item

    def take(self, sku, count):
        item = self._items[sku]
        if count > item.count:
            raise ValueError(f"only {item.count} of {sku} left")
        item.count -= count
        return item.count

    def restock(self, sku, count):
        self._items[sku].count += count

    def total_value(self):
        total = 0
        for item in self._items.values():
            total += item.value()
        return total

    def low_stock(self):
        return sorted(item.sku for item in self._items.values() if item.is_low())

    def to_json(self):
        rows = []
        for item in self._items.values():
            rows.append(
                {
                    "sku": item.sku,
                    "name": item.name,
                    "count": item.count,
                    "price": item.price,
                    "minimum": item.minimum,
                }
            )
        return json.dumps(rows, indent=2)

    @classmethod
    def from_json(cls, text):
        return cls(Item(**row) for row in json.loads(text))


def merge(first, second):
    merged = Inventory()
    for inventory in (first, second):
        for item in inventory._items.values():
            if item.sku in merged:
                merged.restock(item.sku, item.count)
            else:
                merged.add(Item(item.sku, item.name, item.count, item.price, item.minimum))
    return merged


def order_list(inventory, factor=2):
    orders = {}
    for sku in inventory.low_stock():
        item = inventory.get(sku)
        orders[sku] = item.minimum * factor - item.count
    return orders
