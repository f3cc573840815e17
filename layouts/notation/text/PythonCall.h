// Reads `name(argument, keyword=argument)`, which several notations use, and assigns arguments to parameters. Private
// to notation/.
//
//   std::vector<bool> given;
//   readArguments(in, "Tiling", {"tiles"}, given, [&](size_t parameter) { return store(tiles(in), list); });
#pragma once

#include "layouts/notation/text/Scanner.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace lanescope::layouts {

/// Reads `(` argument {`,` argument} `)`. Calls `value(index of its parameter)` to read each argument. Sets `given[i]`
/// to true if parameter i got an argument.
template <typename Value>
Result<void> readArguments(Scanner &in, std::string_view callee, const std::vector<std::string_view> &names,
                           std::vector<bool> &given, Value &&value) {
  given.assign(names.size(), false);
  size_t next = 0;
  bool byKeyword = false;
  return readList(in, '(', ')', text("the arguments of `", callee, '`'), [&]() -> Result<void> {
    in.peek();
    uint32_t begin = in.offset();
    std::string_view keyword = in.identifier();
    size_t index = next;
    if (!keyword.empty() && in.eat('=')) {
      byKeyword = true;
      index = static_cast<size_t>(std::ranges::find(names, keyword) - names.begin());
      if (index == names.size())
        return in.fail(begin, Message("`{function}` has no argument `{argument}`", callee, keyword));
    } else {
      in.rewind(begin);
      if (byKeyword)
        return in.expected("a keyword argument");
      ++next;
    }
    if (index >= names.size())
      return in.expected(text("at most ", names.size(), " arguments of `", callee, '`'));
    if (given[index])
      return in.fail(begin, Message("argument `{argument}` of `{function}` is given twice", names[index], callee));
    given[index] = true;
    return value(index);
  });
}

/// Returns an error for the first of the leading `required` parameters that got no argument.
inline Result<void> checkGiven(const Scanner &in, uint32_t begin, std::string_view callee,
                               const std::vector<std::string_view> &names, const std::vector<bool> &given,
                               size_t required) {
  for (size_t i = 0; i < required; ++i)
    if (!given[i])
      return in.fail(begin, Message("`{function}` needs the argument `{argument}`", callee, names[i]));
  return {};
}

/// Stores a parsed field, or passes its error on.
template <typename T> Result<void> store(Result<T> parsed, T &field) {
  if (!parsed)
    return std::unexpected(std::move(parsed.error()));
  field = *std::move(parsed);
  return {};
}

/// Reads `(64, 8)`, `[64, 8]`, `(2,)`, with plain integers.
inline Result<Shape> readIntegers(Scanner &in, std::string_view what) {
  char open = in.peek();
  if (open != '(' && open != '[')
    return in.expected(what);
  Shape out;
  Result<void> read = readList(in, open, open == '(' ? ')' : ']', what, [&]() -> Result<void> {
    Result<int64_t> value = in.integer("an integer");
    if (!value)
      return std::unexpected(std::move(value.error()));
    out.push_back(*value);
    return {};
  });
  if (!read)
    return std::unexpected(std::move(read.error()));
  return out;
}

} // namespace lanescope::layouts
