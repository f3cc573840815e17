// Operators on host values other than arrays and Objects: numbers, strings, sequences, layouts.
#pragma once

#include "repl/lang/evaluate/Evaluator.h"

namespace lanescope::repl {

/// Applies a binary operator by Python's rules. Ints are 64 bits wide, and an overflow is an error. Errors carry no
/// place.
Result<Value> hostBinary(Evaluator &evaluator, BinaryOp op, const Value &left, const Value &right, const Span &span);
Result<Value> hostUnary(UnaryOp op, const Value &operand);
/// Evaluates the operators from `==` to `>=`, but not `in` and `is`.
Result<bool> hostCompare(CompareOp op, const Value &left, const Value &right);
/// True if `left` comes before `right` in sort(). Error: the values have no order. Poll the evaluator between calls.
Result<bool> lessThan(const Value &left, const Value &right);

/// floor(a / b) and a - b * floor(a / b). b must not be 0. The callers check for the overflow of INT64_MIN // -1.
int64_t floorDivide(int64_t a, int64_t b);
int64_t floorModulo(int64_t a, int64_t b);

} // namespace lanescope::repl
