// Observing a kernel: regions of the trace, prints while it runs.
#include "repl/kernel/functions/Functions.h"
#include "repl/kernel/trace/Traced.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "layouts/support/Words.h"

namespace lanescope::repl {

namespace {

/// The value of `region("name")`, for `with region("name"):` or as `@region("name")` above a function, whose calls then
/// lie in the region.
class RegionValue final : public Object {
public:
  RegionValue(std::string name, TraceId trace, Value function = {})
      : name_(std::move(name)), trace_(trace), function_(std::move(function)) {}
  std::string typeName() const override { return function_.isNone() ? "region" : "function"; }
  bool callable() const override { return true; }
  Result<Value> call(Context &context, const Arguments &arguments) override {
    if (function_.isNone()) {
      if (arguments.positional.size() != 1 || !arguments.keyword.empty())
        return context.fail("arguments", "a region is called with the function that it is above");
      return Value(std::make_shared<RegionValue>(name_, trace_, arguments.positional[0].value));
    }
    LANESCOPE_CHECK(enter(context));
    Value out = LANESCOPE_TRY(context.evaluator.call(function_, arguments, context.span));
    LANESCOPE_CHECK(exit(context));
    return out;
  }
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
  TraceId trace_;
  Value function_; // none until the region decorates a function
};

Result<Value> region(Tracer &tracer, Context &, const BoundArguments &args) {
  std::string name = LANESCOPE_TRY(args.text(0));
  if (name.empty())
    return args.wrongValue(0, "a region needs a name");
  return Value(std::make_shared<RegionValue>(std::move(name), tracer.id()));
}

/// The number of `{}` fields in a format; nullopt if its braces are unbalanced. Only plain fields are supported.
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

Result<Value> debugPrint(Tracer &tracer, Context &context, const BoundArguments &args) {
  std::string format = LANESCOPE_TRY(args.text(0));
  LANESCOPE_CHECK(checkFields(args, format, args.rest().size()));
  std::vector<core::IrValue> values;
  core::KernelBuilder &builder = tracer.at(context.span);
  for (const Arg &argument : args.rest()) {
    if (auto *ref = argument.value.as<Reference>()) {
      LANESCOPE_CHECK(Tracer::of({tracer.evaluator(), argument.span}, ref->trace()));
      if (auto loaded = LANESCOPE_TRY(ref->printed(tracer, argument.span))) {
        values.push_back(*std::move(loaded));
        continue;
      }
    }
    Term value = LANESCOPE_TRY(termOf(tracer, argument, "debug_print"));
    values.push_back(LANESCOPE_TRY(shaped(tracer, value, commonDtype({value}), value.shape())));
  }
  builder.debugPrint(format, values);
  return Value();
}

constexpr Primitive kProbePrimitives[] = {
    {"region", "region(name)", "`with region(\"load\"):` names a part of the kernel in its trace.", region},
    {"debug_print", "debug_print(format, *values)",
     "Prints from inside the kernel; each `{}` of the format stands for one value.", debugPrint},
};

} // namespace

Result<void> checkFields(const BoundArguments &args, const std::string &format, size_t values) {
  auto fields = fieldCount(format);
  if (!fields)
    return args.wrongValue(0, "the format may hold `{}` fields only; write `{{` and `}}` for braces");
  if (*fields != values)
    return args.wrongValue(0, Message("the format has {} `{{}}` fields for {}", *fields, counted(values, "value")));
  return {};
}

std::span<const Primitive> probePrimitives() { return kProbePrimitives; }

} // namespace lanescope::repl
