// Looking inside a kernel: regions of the trace, prints while it runs, layouts while it compiles.
#include "repl/kernel/trace/Primitives.h"
#include "repl/kernel/gpu/memory/Refs.h"
#include "repl/kernel/trace/Traced.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

namespace lanescope::repl {

namespace {

/// `with region("name"):`
class RegionValue final : public Object {
public:
  RegionValue(std::string name, uint64_t trace) : name_(std::move(name)), trace_(trace) {}
  std::string typeName() const override { return "region"; }
  Result<Value> enter(Context &context) override {
    Tracer *tracer = LANESCOPE_TRY(Tracer::of(context, trace_));
    tracer->at(context.span).regionBegin(name_);
    return Value(shared_from_this());
  }
  Result<void> exit(Context &context) override {
    Tracer *tracer = LANESCOPE_TRY(Tracer::of(context, trace_));
    tracer->at(context.span).regionEnd(name_);
    return {};
  }

private:
  std::string name_;
  uint64_t trace_;
};

Result<Value> region(Tracer &tracer, Context &, const BoundArguments &args) {
  std::string name = LANESCOPE_TRY(args.text(0));
  if (name.empty())
    return args.wrongValue(0, "a region needs a name");
  return Value(std::make_shared<RegionValue>(std::move(name), tracer.id()));
}

/// `{}` fields of a format; nullopt when its braces are unbalanced. Only plain fields are known.
std::optional<size_t> fieldCount(std::string_view format) {
  size_t fields = 0;
  for (size_t i = 0; i < format.size(); ++i) {
    bool doubled = i + 1 < format.size() && format[i + 1] == format[i];
    if (format[i] == '{') {
      if (!doubled) {
        if (i + 1 >= format.size() || format[i + 1] != '}')
          return std::nullopt;
        ++fields;
      }
      ++i;
    } else if (format[i] == '}') {
      if (!doubled)
        return std::nullopt;
      ++i;
    }
  }
  return fields;
}

Result<void> checkFields(const BoundArguments &args, const std::string &format, size_t values) {
  auto fields = fieldCount(format);
  if (!fields)
    return args.wrongValue(0, "the format may hold `{}` fields only; write `{{` and `}}` for braces");
  if (*fields != values)
    return args.wrongValue(
        0, text("the format has ", *fields, " `{}` fields for ", values, values == 1 ? " value" : " values"));
  return {};
}

Result<Value> debugPrint(Tracer &tracer, Context &context, const BoundArguments &args) {
  std::string format = LANESCOPE_TRY(args.text(0));
  LANESCOPE_CHECK(checkFields(args, format, args.rest().size()));
  std::vector<core::IrValue> values;
  core::KernelBuilder &builder = tracer.at(context.span);
  for (const Arg &argument : args.rest()) {
    Term value = LANESCOPE_TRY(termOf(tracer, argument, "debug_print"));
    values.push_back(LANESCOPE_TRY(shaped(tracer, value, commonDtype({value}), value.shape())));
  }
  builder.debugPrint(format, values);
  return Value();
}

Result<Value> printLayout(Tracer &tracer, Context &context, const BoundArguments &args) {
  std::string format = LANESCOPE_TRY(args.text(0));
  LANESCOPE_CHECK(checkFields(args, format, 1));
  if (auto *ref = args[1].value.as<RefValue>()) {
    if (ref->space() != core::MemorySpace::Shared)
      return args.wrongValue(1, text("`", ref->name(),
                                     "` is in global memory, which has no layout; pass an array or "
                                     "an SMEM reference"));
    tracer.at(context.span).printLayout(format, LANESCOPE_TRY(ref->materialize(tracer)));
    return Value();
  }
  auto *array = args[1].value.as<TracedValue>();
  if (!array || array->ir().isScalar())
    return args.wrongType(1, "an array of the kernel or an SMEM reference");
  LANESCOPE_CHECK(Tracer::of(context, array->trace()));
  tracer.at(context.span).printLayout(format, array->ir());
  return Value();
}

constexpr Primitive kPrimitives[] = {
    {"region", "region(name)", "`with region(\"load\"):` names a part of the kernel in its trace.", region},
    {"debug_print", "debug_print(format, *values)",
     "Prints from inside the kernel; each `{}` of the format stands for one value.", debugPrint},
    {"print_layout", "print_layout(format, x)",
     "Prints, while the kernel compiles, the layout of an array or the transforms of a shared-memory reference.",
     printLayout},
};

} // namespace

std::span<const Primitive> probePrimitives() { return kPrimitives; }

} // namespace lanescope::repl
