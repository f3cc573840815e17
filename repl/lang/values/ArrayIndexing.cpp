// Indexing and building of host arrays.
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/lang/values/ArrayOps.h"

#include <algorithm>

namespace lanescope::repl {

Result<SliceSpan> resolveSlice(const SliceData &slice, int64_t size) {
  auto bound = [](const Value &value, std::string_view which) -> Result<std::optional<int64_t>> {
    if (value.isNone())
      return std::nullopt;
    if (auto n = value.integer())
      return n;
    return error("type", text("the ", which, " of a slice must be an int, not ", value.typeName()));
  };
  auto start = LANESCOPE_TRY(bound(slice.start, "start"));
  auto stop = LANESCOPE_TRY(bound(slice.stop, "stop"));
  int64_t step = LANESCOPE_TRY(bound(slice.step, "step")).value_or(1);
  if (step == 0)
    return error("value", "the step of a slice must not be 0");
  // Python's rules: out-of-range bounds are clipped.
  auto clip = [&](int64_t n) {
    if (n < 0)
      n = n < -size ? -1 : n + size;
    return std::clamp<int64_t>(n, step > 0 ? 0 : -1, step > 0 ? size : size - 1);
  };
  int64_t first = start ? clip(*start) : (step > 0 ? 0 : size - 1);
  int64_t last = stop ? clip(*stop) : (step > 0 ? size : -1);
  if (start && *start < -size)
    first = step > 0 ? 0 : -1;
  if (stop && *stop < -size)
    last = step > 0 ? 0 : -1;
  SliceSpan out{first, step, 0};
  if (step > 0 && last > first)
    out.count = (last - first - 1) / step + 1;
  else if (step < 0 && last < first)
    out.count = (first - last - 1) / (step == INT64_MIN ? INT64_MAX : -step) + 1;
  return out;
}

namespace {

/// Where an index leads: a strided view of the array.
struct View {
  int64_t offset = 0;
  Shape shape, strides;
  bool scalar = false; // every dimension has an int: a single element
};

Result<View> viewOf(const Array &array, const Value &index) {
  std::vector<Value> parts;
  if (const auto *tuple = index.asTuple())
    parts = *tuple;
  else
    parts = {index};
  int64_t used = 0, ellipses = 0;
  for (const Value &part : parts) {
    used += part.integer() || part.asSlice();
    ellipses += part.isEllipsis();
  }
  auto rank = static_cast<int64_t>(array.shape.size());
  if (used > rank)
    return error("index-range",
                 text(used, " indices for an array of rank ", rank, " (shape ", layouts::tupleText(array.shape), ")"));
  if (ellipses > 1)
    return error("index-range", "an index has at most one `...`");
  if (ellipses == 0)
    parts.push_back(Value::ellipsis());
  Shape strides = layouts::contiguousStrides(array.shape);
  View view;
  bool allInts = ellipses == 0;
  size_t dim = 0;
  for (const Value &part : parts) {
    if (part.isEllipsis()) {
      for (int64_t i = used; i < rank; ++i, ++dim) {
        view.shape.push_back(array.shape[dim]);
        view.strides.push_back(strides[dim]);
      }
      continue;
    }
    if (part.isNone()) {
      view.shape.push_back(1);
      view.strides.push_back(0);
      allInts = false;
      continue;
    }
    if (part.asBool())
      return error("index-range", "a bool is not an index");
    if (auto n = part.integer()) {
      int64_t size = array.shape[dim], place = *n < 0 ? *n + size : *n;
      if (place < 0 || place >= size)
        return error("index-range", text("index ", *n, " is outside dimension ", dim, " of size ", size));
      view.offset += place * strides[dim++];
      continue;
    }
    const SliceData *slice = part.asSlice();
    if (!slice)
      return error("type", text("an array index is made of ints, slices, `...` and None, not ", part.typeName()));
    SliceSpan span = LANESCOPE_TRY(resolveSlice(*slice, array.shape[dim]));
    if (span.count > 0)
      view.offset += span.start * strides[dim];
    view.shape.push_back(span.count);
    view.strides.push_back(span.count > 1 ? span.step * strides[dim] : 0);
    allInts = false;
    ++dim;
  }
  view.scalar = allInts && view.shape.empty();
  return view;
}

template <typename Visit> void forEach(const View &view, Visit visit) {
  int64_t count = layouts::elementCount(view.shape), offset = view.offset;
  Shape index(view.shape.size(), 0);
  for (int64_t i = 0; i < count; ++i) {
    visit(i, offset);
    for (size_t d = view.shape.size(); d-- > 0;) {
      offset += view.strides[d];
      if (++index[d] < view.shape[d])
        break;
      offset -= view.strides[d] * view.shape[d];
      index[d] = 0;
    }
  }
}

} // namespace

Result<Value> arrayGetItem(const Array &array, const Value &index) {
  View view = LANESCOPE_TRY(viewOf(array, index));
  if (view.scalar)
    return scalarOf(array, view.offset);
  Array out = Array::zeros(array.dtype, view.shape);
  auto width = static_cast<size_t>(layouts::hostBytes(array.dtype));
  forEach(view, [&](int64_t to, int64_t from) {
    std::copy_n(array.bytes.data() + static_cast<size_t>(from) * width, width,
                out.bytes.data() + static_cast<size_t>(to) * width);
  });
  return Value(std::move(out));
}

Result<void> arraySetItem(Array &array, const Value &index, const Value &value) {
  View view = LANESCOPE_TRY(viewOf(array, index));
  if (value.number()) {
    forEach(view, [&](int64_t, int64_t to) { setElement(array, to, value); });
    return {};
  }
  Array source;
  if (const Array *given = value.asArray())
    source = *given;
  else
    source = LANESCOPE_TRY(arrayOf(value, array.dtype));
  source = LANESCOPE_TRY(cast(source, array.dtype));
  source = LANESCOPE_TRY(broadcastTo(source, view.shape));
  forEach(view, [&](int64_t from, int64_t to) { setElement(array, to, elementOf(source, from)); });
  return {};
}

namespace {

const std::vector<Value> *itemsOf(const Value &value) {
  if (const ListData *list = value.asList())
    return &list->items;
  return value.asTuple();
}

struct Nested {
  Shape shape;
  std::vector<Value> scalars;
  bool anyFloat = false, anyInt = false;
};

Result<void> flatten(const Value &value, size_t depth, Nested &out) {
  constexpr size_t kMaxRank = 16;
  if (const auto *items = itemsOf(value)) {
    if (depth >= kMaxRank)
      return error("value", text("the lists nest more than ", kMaxRank, " deep"));
    auto size = static_cast<int64_t>(items->size());
    if (depth == out.shape.size()) {
      if (!out.scalars.empty())
        return error("shape-mismatch", "numbers and lists mix at one depth");
      out.shape.push_back(size);
    } else if (out.shape[depth] != size) {
      return error("shape-mismatch",
                   text("the lists at depth ", depth, " have different lengths: ", out.shape[depth], " and ", size));
    }
    for (const Value &item : *items)
      LANESCOPE_CHECK(flatten(item, depth + 1, out));
    return {};
  }
  if (!value.number())
    return error("type", text("an array is made of numbers, not ", value.typeName()));
  if (depth != out.shape.size())
    return error("shape-mismatch", "numbers and lists mix at one depth");
  out.anyFloat |= value.asFloat() != nullptr;
  out.anyInt |= value.asInt() != nullptr;
  out.scalars.push_back(value);
  return {};
}

} // namespace

Result<Array> arrayOf(const Value &nested, std::optional<Dtype> dtype) {
  Nested flat;
  LANESCOPE_CHECK(flatten(nested, 0, flat));
  if (!checkedCount(flat.shape) || layouts::elementCount(flat.shape) != static_cast<int64_t>(flat.scalars.size()))
    return error("shape-mismatch", "the lists do not form a full array");
  Array out = Array::zeros(dtype.value_or(flat.anyFloat                         ? Dtype::F32
                                          : flat.anyInt || flat.scalars.empty() ? Dtype::I32
                                                                                : Dtype::I1),
                           flat.shape);
  for (size_t i = 0; i < flat.scalars.size(); ++i)
    setElement(out, static_cast<int64_t>(i), flat.scalars[i]);
  return out;
}

} // namespace lanescope::repl
