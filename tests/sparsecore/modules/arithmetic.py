# Arithmetic, comparisons, conversions.

def binary(dtype, operations):
  @sc_kernel(chip=chip)
  def kernel(a: GMEM((lanes,), dtype), b: GMEM((lanes,), dtype), o: Out((len(operations), lanes), dtype)):
    for i in static_range(len(operations)):
      o[i] = operations[i](a[...], b[...])
  return kernel

both = [lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, lambda a, b: div(a, b), lambda a, b: rem(a, b), lambda a, b: maximum(a, b),
        lambda a, b: minimum(a, b), lambda a, b: a & b, lambda a, b: a | b, lambda a, b: a ^ b, lambda a, b: a << b,
        lambda a, b: shift_right_arithmetic(a, b), lambda a, b: shift_right_logical(a, b)]
module("extra.ExtraTest.test_arith_i32", binary(i32, both + [lambda a, b: -a, lambda a, b: abs(a), lambda a, b: sign(a), lambda a, b: ~a]))
module("extra.ExtraTest.test_arith_u32", binary(u32, both + [lambda a, b: ~a]))
module("extra.ExtraTest.test_arith_rem_f32", binary(f32, [lambda a, b: rem(a, b)]))

compares = [lambda a, b: a == b, lambda a, b: a != b, lambda a, b: a < b, lambda a, b: a <= b, lambda a, b: a > b, lambda a, b: a >= b]

def compared(dtype):
  @sc_kernel(chip=chip)
  def kernel(a: GMEM((lanes,), dtype), b: GMEM((lanes,), dtype), o: Out((6, lanes), dtype)):
    for i in static_range(6):
      holds = compares[i](a[...], b[...])
      o[i] = select(holds, a[...], b[...])
  return kernel

module("extra.ExtraTest.test_compare_u32", compared(u32))
module("extra.ExtraTest.test_compare_f32", compared(f32))

@sc_kernel(chip=chip)
def bitcast_convert(x: GMEM((lanes,), i32), o: Out((lanes,), f32)):
  o[...] = bitcast_convert_type(x[...], f32)
module("extra.ExtraTest.test_bitcast_convert", bitcast_convert)

@sc_kernel(chip=chip)
def lax_bitcast(x: GMEM((8,), f32), o: Out((8,), u32)):
  o[...] = bitcast_convert_type(x[...], u32)
module("seed.VectorSubcoreTest.test_lax_bitcast", lax_bitcast)

@sc_kernel(chip=chip)
def bitcast_widths(x: GMEM((lanes,), i32), a: Out((4 * lanes,), i8), b: Out((2 * lanes,), bf16), c: Out((lanes,), f32)):
  a[...] = bitcast(x[...], i8)
  b[...] = bitcast(x[...], bf16)
  c[...] = bitcast(x[...], f32)
module("extra.ExtraTest.test_bitcast_widths", bitcast_widths)

def bits(dtype, count):
  @sc_kernel(chip=chip)
  def kernel(x: GMEM((8,), i32), o: Out((count,), dtype)):
    o[...] = bitcast(x[...], dtype)
  return kernel
for k, (dtype, count) in enumerate(((i8, 32), (i16, 16), (f32, 8))):
  module(f"seed.VectorSubcoreTest.test_bitcast{k}", bits(dtype, count))

@sc_kernel(chip=chip)
def bool_logic(a: GMEM((lanes,), i32), b: GMEM((lanes,), i32), o: Out((lanes,), i32)):
  p = a[...] > 0
  q = b[...] > 0
  both = p & q
  o[...] = select(both | ~(p ^ q), 1, 0)
module("extra.ExtraTest.test_bool_logic", bool_logic)

@sc_kernel(chip=chip)
def convert(a: GMEM((lanes,), i32), b: GMEM((lanes,), f32), c: GMEM((lanes,), u32), d: Out((3, lanes), i32), e: Out((2, lanes), f32), f: Out((1, lanes), u32)):
  d[0] = b[...].astype(i32)
  d[1] = c[...].astype(i32)
  d[2] = (b[...] > 0.0).astype(i32)
  e[0] = a[...].astype(f32)
  e[1] = (a[...] != 0).astype(f32)
  f[0] = a[...].astype(u32)
module("extra.ExtraTest.test_convert", convert)

@sc_kernel(chip=chip)
def convert_narrow(a: GMEM((16,), i32), b: GMEM((16,), f32), c: Out((16,), i16), d: Out((16,), bf16)):
  c[...] = a[...].astype(i16)
  d[...] = b[...].astype(bf16)
module("extra.ExtraTest.test_convert_narrow", convert_narrow)

@sc_kernel(chip=chip)
def broadcasts(x: GMEM((8,), i32), o: Out((2, 8), i32)):
  rows = broadcast_in_dim(x[...], (2, 8), (1,))
  o[...] = rows + broadcast_in_dim(5, (2, 8), ())
module("extra.ExtraTest.test_broadcasts", broadcasts)

def unary(operation):
  @sc_kernel(chip=chip)
  def kernel(x: GMEM((8,), f32), o: Out((8,), f32)):
    o[...] = operation(x[...])
  return kernel
module("seed.VectorSubcoreTest.test_unary_ops_exp", unary(lambda x: exp(x)))
module("seed.VectorSubcoreTest.test_unary_ops_neg", unary(lambda x: -x))
module("seed.VectorSubcoreTest.test_unary_ops_abs", unary(lambda x: abs(x)))

@sc_kernel(chip=chip)
def reshaped(x: GMEM((8,), i32), o: Out((8,), i32)):
  o[...] = reshape(reshape(x[...], (2, 4)), (8,))
module("seed.VectorSubcoreTest.test_reshape", reshaped)

@sc_kernel(chip=chip, scratch=[VMEM((8,), f32)])
def scratch(x: GMEM((8,), i32), o: Out((8,), i32), tile):
  tile[...] = x[...].astype(f32)
  o[...] = tile[...].astype(i32)
module("seed.VectorSubcoreTest.test_scratch", scratch)

def parts(sizes):
  rows = sum(sizes)
  @sc_kernel(chip=chip)
  def kernel(x: GMEM((rows, 8), i32), o: Out((rows, 8), i32)):
    o[...] = concatenate(split(x[...], sizes, 0), 0)
  return kernel
for k, sizes in enumerate(((1, 1), (2, 2), (1, 1, 1, 1))):
  module(f"seed.VectorSubcoreTest.test_split_concatenate{k}", parts(sizes))

@sc_kernel(chip=chip)
def named_scope(x: GMEM((lanes,), i32), o: Out((lanes,), i32)):
  with region("outer"):
    v = x[...] + 1
    with region("inner"):
      v = v * 2
  o[...] = v
module("extra.ExtraTest.test_named_scope", named_scope)
