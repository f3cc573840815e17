#include "repl/lang/values/ArrayViews.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/lang/values/ArrayIndexing.h"

#include <utility>

namespace lanescope::repl {
namespace {

/// The data of the array that owns the elements: the array itself, or a view's base.
ArrayData &keeper(const Value &array) {
  ArrayData &data = *array.asArrayData();
  return data.base.isNone() ? data : *data.base.asArrayData();
}

ArrayPlaces placesOf(const Value &array) {
  const ArrayData &data = *array.asArrayData();
  return data.base.isNone() ? rowMajor(data.array.shape) : data.places;
}

/// The kind of a dtype. NumPy casts implicitly to the same kind and to the kinds with higher numbers.
int kindOf(Dtype dtype) {
  return dtype == Dtype::I1 ? 0 : layouts::isFloat(dtype) ? 3 : layouts::isUnsignedInteger(dtype) ? 1 : 2;
}

/// The strides of a shape with the same elements in the same order; nothing if no strides describe it.
std::optional<Shape> stridesFor(const ArrayPlaces &from, const Shape &shape) {
  Shape strides(shape.size(), 0);
  if (layouts::elementCount(shape) == 0)
    return strides;
  // Groups the dimensions of both shapes, from the back, until the groups have equal numbers of elements. The old
  // dimensions of each group must be evenly strided.
  size_t before = from.shape.size(), now = shape.size();
  while (now > 0) {
    if (shape[now - 1] == 1) {
      --now;
      continue;
    }
    while (from.shape[before - 1] == 1)
      --before;
    int64_t stride = from.strides[before - 1], old = from.shape[before - 1], made = 1, next = stride;
    --before;
    while (made != old) {
      if (made < old) {
        strides[--now] = next;
        made *= shape[now];
        next *= shape[now];
        continue;
      }
      --before;
      if (from.shape[before] != 1 && from.strides[before] != stride * old)
        return std::nullopt;
      old *= from.shape[before];
    }
  }
  return strides;
}

} // namespace

ArrayPlaces rowMajor(const Shape &shape) { return {0, shape, layouts::contiguousStrides(shape)}; }

void lookAgain(ArrayData &view) {
  const ArrayData &base = *view.base.asArrayData();
  if (view.changes == base.changes)
    return;
  gather(base.array, view.places, view.array);
  view.changes = base.changes;
}

Result<Value> itemOfArray(const Value &array, const Value &index) {
  const ArrayRules rules = array.arrayRules();
  const Array &elements = keeper(array).array;
  ArrayPlaces places = placesOf(array);
  if (rules == ArrayRules::Jax || hasArrayIndex(index))
    return arrayGetItem(elements, places, index, rules);
  IndexedPlaces part = LANESCOPE_TRY(placesAt(places, index));
  if (part.element)
    return arrayGetItem(elements, places, index, rules);
  return Value::view(array, std::move(part.places));
}

Result<void> setItemOfArray(const Value &array, const Value &index, const Value &value) {
  ArrayData &kept = keeper(array);
  LANESCOPE_CHECK(arraySetItem(kept.array, placesOf(array), index, value));
  ++kept.changes;
  return {};
}

void overwrite(const Value &array, Array elements) {
  ArrayData &kept = keeper(array);
  if (array.asArrayData() == &kept)
    kept.array.bytes = std::move(elements.bytes);
  else
    scatter(elements, placesOf(array), kept.array);
  ++kept.changes;
}

Result<void> storeInPlace(const Value &array, const Array &result, BinaryOp op) {
  const Array &own = array.asArrayData()->array;
  const std::string sign = text("`", spelling(op), "=`");
  if (result.shape != own.shape)
    return error("shape-mismatch", Message("{operator} keeps the array's shape {shape}; the result has {other_shape}",
                                           sign, layouts::tupleText(own.shape), layouts::tupleText(result.shape)));
  if (kindOf(result.dtype) > kindOf(own.dtype))
    return error("type", Message("{operator} keeps the array's dtype `{dtype}`, and the result is of `{other_dtype}`; "
                                 "write `x = x {} …`, or convert with `astype` first",
                                 sign, layouts::name(own.dtype), layouts::name(result.dtype), spelling(op)));
  overwrite(array, LANESCOPE_TRY(cast(result, own.dtype)));
  return {};
}

bool changesInPlace(const Value &array) {
  const ArrayData *data = array.asArrayData();
  return data && data->rules != ArrayRules::Jax && !(data->array.shape.empty() && data->base.isNone());
}

Result<void> mayWrite(const Value &array) {
  const ArrayData *data = array.asArrayData();
  if (data && data->rules == ArrayRules::Jax)
    return error("type", "JAX's arrays do not change; write to a copy: `x = x.copy()`");
  return {};
}

Result<Value> transposed(const Value &array, std::vector<int64_t> axes) {
  if (array.arrayRules() == ArrayRules::Jax)
    return Value(LANESCOPE_TRY(transpose(*array.asArray(), std::move(axes))), ArrayRules::Jax);
  ArrayPlaces from = placesOf(array), to{from.offset, {}, {}};
  for (int64_t axis : LANESCOPE_TRY(checkedAxes(from.shape.size(), std::move(axes)))) {
    to.shape.push_back(from.shape[static_cast<size_t>(axis)]);
    to.strides.push_back(from.strides[static_cast<size_t>(axis)]);
  }
  return Value::view(array, std::move(to));
}

Result<Value> reshaped(const Value &array, Shape shape) {
  if (array.arrayRules() == ArrayRules::Jax)
    return Value(LANESCOPE_TRY(reshape(*array.asArray(), std::move(shape))), ArrayRules::Jax);
  ArrayPlaces from = placesOf(array);
  shape = LANESCOPE_TRY(checkedReshape(from.shape, std::move(shape)));
  if (auto strides = stridesFor(from, shape))
    return Value::view(array, {from.offset, std::move(shape), std::move(*strides)});
  return Value(LANESCOPE_TRY(reshape(*array.asArray(), std::move(shape))), array.arrayRules());
}

Result<Value> raveled(const Value &array) {
  Value flat = LANESCOPE_TRY(reshaped(array, {-1}));
  const bool together = flat.asArray()->size() < 2 || placesOf(flat).strides.front() == 1;
  return together ? flat : Value(*flat.asArray(), array.arrayRules());
}

} // namespace lanescope::repl
