// Views: parts of an array that are written through, as NumPy's slices, transposed and reshaped arrays are.
//
//   row = a[0]; row += 1      changes a
//   a.T[0] = 7                changes a's first column
//
// A view knows where its elements lie in the array that has them (ArrayData::base, places) and gathers them when it is
// looked at, so that everything else reads contiguous arrays. NumPy's arrays and the language's own have views; JAX's
// do not change, so theirs are copies. Errors carry no place.
#pragma once

#include "repl/lang/values/ArrayOps.h"

namespace lanescope::repl {

/// Gathers a view's elements again where its base was written since.
void lookAgain(ArrayData &view);
/// Places of an array's own elements, row by row.
ArrayPlaces rowMajor(const Shape &shape);

/// `array[index]`: a view for ints, slices, `...` and None; a copy for arrays of indices; a single element as the
/// array's rules have it.
Result<Value> itemOfArray(const Value &array, const Value &index);
/// `array[index] = value`. Of JAX's rules, too: who may write those decides.
Result<void> setItemOfArray(const Value &array, const Value &index, const Value &value);
/// All elements, in place. `elements` has the array's shape and dtype.
void overwrite(const Value &array, Array elements);
/// `array op= …`: the result of the operation into the array, which keeps its dtype and its shape. Errors: "type" for a
/// result of another kind (NumPy's "same_kind"), "shape-mismatch".
Result<void> storeInPlace(const Value &array, const Array &result, BinaryOp op);
/// Whether `array op= …` writes into the array: not JAX's, not NumPy's single elements.
bool changesInPlace(const Value &array);
/// An error where a snippet must not write: JAX's arrays, arrays whose elements are another array's in disguise.
Result<void> mayWrite(const Value &array);

/// `axes` empty: reversed.
Result<Value> transposed(const Value &array, std::vector<int64_t> axes);
/// A view where strides can tell the new shape's places, else a copy, as in NumPy. One size may be -1.
Result<Value> reshaped(const Value &array, Shape shape);
/// All elements in a row: a view of those that lie one after the other, else a copy, as in NumPy.
Result<Value> raveled(const Value &array);

} // namespace lanescope::repl
