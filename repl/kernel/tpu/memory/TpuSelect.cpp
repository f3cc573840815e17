// `select_ref`, which lets the device choose one of several references, and a part of memory as a separate reference.
#include "repl/kernel/tpu/memory/TpuMemory.h"
#include "repl/kernel/tpu/memory/TpuRefs.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

namespace lanescope::repl {

namespace {

Result<Value> selectRef(TpuTracer &tracer, Context &context, const BoundArguments &args) {
  Term number = LANESCOPE_TRY(termOf(tracer, args[0], "select_ref"));
  if (!number.shape().empty())
    return args.wrongType(0, "an i32");
  std::vector<std::shared_ptr<TpuRefValue>> refs;
  for (const Arg &given : args.rest()) {
    auto ref = given.value.ref<TpuRefValue>();
    if (!ref)
      return error("type", given.span,
                   Message("`select_ref` chooses among references, and this is `{type}`", given.value.typeName()));
    LANESCOPE_CHECK(TpuTracer::of({tracer.evaluator(), given.span}, ref->trace()));
    if (!refs.empty() &&
        (ref->shape() != refs[0]->shape() || ref->memory() != refs[0]->memory() ||
         ref->base().element != refs[0]->base().element || (ref->holdsNumbers() && ref->dtype() != refs[0]->dtype())))
      return error(
          "type", given.span,
          Message("`select_ref` chooses among references of one type, and `{name}` is of another than `{other_name}`",
                  ref->describe(), refs[0]->describe()),
          {refs[0]->declared(), ref->declared()});
    refs.push_back(std::move(ref));
  }
  if (refs.empty())
    return context.fail("arguments", "`select_ref` needs references to choose among");
  core::IrValue index = LANESCOPE_TRY(shaped(tracer, number, layouts::Dtype::I32, {}));
  tracer.at(context.span);
  std::vector<core::TpuRef> made;
  for (const auto &ref : refs) {
    IndexConstants constants;
    constants.add(tracer, *ref);
    made.push_back(LANESCOPE_TRY(viewed(tracer, *ref, constants)));
  }
  return Value(std::make_shared<TpuRefValue>("select_ref(…)", tracer.builder().selectRef(index, made), tracer.id(),
                                             context.span));
}

Result<Value> namedView(TpuTracer &tracer, Context &context, const BoundArguments &args) {
  auto ref = LANESCOPE_TRY(refArgument(tracer, args, 0));
  std::string name = LANESCOPE_TRY(args.text(1));
  tracer.at(context.span);
  IndexConstants constants;
  constants.add(tracer, *ref);
  core::TpuRef made = LANESCOPE_TRY(viewed(tracer, *ref, constants));
  return Value(std::make_shared<TpuRefValue>(name, made, tracer.id(), context.span));
}

constexpr TpuPrimitive kTpuSelectPrimitives[] = {
    {"named_view", "named_view(ref, name)",
     "A part of memory as a reference of its own, under a name: for pipelines, which give a body the block of a step.",
     namedView},
    {"select_ref", "select_ref(number, *refs)",
     "The reference of that number, chosen on the device; the last one for a number that none has. All are of one "
     "type.",
     selectRef},
};

} // namespace

std::span<const TpuPrimitive> tpuSelectPrimitives() { return kTpuSelectPrimitives; }

} // namespace lanescope::repl
