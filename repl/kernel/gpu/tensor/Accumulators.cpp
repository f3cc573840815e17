#include "repl/kernel/gpu/tensor/Accumulators.h"

#include "core/gpu/ir/ProductQueries.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/kernel/gpu/memory/GpuRefs.h"
#include "repl/kernel/gpu/tensor/Tensor.h"
#include "repl/kernel/gpu/trace/ValueRules.h"
#include "repl/kernel/trace/Traced.h"

#include <algorithm>

namespace lanescope::repl {

using layouts::Dtype;
using layouts::Shape;

std::string AccumulatorSpec::repr() const { return text("ACC(", layouts::tupleText(shape), ", ", name(dtype), ")"); }

namespace {

/// `acc.at`: indexing it gives parts.
class AccumulatorAt final : public Object {
public:
  explicit AccumulatorAt(std::shared_ptr<const AccumulatorValue> accumulator) : accumulator_(std::move(accumulator)) {}
  std::string typeName() const override { return "accumulator view"; }
  Result<Value> getItem(Context &, const Arg &index) override {
    return Value(LANESCOPE_TRY(accumulator_->sliced(index)));
  }

private:
  std::shared_ptr<const AccumulatorValue> accumulator_;
};

/// Rows and columns of the smallest `wgmma`.
const Shape &units() {
  static const Shape units = [] {
    const layouts::MatrixInstruction &any = *chooseMatrixInstructions(core::kWgmmaQuery)->front();
    return Shape{any.rows.smallest(), any.columns.smallest()};
  }();
  return units;
}

/// Begin and end of one entry of an index; nullopt: not a slice with known bounds.
std::optional<std::pair<int64_t, int64_t>> knownSlice(const Value &entry, int64_t size) {
  if (auto *dynamic = entry.as<DynamicSlice>()) {
    auto start = dynamic->start().value.integer(), length = dynamic->anySize().value.integer();
    if (!start || !length || *start < 0 || *start > size || *length > size)
      return std::nullopt;
    return std::pair(*start, *start + *length);
  }
  const SliceData *slice = entry.asSlice();
  if (!slice || (!slice->step.isNone() && slice->step.integer() != 1))
    return std::nullopt;
  int64_t begin = 0, end = size;
  for (auto [bound, target] : {std::pair(&slice->start, &begin), std::pair(&slice->stop, &end)}) {
    if (bound->isNone())
      continue;
    auto known = bound->integer();
    if (!known || *known < -size || *known > size)
      return std::nullopt;
    *target = *known < 0 ? *known + size : *known;
  }
  return std::pair(begin, end);
}

} // namespace

std::string AccumulatorValue::describe() const {
  return whole() ? name_
                 : text(name_, "[", part_.begin[0], ":", part_.end[0], ", ", part_.begin[1], ":", part_.end[1], "]");
}

std::string AccumulatorValue::repr() const {
  return text("<accumulator ", describe(), ": ", typeText(variable_.dtype, shape()), ">");
}

Result<std::shared_ptr<AccumulatorValue>> AccumulatorValue::sliced(const Arg &index) const {
  std::vector<Value> entries;
  if (const auto *tuple = index.value.asTuple())
    entries = *tuple;
  else
    entries = {index.value};
  auto refused = [&] {
    return error("unsupported", index.span,
                 text("an accumulator is taken as a whole, `", name_, "[...]`, or in slices of a multiple of ",
                      units()[0], " rows and of ", units()[1], " columns, known while tracing; `", describe(),
                      "` has the shape ", layouts::tupleText(shape())),
                 {declared()});
  };
  auto dots = std::ranges::find_if(entries, &Value::isEllipsis);
  if (dots != entries.end()) {
    auto at = dots - entries.begin();
    entries.erase(dots);
    if (std::ranges::any_of(entries, &Value::isEllipsis) || entries.size() > 2)
      return refused();
    Value all = Value::slice({}, {}, {});
    entries.insert(entries.begin() + at, 2 - entries.size(), all);
  }
  if (entries.size() > 2)
    return refused();
  auto result = std::make_shared<AccumulatorValue>(*this);
  for (size_t i = 0; i < entries.size(); ++i) {
    auto known = knownSlice(entries[i], shape()[i]);
    if (!known || known->first >= known->second || known->second > shape()[i] || known->first % units()[i] != 0 ||
        known->second % units()[i] != 0)
      return refused();
    result->part_.end[i] = part_.begin[i] + known->second;
    result->part_.begin[i] += known->first;
  }
  return result;
}

core::IrValue AccumulatorValue::taken(core::GpuBuilder &builder, const core::IrValue &all) const {
  Shape mine = shape();
  return whole() ? all : builder.slice(all, {{part_.begin[0], mine[0]}, {part_.begin[1], mine[1]}});
}

void AccumulatorValue::put(core::GpuBuilder &builder, const core::IrValue &value) const {
  core::IrValue result = value;
  if (!whole()) {
    // Join the part with the other parts of the accumulator: first with the columns beside it, then with the rows above
    // and below.
    core::IrValue all = builder.read(variable_);
    Shape mine = shape();
    for (int64_t dimension : {1, 0}) {
      auto around = [&](int64_t begin, int64_t end) {
        std::vector<core::SliceDim> dims{{part_.begin[0], mine[0]}, {int64_t{0}, variable_.shape[1]}};
        dims[static_cast<size_t>(dimension)] = {begin, end - begin};
        return builder.slice(all, dims);
      };
      int64_t begin = part_.begin[dimension], end = part_.end[dimension];
      int64_t size = variable_.shape[static_cast<size_t>(dimension)];
      std::vector<core::IrValue> row;
      if (begin > 0)
        row.push_back(around(0, begin));
      row.push_back(result);
      if (end < size)
        row.push_back(around(end, size));
      if (row.size() > 1)
        result = builder.concatenate(row, dimension);
    }
  }
  builder.write(result, variable_);
}

Result<Value> AccumulatorValue::read(GpuTracer &tracer, const Span &span, std::optional<int64_t> pending) const {
  core::GpuBuilder &builder = tracer.at(span);
  if (pending)
    tracer.openProducts = false;
  core::IrValue all = pending ? builder.wgmmaWait(*pending, variable_) : builder.read(variable_);
  return TracedValue::make(tracer, taken(builder, all), span);
}

void AccumulatorValue::multiply(core::GpuBuilder &builder, const std::variant<core::IrRef, core::IrValue> &a,
                                const core::IrRef &b) const {
  if (whole()) {
    builder.wgmma(variable_, a, b);
    return;
  }
  core::IrVariable part = builder.variable(variable_.dtype, shape());
  builder.write(taken(builder, builder.read(variable_)), part);
  builder.wgmma(part, a, b);
  put(builder, builder.read(part));
}

Result<void> AccumulatorValue::write(GpuTracer &tracer, const Span &span, const Arg &value) const {
  Term operand = LANESCOPE_TRY(termOf(tracer, value, "="));
  if (operand.traced && operand.traced->dtype != variable_.dtype)
    return error(
        "dtype-mismatch", value.span,
        Message("a value of dtype {dtype} is written to `{name}` of dtype {other_dtype}; convert it with `.astype({})`",
                layouts::name(operand.traced->dtype), describe(), layouts::name(variable_.dtype),
                layouts::name(variable_.dtype)),
        {declared()});
  if (!operand.shape().empty() && operand.shape() != shape())
    return error("shape-mismatch", value.span,
                 Message("an array of shape {shape} is written to `{name}` of shape {other_shape}",
                         layouts::tupleText(operand.shape()), describe(), layouts::tupleText(shape())),
                 {declared()});
  if (!operand.traced && operand.number.asFloat() && !layouts::isFloat(variable_.dtype))
    return error("dtype-mismatch", value.span,
                 Message("a float is written to `{name}` of dtype {dtype}", describe(), layouts::name(variable_.dtype)),
                 {declared()});
  core::GpuBuilder &builder = tracer.at(span);
  core::IrValue all = LANESCOPE_TRY(shaped(tracer, operand, variable_.dtype, shape()));
  put(builder, all);
  return {};
}

Result<Value> AccumulatorValue::attribute(Context &context, const std::string &name) {
  if (name == "shape")
    return Value::shape(shape());
  if (name == "dtype")
    return Value(variable_.dtype);
  if (name == "ndim")
    return Value(variable_.shape.size());
  if (name == "at")
    return Value(std::make_shared<AccumulatorAt>(
        std::static_pointer_cast<const AccumulatorValue>(std::as_const(*this).shared_from_this())));
  return context.fail(
      "no-attribute",
      Message("an accumulator has no attribute `{attribute}`; read it first: `{}[...].{}`", name, name_, name));
}

Result<Value> AccumulatorValue::getItem(Context &context, const Arg &index) {
  GpuTracer *tracer = LANESCOPE_TRY(GpuTracer::of(context, trace_));
  auto part = LANESCOPE_TRY(sliced(index));
  return part->read(*tracer, context.span, 0);
}

Result<void> AccumulatorValue::setItem(Context &context, const Arg &index, const Arg &value) {
  GpuTracer *tracer = LANESCOPE_TRY(GpuTracer::of(context, trace_));
  auto part = LANESCOPE_TRY(sliced(index));
  return part->write(*tracer, context.span, value);
}

static std::unexpected<Diagnostics> notAValue(const Context &context, const AccumulatorValue &accumulator,
                                              std::string_view what) {
  return context.fail("type",
                      Message("`{function}` works on values, and `{name}` is an accumulator; read it with `{}[...]`",
                              what, accumulator.name(), accumulator.name()),
                      {accumulator.declared()});
}

Result<Value> AccumulatorValue::unary(Context &context, UnaryOp op) { return notAValue(context, *this, spelling(op)); }

Result<std::optional<Value>> AccumulatorValue::binary(Context &context, BinaryOp op, const Arg &, bool) {
  return notAValue(context, *this, spelling(op));
}

//===------------------------------------ primitives --------------------------------------------------------------===//

namespace {

Result<std::shared_ptr<AccumulatorValue>> accumulatorArgument(GpuTracer &tracer, const BoundArguments &args,
                                                              size_t index) {
  auto accumulator = args[index].value.ref<AccumulatorValue>();
  if (!accumulator)
    return args.wrongType(index, "an accumulator: a parameter that `ACC(…)` in `scratch` stands for");
  LANESCOPE_CHECK(GpuTracer::of({tracer.evaluator(), args[index].span}, accumulator->trace()));
  return accumulator;
}

/// The instruction that multiplies arguments 1 and 2 into argument 0, with these dtypes. An error points at the
/// argument that does not fit.
Result<const layouts::MatrixInstruction *> instructionFor(const Context &context, const BoundArguments &args,
                                                          layouts::MatrixQuery query, Dtype acc, Dtype a, Dtype b) {
  query.a = layouts::multiplicandNamed(a);
  query.b = layouts::multiplicandNamed(b);
  query.d = layouts::accumulatorNamed(acc);
  auto rows = layouts::chooseMatrixInstructions(query);
  if (rows)
    return rows->front();
  using enum layouts::MatrixPart;
  const layouts::MatrixProblem &problem = rows.error();
  if (problem.part != A && problem.part != B && problem.part != D)
    return error("shape-mismatch", context.span, problem.message);
  return error("dtype-mismatch", args[problem.part == A ? 1 : problem.part == B ? 2 : 0].span, problem.message);
}

Result<Value> wgmma(GpuTracer &tracer, Context &context, const BoundArguments &args) {
  auto accumulator = LANESCOPE_TRY(accumulatorArgument(tracer, args, 0));
  auto b = LANESCOPE_TRY(refArgument(tracer, args, 2, core::MemorySpace::Shared));
  Shape aShape;
  Dtype aDtype = Dtype::F16;
  std::shared_ptr<RefValue> aRef = args[1].value.ref<RefValue>();
  Term aTerm;
  if (aRef) {
    aRef = LANESCOPE_TRY(refArgument(tracer, args, 1, core::MemorySpace::Shared));
    aShape = aRef->shape();
    aDtype = aRef->dtype();
  } else {
    aTerm = LANESCOPE_TRY(termOf(tracer, args[1], "wgmma"));
    if (!aTerm.traced || aTerm.traced->isScalar())
      return args.wrongType(1, "an SMEM reference or an array");
    aShape = aTerm.traced->shape;
    aDtype = aTerm.traced->dtype;
  }
  Shape acc = accumulator->shape();
  Shape bShape = b->shape();
  if (aShape.size() != 2 || bShape.size() != 2)
    return error("shape-mismatch", args[aShape.size() != 2 ? 1 : 2].span,
                 Message("`wgmma` multiplies matrices, but this has shape {}",
                         layouts::tupleText(aShape.size() != 2 ? aShape : bShape)));
  if (aShape[1] != bShape[0] || aShape[0] != acc[0] || bShape[1] != acc[1])
    return error("shape-mismatch", context.span,
                 Message("`a` of shape {shape} times `b` of shape {other_shape}{}", layouts::tupleText(aShape),
                         layouts::tupleText(bShape),
                         aShape[1] != bShape[0]
                             ? " do not go together: a has as many columns as b has rows"
                             : text(" does not go into the accumulator of shape ", layouts::tupleText(acc))),
                 {accumulator->declared()});
  layouts::MatrixQuery query = core::kWgmmaQuery;
  query.n = acc[1], query.productM = acc[0], query.productK = aShape[1];
  if (auto row = instructionFor(context, args, query, accumulator->dtype(), aDtype, b->dtype()); !row) {
    row.error().front().notes.push_back(accumulator->declared());
    return std::unexpected(std::move(row.error()));
  }
  core::GpuBuilder &builder = tracer.at(context.span);
  std::variant<core::IrRef, core::IrValue> a;
  if (aRef)
    a = LANESCOPE_TRY(aRef->materialize(tracer));
  else
    a = *aTerm.traced;
  core::IrRef right = LANESCOPE_TRY(b->materialize(tracer));
  accumulator->multiply(builder, a, right);
  tracer.openProducts = true;
  return Value();
}

constexpr int64_t kMaxPending = 7; // more groups are never in flight, and ptxas accepts no more

Result<int64_t> pendingArgument(const BoundArguments &args, size_t index) {
  int64_t pending = LANESCOPE_TRY(args.integerOr(index, 0));
  if (pending < 0 || pending > kMaxPending)
    return args.wrongValue(index,
                           Message("from 0 to {limit} groups can be left pending, not {}", kMaxPending, pending));
  return pending;
}

Result<Value> wgmmaWait(GpuTracer &tracer, Context &context, const BoundArguments &args) {
  int64_t pending = LANESCOPE_TRY(pendingArgument(args, 0));
  tracer.at(context.span).wgmmaWait(pending);
  tracer.openProducts = false;
  return Value();
}

Result<Value> accumulatorDeref(GpuTracer &tracer, Context &context, const BoundArguments &args) {
  auto accumulator = LANESCOPE_TRY(accumulatorArgument(tracer, args, 0));
  return accumulator->read(tracer, context.span, 0);
}

Result<Value> accumulatorLoad(GpuTracer &tracer, Context &context, const BoundArguments &args) {
  auto accumulator = LANESCOPE_TRY(accumulatorArgument(tracer, args, 0));
  if (args.has(1) && args[1].value.isNone())
    return accumulator->read(tracer, context.span, std::nullopt);
  return accumulator->read(tracer, context.span, LANESCOPE_TRY(pendingArgument(args, 1)));
}

Result<Value> accumulatorStore(GpuTracer &tracer, Context &context, const BoundArguments &args) {
  auto accumulator = LANESCOPE_TRY(accumulatorArgument(tracer, args, 0));
  LANESCOPE_CHECK(accumulator->write(tracer, context.span, args[1]));
  return Value();
}

constexpr GpuPrimitive kAccumulatorPrimitives[] = {
    {"wgmma", "wgmma(acc, a, b)",
     "Starts `acc += a @ b` on the tensor cores, a group of its own: `a` in shared memory or registers, `b` in shared "
     "memory, both swizzled. Wait with `wgmma_wait` before `a` or `b` is overwritten. `acc.at[:, :128]` is a part of "
     "an "
     "accumulator.",
     wgmma},
    {"wgmma_wait", "wgmma_wait(n)",
     "Waits until at most `n` (0 to 7) groups of `wgmma` of this warpgroup are pending. Before that, the operands' "
     "memory must not be written.",
     wgmmaWait},
    {"wgmma_accumulator_deref", "wgmma_accumulator_deref(acc)",
     "Waits for all groups of `wgmma` and gives the accumulator's value; `acc[...]` does the same, `acc[:, :64]` for a "
     "part.",
     accumulatorDeref},
    {"wgmma_accumulator_load", "wgmma_accumulator_load(acc, wait_n=0)",
     "The accumulator's value once at most `wait_n` groups are pending; with None, without waiting.", accumulatorLoad},
    {"wgmma_accumulator_store", "wgmma_accumulator_store(acc, value)",
     "Gives the accumulator a value; `acc[...] = value` does the same.", accumulatorStore},
};

Result<Value> accumulatorSpec(Context &context, const BoundArguments &args) {
  auto spec = std::make_shared<AccumulatorSpec>();
  spec->span = context.evaluator.snippetPlace(context.span);
  spec->shape = LANESCOPE_TRY(args.shape(0));
  spec->dtype = LANESCOPE_TRY(args.dtypeOr(1, Dtype::F32));
  const Shape &unit = units();
  if (spec->shape.size() != 2 || spec->shape[0] < 1 || spec->shape[0] % unit[0] != 0 || spec->shape[1] < 1 ||
      spec->shape[1] % unit[1] != 0)
    return args.wrongValue(
        0,
        Message(
            "an accumulator has a multiple of {rows} rows and a multiple of {columns} columns, not the shape {shape}",
            unit[0], unit[1], layouts::tupleText(spec->shape)));
  layouts::MatrixQuery query = core::kWgmmaQuery;
  query.d = layouts::accumulatorNamed(spec->dtype);
  if (auto rows = layouts::chooseMatrixInstructions(query); !rows)
    return args.wrongValue(1, std::move(rows.error().message));
  LANESCOPE_CHECK(checkRegisters(spec->dtype, spec->shape, args[0].span));
  return Value(std::move(spec));
}

} // namespace

std::span<const GpuPrimitive> accumulatorPrimitives() { return kAccumulatorPrimitives; }

Builtin accumulatorBuiltin() {
  return {.name = "ACC",
          .signature = "ACC(shape, dtype=f32)",
          .doc = "An accumulator of `wgmma` in each warpgroup's registers, for `scratch`; zeros at first.",
          .call = accumulatorSpec};
}

} // namespace lanescope::repl
