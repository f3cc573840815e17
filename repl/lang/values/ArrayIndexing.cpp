// Indexing and building of host arrays.
#include "repl/lang/values/ArrayIndexing.h"

#include "layouts/support/Try.h"
#include "repl/lang/values/ArrayViews.h"

#include <algorithm>
#include <utility>

namespace lanescope::repl {

Result<SliceSpan> resolveSlice(const SliceData &slice, int64_t size) {
  auto bound = [](const Value &value, std::string_view which) -> Result<std::optional<int64_t>> {
    if (value.isNone())
      return std::nullopt;
    if (auto n = value.plain().integer())
      return n;
    return error("type", Message("the {} of a slice must be an int, not {type}", which, value.typeName()));
  };
  auto start = LANESCOPE_TRY(bound(slice.start, "start"));
  auto stop = LANESCOPE_TRY(bound(slice.stop, "stop"));
  int64_t step = LANESCOPE_TRY(bound(slice.step, "step")).value_or(1);
  if (step == 0)
    return error("value", "the step of a slice must not be 0");
  // By Python's rules, bounds outside the range are clipped.
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

std::vector<Value> partsOf(const Value &index) {
  std::vector<Value> parts;
  if (const auto *tuple = index.asTuple())
    parts = *tuple;
  else
    parts = {index};
  for (Value &part : parts)
    part = part.plain();
  return parts;
}

} // namespace

Result<IndexedPlaces> placesAt(const ArrayPlaces &from, const Value &index) {
  std::vector<Value> parts = partsOf(index);
  int64_t used = 0, ellipses = 0;
  for (const Value &part : parts) {
    used += part.integer() || part.asSlice();
    ellipses += part.isEllipsis();
  }
  auto rank = static_cast<int64_t>(from.shape.size());
  if (used > rank)
    return error("index-range", Message("there are {indices} indices for an array of rank {rank} (shape {shape})", used,
                                        rank, layouts::tupleText(from.shape)));
  if (ellipses > 1)
    return error("index-range", "an index has at most one `...`");
  if (ellipses == 0)
    parts.push_back(Value::ellipsis());
  IndexedPlaces out;
  ArrayPlaces &view = out.places;
  view.offset = from.offset;
  bool allInts = ellipses == 0;
  size_t dim = 0;
  for (const Value &part : parts) {
    if (part.isEllipsis()) {
      for (int64_t i = used; i < rank; ++i, ++dim) {
        view.shape.push_back(from.shape[dim]);
        view.strides.push_back(from.strides[dim]);
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
      int64_t size = from.shape[dim], place = *n < 0 ? *n + size : *n;
      if (place < 0 || place >= size)
        return error("index-range",
                     Message("index {index} is outside dimension {dimension} of size {size}", *n, dim, size));
      view.offset += place * from.strides[dim++];
      continue;
    }
    const SliceData *slice = part.asSlice();
    if (!slice)
      return error("type",
                   Message("an array index is made of ints, slices, `...` and None, not {type}", part.typeName()));
    SliceSpan span = LANESCOPE_TRY(resolveSlice(*slice, from.shape[dim]));
    if (span.count > 0)
      view.offset += span.start * from.strides[dim];
    view.shape.push_back(span.count);
    view.strides.push_back(span.count > 1 ? span.step * from.strides[dim] : 0);
    allInts = false;
    ++dim;
  }
  out.element = allInts && view.shape.empty();
  return out;
}

namespace {

template <typename Visit> void forEach(const ArrayPlaces &view, Visit visit) {
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

/// The elements that an index with arrays takes: NumPy's "advanced indexing".
struct Selection {
  Shape shape;
  std::vector<int64_t> offsets;
};

bool isArrayIndex(const Value &part) { return part.asArray() || part.asList(); }

/// The positions that a slice or an array of ints names along one dimension. `along`: the shape of the positions.
struct Taken {
  std::vector<int64_t> places; // multiplied by the dimension's stride
  Shape along;
  bool advanced = false;
};

Result<std::vector<Taken>> takenOf(const ArrayPlaces &from, const std::vector<Value> &parts) {
  std::vector<Taken> out;
  size_t dim = 0, rank = from.shape.size(), used = 0;
  for (const Value &part : parts) {
    const Array *mask = part.asArray();
    used += mask && mask->dtype == Dtype::I1 ? mask->shape.size() : part.isNone() || part.isEllipsis() ? 0 : 1;
  }
  if (used > rank)
    return error("index-range", Message("there are {indices} indices for an array of rank {rank}", used, rank));
  auto whole = [&] {
    Taken all{{}, {from.shape[dim]}, false};
    for (int64_t i = 0; i < from.shape[dim]; ++i)
      all.places.push_back(i * from.strides[dim]);
    ++dim;
    return all;
  };
  bool dots = false;
  for (const Value &part : parts) {
    if (part.isEllipsis()) {
      if (std::exchange(dots, true))
        return error("index-range", "an index has at most one `...`");
      for (size_t rest = rank - used; rest > 0; --rest)
        out.push_back(whole());
      continue;
    }
    if (part.isNone()) {
      out.push_back({{0}, {1}, false});
      continue;
    }
    if (const SliceData *slice = part.asSlice()) {
      SliceSpan span = LANESCOPE_TRY(resolveSlice(*slice, from.shape[dim]));
      Taken some{{}, {span.count}, false};
      for (int64_t i = 0; i < span.count; ++i)
        some.places.push_back((span.start + i * span.step) * from.strides[dim]);
      ++dim;
      out.push_back(std::move(some));
      continue;
    }
    Array indices;
    if (part.integer()) {
      indices = Array::zeros(Dtype::I64, {});
      indices.setInteger(0, *part.integer());
    } else if (part.asList()) {
      indices = LANESCOPE_TRY(arrayOf(part, std::nullopt));
      if (indices.size() == 0)
        indices = LANESCOPE_TRY(cast(indices, Dtype::I64));
    } else if (part.asArray()) {
      indices = *part.asArray();
    } else {
      return error("type", Message("an array index is made of ints, slices, arrays, `...` and None, not {type}",
                                   part.typeName()));
    }
    if (indices.dtype == Dtype::I1) { // the mask stands for the positions where it is true
      for (size_t d = 0; d < indices.shape.size(); ++d)
        if (indices.shape[d] != from.shape[dim + d])
          return error("shape-mismatch",
                       Message("the mask of shape {shape} does not fit dimension {dimension} of size {size}",
                               layouts::tupleText(indices.shape), dim + d, from.shape[dim + d]));
      Shape inner = layouts::contiguousStrides(indices.shape);
      std::vector<Taken> each(indices.shape.size());
      for (int64_t i = 0; i < indices.size(); ++i)
        if (indices.integer(i) != 0)
          for (size_t d = 0; d < each.size(); ++d)
            each[d].places.push_back(i / inner[d] % indices.shape[d] * from.strides[dim + d]);
      for (Taken &one : each) {
        one.along = {static_cast<int64_t>(one.places.size())};
        one.advanced = true;
        out.push_back(std::move(one));
      }
      dim += each.size();
      continue;
    }
    if (layouts::isFloat(indices.dtype))
      return error("type", "an array of floats is no index; convert it with `astype`");
    Taken some{{}, indices.shape, true};
    int64_t size = from.shape[dim];
    for (int64_t i = 0; i < indices.size(); ++i) {
      int64_t n = indices.integer(i), place = n < 0 ? n + size : n;
      if (place < 0 || place >= size)
        return error("index-range",
                     Message("index {index} is outside dimension {dimension} of size {size}", n, dim, size));
      some.places.push_back(place * from.strides[dim]);
    }
    ++dim;
    out.push_back(std::move(some));
  }
  while (dim < rank)
    out.push_back(whole());
  return out;
}

Result<Selection> selectionOf(const ArrayPlaces &from, const std::vector<Value> &parts) {
  std::vector<Taken> taken = LANESCOPE_TRY(takenOf(from, parts));
  // The index arrays are broadcast together. Their dimensions stand at the place of the first array, or in front if
  // other entries stand between the arrays.
  Shape joint;
  size_t first = taken.size(), last = 0, count = 0;
  for (size_t i = 0; i < taken.size(); ++i)
    if (taken[i].advanced) {
      joint = LANESCOPE_TRY(broadcastShapes(joint, taken[i].along));
      first = std::min(first, i);
      last = i;
      ++count;
    }
  bool together = count == 0 || last - first + 1 == count;
  size_t place = together ? first : 0;
  std::vector<int64_t> arrays(static_cast<size_t>(layouts::elementCount(joint)), 0);
  for (const Taken &one : taken) {
    if (!one.advanced)
      continue;
    Array offsets = Array::zeros(Dtype::I64, one.along);
    for (size_t i = 0; i < one.places.size(); ++i)
      offsets.setInteger(static_cast<int64_t>(i), one.places[i]);
    Array spread = LANESCOPE_TRY(broadcastTo(offsets, joint));
    for (size_t i = 0; i < arrays.size(); ++i)
      arrays[i] += spread.integer(static_cast<int64_t>(i));
  }
  Selection out{{}, {from.offset}};
  auto multiply = [&](const std::vector<int64_t> &places, const Shape &along) {
    std::vector<int64_t> next;
    next.reserve(out.offsets.size() * places.size());
    for (int64_t base : out.offsets)
      for (int64_t offset : places)
        next.push_back(base + offset);
    out.offsets = std::move(next);
    out.shape.insert(out.shape.end(), along.begin(), along.end());
  };
  for (size_t i = 0; i <= taken.size(); ++i) {
    if (i == place && count > 0)
      multiply(arrays, joint);
    if (i < taken.size() && !taken[i].advanced)
      multiply(taken[i].places, taken[i].along);
  }
  return out;
}

} // namespace

bool hasArrayIndex(const Value &index) { return std::ranges::any_of(partsOf(index), isArrayIndex); }

void gather(const Array &from, const ArrayPlaces &places, Array &out) {
  const auto width = static_cast<size_t>(layouts::hostBytes(from.dtype));
  out.shape = places.shape;
  out.bytes.resize(static_cast<size_t>(layouts::elementCount(places.shape)) * width);
  forEach(places, [&](int64_t to, int64_t at) {
    std::copy_n(from.bytes.data() + static_cast<size_t>(at) * width, width,
                out.bytes.data() + static_cast<size_t>(to) * width);
  });
}

void scatter(const Array &from, const ArrayPlaces &places, Array &out) {
  const auto width = static_cast<size_t>(layouts::hostBytes(from.dtype));
  forEach(places, [&](int64_t at, int64_t to) {
    std::copy_n(from.bytes.data() + static_cast<size_t>(at) * width, width,
                out.bytes.data() + static_cast<size_t>(to) * width);
  });
}

Result<Value> arrayGetItem(const Array &array, const Value &index, ArrayRules rules) {
  return arrayGetItem(array, rowMajor(array.shape), index, rules);
}

Result<void> arraySetItem(Array &array, const Value &index, const Value &value) {
  return arraySetItem(array, rowMajor(array.shape), index, value);
}

Result<Value> arrayGetItem(const Array &array, const ArrayPlaces &places, const Value &index, ArrayRules rules) {
  std::vector<Value> parts = partsOf(index);
  if (std::ranges::any_of(parts, isArrayIndex)) {
    Selection selection = LANESCOPE_TRY(selectionOf(places, parts));
    Array out = Array::zeros(array.dtype, selection.shape);
    auto width = static_cast<size_t>(layouts::hostBytes(array.dtype));
    for (size_t i = 0; i < selection.offsets.size(); ++i)
      std::copy_n(array.bytes.data() + static_cast<size_t>(selection.offsets[i]) * width, width,
                  out.bytes.data() + i * width);
    return Value(std::move(out), rules);
  }
  IndexedPlaces part = LANESCOPE_TRY(placesAt(places, index));
  if (part.element && rules == ArrayRules::Snippet)
    return scalarOf(array, part.places.offset);
  Array out{array.dtype, {}, {}};
  gather(array, part.places, out);
  return Value(std::move(out), rules);
}

namespace {

/// The source of a write to a place of that shape, broadcast to the shape. As in NumPy, it may have further leading
/// dimensions of size 1.
Result<Array> broadcastToPlace(Array source, const Shape &shape) {
  while (source.shape.size() > shape.size() && source.shape.front() == 1)
    source.shape.erase(source.shape.begin());
  return broadcastTo(source, shape);
}

} // namespace

Result<void> arraySetItem(Array &array, const ArrayPlaces &places, const Value &index, const Value &given) {
  Value value = given.plain();
  std::vector<Value> parts = partsOf(index);
  if (std::ranges::any_of(parts, isArrayIndex)) {
    Selection selection = LANESCOPE_TRY(selectionOf(places, parts));
    Array source = value.asArray() ? *value.asArray() : LANESCOPE_TRY(arrayOf(value, array.dtype));
    source = LANESCOPE_TRY(broadcastToPlace(LANESCOPE_TRY(cast(source, array.dtype)), selection.shape));
    for (size_t i = 0; i < selection.offsets.size(); ++i)
      setElement(array, selection.offsets[i], elementOf(source, static_cast<int64_t>(i)));
    return {};
  }
  ArrayPlaces view = LANESCOPE_TRY(placesAt(places, index)).places;
  if (value.number()) {
    forEach(view, [&](int64_t, int64_t to) { setElement(array, to, value); });
    return {};
  }
  Array source;
  if (const Array *given = value.asArray())
    source = *given;
  else
    source = LANESCOPE_TRY(arrayOf(value, array.dtype));
  source = LANESCOPE_TRY(broadcastToPlace(LANESCOPE_TRY(cast(source, array.dtype)), view.shape));
  forEach(view, [&](int64_t from, int64_t to) { setElement(array, to, elementOf(source, from)); });
  return {};
}

namespace {

struct Nested {
  Shape shape;
  std::vector<Value> scalars;
  bool anyFloat = false, anyInt = false;
};

Result<void> flatten(const Value &value, size_t depth, Nested &out) {
  constexpr size_t kMaxRank = 16;
  if (const auto *items = value.asListOrTuple()) {
    if (depth >= kMaxRank)
      return error("value", Message("the lists nest more than {limit} deep", kMaxRank));
    auto size = static_cast<int64_t>(items->size());
    if (depth == out.shape.size()) {
      if (!out.scalars.empty())
        return error("shape-mismatch", "numbers and lists mix at one depth");
      out.shape.push_back(size);
    } else if (out.shape[depth] != size) {
      return error("shape-mismatch",
                   Message("the lists at depth {depth} have different lengths: {size} and {other_size}", depth,
                           out.shape[depth], size));
    }
    for (const Value &item : *items)
      LANESCOPE_CHECK(flatten(item, depth + 1, out));
    return {};
  }
  if (const Array *array = value.asArray(); array && !array->shape.empty()) { // the array counts as a list of its parts
    for (int64_t i = 0; i < array->shape[0]; ++i) {
      if (i == 0 && depth == out.shape.size())
        out.shape.push_back(array->shape[0]);
      if (depth >= out.shape.size() || out.shape[depth] != array->shape[0])
        return error("shape-mismatch", "the arrays and lists do not form a full array");
      LANESCOPE_CHECK(flatten(LANESCOPE_TRY(arrayGetItem(*array, Value(i), ArrayRules::Jax)), depth + 1, out));
    }
    return {};
  }
  Value number = value.asArray() ? elementOf(*value.asArray(), 0) : value;
  if (!number.number())
    return error("type", Message("an array is made of numbers, not {type}{}", value.typeName(),
                                 value.typeName().starts_with("traced ")
                                     ? "; arrays of a kernel are put together in shared memory, part by part"
                                     : ""));
  if (depth != out.shape.size())
    return error("shape-mismatch", "numbers and lists mix at one depth");
  out.anyFloat |= number.asFloat() != nullptr;
  out.anyInt |= number.asInt() != nullptr;
  out.scalars.push_back(number);
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
