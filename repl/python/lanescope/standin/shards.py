"""`jax.shard_map` and the collective operations. `jax.shard_map` runs a function on each device of a mesh, and the
function's kernels on all devices at once."""

import math

from .. import _native
from . import jnp, missing, tree
from .arrays import asarray, in_kernel, native, on_subcore, wrapped

__getattr__ = missing("jax.experimental.shard_map")
mesh_of_run = None  # the mesh of the running `shard_map`
running = False  # True while a `shard_map` runs. Devices synchronise by exceptions, which pass through the function


def axis_index(axis_name):
    """The place along an axis. In a kernel, the axis is one of the grid, the cluster, the warpgroups or the devices.
    Under `shard_map`, it is one of the devices."""
    if on_subcore() and isinstance(axis_name, (tuple, list)):
        place = 0
        for name in axis_name:
            place = place * axis_size(name) + axis_index(name)
        return place
    if _is_of_devices(axis_name):
        shape = mesh_of_run.shape
        below = math.prod(size for name, size in list(shape.items())[list(shape).index(axis_name) + 1 :])
        return native("jax.lax", "rem")(native("jax.lax", "div")(_native.builtin("device_id")(), below), shape[axis_name])
    return native("jax.lax", "axis_index")(axis_name)


def _is_of_devices(axis_name):
    """True if the axis is one of the devices that run a SparseCore kernel."""
    return bool(on_subcore()) and axis_name not in on_subcore() and mesh_of_run is not None and axis_name in mesh_of_run.shape


def device_place(device_id):
    """The native form of a device for SparseCore kernels: its number, or a dict in which one number stands for all
    axes of devices."""
    shape = {} if mesh_of_run is None else mesh_of_run.shape
    if isinstance(device_id, (tuple, list)):
        if len(device_id) != max(len(shape), 1):
            raise ValueError(f"the device {tuple(device_id)} has {len(device_id)} places, and the mesh {len(shape)} axes")
        device_id = dict(zip(shape or ("device",), device_id))
    if not isinstance(device_id, dict):
        return device_id
    own = {name: place for name, place in device_id.items() if name in on_subcore() or name not in shape}
    if len(own) == len(device_id):
        return own
    number = 0
    for name, size in shape.items():
        number = number * size + (device_id[name] if name in device_id else axis_index(name))
    return own | {next(iter(shape)): number}


def axis_size(axis_name):
    """The size of an axis, or the product of several sizes."""
    if on_subcore() and isinstance(axis_name, (tuple, list)):
        return math.prod(map(axis_size, axis_name))
    if axis_name in on_subcore():
        return on_subcore()[axis_name]
    if _is_of_devices(axis_name):
        return mesh_of_run.shape[axis_name]
    return int(native("jax.lax", "axis_size")(axis_name))


def _met(x, axis_name, combine):
    """Combines each leaf: the result of `combine` for the values of the devices along the axis, in the axis' order."""
    if in_kernel():
        raise NotImplementedError(
            "blocks add up through memory: `plgpu.atomic_add`, or a semaphore and a second kernel; devices by "
            "`plgpu.remote_ref` and `plgpu.multimem_load_reduce`"
        )

    def one(leaf):
        parts = wrapped(native("jax.lax", "_shard_all")(asarray(leaf)))
        return combine([parts[device] for device in native("jax.lax", "_shard_group")(axis_name)])

    return tree.map(one, x)


def _folded(parts, function):
    total = parts[0]
    for part in parts[1:]:
        total = function(total, part)
    return total


def psum(x, axis_name, **_):
    """The sum over the devices along an axis. Each device gets it."""
    return _met(x, axis_name, lambda parts: _folded(parts, jnp.add))


def pmean(x, axis_name, **_):
    return _met(x, axis_name, lambda parts: _folded(parts, jnp.add) / len(parts))


def pmax(x, axis_name, **_):
    return _met(x, axis_name, lambda parts: _folded(parts, jnp.maximum))


def pmin(x, axis_name, **_):
    return _met(x, axis_name, lambda parts: _folded(parts, jnp.minimum))


def all_gather(x, axis_name, *, axis=0, tiled=False, **_):
    """The arrays of the devices, stacked along a new dimension or, with `tiled`, joined along `axis`."""
    return _met(x, axis_name, lambda parts: jnp.concatenate(parts, axis) if tiled else jnp.stack(parts, axis))


