// Arguments of CuTe's builtins: layouts, tuples of ints and tilers, as values or as texts in any of CuTe's spellings.
#pragma once

#include "layouts/cute/CuteLayout.h"
#include "layouts/cute/Division.h"
#include "repl/lang/values/Builtin.h"
#include "repl/lang/values/LayoutArgument.h"

#include <string>
#include <string_view>

namespace lanescope::repl::cutes {

/// The number of bits of an element, from a dtype, a number of bits, or the name of a type in C++, CuTe DSL or PTX
/// ("uint128_t", "b128").
Result<int64_t> bitsOf(const BoundArguments &args, size_t index);

namespace cute = layouts::cute;

/// The result, with an error placed at argument `index`.
template <typename T> Result<T> placed(const BoundArguments &args, size_t index, Result<T> result) {
  if (result)
    return result;
  Span span = args.has(index) ? args[index].span : args.call;
  Diagnostics out = std::move(result.error());
  for (Diagnostic &diagnostic : out) {
    diagnostic.span = span;
    diagnostic.notes.clear();
  }
  return std::unexpected(std::move(out));
}

/// The result, with an error placed in the text that argument `index` is or contains.
template <typename T>
Result<T> readAt(const BoundArguments &args, size_t index, const std::string &written, Result<T> result) {
  if (result)
    return result;
  for (Diagnostic &diagnostic : result.error())
    diagnostic.notes.clear();
  return std::unexpected(inSnippet(std::move(result.error()), args[index].span, written));
}

/// A tuple of nested ints. None, `_` and strings inside it may express other leaves: "_", "1@0", "_8", "?".
Result<cute::IntTuple> tupleOf(const BoundArguments &args, size_t index, const Value &value, int depth = 0);
Result<cute::IntTuple> tupleOf(const BoundArguments &args, size_t index);
Result<cute::CuteLayout> cuteOf(const BoundArguments &args, size_t index, const Value &value);
Result<cute::CuteLayout> cuteOf(const BoundArguments &args, size_t index);
/// The plain layout in an argument, which must not be a composed layout.
Result<cute::Layout> plainOf(const BoundArguments &args, size_t index, const cute::CuteLayout &layout,
                             std::string_view why);
Result<cute::Layout> plainOf(const BoundArguments &args, size_t index, std::string_view why);
Result<cute::Tiler> tilerOf(const BoundArguments &args, size_t index, const Value &value, int depth = 0);
Result<cute::Tiler> tilerOf(const BoundArguments &args, size_t index);

Value valueOf(cute::CuteLayout layout);
Value valueOf(cute::Layout layout);
/// The value of a tuple: nested tuples of ints. Other leaves become strings.
Value valueOf(const cute::IntTuple &tuple);

} // namespace lanescope::repl::cutes
