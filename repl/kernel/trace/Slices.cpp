// Slices of arrays in registers.
#include "layouts/support/Try.h"
#include "repl/kernel/trace/Traced.h"

#include <algorithm>

namespace lanescope::repl {

using core::IrValue;

Result<Value> sliceOf(Context &context, const TracedValue &array, const Arg &index) {
  Tracer *tracer = LANESCOPE_TRY(Tracer::of(context, array.trace()));
  const IrValue &value = array.ir();
  std::vector<Value> entries = index.value.asTuple() ? *index.value.asTuple() : std::vector{index.value};
  auto fail = [&](Message what) { return error("out-of-bounds", index.span, std::move(what)); };
  auto dots = std::ranges::find_if(entries, &Value::isEllipsis);
  if (dots != entries.end()) {
    size_t at = static_cast<size_t>(dots - entries.begin());
    entries.erase(dots);
    if (entries.size() <= value.shape.size())
      entries.insert(entries.begin() + static_cast<ptrdiff_t>(at), value.shape.size() - entries.size(),
                     Value::slice({}, {}, {}));
  }
  if (entries.size() > value.shape.size())
    return fail(Message("there are {indices} indices for an array of rank {rank}", entries.size(), value.shape.size()));
  std::vector<core::SliceDim> dims;
  bool kept = false;
  for (size_t d = 0; d < value.shape.size(); ++d) {
    int64_t size = value.shape[d], start = 0, stop = size;
    if (d < entries.size()) {
      if (const int64_t *known = entries[d].asInt()) {
        start = *known < 0 ? *known + size : *known;
        if (start < 0 || start >= size)
          return fail(
              Message("index {index} is outside of dimension {dimension}, which has size {size}", *known, d, size));
        dims.push_back({start, 1, false});
        continue;
      }
      const SliceData *slice = entries[d].asSlice();
      if (!slice || (!slice->step.isNone() && slice->step.integer() != 1))
        return error("unsupported", index.span,
                     "an array in registers is sliced by starts and stops that are known while tracing; index the "
                     "reference that it was read from for others");
      for (auto [bound, target] : {std::pair(&slice->start, &start), std::pair(&slice->stop, &stop)}) {
        if (bound->isNone())
          continue;
        const int64_t *known = bound->asInt();
        if (!known)
          return error("type", index.span, Message("a slice's bounds are ints, not `{type}`", bound->typeName()));
        *target = *known < 0 ? *known + size : *known;
      }
      if (start < 0 || stop > size || start >= stop)
        return fail(Message("the slice {}:{} is not inside of dimension {dimension}, which has size {size}", start,
                            stop, d, size));
    }
    dims.push_back({start, stop - start, true});
    kept = true;
  }
  if (!kept) {
    std::vector<int64_t> places;
    for (const core::SliceDim &dim : dims)
      places.push_back(std::get<int64_t>(dim.start));
    tracer->at(context.span);
    return TracedValue::make(*tracer, LANESCOPE_TRY(tracer->elementOf(value, places, index.span)), context.span);
  }
  return TracedValue::make(*tracer, tracer->at(context.span).slice(value, dims), context.span);
}

} // namespace lanescope::repl
