// Macros that pass failures on, for functions that return a Result.
//
//   int64_t n = LANESCOPE_TRY(args.integer(0));     // the value, or return the errors
//   LANESCOPE_CHECK(evaluator.poll(span));          // the same for Result<void>
#pragma once

#include <expected>
#include <utility>

#define LANESCOPE_TRY(...)                                                                                             \
  __extension__({                                                                                                      \
    auto tried = (__VA_ARGS__);                                                                                        \
    if (!tried)                                                                                                        \
      return std::unexpected(std::move(tried.error()));                                                                \
    std::move(*tried);                                                                                                 \
  })
#define LANESCOPE_CHECK(...)                                                                                           \
  do {                                                                                                                 \
    if (auto checked = (__VA_ARGS__); !checked)                                                                        \
      return std::unexpected(std::move(checked.error()));                                                              \
  } while (false)
