# Sums of loaded parts, for every register shape of 32 bytes. tests/sparsecore/modules.py runs this file and sets chip
# and lanes.

def sliced(dtype, shape, parts):
  minor = shape[-1]

  @sc_kernel(chip=chip)
  def kernel(x: GMEM(shape[:-1] + (minor * parts,), dtype), o: Out(shape, dtype)):
    total = 0
    for i in static_range(parts):
      total = total + x[..., minor * i:minor * (i + 1)]
    o[...] = total

  return kernel

names = {i32: "int32", u32: "uint32", f32: "float32", i16: "int16", u16: "uint16", f16: "float16", bf16: "bfloat16", i8: "int8", u8: "uint8"}
shapes = {32: ((8,), (1, 8)), 16: ((16,), (2, 8)), 8: ((32,), (4, 8))}
for dtype, bits in ((i32, 32), (u32, 32), (f32, 32), (i16, 16), (u16, 16), (f16, 16), (bf16, 16), (i8, 8), (u8, 8)):
  for shape in shapes[bits]:
    for parts in (1, 2, 4):
      shown = "x".join([str(n) for n in shape])
      module(f"seed.VectorSubcoreTest.test_slicing_{shown}x{names[dtype]}_{parts}", sliced(dtype, shape, parts))

# Adds or subtracts a number.
def plus(dtype, subtracts):
  @sc_kernel(chip=chip)
  def kernel(x: GMEM((8,), dtype), o: Out((8,), dtype)):
    v = x[...]
    if subtracts:
      o[...] = v - 1
    else:
      o[...] = v + 1
  return kernel

for i, dtype in enumerate((i32, f32)):
  for k in range(2):
    module(f"seed.VectorSubcoreTest.test_add_sub_one{2 * i + k}", plus(dtype, k == 1))

@sc_kernel(chip=chip, grid=(4,), in_specs=[BlockSpec([8], lambda i: i)], out_specs=BlockSpec([8], lambda i: i))
def add_one_block_specs(x: GMEM((32,), i32), o: Out((32,), i32)):
  o[...] = x[...] + 1
module("seed.VectorSubcoreTest.test_add_one_block_specs", add_one_block_specs)

def rows(major):
  @sc_kernel(chip=chip)
  def kernel(x: GMEM((major, 8), i32), o: Out((8,), i32)):
    o[...] = fori_loop(1, major, lambda i, acc: acc + x[i], x[0])
  return kernel

def reversed_rows(major):
  @sc_kernel(chip=chip)
  def kernel(x: GMEM((major, 8), i32), o: Out((major, 8), i32)):
    for i in loop(0, major):
      row = x[i]
      o[major - 1 - i] = row
  return kernel

for k, major in enumerate((2, 3, 4)):
  module(f"seed.VectorSubcoreTest.test_get_index{k}", rows(major))
  module(f"seed.VectorSubcoreTest.test_swap_index{k}", reversed_rows(major))

@sc_kernel(chip=chip)
def get_multi_index(x: GMEM((3, 4, 8), i32), o: Out((8,), i32)):
  o[...] = zeros((8,), i32)
  for i in static_range(3):
    for j in static_range(4):
      o[...] += x.at[i][j]
module("seed.VectorSubcoreTest.test_get_multi_index", get_multi_index)

@sc_kernel(chip=chip)
def all_shapes(x: GMEM((4, lanes), i32), o: Out((4, lanes), i32)):
  o[...] = x[...]
  for i in static_range(4):
    o[i:i + 1] = x[i:i + 1] + 1
    o[i] = o[i] + x[i]
  if lanes == 16:
    o[:2, 8:] = x[2:, :8]
module("extra.ExtraTest.test_all_shapes", all_shapes)
