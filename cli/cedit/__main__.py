"""``python -m cedit``."""

from cedit.app import run

run()
