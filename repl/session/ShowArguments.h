// The arguments of show(), for the parts of its implementation.
#pragma once

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/lang/values/Builtin.h"
#include "viz/scene/ViewText.h"

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lanescope::repl::show {

enum Argument : size_t {
  kWhat,
  kShape,
  kDtype,
  kView,
  kColor,
  kTiling,
  kSwizzle,
  kTranspose,
  kAgainst,
  kSlice,
  kMemory
};

inline bool given(const BoundArguments &args, size_t index) { return args.has(index) && !args[index].value.isNone(); }

template <typename Named> std::string names(std::span<const Named> values) {
  std::vector<std::string> out;
  for (Named value : values)
    out.push_back(text("\"", viz::name(value), "\""));
  return joined(out, ", ");
}

/// The value whose name the argument gives; `fallback` if the argument is missing.
template <typename Named>
Result<Named> named(const BoundArguments &args, size_t index, std::optional<Named> (*find)(std::string_view),
                    Named fallback, std::span<const Named> known) {
  if (!given(args, index))
    return fallback;
  std::string word = LANESCOPE_TRY(args.text(index));
  if (auto value = find(word))
    return *value;
  return args.wrongValue(index, Message("\"{}\" is not one of {}", word, names(known)));
}

template <typename Named>
Result<Named> named(const BoundArguments &args, size_t index, std::optional<Named> (*find)(std::string_view),
                    Named fallback, std::initializer_list<Named> known) {
  return named(args, index, find, fallback, std::span<const Named>(known.begin(), known.size()));
}

} // namespace lanescope::repl::show
