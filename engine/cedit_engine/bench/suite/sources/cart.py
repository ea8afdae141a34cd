"""A shopping cart."""

TAX_RATE = 0.19
FREE_SHIPPING_FROM = 50


class Cart:
    """Items with their prices and quantities."""

    def __init__(self):
        self.items = {}

    def add(self, name, price, quantity=1):
        if quantity <= 0:
            raise ValueError("bad quantity")
        _, held = self.items.get(name, (price, 0))
        self.items[name] = (price, held + quantity)

    def remove(self, name):
        del self.items[name]

    def subtotal(self):
        return sum(price * quantity for price, quantity in self.items.values())

    def shipping(self):
        if self.subtotal() > FREE_SHIPPING_FROM:
            return 0
        return 4.9

    def total(self):
        return round(self.subtotal() * (1 + TAX_RATE) + self.shipping(), 2)


def receipt(cart):
    lines = []
    for name, (price, quantity) in cart.items.items():
        lines.append(f"{quantity} x {name}: {price * quantity:.2f}")
    lines.append(f"Total: {cart.total():.2f}")
    return "\n".join(lines)
