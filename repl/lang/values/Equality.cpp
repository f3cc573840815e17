#include "repl/lang/values/Equality.h"

#include <algorithm>

namespace lanescope::repl {
namespace {

// A structure with shared parts can represent exponentially many parts.
constexpr int kMaxDepth = 200;
constexpr int64_t kMaxParts = 50'000'000;

/// Compares down to the allowed depth. Deeper values count as different, and `tooDeep` is set.
struct Comparison {
  int64_t budget = kMaxParts;
  bool tooDeep = false;

  bool items(const std::vector<Value> &a, const std::vector<Value> &b, int depth) {
    if (a.size() != b.size())
      return false;
    for (size_t i = 0; i < a.size(); ++i)
      if (!equal(a[i], b[i], depth))
        return false;
    return true;
  }

  bool equal(const Value &a, const Value &b, int depth) {
    if (depth > kMaxDepth || --budget < 0) {
      tooDeep = true;
      return false;
    }
    // A scalar of NumPy or JAX compares as a number.
    if ((a.asArray() && a.plain().number()) || (b.asArray() && b.plain().number())) {
      auto x = a.plain().number(), y = b.plain().number();
      return x && y && *x == *y;
    }
    auto m = a.integer(), n = b.integer();
    if (m && n)
      return *m == *n;
    if (auto x = a.number())
      if (auto y = b.number())
        return *x == *y;
    if (a.identical(b))
      return true;
    if (const auto *tuple = a.asTuple())
      return b.asTuple() && items(*tuple, *b.asTuple(), depth + 1);
    if (const ListData *list = a.asList())
      return b.asList() && items(list->items, b.asList()->items, depth + 1);
    if (const DictData *dict = a.asDict()) {
      const DictData *other = b.asDict();
      if (!other || other->size() != dict->size())
        return false;
      return std::ranges::all_of(dict->items(), [&](const DictData::Item &item) {
        const Value *value = other->find(item.key);
        return value && equal(item.value, *value, depth + 1);
      });
    }
    if (const Layout *layout = a.asLayout())
      return b.asLayout() && *layout == *b.asLayout();
    if (const core::Array *array = a.asArray()) {
      const core::Array *other = b.asArray();
      return other && other->dtype == array->dtype && other->shape == array->shape && other->bytes == array->bytes;
    }
    if (const SliceData *slice = a.asSlice()) {
      const SliceData *other = b.asSlice();
      return other && equal(slice->start, other->start, depth + 1) && equal(slice->stop, other->stop, depth + 1) &&
             equal(slice->step, other->step, depth + 1);
    }
    if (const RangeData *range = a.asRange()) {
      const RangeData *other = b.asRange();
      return other && equal(range->start, other->start, depth + 1) && equal(range->stop, other->stop, depth + 1) &&
             equal(range->step, other->step, depth + 1);
    }
    if (const Object *object = a.asObject())
      return b.asObject() && object->equals(*b.asObject());
    return false;
  }
};

} // namespace

Result<bool> compared(const Value &a, const Value &b) {
  Comparison comparison;
  bool same = comparison.equal(a, b, 0);
  if (comparison.tooDeep)
    return error("too-large", "these values nest too deep, or have too many parts, to be compared");
  return same;
}

} // namespace lanescope::repl
