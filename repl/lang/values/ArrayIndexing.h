// Applies an index to elements that lie anywhere in an array (ArrayPlaces). ArrayOps.h does the same for whole arrays,
// ArrayViews.h for values.
#pragma once

#include "repl/lang/values/ArrayOps.h"

namespace lanescope::repl {

struct IndexedPlaces {
  ArrayPlaces places;
  bool element = false; // every dimension has an int: a single element
};
/// For ints, slices, `...` and None. Errors: "index-range", "type".
Result<IndexedPlaces> placesAt(const ArrayPlaces &from, const Value &index);
/// True if the index contains arrays or lists: NumPy's "advanced indexing", whose result is a copy.
bool hasArrayIndex(const Value &index);

Result<Value> arrayGetItem(const Array &array, const ArrayPlaces &places, const Value &index, ArrayRules rules);
Result<void> arraySetItem(Array &array, const ArrayPlaces &places, const Value &index, const Value &value);

/// Copies the elements at `places`, row by row, into `out`, which gets the places' shape and keeps its storage if it
/// fits.
void gather(const Array &from, const ArrayPlaces &places, Array &out);
/// The inverse; both arrays have one dtype.
void scatter(const Array &from, const ArrayPlaces &places, Array &out);

} // namespace lanescope::repl
