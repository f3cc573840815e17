// Attributes, methods, items and membership of host values (except Objects).
#pragma once

#include "repl/lang/evaluate/Evaluator.h"

namespace lanescope::repl {

/// `value.name`: a bound method or a property. Errors carry no place.
Result<Value> attributeOf(const Value &value, const std::string &name);
/// Attribute names of any value, for completion.
std::vector<std::string> members(const Value &value);
/// `value[index]` of strings, sequences, dicts and ranges.
Result<Value> itemOf(const Value &value, const Value &index);
/// `container[index] = value` and `del container[index]` of lists, dicts and arrays.
Result<void> setItemOf(Evaluator &evaluator, const Arg &container, const Arg &index, const Arg &value,
                       const Span &span);
Result<void> deleteItemOf(Evaluator &evaluator, const Arg &container, const Arg &index, const Span &span);
/// `item in container`
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
/// A declared function of arrays as a method, for arrays of the host and of kernels: `x.sum(axis=1)` is `sum(x,
/// axis=1)`.
Builtin functionMethod(std::string_view function);
/// Properties (not called): names and values of arrays and layouts.
std::vector<std::string> propertyNames(const Value &value);
Result<std::optional<Value>> propertyOf(const Value &value, const std::string &name);

} // namespace lanescope::repl
