// Attributes, methods, items and membership of host values (except Objects).
#pragma once

#include "repl/lang/evaluate/Evaluator.h"

namespace lanescope::repl {

/// The value of `value.name`, which is a bound method or a property. Errors carry no place.
Result<Value> attributeOf(const Value &value, const std::string &name);
/// The names of the attributes of any value, for completion.
std::vector<std::string> members(const Value &value);
/// The value of `value[index]` for strings, sequences, dicts and ranges.
Result<Value> itemOf(const Value &value, const Value &index);
/// Carries out `container[index] = value` and `del container[index]` for lists, dicts and arrays.
Result<void> setItemOf(Evaluator &evaluator, const Arg &container, const Arg &index, const Arg &value,
                       const Span &span);
Result<void> deleteItemOf(Evaluator &evaluator, const Arg &container, const Arg &index, const Span &span);
/// The result of `item in container`.
Result<bool> contains(Evaluator &evaluator, const Arg &container, const Arg &item, const Span &span);
/// Error: putting `part` into `container` would make it contain itself.
Result<void> checkNoCycle(const Value &container, const Value &part);

/// Method tables, one per kind of value; the functions get the receiver as BoundArguments::self.
const Builtins &strMethods();
const Builtins &listMethods();
const Builtins &tupleMethods();
const Builtins &dictMethods();
const Builtins &arrayMethods();
const Builtins &layoutMethods(const Value &layout);
/// A method made from a declared function of arrays, for arrays of the host and of kernels: `x.sum(axis=1)` is `sum(x,
/// axis=1)`.
Builtin functionMethod(std::string_view function);
/// The names of the properties of arrays and layouts, which are read without a call.
std::vector<std::string> propertyNames(const Value &value);
Result<std::optional<Value>> propertyOf(const Value &value, const std::string &name);

} // namespace lanescope::repl
