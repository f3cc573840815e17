// Arithmetic on host arrays, as JAX does it, or as NumPy does where the arrays are NumPy's: shapes broadcast, Python
// scalars take the array's dtype ("weak"), floats of any width are computed wide and rounded once to the result's
// dtype, integers wrap.
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
Result<Dtype> promote(Dtype a, Dtype b, ArrayRules rules = ArrayRules::Snippet);
/// The dtype of an operation between an array and a Python scalar.
Dtype promoteScalar(Dtype array, const Value &scalar, ArrayRules rules = ArrayRules::Snippet);
/// An array of JAX's, whose 64-bit dtypes are 32-bit ones; of a number, one of rank 0. Other values stay what they are.
Value underJaxRules(const Value &value);
/// Whose rules an operation between two values follows: JAX's where one is JAX's.
ArrayRules commonRules(const Value &a, const Value &b);
/// A dtype of 64 bits as JAX has it, of 32.
Dtype narrowed(Dtype dtype);

/// As cast, for arrays of NumPy's and JAX's: what is too large for a float of 8 bits is NaN or infinite. JAX's floats
/// become the nearest of the integers that there are, and NaN 0.
Result<Array> castUnder(const Array &array, Dtype dtype, ArrayRules rules);

/// One of the operands may be a Python scalar (bool, int, float).
Result<Value> arrayBinary(BinaryOp op, const Value &left, const Value &right);
Result<Value> arrayCompare(CompareOp op, const Value &left, const Value &right);
Result<Value> arrayUnary(UnaryOp op, const Array &operand);
/// What integers are where a function is of floats: f32, of 64 bits f64.
Dtype floatOf(Dtype integer);
/// Maps each element as a float: f(x), rounded to the array's float dtype (integers become f32 first).
Array mapFloat(const Array &array, const std::function<double(double)> &function);
/// Of matrices; of vectors and of stacks of matrices as NumPy's `matmul` has it.
Result<Array> matmul(const Array &a, const Array &b, const std::function<Result<void>()> &poll,
                     ArrayRules rules = ArrayRules::Snippet);

Result<Array> cast(const Array &array, Dtype dtype);
Result<Array> reshape(const Array &array, Shape shape);
/// A shape for the elements of another; one size may be -1. Errors: "value", "shape-mismatch".
Result<Shape> checkedReshape(const Shape &from, Shape to);
/// Each dimension of `rank` once, counted from the front; reversed where `axes` is empty.
Result<std::vector<int64_t>> checkedAxes(size_t rank, std::vector<int64_t> axes);
/// `axes` empty: reversed.
Result<Array> transpose(const Array &array, std::vector<int64_t> axes);
Result<Array> broadcastTo(const Array &array, const Shape &shape);

enum class Reduction { Sum, Product, Max, Min, Mean, All, Any };
/// An array over `axes`, each from 0 to its rank and named once; what is left over without dimensions is a Python
/// scalar, of NumPy's and JAX's arrays one of rank 0. Sums and products of floats are kept wide until the end.
Result<Value> reduce(Reduction reduction, const Value &array, const std::vector<int64_t> &axes, bool keepDims);

/// NumPy's indexing: ints, slices, `...`, None, arrays of ints and of truth values. A full index gives a Python scalar,
/// of NumPy's and JAX's arrays an array of rank 0.
Result<Value> arrayGetItem(const Array &array, const Value &index, ArrayRules rules = ArrayRules::Snippet);
Result<void> arraySetItem(Array &array, const Value &index, const Value &value);

/// Element as a Python value (bool, int or float) and back; integers and floats are converted as astype does.
Value elementOf(const Array &array, int64_t index);
/// The same for the snippet to keep: an element of u64 that no int holds stays an array of no dimensions.
Value scalarOf(const Array &array, int64_t index);
void setElement(Array &array, int64_t index, const Value &scalar);
/// An array of nested lists or tuples of numbers, all of equal lengths.
Result<Array> arrayOf(const Value &nested, std::optional<Dtype> dtype);

/// repr() of an array: as NumPy, as JAX (`Array([0., 1.], dtype=float32)`), or with our own names of dtypes; on several
/// lines, with `...` past 1000 elements. An array of rank 0 of NumPy's is one of its numbers: `np.float32(1.5)`.
std::string arrayRepr(const Array &array, ArrayRules rules);
/// str() of it: `[0. 1.]` of NumPy's and JAX's arrays.
std::string arrayStr(const Array &array, ArrayRules rules);

/// start, step and count of a slice (or an int, with `isIndex`) on a dimension.
struct SliceSpan {
  int64_t start = 0, step = 1, count = 0;
};
Result<SliceSpan> resolveSlice(const SliceData &slice, int64_t size);

} // namespace lanescope::repl
