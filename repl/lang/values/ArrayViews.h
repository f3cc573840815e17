// Views: parts of an array that can be written in place, like NumPy's slices, transposed and reshaped arrays.
//
//   row = a[0]; row += 1      changes a
//   a.T[0] = 7                changes a's first column
//
// A view knows the places of its elements in the array that owns them (ArrayData::base, places). It gathers them on
// access, so that all other code reads contiguous arrays. NumPy's arrays and the language's own have views. JAX's
// arrays do not change, so theirs are copies. Errors carry no place.
#pragma once

#include "repl/lang/values/ArrayOps.h"

namespace lanescope::repl {

/// Gathers a view's elements again if its base has been written in the meantime.
void lookAgain(ArrayData &view);
/// The places of an array's own elements, row by row.
ArrayPlaces rowMajor(const Shape &shape);

/// `array[index]`. The result is a view for ints, slices, `...` and None, and a copy for arrays of indices. A single
/// element has the form that the array's rules give it.
Result<Value> itemOfArray(const Value &array, const Value &index);
/// `array[index] = value`. It also writes arrays under JAX's rules; the caller decides if that is allowed.
Result<void> setItemOfArray(const Value &array, const Value &index, const Value &value);
/// Replaces all elements in place. `elements` has the array's shape and dtype.
void overwrite(const Value &array, Array elements);
/// `array op= …`: stores the result of the operation in the array, whose dtype and shape stay. Errors: "type" for a
/// result of another kind (NumPy's "same_kind"), "shape-mismatch".
Result<void> storeInPlace(const Value &array, const Array &result, BinaryOp op);
/// True if `array op= …` writes into the array: false for JAX's arrays and for NumPy's single elements.
bool changesInPlace(const Value &array);
/// Error for an array that a snippet must not write: JAX's arrays, and arrays whose elements belong to another array.
Result<void> mayWrite(const Value &array);

/// A view of the array with its dimensions in the order of `axes`. If `axes` is empty, reverses the dimensions.
Result<Value> transposed(const Value &array, std::vector<int64_t> axes);
/// The array with another shape. As in NumPy, it is a view if strides can describe the places of the elements, else a
/// copy. One size may be -1.
Result<Value> reshaped(const Value &array, Shape shape);
/// All elements in one dimension. As in NumPy, it is a view if the elements are contiguous, else a copy.
Result<Value> raveled(const Value &array);

} // namespace lanescope::repl
