// Operators on host values that are no arrays and no Objects: numbers, strings, sequences, layouts.
#pragma once

#include "repl/lang/evaluate/Evaluator.h"

namespace lanescope::repl {

/// Python's rules; ints are 64 bits wide and an overflow is an error. Errors carry no place.
Result<Value> hostBinary(Evaluator &evaluator, BinaryOp op, const Value &left, const Value &right, const Span &span);
Result<Value> hostUnary(UnaryOp op, const Value &operand);
/// `==` … `>=`; not `in` and `is`.
Result<bool> hostCompare(CompareOp op, const Value &left, const Value &right);
/// Order of two values as sort() needs it: error when they have none. Poll the evaluator between calls.
Result<bool> lessThan(const Value &left, const Value &right);

/// floor(a / b), a - b * floor(a / b); b != 0, no overflow check for INT64_MIN // -1 (the callers make it).
int64_t floorDivide(int64_t a, int64_t b);
int64_t floorModulo(int64_t a, int64_t b);

} // namespace lanescope::repl
