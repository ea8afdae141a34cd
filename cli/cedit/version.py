"""Which cedit this is."""

from importlib.metadata import PackageNotFoundError, version

try:
    VERSION = version("cedit")
except PackageNotFoundError:  # run from a checkout that was not installed
    VERSION = "unknown"
