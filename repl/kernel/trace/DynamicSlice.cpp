#include "repl/kernel/trace/DynamicSlice.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/kernel/trace/Traced.h"

namespace lanescope::repl {

Result<int64_t> DynamicSlice::size() const {
  if (const int64_t *known = size_.value.asInt())
    return *known;
  return error("unsupported", size_.span,
               "a slice of this reference has a size that is known while tracing; its start may come from the device");
}

std::string DynamicSlice::repr() const {
  return text("ds(", lanescope::repl::repr(start_.value), ", ", lanescope::repl::repr(size_.value), ")");
}

Builtin dynamicSliceBuiltin() {
  return {.name = "ds",
          .signature = "ds(start, size)",
          .doc = "A slice of `size` elements from `start`, for references: `ref[ds(64 * i, 64)]`. `start` may be known "
                 "on the device only; for copies of a SparseCore `size` may, too.",
          .call = [](Context &, const BoundArguments &args) -> Result<Value> {
            if (!args[1].value.as<TracedValue>())
              if (int64_t size = LANESCOPE_TRY(args.integer(1)); size < 1)
                return args.wrongValue(1, Message("a slice has at least one element, not {size}", size));
            Arg start{args[0].value.plain(), args[0].span}, size{args[1].value.plain(), args[1].span};
            if (!start.value.asInt() && !start.value.as<TracedValue>())
              return args.wrongType(0, "an int");
            return Value(std::make_shared<DynamicSlice>(start, size));
          }};
}

} // namespace lanescope::repl
