# Transformations and meshes; read when one of them is first asked for.

def vmap(fun, in_axes=0, out_axes=0, axis_name=None, axis_size=None, spmd_axis_name=None):
  """The function of each part of its arguments along an axis, one after the other; what it gives, stacked."""
  def mapped(*args):
    import jax
    import jax.numpy as jnp
    if _in_kernel():
      raise NotImplementedError("there is no vmap in a kernel: arrays there are tiles; give the kernel one more grid axis")
    axes = list(in_axes) if isinstance(in_axes, (tuple, list)) else [in_axes] * len(args)
    if len(axes) != len(args):
      raise ValueError(f"vmap has {len(axes)} in_axes for {len(args)} arguments")
    sizes = [jnp.shape(x)[a] for arg, a in zip(args, axes) if a is not None for x in jax.tree.leaves(arg)]
    count = sizes[0] if len(sizes) > 0 else axis_size
    if count is None:
      raise ValueError("vmap maps no argument: all of in_axes are None")
    for n in sizes:
      if n != count:
        raise ValueError(f"vmap maps axes of different sizes, {count} and {n}")
    def part(arg, a, i):
      return arg if a is None else jax.tree.map(lambda x: jnp.take(jnp.asarray(x), i, a), arg)
    outs = [fun(*[part(arg, a, i) for arg, a in zip(args, axes)]) for i in static_range(count)]
    columns = [jax.tree.leaves(out) for out in outs]
    stacked = [jnp.stack([column[k] for column in columns], out_axes) for k in static_range(len(columns[0]))]
    def following(_):
      return stacked.pop(0)
    return jax.tree.map(following, outs[0])
  return mapped

class custom_vjp:
  """A function with a gradient of its own: `f.defvjp(forward, backward)`, with `forward(*x)` its value and what is kept,
  `backward(kept, g)` the gradients; the arguments of `nondiff_argnums` come to it in front. `jax.grad`, `value_and_grad`
  and `vjp` take such functions, and no others."""
  def __init__(self, fun, nondiff_argnums=()):
    self.fun = fun
    self.forward = None
    self.backward = None
    self.constants = nondiff_argnums
  def defvjp(self, fwd, bwd, **options):
    self.forward = fwd
    self.backward = bwd
  def __call__(self, *args, **named):
    if len(_calls) == 0 or self.backward is None or len(named) > 0:
      return self.fun(*args, **named)
    out, kept = self.forward(*args)
    _calls[-1].append((self, args, out, kept))
    return out

_calls = [] # for each running `vjp` of another function, the calls of such functions in it

def _vjp_through(fun, primals):
  """Of a function that hands its arguments on to one `jax.custom_vjp` function, and gives its value."""
  _calls.append([])
  out = fun(*primals)
  made = _calls.pop()
  if len(made) != 1 or out is not made[0][2] or any([sum([1 for a in made[0][1] if a is x]) != 1 for x in primals]):
    raise NotImplementedError("nothing is differentiated here but a function of `jax.custom_vjp`, and what hands its arguments on to one; write the backward kernel")
  inner, args, _, kept = made[0]
  constants = [args[i] for i in inner.constants]
  places = [i for i in static_range(len(args)) if i not in inner.constants]
  def gradients(g):
    found = inner.backward(*constants, kept, g)
    return tuple([found[k] for x in primals for k in static_range(len(places)) if args[places[k]] is x])
  return out, gradients

def vjp(fun, *primals):
  """The value of a `jax.custom_vjp` function, and the function of its gradients."""
  if not isinstance(fun, custom_vjp) or fun.backward is None:
    return _vjp_through(fun, primals)
  out, kept = fun.forward(*primals)
  constants = [primals[i] for i in fun.constants]
  return out, lambda g: tuple(fun.backward(*constants, kept, g))

