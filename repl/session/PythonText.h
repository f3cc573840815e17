// A few forms of Python's text, read without running it: what generated code calls with which numbers.
//
//   for (std::string_view statement : pythonStatements(source)) …   // "buf0 = empty((4, 8), (8, 1), torch.float32)"
//   splitPython("a, (4, 8), grid=grid(32)")                          // "a", "(4, 8)", "grid=grid(32)"
//   pythonInteger("4*s0 + 2", names)                                 // 4 names["s0"] + 2
//
// No Python is executed. What is not one of these forms is left out, never guessed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::repl {

struct PythonStatement {
  std::string_view text; // trimmed, without a comment after it
  size_t at = 0;         // its offset in the source
};

/// A string literal of three quotes.
struct PythonBlock {
  std::string_view text;
  size_t begin = 0, end = 0; // with its quotes, in the source
};

/// The simple statements of all functions, in the order of the text: lines joined while a bracket is open, split at
/// semicolons. Statements of more than 64 KiB, such as those with a kernel's source in them, are left out.
std::vector<PythonStatement> pythonStatements(std::string_view source);
std::vector<PythonBlock> pythonBlocks(std::string_view source);

/// The parts between commas that are in no bracket and no string, trimmed; no part for an empty text.
std::vector<std::string_view> splitPython(std::string_view text);
/// "f(a, b)" is a call of `f`: "a, b". Nothing: the text is no call of that name, or goes on after it.
std::optional<std::string_view> argumentsOf(std::string_view text, std::string_view function);
/// "(4, 8)" and "[4, 8]": the parts.
std::optional<std::vector<std::string_view>> pythonTuple(std::string_view text);
bool isPythonName(std::string_view text);

/// Sums, differences, products, `//`, `%` and brackets of integers and names. Nothing: it is something else, a name is
/// not known, or the number is too large.
std::optional<int64_t> pythonInteger(std::string_view text, const std::map<std::string, int64_t, std::less<>> &names);

} // namespace lanescope::repl
