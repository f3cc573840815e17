#include "repl/lang/evaluate/Sorting.h"

#include "layouts/support/Try.h"
#include "repl/lang/evaluate/Operators.h"

#include <algorithm>

namespace lanescope::repl {

Result<Value> apply(Context &context, const Arg &function, const Value &argument) {
  Arguments arguments;
  arguments.positional.push_back({argument, function.span});
  return context.evaluator.call(function.value, arguments, function.span);
}

/// True if a < b, by the objects' own order if they have one.
static Result<bool> less(Context &context, const Value &a, const Value &b) {
  if (!a.asObject() || a.plain().number())
    return lessThan(a, b);
  Value answer =
      LANESCOPE_TRY(context.evaluator.compare(CompareOp::Less, {a, context.span}, {b, context.span}, context.span));
  return context.evaluator.truth(answer, context.span);
}

Result<std::vector<Value>> sortedItems(Context &context, std::vector<Value> items, const Arg *key, bool reverse) {
  std::vector<Value> keys;
  if (key && !key->value.isNone())
    for (const Value &item : items)
      keys.push_back(LANESCOPE_TRY(apply(context, *key, item)));
  else
    keys = items;
  // Uses a merge sort, because it is stable and can stop with an error at any comparison.
  std::vector<size_t> order(items.size()), merged(items.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  for (size_t width = 1; width < order.size(); width *= 2) {
    for (size_t begin = 0; begin < order.size(); begin += 2 * width) {
      size_t middle = std::min(begin + width, order.size()), end = std::min(begin + 2 * width, order.size());
      size_t a = begin, b = middle, out = begin;
      while (a < middle && b < end) {
        LANESCOPE_CHECK(context.evaluator.poll(context.span));
        // With `reverse`, equal items still keep their order.
        bool second = LANESCOPE_TRY(reverse ? less(context, keys[order[a]], keys[order[b]])
                                            : less(context, keys[order[b]], keys[order[a]]));
        merged[out++] = second ? order[b++] : order[a++];
      }
      while (a < middle)
        merged[out++] = order[a++];
      while (b < end)
        merged[out++] = order[b++];
    }
    order.swap(merged);
  }
  std::vector<Value> out;
  for (size_t i : order)
    out.push_back(items[i]);
  return out;
}

} // namespace lanescope::repl
