#include "repl/kernel/tpu/trace/TpuTracer.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <algorithm>

namespace lanescope::repl {

using core::IrValue;
using layouts::Dtype;
using layouts::Shape;

TpuTracer::TpuTracer(Evaluator &evaluator, core::TpuBuilder &builder, const Primitives &primitives, TpuAxes axes,
                     const core::TpuTarget &target, core::TpuCore core, bool layoutPasses)
    : Tracer(evaluator, builder, primitives), builder_(builder), axes_(std::move(axes)), target_(target), core_(core),
      layoutPasses_(layoutPasses) {}

Result<TpuTracer *> TpuTracer::of(const Context &context, TraceId trace) {
  return static_cast<TpuTracer *>(LANESCOPE_TRY(Tracer::of(context, trace)));
}

std::string_view memoryName(core::TpuMemory memory) {
  switch (memory) {
  case core::TpuMemory::Hbm: return "HBM";
  case core::TpuMemory::Vmem: return "VMEM";
  case core::TpuMemory::VmemShared: return "VMEM_SHARED";
  case core::TpuMemory::Smem: return "SMEM";
  case core::TpuMemory::Semaphore: return "SEMAPHORE";
  case core::TpuMemory::Host: return "HOST";
  }
  return "VMEM";
}

//===------------------------------------ the target's capabilities -----------------------------------------------===//

std::string_view TpuTracer::insteadOf(std::string_view function) const {
  static constexpr std::string_view kProducts[] = {"wgmma", "mma", "tcgen05_mma"};
  static constexpr std::string_view kCopies[] = {"copy_gmem_to_smem", "copy_smem_to_gmem"};
  static constexpr std::string_view kBarriers[] = {"barrier_arrive", "barrier_wait", "named_barrier_sync"};
  auto among = [&](const auto &names) { return std::ranges::find(names, function) != std::end(names); };
  if (among(kProducts))
    return "on a SparseCore, which has no matrix unit, use `x * y` and `sum`";
  if (among(kCopies))
    return "on a SparseCore, use `sync_copy`, or `async_copy` and its `wait()`";
  return among(kBarriers) ? "on a SparseCore, use `subcore_barrier`" : "";
}

Result<void> TpuTracer::checkCall(const Context &context, std::string_view primitive) const {
  static constexpr std::string_view kVectorOnly[] = {"broadcasted_iota",
                                                     "iota",
                                                     "load_gather",
                                                     "store_scatter",
                                                     "addupdate_scatter",
                                                     "load_expanded",
                                                     "store_compressed",
                                                     "addupdate_compressed",
                                                     "addupdate",
                                                     "cumsum",
                                                     "cummax",
                                                     "cummin",
                                                     "scan_count",
                                                     "sort",
                                                     "sort_key_val",
                                                     "rev",
                                                     "pack",
                                                     "unpack",
                                                     "take_along_axis",
                                                     "all_reduce_population_count",
                                                     "all_reduce_ffs"};
  if (!scalar() || std::ranges::find(kVectorOnly, primitive) == std::end(kVectorOnly))
    return {};
  return context.fail("unsupported", Message("`{function}` works on vectors, and this kernel runs on the scalar "
                                             "subcore; run it on vector subcores (`VectorSubcoreMesh`)",
                                             primitive));
}

Result<Dtype> TpuTracer::kernelDtype(Dtype dtype, const Span &span) const {
  if (dtype == Dtype::TF32 || layouts::bitwidth(dtype) > 32)
    return error("unsupported", span, Message("SparseCore kernels do not have {dtype}; take 32 bits", name(dtype)));
  return dtype;
}

Result<void> TpuTracer::checkComputes(Dtype dtype, std::string_view what, const Span &span) const {
  if (layouts::bitwidth(dtype) >= 8 && !(layouts::isFloat(dtype) && layouts::bitwidth(dtype) == 8))
    return {};
  if (dtype == Dtype::I1)
    return {};
  return error(
      "unsupported", span,
      Message("`{function}` does not compute with {dtype} on a SparseCore; convert it first", what, name(dtype)));
}

Result<void> TpuTracer::checkConverts(Dtype from, Dtype to, const Span &span) const {
  bool unsignedFrom = layouts::isUnsignedInteger(from) && from != Dtype::I1;
  bool unsignedTo = layouts::isUnsignedInteger(to) && to != Dtype::I1;
  if ((unsignedFrom && layouts::isFloat(to)) || (layouts::isFloat(from) && unsignedTo))
    return error("unsupported", span,
                 Message("a SparseCore does not convert {dtype} to {other_dtype}; go over i32", name(from), name(to)));
  return {};
}

Result<void> TpuTracer::checkRegisters(Dtype, const Shape &shape, const Span &span) const {
  if (scalar() && !shape.empty())
    return error("unsupported", span,
                 Message("the scalar subcore has no vectors, and this is an array of shape {shape}; run the kernel on "
                         "vector subcores, or take elements from SMEM one by one",
                         layouts::tupleText(shape)));
  return {};
}

Result<void> TpuTracer::checkReduces(Dtype dtype, const Shape &shape, const std::vector<int64_t> &axes,
                                     std::string_view what, const Span &span) const {
  if (shape.size() != 1 || axes.size() != 1)
    return error("unsupported", span,
                 Message("`{function}` on a SparseCore reduces arrays of one dimension over axis 0, and this has shape "
                         "{shape}: reduce row by row",
                         what, layouts::tupleText(shape)));
  if (layouts::bitwidth(dtype) != 32 || what == "prod")
    return error("unsupported", span,
                 Message("`{function}` on a SparseCore adds up, or compares, i32, u32 and f32, not {dtype}{}", what,
                         name(dtype), what == "prod" ? " multiplied" : "; convert first"));
  return {};
}

Result<void> TpuTracer::checkIota(Dtype dtype, const Shape &shape, const Span &span) const {
  if (layouts::isFloat(dtype))
    return error("type", span, Message("an iota counts with integers, not with {dtype}; convert it", name(dtype)));
  if (shape != Shape{lanes()} && !(layoutPasses_ && !shape.empty()))
    return error(
        "unsupported", span,
        Message("an iota of shape {shape} is not supported: on {target} it has the shape of its lanes, {other_shape}",
                layouts::tupleText(shape), target_.name, layouts::tupleText({lanes()})));
  return {};
}

Result<IrValue> TpuTracer::withLayout(const IrValue &, const BoundArguments &arguments, size_t index) {
  return arguments.wrongValue(index, "an array in a SparseCore's registers has no layout to choose");
}

Result<IrValue> TpuTracer::elementOf(const IrValue &array, const std::vector<int64_t> &index, const Span &span) {
  if (layouts::bitwidth(array.dtype) != 32)
    return error(
        "type", span,
        Message("only elements of 32 bits can become scalars, not {dtype}; convert the array before taking one",
                name(array.dtype)));
  Shape ones(array.shape.size(), 1);
  return builder_.element(builder_.part(array, index, ones), Shape(array.shape.size(), 0));
}

/// Indexes an array with a vector of lane numbers, which selects these lanes, or with a number that only the device
/// knows, which selects one lane. Numbers below 0 count from the end.
Result<std::optional<IrValue>> TpuTracer::itemOf(const IrValue &array, const Arg &index) {
  bool other = index.value.as<TracedValue>() || (index.value.asArray() && !index.value.asArray()->shape.empty());
  if (!other || array.shape.size() != 1)
    return std::nullopt;
  Term term = LANESCOPE_TRY(termOf(*this, index, "an index"));
  const IrValue &lanes = *term.traced;
  if (lanes.dtype != Dtype::I32 || (!lanes.isScalar() && lanes.shape != array.shape))
    return error("type", index.span,
                 Message("an i32, or one i32 for each lane, chooses a vector's lanes, not {type}",
                         typeText(lanes.dtype, lanes.shape)));
  at(index.span);
  auto number = [&](int64_t value) { return builder_.constant(Dtype::I32, lanes.shape, value); };
  IrValue below = builder_.compare(core::CompareKind::Less, lanes, number(0));
  IrValue fromEnd = builder_.binary(core::BinaryKind::Add, lanes, number(array.shape[0]));
  IrValue place = builder_.select(below, fromEnd, lanes);
  if (!lanes.isScalar())
    return builder_.dynamicGather(array, place);
  IrValue everywhere = builder_.dynamicGather(array, builder_.splat(place, array.shape));
  return LANESCOPE_TRY(elementOf(everywhere, {0}, index.span));
}

Result<IrValue> TpuTracer::arrayOf(const core::Array &array, const Span &span) {
  // `arange(lanes)`: Pallas' kernels count lanes with it.
  bool counts = !layouts::isFloat(array.dtype) && array.shape == Shape{lanes()};
  for (int64_t i = 0; counts && i < lanes(); ++i)
    counts = array.integer(static_cast<size_t>(i)) == i;
  const size_t width = layouts::hostBytes(array.dtype);
  std::span<const std::byte> bytes = array.bytes;
  bool equal = true;
  for (size_t each = width; equal && each < bytes.size(); each += width)
    equal = std::ranges::equal(bytes.first(width), bytes.subspan(each, width));
  if (equal)
    return splatOf(*this, array, span);
  LANESCOPE_CHECK(kernelDtype(array.dtype, span));
  LANESCOPE_CHECK(checkRegisters(array.dtype, array.shape, span));
  if (counts)
    return at(span).iota(array.dtype, array.shape, 0);
  std::vector<double> numbers; // exact for dtypes of up to 32 bits
  for (int64_t i = 0; i < array.size(); ++i)
    numbers.push_back(layouts::isFloat(array.dtype) ? array.number(i) : static_cast<double>(array.integer(i)));
  return at(span).constants(array.dtype, array.shape, numbers);
}

namespace {

struct VectorShapes {
  std::vector<Dtype> dtypes;
  std::vector<Shape> shapes;
};

} // namespace

// Checks the shape against the table in JAX's sc_core.py (SUPPORTED_VECTOR_SHAPES).
Result<void> TpuTracer::checkAccessed(Dtype dtype, const Shape &shape, std::string_view what, const Span &span) const {
  if (layoutPasses_ && layouts::bitwidth(dtype) >= 8)
    return {};
  static const VectorShapes kTable[] = {
      {{Dtype::I32, Dtype::U32, Dtype::F32},
       {{8}, {16}, {32}, {64}, {1, 8}, {1, 16}, {2, 8}, {2, 16}, {4, 8}, {4, 16}}},
      {{Dtype::I16, Dtype::U16}, {{16}, {32}, {64}, {2, 8}, {2, 16}}},
      {{Dtype::F16, Dtype::BF16}, {{16}, {32}, {64}, {2, 8}, {2, 16}, {4, 8}, {4, 16}}},
      {{Dtype::I8, Dtype::U8}, {{32}, {64}, {4, 8}, {4, 16}}}};
  for (const VectorShapes &row : kTable) {
    if (std::ranges::find(row.dtypes, dtype) == row.dtypes.end())
      continue;
    if (std::ranges::find(row.shapes, shape) != row.shapes.end())
      return {};
    std::vector<std::string> known;
    for (const Shape &each : row.shapes)
      known.push_back(layouts::tupleText(each));
    return error("unsupported", span,
                 Message("{} only take {dtype} arrays of shapes {}, not {shape}", what, name(dtype),
                         joined(known, ", "), layouts::tupleText(shape)));
  }
  return error("unsupported", span, Message("{} do not support {dtype} arrays", what, name(dtype)));
}

/// The sign as (x > 0) - (x < 0), for signed integers.
std::optional<IrValue> TpuTracer::sign(const IrValue &value) {
  if (!layouts::isSignedInteger(value.dtype) || value.dtype == Dtype::I1)
    return std::nullopt;
  auto holds = [&](core::CompareKind kind) {
    return builder_.cast(builder_.compare(kind, value, builder_.constant(value.dtype, value.shape, int64_t{0})),
                         value.dtype);
  };
  IrValue above = holds(core::CompareKind::Greater);
  return builder_.binary(core::BinaryKind::Subtract, above, holds(core::CompareKind::Less));
}

/// `left % right` as jax.numpy.remainder computes it, operation by operation: the remainder of the truncated quotient,
/// adjusted to the divisor's sign. For integers, a divisor of zero counts as one.
Result<std::optional<IrValue>> TpuTracer::modulo(const Term &left, const Term &right, Dtype dtype, const Shape &shape) {
  using core::BinaryKind, core::CompareKind;
  if (layouts::isFloat(dtype) && layouts::bitwidth(dtype) < 32)
    return std::nullopt; // such types are computed in f32
  IrValue x = LANESCOPE_TRY(shaped(*this, left, dtype, shape));
  bool scalar = right.shape().empty();
  IrValue y;
  if (layouts::isFloat(dtype) && !right.traced && right.number.integer()) // an int is converted on the device
    y = builder_.cast(LANESCOPE_TRY(shaped(*this, right, Dtype::I32, {})), dtype);
  else
    y = LANESCOPE_TRY(shaped(*this, right, dtype, scalar ? Shape{} : shape));
  auto number = [&](const Shape &of, int64_t value) { return builder_.constant(dtype, of, value); };
  if (!layouts::isFloat(dtype)) {
    IrValue isZero = builder_.compare(CompareKind::Equal, y, number(y.shape, 0));
    y = builder_.select(isZero, number(y.shape, 1), y);
  }
  auto spread = [&](const IrValue &value) { return builder_.broadcastInDim(value, shape, {}); };
  IrValue remainder = builder_.binary(BinaryKind::Remainder, x, spread(y));
  IrValue inexact = layouts::isFloat(dtype) ? builder_.lessOrGreater(remainder, number(shape, 0))
                                            : builder_.compare(CompareKind::NotEqual, remainder, number(shape, 0));
  IrValue below = builder_.compare(CompareKind::Less, remainder, number(shape, 0));
  IrValue divisorBelow = builder_.compare(CompareKind::Less, y, number(y.shape, 0));
  if (scalar && !shape.empty()) // repeated over the other operand's shape, then over the common shape
    divisorBelow = builder_.repeated(spread(divisorBelow));
  IrValue moves = builder_.binary(BinaryKind::And, builder_.binary(BinaryKind::Xor, below, divisorBelow), inexact);
  return builder_.select(moves, builder_.binary(BinaryKind::Add, remainder, spread(y)), remainder);
}

//===------------------------------------ loops and branches ------------------------------------------------------===//

Result<Tracer::Counting> TpuTracer::counting(Context &context, const RangeData &range) {
  using Form = RangeData::Form;
  int64_t step = *range.step.integer();
  std::optional<int64_t> count = range.count();
  auto same = [](const IrValue &index) -> Result<IrValue> { return index; };
  if (range.form == Form::Independent) {
    IrValue lower = LANESCOPE_TRY(integer(context, range.start));
    IrValue upper = LANESCOPE_TRY(integer(context, range.stop));
    return Counting{lower, upper, LANESCOPE_TRY(integer(context, range.step)), same};
  }
  if (step < 0)
    return Tracer::counting(context, range);
  // As in JAX's fori_loop, the loop begins at the start, runs that many iterations, and counts in steps of 1.
  auto number = [this](int64_t value) { return builder_.constant(Dtype::I32, {}, value); };
  using core::BinaryKind;
  auto scaled = [this, &context, &range, number, step](const IrValue &index) -> Result<IrValue> {
    IrValue moved = builder_.binary(BinaryKind::Multiply, index, number(step));
    return builder_.binary(BinaryKind::Add, LANESCOPE_TRY(integer(context, range.start)), moved);
  };
  bool rounds = range.form == Form::Rounds || step != 1;
  if (count) {
    IrValue lower = rounds ? number(0) : LANESCOPE_TRY(integer(context, range.start));
    IrValue upper = builder_.binary(BinaryKind::Add, lower, number(*count));
    IrValue one = number(1);
    return rounds ? Counting{lower, upper, one, scaled} : Counting{lower, upper, one, same};
  }
  IrValue start = LANESCOPE_TRY(integer(context, range.start));
  IrValue stop = LANESCOPE_TRY(integer(context, range.stop));
  IrValue distance = builder_.binary(BinaryKind::Subtract, stop, start);
  if (!rounds || step == 1) {
    IrValue upper = builder_.binary(BinaryKind::Add, start, distance);
    return Counting{start, upper, number(1), same};
  }
  IrValue up = builder_.binary(BinaryKind::Add, distance, number(step - 1));
  IrValue all = builder_.binary(BinaryKind::FloorDivide, up, number(step));
  return Counting{number(0), all, number(1), scaled};
}

Result<void> TpuTracer::checkUnroll(const Context &context, const RangeData &range) const {
  std::optional<int64_t> count = range.count();
  if (count && range.atOnce >= *count)
    return {};
  return context.fail("unsupported",
                      Message("a loop is unrolled whole or not at all, not by {}{}; `parallel_loop` takes any number",
                              range.atOnce, count ? text(" of ", *count, " rounds") : text()));
}

void TpuTracer::looped(const RangeData &range) {
  if (range.form == RangeData::Form::Independent)
    builder_.markParallel(range.atOnce);
  else if (std::optional<int64_t> count = range.count(); count && *range.step.integer() > 0)
    builder_.constant(Dtype::I32, {}, *count); // the unused index value of JAX's loop
}

IrValue TpuTracer::decision(const IrValue &condition) {
  // JAX chooses branches by an i32.
  IrValue number = builder_.cast(condition, Dtype::I32);
  return builder_.compare(core::CompareKind::NotEqual, number, builder_.constant(Dtype::I32, {}, int64_t{0}));
}

} // namespace lanescope::repl
