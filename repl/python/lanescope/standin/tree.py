"""Trees of tuples, lists, dicts and registered classes."""

import builtins
import collections
import dataclasses
import functools

from . import missing

__getattr__ = missing("jax.tree_util")

_registered = {}  # class -> (flatten, unflatten); flatten returns (children, static data)


@dataclasses.dataclass(frozen=True)
class DictKey:
    key: object

    def __str__(self):
        return f"[{self.key!r}]"


@dataclasses.dataclass(frozen=True)
class SequenceKey:
    idx: int

    def __str__(self):
        return f"[{self.idx}]"


@dataclasses.dataclass(frozen=True)
class GetAttrKey:
    name: str

    def __str__(self):
        return f".{self.name}"


@dataclasses.dataclass(frozen=True)
class FlattenedIndexKey:
    key: int

    def __str__(self):
        return f"[<flat index {self.key}>]"


def _children(x):
    """The children of a node: (children, their keys, a function that rebuilds the node, data that distinguishes such
    nodes). None for a leaf."""
    kind = type(x)
    if x is None:
        return (), (), lambda _: None, None
    if kind in _registered:
        flatten, unflatten = _registered[kind]
        children, rest = flatten(x)
        children = tuple(children)
        return children, tuple(builtins.map(FlattenedIndexKey, range(len(children)))), lambda parts: unflatten(rest, parts), rest
    if kind in (tuple, list):
        return tuple(x), tuple(builtins.map(SequenceKey, range(len(x)))), kind, None
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return tuple(x), tuple(builtins.map(GetAttrKey, x._fields)), lambda parts: kind(*parts), None
    if kind in (dict, collections.OrderedDict, collections.defaultdict):
        keys = list(x) if kind is collections.OrderedDict else sorted(x)

        def rebuilt(parts):
            made = dict(zip(keys, parts))
            return collections.defaultdict(x.default_factory, made) if kind is collections.defaultdict else kind(made)

        return tuple(x[key] for key in keys), tuple(builtins.map(DictKey, keys)), rebuilt, tuple(keys)
    return None


class PyTreeDef:
    """The structure of a tree: the places of its leaves."""

    def __init__(self, kind, rest=None, rebuild=None, children=()):
        self.kind, self.rest, self.rebuild, self._children = kind, rest, rebuild, children
        self.num_leaves = 1 if kind is None else sum(each.num_leaves for each in children)

    def unflatten(self, leaves):
        leaves = list(leaves)
        if len(leaves) != self.num_leaves:
            raise ValueError(f"the tree has {self.num_leaves} leaves, and {len(leaves)} are given")
        return self._built(iter(leaves))

    def _built(self, leaves):
        if self.kind is None:
            return next(leaves)
        return self.rebuild([each._built(leaves) for each in self._children])

    def children(self):
        return list(self._children)

    def flatten_up_to(self, tree):
        """The subtrees of `tree` that are at the places of this structure's leaves."""
        if self.kind is None:
            return [tree]
        found = _children(tree)
        if found is None or type(tree) is not self.kind or len(found[0]) != len(self._children):
            raise ValueError(f"trees of different structure: {self} and {structure(tree)}")
        return [leaf for own, part in zip(self._children, found[0]) for leaf in own.flatten_up_to(part)]

    def __eq__(self, other):
        return isinstance(other, PyTreeDef) and (self.kind, self.rest, self._children) == (other.kind, other.rest, other._children)

    def __hash__(self):
        return hash((self.kind, self.num_leaves))

    def _text(self):
        if self.kind is None:
            return "*"
        inner = [each._text() for each in self._children]
        if self.kind is type(None):
            return "None"
        if self.kind is tuple:
            return f"({', '.join(inner)}{',' if len(inner) == 1 else ''})"
        if self.kind is list:
            return f"[{', '.join(inner)}]"
        if self.kind is dict:
            return "{" + ", ".join(f"{key!r}: {part}" for key, part in zip(self.rest, inner)) + "}"
        return f"{self.kind.__name__}({', '.join(inner)})"

    def __repr__(self):
        return f"PyTreeDef({self._text()})"


_LEAF = PyTreeDef(None)


