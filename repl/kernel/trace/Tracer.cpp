#include "repl/kernel/trace/Tracer.h"

#include "layouts/support/Try.h"
#include "repl/kernel/trace/Primitives.h"
#include "repl/kernel/trace/Traced.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <ranges>

namespace lanescope::repl {

static uint64_t nextTrace() {
  static std::atomic<uint64_t> count{0};
  return ++count;
}

Tracer::Tracer(Evaluator &evaluator, core::KernelBuilder &builder, const Primitives &primitives)
    : evaluator_(evaluator), builder_(builder), id_{nextTrace(), &primitives} {}

Result<Tracer *> Tracer::current(const Context &context, std::string_view what) {
  if (auto *tracer = dynamic_cast<Tracer *>(context.evaluator.staging()))
    return tracer;
  return context.fail("host-stage",
                      Message("`{function}` works inside kernels: call it in a function under `@kernel(…)`", what));
}

Result<Tracer *> Tracer::of(const Context &context, TraceId trace) {
  auto *tracer = dynamic_cast<Tracer *>(context.evaluator.staging());
  if (tracer && tracer->owns(trace))
    return tracer->checked(context);
  return context.fail("host-stage",
                      "this value belongs to a kernel, or to a loop, branch or warp-level code, that is not being "
                      "traced any more; a kernel's results leave through `Out(…)` arguments, those of loops and "
                      "branches by `return`, and warps' through memory");
}

bool Tracer::owns(TraceId trace) const { return trace == id_ || std::ranges::find(outside_, trace) != outside_.end(); }

Tracer::Parts::Parts(Tracer &tracer) : tracer_(tracer), outside_(tracer.id_), depth_(tracer.outside_.size()) {}

void Tracer::Parts::begin() {
  tracer_.outside_.resize(depth_);
  tracer_.outside_.push_back(outside_);
  tracer_.id_.number = nextTrace();
  made_.push_back(tracer_.id_);
}

void Tracer::Parts::join() { tracer_.outside_.insert(tracer_.outside_.end(), made_.begin(), made_.end()); }

void Tracer::Parts::end() {
  tracer_.outside_.resize(depth_);
  tracer_.id_ = outside_;
}

Result<Tracer *> Tracer::checked(const Context &context) {
  // Compiling so many instructions takes about ten seconds; real kernels have less than a tenth of it.
  constexpr int64_t kMaxInstructions = 500'000;
  if (builder_.emitted() > kMaxInstructions)
    return context.fail("too-large", Message("the kernel has grown to over {limit} instructions a thread; loop with "
                                             "`range` instead of `static_range`, over smaller tiles",
                                             kMaxInstructions));
  return this;
}

Span Tracer::placeOf(const Span &span) const {
  Span place = evaluator_.snippetPlace(span);
  auto isFile = [](const SourceRef &source) { return source && source->name().ends_with(".py"); };
  if (place.source == home || !isFile(place.source) || !isFile(home))
    return place;
  for (const Evaluator::Frame &frame : evaluator_.frames() | std::views::reverse)
    if (frame.call.source == home)
      return frame.call;
  return place;
}

Result<std::optional<Value>> Tracer::call(Context &context, const std::string &function, const Arguments &arguments) {
  return primitives().apply(context, function, arguments);
}

Result<core::IrValue> Tracer::elementOf(const core::IrValue &, const std::vector<int64_t> &, const Span &span) {
  return error("unsupported", span,
               "one element of an array is held by some threads only; store the array and load the element");
}

namespace {

/// Integers in even steps along one dimension, as `jnp.arange` makes them: start + step * index.
struct Ramp {
  int64_t start, step, dimension;
};

std::optional<Ramp> rampOf(const core::Array &array) {
  const int64_t count = layouts::elementCount(array.shape);
  constexpr int64_t kLargest = std::numeric_limits<int32_t>::max();
  if (array.dtype == layouts::Dtype::I1 || count < 2)
    return std::nullopt;
  auto at = [&](int64_t i) -> std::optional<int64_t> {
    const double number = array.number(i); // precise enough to show that it is small
    if (!(std::abs(number) <= static_cast<double>(kLargest)) || std::trunc(number) != number)
      return std::nullopt;
    return layouts::isFloat(array.dtype) ? static_cast<int64_t>(number) : array.integer(i);
  };
  const layouts::Shape strides = layouts::contiguousStrides(array.shape);
  for (size_t d = 0; d < array.shape.size(); ++d) {
    auto start = at(0), next = array.shape[d] > 1 ? at(strides[d]) : std::nullopt;
    if (!start || !next || *start == *next || std::abs(*next - *start) > kLargest)
      continue;
    const Ramp ramp{*start, *next - *start, static_cast<int64_t>(d)};
    for (int64_t i = 0; i < count; ++i)
      if (at(i) != ramp.start + ramp.step * (i / strides[d] % array.shape[d]))
        return std::nullopt;
    return ramp;
  }
  return std::nullopt;
}

} // namespace

Result<core::IrValue> Tracer::arrayOf(const core::Array &array, const Span &span) {
  auto ramp = rampOf(array);
  if (!ramp)
    return splatOf(*this, array, span);
  using layouts::Dtype;
  LANESCOPE_CHECK(kernelDtype(array.dtype, span));
  LANESCOPE_CHECK(checkRegisters(array.dtype, array.shape, span));
  LANESCOPE_CHECK(checkIota(Dtype::I32, array.shape, span));
  core::KernelBuilder &builder = at(span);
  core::IrValue value = builder.iota(Dtype::I32, array.shape, ramp->dimension);
  if (ramp->step != 1)
    value = builder.binary(core::BinaryKind::Multiply, value, builder.constant(Dtype::I32, array.shape, ramp->step));
  if (ramp->start != 0)
    value = builder.binary(core::BinaryKind::Add, value, builder.constant(Dtype::I32, array.shape, ramp->start));
  return builder.cast(value, array.dtype);
}

bool Tracer::isTraced(const Value &value) const { return value.as<TracedValue>() != nullptr; }

void Tracer::named(const std::string &name, const Value &value) {
  if (auto *traced = value.as<TracedValue>(); traced && traced->trace() == id_)
    builder_.setName(traced->ir(), name);
}

} // namespace lanescope::repl
