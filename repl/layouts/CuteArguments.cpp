#include "repl/layouts/CuteArguments.h"

#include "layouts/cute/AtomNames.h"
#include "layouts/notation/cute/Cute.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

namespace lanescope::repl::cutes {

using cute::CuteLayout;
using cute::IntTuple;

Result<int64_t> bitsOf(const BoundArguments &args, size_t index) {
  constexpr int64_t kMost = 1024;
  if (const int64_t *bits = args[index].value.asInt()) {
    if (*bits < 1 || *bits > kMost)
      return args.wrongValue(index,
                             Message("elements of {bits} bits are not supported; 1 to {limit} are", *bits, kMost));
    return *bits;
  }
  if (const std::string *name = args[index].value.asStr())
    if (std::optional<int> bits = cute::bitsOfType(*name))
      return *bits;
  return bitwidth(LANESCOPE_TRY(args.dtype(index)));
}

Result<IntTuple> tupleOf(const BoundArguments &args, size_t index, const Value &value, int depth) {
  if (const int64_t *n = value.asInt()) {
    if (*n > cute::kMaxInt || *n < -cute::kMaxInt)
      return args.wrongValue(index, Message("{} is beyond the supported 2^60", *n));
    return IntTuple(*n);
  }
  if (value.isNone())
    return IntTuple::whole();
  if (const std::string *written = value.asStr())
    return readAt(args, index, *written, layouts::readCuteTuple(*written));
  const auto *items = value.asListOrTuple();
  if (!items)
    return args.wrongType(index, "an int, or a tuple of ints and such tuples");
  if (depth >= cute::kMaxDepth || items->size() > cute::kMaxLeaves)
    return args.wrongValue(index, "nested too deeply, or too long");
  std::vector<IntTuple> out;
  for (const Value &item : *items)
    out.push_back(LANESCOPE_TRY(tupleOf(args, index, item, depth + 1)));
  return IntTuple::of(std::move(out));
}

Result<CuteLayout> cuteOf(const BoundArguments &args, size_t index, const Value &value) {
  if (const std::string *written = value.asStr())
    return readAt(args, index, *written, layouts::readCute(*written));
  if (const layouts::Layout *layout = value.asLayout()) {
    if (const CuteLayout *cute = cute::asCute(*layout))
      return *cute;
    return args.wrongValue(
        index,
        Message("`{}` is a layout of another language; `notation(…, \"cute\", …)` writes it as CuTe's for a shape",
                layouts::layoutText(*layout).substr(0, 80)));
  }
  if (value.asInt() || value.asListOrTuple()) { // the value is a shape, which gets column-major strides
    IntTuple shape = LANESCOPE_TRY(tupleOf(args, index, value));
    return CuteLayout(LANESCOPE_TRY(placed(args, index, cute::Layout::compact(std::move(shape)))));
  }
  return args.wrongType(index, "a CuTe layout, or its text");
}
Result<CuteLayout> cuteOf(const BoundArguments &args, size_t index) { return cuteOf(args, index, args[index].value); }

Result<cute::Layout> plainOf(const BoundArguments &args, size_t index, const CuteLayout &layout, std::string_view why) {
  if (layout.parts().plain && std::holds_alternative<std::monostate>(layout.parts().outer))
    return *layout.parts().plain;
  return args.wrongValue(index, Message("`{layout}` is not a plain layout `shape:stride`; {}", layout.text(), why));
}
Result<cute::Layout> plainOf(const BoundArguments &args, size_t index, std::string_view why) {
  return plainOf(args, index, LANESCOPE_TRY(cuteOf(args, index)), why);
}

Result<cute::Tiler> tilerOf(const BoundArguments &args, size_t index, const Value &value, int depth) {
  if (value.isNone())
    return cute::Tiler::whole();
  if (const std::string *written = value.asStr())
    return readAt(args, index, *written, layouts::readCuteTile(*written));
  if (value.asInt())
    return placed(args, index, cute::Tiler::ofShape(LANESCOPE_TRY(tupleOf(args, index, value))));
  if (const auto *items = value.asListOrTuple()) {
    if (depth >= cute::kMaxDepth || items->size() > cute::kMaxLeaves)
      return args.wrongValue(index, "nested too deeply, or too long");
    std::vector<cute::Tiler> modes;
    for (const Value &item : *items)
      modes.push_back(LANESCOPE_TRY(tilerOf(args, index, item, depth + 1)));
    return cute::Tiler::of(std::move(modes));
  }
  CuteLayout layout = LANESCOPE_TRY(cuteOf(args, index, value));
  if (layout.parts().tile)
    return *layout.parts().tile;
  return cute::Tiler::of(LANESCOPE_TRY(plainOf(args, index, layout, "tiles are")));
}
Result<cute::Tiler> tilerOf(const BoundArguments &args, size_t index) {
  return tilerOf(args, index, args[index].value);
}

Value valueOf(CuteLayout layout) { return Value(cute::toLayout(std::move(layout))); }
Value valueOf(cute::Layout layout) { return valueOf(CuteLayout(std::move(layout))); }

Value valueOf(const IntTuple &tuple) {
  if (tuple.isTuple) {
    std::vector<Value> items;
    for (const IntTuple &item : tuple.items)
      items.push_back(valueOf(item));
    return Value::tuple(std::move(items));
  }
  if (tuple.leaf.kind == cute::Leaf::Kind::Int && tuple.leaf.basis.empty())
    return Value(tuple.leaf.value);
  return Value(dslText(tuple));
}

Result<IntTuple> tupleOf(const BoundArguments &args, size_t index) { return tupleOf(args, index, args[index].value); }

} // namespace lanescope::repl::cutes
