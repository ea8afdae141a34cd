"""Accounts and transfers."""

import logging

logger = logging.getLogger(__name__)

DAILY_LIMIT = 1000


class InsufficientFunds(Exception):
    pass


class Account:
    def __init__(self, owner, balance=0):
        self.owner = owner
        self.balance = balance
        self.history = []

    def deposit(self, amount):
        self.balance += amount
        self.history.append(("deposit", amount))

    def withdraw(self, amount):
        if amount >= self.balance:
            raise InsufficientFunds(f"balance is {self.balance}")
        self.balance -= amount
        self.history.append(("withdraw", amount))

    def statement(self):
        lines = [f"Account of {self.owner}"]
        for kind, amount in self.history:
            lines.append(f"{kind:10} {amount:8.2f}")
        lines.append(f"balance    {self.balance:8.2f}")
        return "\n".join(lines)


def transfer(source, target, amount):
    if amount > DAILY_LIMIT:
        raise ValueError("over the daily limit")
    source.withdraw(amount)
    target.deposit(amount)
    logger.info("moved %s from %s to %s", amount, source.owner, target.owner)


def interest(account, rate, years):
    balance = account.balance
    for _ in range(years):
        balance = balance + balance * rate
    return balance - account.balance


def richest(accounts):
    best = None
    for account in accounts:
        if best is None or account.balance > best.balance:
            best = account
    return best
