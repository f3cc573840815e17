// Arithmetic on host arrays, by JAX's rules, or by NumPy's for NumPy's arrays. Shapes broadcast. Python scalars take
// the array's dtype ("weak"). Floats of any width are computed wide and rounded once to the result's dtype. Integers
// wrap.
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

/// The number of elements; nothing if it is 2^40 or more.
std::optional<int64_t> checkedCount(const Shape &shape);
Result<Shape> broadcastShapes(const Shape &a, const Shape &b);
/// The dtype of an operation between arrays.
Result<Dtype> promote(Dtype a, Dtype b, ArrayRules rules = ArrayRules::Snippet);
/// The dtype of an operation between an array and a Python scalar.
Dtype promoteScalar(Dtype array, const Value &scalar, ArrayRules rules = ArrayRules::Snippet);
/// Makes an array follow JAX's rules, whose 64-bit dtypes become 32-bit ones; a number becomes an array of rank 0.
/// Other values stay unchanged.
Value underJaxRules(const Value &value);
/// The rules for an operation between two values. If one of them has JAX's rules, they are JAX's.
ArrayRules commonRules(const Value &a, const Value &b);
/// The 32-bit dtype that JAX has in place of a 64-bit dtype; other dtypes stay unchanged.
Dtype narrowed(Dtype dtype);

/// Converts like cast, but for arrays of NumPy and JAX: a value too large for a float of 8 bits becomes NaN or
/// infinite. Under JAX's rules, a float becomes the nearest existing integer, and NaN becomes 0.
Result<Array> castUnder(const Array &array, Dtype dtype, ArrayRules rules);

/// Applies an operator to two operands, one of which may be a Python scalar (bool, int, float).
Result<Value> arrayBinary(BinaryOp op, const Value &left, const Value &right);
Result<Value> arrayCompare(CompareOp op, const Value &left, const Value &right);
Result<Value> arrayUnary(UnaryOp op, const Array &operand);
/// The dtype to which a function of floats converts integers: f32, or f64 for 64 bits.
Dtype floatOf(Dtype integer);
/// Maps each element to f(x), computed as a float and rounded to the array's float dtype. Integers are first converted
/// to f32.
Array mapFloat(const Array &array, const std::function<double(double)> &function);
/// The product of two matrices. For vectors and stacks of matrices, it is that of NumPy's `matmul`.
Result<Array> matmul(const Array &a, const Array &b, const std::function<Result<void>()> &poll,
                     ArrayRules rules = ArrayRules::Snippet);

Result<Array> cast(const Array &array, Dtype dtype);
Result<Array> reshape(const Array &array, Shape shape);
/// The shape `to` for the elements of `from`. One size may be -1. Errors: "value", "shape-mismatch".
Result<Shape> checkedReshape(const Shape &from, Shape to);
/// Checks that `axes` names each dimension of `rank` once, and counts them from the front. If `axes` is empty, returns
/// the dimensions in reverse.
Result<std::vector<int64_t>> checkedAxes(size_t rank, std::vector<int64_t> axes);
/// The array with its dimensions in the order of `axes`. If `axes` is empty, reverses the dimensions.
Result<Array> transpose(const Array &array, std::vector<int64_t> axes);
Result<Array> broadcastTo(const Array &array, const Shape &shape);

enum class Reduction { Sum, Product, Max, Min, Mean, All, Any };
/// Reduces an array over `axes`, each below its rank and named once. A result without dimensions is a Python scalar;
/// for arrays of NumPy and JAX, it is an array of rank 0. Sums and products of floats are kept wide until the end.
Result<Value> reduce(Reduction reduction, const Value &array, const std::vector<int64_t> &axes, bool keepDims);

/// Indexes an array as NumPy does: by ints, slices, `...`, None, arrays of ints and of truth values. An index of ints
/// for all dimensions gives a Python scalar; for arrays of NumPy and JAX, it gives an array of rank 0.
Result<Value> arrayGetItem(const Array &array, const Value &index, ArrayRules rules = ArrayRules::Snippet);
Result<void> arraySetItem(Array &array, const Value &index, const Value &value);

/// Converts an element to a Python value (bool, int or float) and back; integers and floats are converted as by astype.
Value elementOf(const Array &array, int64_t index);
/// elementOf as a result for the snippet: an element of u64 that does not fit an int stays an array of rank 0.
Value scalarOf(const Array &array, int64_t index);
void setElement(Array &array, int64_t index, const Value &scalar);
/// An array from nested lists or tuples of numbers. Those of one level have equal lengths.
Result<Array> arrayOf(const Value &nested, std::optional<Dtype> dtype);

/// repr() of an array, in NumPy's or JAX's form (`Array([0., 1.], dtype=float32)`), or with our own names of dtypes. It
/// may have several lines, and uses `...` beyond 1000 elements. NumPy's array of rank 0 prints as a number:
/// `np.float32(1.5)`.
std::string arrayRepr(const Array &array, ArrayRules rules);
/// str() of an array: `[0. 1.]` for arrays of NumPy and JAX.
std::string arrayStr(const Array &array, ArrayRules rules);

/// The start, step and count of a slice along a dimension. An int counts as a slice with `isIndex`.
struct SliceSpan {
  int64_t start = 0, step = 1, count = 0;
};
Result<SliceSpan> resolveSlice(const SliceData &slice, int64_t size);

} // namespace lanescope::repl
