// The target of a copy or a signal: devices, cores and subcores, by number or by the names of axes.
#include "repl/kernel/tpu/memory/TpuRefs.h"

#include "layouts/support/Try.h"

namespace lanescope::repl {

using layouts::Dtype;

Result<core::TpuBuilder::Elsewhere> PlaceTerms::emitted(TpuTracer &tracer) const {
  core::TpuBuilder::Elsewhere where;
  for (auto [term, part] :
       {std::pair(&device, &where.device), std::pair(&core, &where.core), std::pair(&subcore, &where.subcore)})
    if (*term)
      *part = LANESCOPE_TRY(shaped(tracer, **term, Dtype::I32, {}));
  return where;
}

static Result<Term> placeTerm(TpuTracer &tracer, const BoundArguments &args, size_t index, const Value &value) {
  Term term = LANESCOPE_TRY(termOf(tracer, {value, args[index].span}, args.function));
  if (!term.shape().empty())
    return args.wrongType(index, "an i32, or a dict of i32s by the names of axes");
  return term;
}

Result<PlaceTerms> placeArgument(TpuTracer &tracer, const BoundArguments &args, size_t index) {
  PlaceTerms places;
  if (!args.has(index) || args[index].value.isNone())
    return places;
  const DictData *names = args[index].value.asDict();
  if (!names) {
    places.device = LANESCOPE_TRY(placeTerm(tracer, args, index, args[index].value));
    return places;
  }
  const TpuAxes &axes = tracer.axes();
  for (const auto &[key, value] : names->items()) {
    const std::string *name = key.asStr();
    if (!name)
      return args.wrongType(index, "an i32, or a dict of i32s by the names of axes");
    std::optional<Term> &part = !name->empty() && *name == axes.core      ? places.core
                                : !name->empty() && *name == axes.subcore ? places.subcore
                                                                          : places.device;
    if (part)
      return args.wrongValue(index, Message("`{name}` is a second axis of devices, and there is one", *name));
    part = LANESCOPE_TRY(placeTerm(tracer, args, index, value));
  }
  return places;
}

} // namespace lanescope::repl
