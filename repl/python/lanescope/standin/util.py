"""`jax._src.util`: functions that split and join lists."""

import functools

from . import missing

__getattr__ = missing("jax._src.util")


def safe_zip(*lists):
    lists = [list(each) for each in lists]
    if any(len(each) != len(lists[0]) for each in lists):
        raise ValueError(f"length mismatch: {[len(each) for each in lists]}")
    return list(zip(*lists))


def safe_map(f, *lists):
    return [f(*each) for each in safe_zip(*lists)]


def split_list(items, lengths):
    """Splits a list into the first `lengths[0]` items, the next `lengths[1]` items, …, and the remaining items."""
    out, at = [], 0
    for n in lengths:
        out.append(list(items[at : at + n]))
        at += n
    return [*out, list(items[at:])]


def partition_list(chosen, items):
    """Splits a list: (the items that are not chosen, the chosen items)."""
    out = [], []
    for which, item in safe_zip(chosen, items):
        out[bool(which)].append(item)
    return out


def merge_lists(chosen, others, items):
    """Joins the two lists of `partition_list` again."""
    others, items = iter(others), iter(items)
    return [next(items) if which else next(others) for which in chosen]


def unzip2(pairs):
    pairs = list(pairs)
    return tuple(a for a, _ in pairs), tuple(b for _, b in pairs)


def tuple_insert(items, at, item):
    return (*items[:at], item, *items[at:])


def cache(max_size=4096, **_):
    return functools.lru_cache(maxsize=max_size)