def _flatten(x, is_leaf, leaves, path=None):
    found = None if is_leaf is not None and is_leaf(x) else _children(x)
    if found is None:
        leaves.append(x if path is None else (path, x))
        return _LEAF
    children, keys, rebuild, rest = found
    parts = tuple(_flatten(each, is_leaf, leaves, None if path is None else (*path, key)) for each, key in zip(children, keys))
    return PyTreeDef(type(x), rest, rebuild, parts)


def flatten(tree, is_leaf=None):
    leaves = []
    shape = _flatten(tree, is_leaf, leaves)
    return leaves, shape


def leaves(tree, is_leaf=None):
    return flatten(tree, is_leaf)[0]


def structure(tree, is_leaf=None):
    return flatten(tree, is_leaf)[1]


def unflatten(treedef, leaves):
    return treedef.unflatten(leaves)


def map(f, tree, *rest, is_leaf=None):
    found, shape = flatten(tree, is_leaf)
    return shape.unflatten([f(*parts) for parts in zip(found, *(shape.flatten_up_to(each) for each in rest))])


def flatten_with_path(tree, is_leaf=None):
    found = []
    shape = _flatten(tree, is_leaf, found, ())
    return found, shape


def leaves_with_path(tree, is_leaf=None):
    return flatten_with_path(tree, is_leaf)[0]


def map_with_path(f, tree, *rest, is_leaf=None):
    found, shape = flatten_with_path(tree, is_leaf)
    return shape.unflatten([f(path, *parts) for (path, *parts) in zip((p for p, _ in found), (x for _, x in found), *(shape.flatten_up_to(each) for each in rest))])  # fmt: skip


def reduce(function, tree, initializer=None, is_leaf=None):
    found = leaves(tree, is_leaf)
    return functools.reduce(function, found) if initializer is None else functools.reduce(function, found, initializer)


def all(tree, is_leaf=None):
    return builtins.all(leaves(tree, is_leaf))


def transpose(outer_treedef, inner_treedef, pytree_to_transpose):
    found = leaves(pytree_to_transpose)
    inner, outer = inner_treedef.num_leaves, outer_treedef.num_leaves
    return inner_treedef.unflatten([outer_treedef.unflatten(found[i::inner]) for i in range(inner)]) if outer else None


def keystr(path, *, simple=False, separator=""):
    return separator.join(str(each) for each in path)


def register_pytree_node(nodetype, flatten_func, unflatten_func, flatten_with_keys_func=None):
    _registered[nodetype] = (flatten_func, unflatten_func)


def register_pytree_with_keys(nodetype, flatten_with_keys, unflatten_func, flatten_func=None):
    def flat(x):
        children, rest = flatten_with_keys(x)
        return [each for _, each in children], rest

    _registered[nodetype] = (flatten_func or flat, unflatten_func)


def register_pytree_node_class(cls):
    _registered[cls] = (lambda x: x.tree_flatten(), cls.tree_unflatten)
    return cls


register_pytree_with_keys_class = register_pytree_node_class


def register_static(cls):
    _registered[cls] = (lambda x: ((), x), lambda rest, _: rest)
    return cls


def register_dataclass(nodetype=None, data_fields=None, meta_fields=None, drop_fields=()):
    if nodetype is None:
        return lambda cls: register_dataclass(cls, data_fields, meta_fields, drop_fields)
    if meta_fields is None:
        fields = [each for each in dataclasses.fields(nodetype) if each.init]
        meta_fields = [each.name for each in fields if each.metadata.get("static", False)]
        data_fields = [each.name for each in fields if each.name not in meta_fields] if data_fields is None else data_fields

    def flat(x):
        return [getattr(x, name) for name in data_fields], tuple(getattr(x, name) for name in meta_fields)

    def rebuilt(rest, parts):
        return nodetype(**dict(zip(meta_fields, rest)), **dict(zip(data_fields, parts)))

    _registered[nodetype] = (flat, rebuilt)
    return nodetype


class Partial(functools.partial):
    """A `functools.partial` whose arguments are part of the tree."""


_registered[Partial] = (
    lambda x: ((x.args, x.keywords), x.func),
    lambda function, parts: Partial(function, *parts[0], **parts[1]),
)

tree_flatten, tree_leaves, tree_structure, tree_unflatten, tree_map, tree_reduce, tree_all, tree_transpose = (
    flatten, leaves, structure, unflatten, map, reduce, all, transpose
)  # fmt: skip
tree_flatten_with_path, tree_leaves_with_path, tree_map_with_path = flatten_with_path, leaves_with_path, map_with_path