def ppermute(x, axis_name, perm):
    """Sends arrays between devices. `perm` has pairs (from, to). A device to which no device sends gets zeros."""
    mine = int(axis_index(axis_name))
    senders = [source for source, target in perm if target == mine]
    return _met(x, axis_name, lambda parts: parts[senders[0]] if senders else jnp.zeros_like(parts[mine]))


def psum_scatter(x, axis_name, *, scatter_dimension=0, tiled=False, **_):
    """The sum over the devices along an axis, of which each device gets one part."""
    mine, count = int(axis_index(axis_name)), axis_size(axis_name)

    def part(parts):
        total = _folded(parts, jnp.add)
        size = total.shape[scatter_dimension]
        if size % count != 0 or (not tiled and size != count):
            raise ValueError(f"dimension {scatter_dimension} of size {size} is not scattered over {count} devices")
        chosen = jnp.split(total, count, scatter_dimension)[mine]
        return chosen if tiled else jnp.squeeze(chosen, scatter_dimension)

    return _met(x, axis_name, part)


def all_to_all(x, axis_name, split_axis, concat_axis, *, tiled=False, **_):
    """Part i along `split_axis` goes to device i. The received parts are joined along `concat_axis`."""
    mine, count = int(axis_index(axis_name)), axis_size(axis_name)

    def joined(parts):
        chosen = [jnp.split(part, count, split_axis)[mine] for part in parts]
        if tiled:
            return jnp.concatenate(chosen, concat_axis)
        return jnp.stack([jnp.squeeze(one, split_axis) for one in chosen], concat_axis)

    return _met(x, axis_name, joined)


def _specs_of(specs, value):
    """The sharding of each leaf. A spec applies to all leaves below it."""
    from .sharding import PartitionSpec

    if specs is None:
        return [()] * len(tree.leaves(value))
    if isinstance(specs, PartitionSpec):
        return [tuple(specs)] * len(tree.leaves(value))
    if isinstance(specs, dict):
        return [one for key in sorted(value) for one in _specs_of(specs[key], value[key])]
    if not isinstance(value, (tuple, list)) or len(specs) != len(value):
        raise ValueError(f"there are {len(specs)} specs for {len(value) if isinstance(value, (tuple, list)) else 1} values")
    return [one for spec, part in zip(specs, value) for one in _specs_of(spec, part)]


def shard_map(f=None, mesh=None, in_specs=None, out_specs=None, *, axis_names=None, check_vma=True, check_rep=True):
    """Runs the function on each device of a mesh, with the device's parts of the operands. `in_specs` say how
    operands are split, and `out_specs` how the devices' results are joined. Kernels in the function run on all
    devices at once, and can access each other's memory."""
    if f is None:
        return lambda f: shard_map(f, mesh=mesh, in_specs=in_specs, out_specs=out_specs)

    def call(*args):
        from . import sharding

        chosen = sharding.current_mesh() if mesh is None else mesh
        if chosen is None:
            raise ValueError('shard_map needs `mesh=jax.make_mesh((2,), ("x",))`, or to stand in `with jax.set_mesh(mesh):`')
        split = tuple(sharding.spec_of(x) for x in args) if in_specs is None else in_specs
        if in_specs is None and None in split:
            raise NotImplementedError(
                "an array that no `jax.sharding.reshard` made does not know how it is split: give `shard_map` its `in_specs=`"
            )
        split = args and (split if isinstance(split, (tuple, list)) and not isinstance(split, sharding.PartitionSpec) else (split,) * len(args))
        operands, shape = tree.flatten(args)
        operands = [asarray(x) for x in operands]
        found = []

        def on_device(*parts):
            out, outer = tree.flatten(f(*shape.unflatten(map(wrapped, parts))))
            found[:] = [outer]
            return tuple(map(asarray, out))

        global running, mesh_of_run
        running, mesh_of_run = True, chosen
        try:
            parts = wrapped(native("jax", "_shard_run")(on_device, chosen, operands, _specs_of(split, args)))
        finally:
            running, mesh_of_run = False, None
        specs = _specs_of(out_specs, found[0].unflatten(range(found[0].num_leaves)))
        joined = [wrapped(native("jax", "_shard_join")(part, chosen, spec)) for part, spec in zip(parts, specs)]
        return found[0].unflatten(joined)

    return call


