#include "repl/kernel/trace/Tracer.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/kernel/trace/Primitives.h"
#include "repl/kernel/trace/Traced.h"

#include <atomic>

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
                      text("`", what, "` works inside kernels: call it in a function under `@kernel(…)`"));
}

Result<Tracer *> Tracer::of(const Context &context, TraceId trace) {
  auto *tracer = dynamic_cast<Tracer *>(context.evaluator.staging());
  if (tracer && tracer->owns(trace))
    return tracer->checked(context);
  return context.fail("host-stage",
                      "this value belongs to a kernel, or to warp-level code, that is not being traced any "
                      "more; results leave through `Out(…)` arguments, and warps' through memory");
}

TraceId Tracer::separate() {
  TraceId outside = id_;
  id_.number = nextTrace();
  return outside;
}

Result<Tracer *> Tracer::checked(const Context &context) {
  // About ten seconds of compilation; real kernels take less than a tenth of it.
  constexpr int64_t kMaxInstructions = 500'000;
  if (builder_.emitted() > kMaxInstructions)
    return context.fail(
        "too-large", text("the kernel has grown to over ", kMaxInstructions,
                          " instructions a thread; loop with `range` instead of `static_range`, over smaller tiles"));
  return this;
}

Result<std::optional<Value>> Tracer::call(Context &context, const std::string &function, const Arguments &arguments) {
  return primitives().apply(context, function, arguments);
}

Result<core::IrValue> Tracer::elementOf(const core::IrValue &, const std::vector<int64_t> &, const Span &span) {
  return error("unsupported", span,
               "one element of an array is held by some threads only; store the array and load the element");
}

Result<core::IrValue> Tracer::arrayOf(const core::Array &array, const Span &span) {
  return splatOf(*this, array, span);
}

bool Tracer::isTraced(const Value &value) const { return value.as<TracedValue>() != nullptr; }

void Tracer::named(const std::string &name, const Value &value) {
  if (auto *traced = value.as<TracedValue>(); traced && traced->trace() == id_)
    builder_.setName(traced->ir(), name);
}

} // namespace lanescope::repl
