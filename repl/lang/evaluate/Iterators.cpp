#include "repl/lang/evaluate/Iterators.h"

#include "layouts/support/Try.h"

namespace lanescope::repl {

Result<std::shared_ptr<Iterator>> Iterator::make(const Context &context, std::string type, Next next, int sources) {
  constexpr int kDeepest = 100;
  if (sources >= kDeepest)
    return context.fail(
        "nesting",
        Message("more than {limit} iterators take items from each other; make a list of one of them", kDeepest));
  return std::shared_ptr<Iterator>(new Iterator(std::move(type), std::move(next), sources + 1));
}

Result<std::shared_ptr<Iterator>> Iterator::of(Context &context, const Value &value, const Span &span) {
  if (auto known = value.ref<Iterator>())
    return known;
  std::vector<Value> items = LANESCOPE_TRY(context.evaluator.iterate(value, span));
  return make(context, "iterator",
              [items = std::move(items), at = size_t{0}](Context &) mutable -> Result<std::optional<Value>> {
                return at < items.size() ? std::optional(items[at++]) : std::nullopt;
              });
}

Result<std::optional<Value>> Iterator::next(Context &context) {
  if (ended_)
    return std::nullopt;
  LANESCOPE_CHECK(context.evaluator.poll(context.span));
  auto item = LANESCOPE_TRY(next_(context));
  ended_ |= !item;
  return item;
}

Result<std::vector<Value>> Iterator::iterate(Context &context) {
  std::vector<Value> out;
  while (auto item = LANESCOPE_TRY(next(context))) {
    out.push_back(*std::move(item));
    if (static_cast<int64_t>(out.size()) > context.evaluator.limits().containerItems)
      LANESCOPE_CHECK(context.evaluator.reserveItems(static_cast<int64_t>(out.size()), context.span));
  }
  return out;
}

} // namespace lanescope::repl
