// Arithmetic on host arrays, as JAX does it: shapes broadcast, Python scalars take the array's dtype ("weak"), floats
// of any width are computed wide and rounded once to the result's dtype, integers wrap.
//
//   binary(BinaryOp::Multiply, x /* f16 */, scalar 2)  ->  f16
//   f16 with f32 -> f32; f16 with bf16 -> f32; i32 with f16 -> f16; f8 with anything else -> an error (astype first)
//
// Errors carry no place: the caller knows the expression.
#pragma once

#include "core/data/Array.h"
#include "repl/lang/values/Value.h"

#include <functional>

namespace lanescope::repl {

using core::Array;
using layouts::Dtype;
using layouts::Shape;

/// Number of elements, or nothing when it is not below 2^40.
std::optional<int64_t> checkedCount(const Shape &shape);
Result<Shape> broadcastShapes(const Shape &a, const Shape &b);
/// The dtype of an operation between arrays.
Result<Dtype> promote(Dtype a, Dtype b);
/// The dtype of an operation between an array and a Python scalar.
Dtype promoteScalar(Dtype array, const Value &scalar);

/// One of the operands may be a Python scalar (bool, int, float).
Result<Value> arrayBinary(BinaryOp op, const Value &left, const Value &right);
Result<Value> arrayCompare(CompareOp op, const Value &left, const Value &right);
Result<Value> arrayUnary(UnaryOp op, const Array &operand);
/// Maps each element as a float: f(x), rounded to the array's float dtype (integers become f32 first).
Array mapFloat(const Array &array, const std::function<double(double)> &function);
Result<Array> matmul(const Array &a, const Array &b, const std::function<Result<void>()> &poll);

Result<Array> cast(const Array &array, Dtype dtype);
Result<Array> reshape(const Array &array, Shape shape);
/// `axes` empty: reversed.
Result<Array> transpose(const Array &array, std::vector<int64_t> axes);
Result<Array> broadcastTo(const Array &array, const Shape &shape);

enum class Reduction { Sum, Max, Min, Mean, All, Any };
/// Over `axes` (empty: all, giving a Python scalar). Sums of floats are kept wide until the end.
Result<Value> reduce(Reduction reduction, const Array &array, const std::vector<int64_t> &axes, bool keepDims);

/// NumPy's basic indexing: ints, slices, `...`, None; a full index gives a Python scalar.
Result<Value> arrayGetItem(const Array &array, const Value &index);
Result<void> arraySetItem(Array &array, const Value &index, const Value &value);

/// Element as a Python value (bool, int or float) and back; integers and floats are converted as astype does.
Value elementOf(const Array &array, int64_t index);
/// The same for the snippet to keep: an element of u64 that no int holds stays an array of no dimensions.
Value scalarOf(const Array &array, int64_t index);
void setElement(Array &array, int64_t index, const Value &scalar);
/// An array of nested lists or tuples of numbers, all of equal lengths.
Result<Array> arrayOf(const Value &nested, std::optional<Dtype> dtype);

/// As NumPy prints: `array([[0., 1.], [2., 3.]], dtype=f32)` on several lines, with `...` past 1000 elements.
std::string arrayText(const Array &array);

/// start, step and count of a slice (or an int, with `isIndex`) on a dimension.
struct SliceSpan {
  int64_t start = 0, step = 1, count = 0;
};
Result<SliceSpan> resolveSlice(const SliceData &slice, int64_t size);

} // namespace lanescope::repl
