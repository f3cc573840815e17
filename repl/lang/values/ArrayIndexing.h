// Applies an index to elements that may lie anywhere in an array (ArrayPlaces). ArrayOps.h applies an index to whole
// arrays, and ArrayViews.h applies it to values.
#pragma once

#include "repl/lang/values/ArrayOps.h"

namespace lanescope::repl {

struct IndexedPlaces {
  ArrayPlaces places;
  bool element = false; // true if every dimension has an int, which selects a single element
};
/// The places that an index of ints, slices, `...` and None takes. Errors: "index-range", "type".
Result<IndexedPlaces> placesAt(const ArrayPlaces &from, const Value &index);
/// True if the index contains arrays or lists: NumPy's "advanced indexing", whose result is a copy.
bool hasArrayIndex(const Value &index);

Result<Value> arrayGetItem(const Array &array, const ArrayPlaces &places, const Value &index, ArrayRules rules);
Result<void> arraySetItem(Array &array, const ArrayPlaces &places, const Value &index, const Value &value);

/// Copies the elements at `places`, row by row, into `out`, which gets the places' shape and keeps its storage if it
/// fits.
void gather(const Array &from, const ArrayPlaces &places, Array &out);
/// Copies the elements of `from` to `places` in `to`, row by row. Both arrays have one dtype.
void scatter(const Array &from, const ArrayPlaces &places, Array &out);

} // namespace lanescope::repl