def value_and_grad(fun, argnums=0, has_aux=False):
  """A function that gives the value of a `jax.custom_vjp` function and its gradients."""
  def both(*args):
    import jax.numpy as jnp
    out, backward = vjp(fun, *args)
    if jnp.shape(out) != ():
      raise TypeError(f"a gradient is one of a single number, and the function gives an array of shape {jnp.shape(out)}")
    given = backward(jnp.ones((), jnp.result_type(out)))
    constants = fun.constants if isinstance(fun, custom_vjp) else ()
    found, next = [None] * len(args), 0
    for i in range(len(args)):
      if i not in constants:
        found[i], next = given[next], next + 1
    return out, tuple([found[i] for i in argnums]) if isinstance(argnums, (tuple, list)) else found[argnums]
  return both

def grad(fun, argnums=0, has_aux=False):
  """A function that gives the gradients of a `jax.custom_vjp` function."""
  def of(*args):
    return value_and_grad(fun, argnums)(*args)[1]
  return of

def make_mesh(axis_shapes, axis_names, *, axis_types=None, devices=None):
  """A mesh of the first devices, as many as the axes' sizes ask for."""
  import jax
  from jax.sharding import Mesh
  sizes = list(axis_shapes)
  chosen = list(jax.devices() if devices is None else devices)
  if product(sizes) > len(chosen):
    raise ValueError(f"a mesh of shape {tuple(sizes)} has {product(sizes)} devices, and there are {len(chosen)}")
  rows = chosen[:product(sizes)]
  for size in reversed(sizes[1:]):
    rows = [rows[i:i + size] for i in range(0, len(rows), size)]
  return Mesh(rows, axis_names)

def set_mesh(mesh):
  """The mesh of every `jax.shard_map` that is given none."""
  from jax import sharding
  return sharding.set_mesh(mesh)

def _specs_of(specs, tree):
  """The sharding of each leaf: a spec stands for all that is below it."""
  import jax
  if specs is None:
    return [()] * len(jax.tree.leaves(tree))
  if hasattr(specs, "parts"):
    return [specs.parts] * len(jax.tree.leaves(tree))
  if isinstance(specs, dict):
    return [one for key in sorted(tree) for one in _specs_of(specs[key], tree[key])]
  if not isinstance(tree, (tuple, list)) or len(specs) != len(tree):
    raise ValueError(f"there are {len(specs)} specs for {len(tree) if isinstance(tree, (tuple, list)) else 1} values")
  return [one for spec, part in zip(specs, tree) for one in _specs_of(spec, part)]

def shard_map(f=None, *, mesh=None, in_specs=None, out_specs=None, axis_names=None, check_vma=True, check_rep=True):
  """The function on each device of a mesh, with its part of the operands, as `in_specs` cut them; what the devices give is
  joined as `out_specs` say. Kernels in it run on all devices at once, and reach each other's memory."""
  if f is None:
    return lambda f: shard_map(f, mesh=mesh, in_specs=in_specs, out_specs=out_specs)
  def call(*args):
    import jax
    import jax.numpy as jnp
    from jax import sharding
    chosen = sharding.current_mesh() if mesh is None else mesh
    if chosen is None:
      raise ValueError("shard_map needs `mesh=jax.make_mesh((2,), (\"x\",))`, or to stand in `with jax.set_mesh(mesh):`")
    split = tuple([sharding.spec_of(x) for x in args]) if in_specs is None else in_specs
    if in_specs is None and any([spec is None for spec in split]):
      raise NotImplementedError("an array that no `jax.sharding.reshard` made does not know how it is split: give `shard_map` its `in_specs=`")
    cuts = _specs_of(split, args)
    operands = [jnp.asarray(x) for x in jax.tree.leaves(args)]
    trees = []
    def on_device(*parts):
      waiting = list(parts)
      out = f(*jax.tree.map(lambda _: waiting.pop(0), args))
      trees.append(out)
      return jax.tree.leaves(out)
    found = _shard_run(on_device, chosen, operands, cuts)
    joined = [_shard_join(parts, chosen, spec) for parts, spec in zip(found, _specs_of(out_specs, trees[-1]))]
    return jax.tree.map(lambda _: joined.pop(0), trees[-1])
  return call
