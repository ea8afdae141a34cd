import functools
import time


class GaveUp(Exception):
    """Every attempt failed."""


def retry(attempts=3, delay=1.0, errors=(OSError,)):
    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            last = None
            for attempt in range(attempts):
                try:
                    return function(*args, **kwargs)
                except errors as error:
                    last = error
                    time.sleep(delay)
            raise GaveUp(f"gave up after {attempts} attempts") from last

        return wrapper

    return decorate
