// Reads a few forms of Python, to find calls and numbers in generated code.
//
//   for (std::string_view statement : pythonStatements(source)) …   // "buf0 = empty((4, 8), (8, 1), torch.float32)"
//   splitPython("a, (4, 8), grid=grid(32)")                          // "a", "(4, 8)", "grid=grid(32)"
//   pythonInteger("4*s0 + 2", names)                                 // 4 names["s0"] + 2
//
// No Python is executed. Text of any other form is left out, never guessed.
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
  std::string_view text; // without blanks around it and without a trailing comment
  size_t at = 0;         // offset in the source
};

/// A triple-quoted string literal.
struct PythonBlock {
  std::string_view text;
  size_t begin = 0, end = 0; // offsets in the source, including the quotes
};

/// The simple statements of all functions, in the order of the text. Lines are joined while a bracket is open, and
/// split at semicolons. Statements of more than 64 KiB, such as those that contain a kernel's source, are left out.
std::vector<PythonStatement> pythonStatements(std::string_view source);
std::vector<PythonBlock> pythonBlocks(std::string_view source);

/// The parts between the commas that are in no bracket and no string, without blanks around them. An empty text has no
/// parts.
std::vector<std::string_view> splitPython(std::string_view text);
/// The arguments of a call: "a, b" for "f(a, b)" and `f`. Nothing: the text is no call of that function, or continues
/// after the call.
std::optional<std::string_view> argumentsOf(std::string_view text, std::string_view function);
/// The parts of "(4, 8)" or "[4, 8]"; nothing for other texts.
std::optional<std::vector<std::string_view>> pythonTuple(std::string_view text);
bool isPythonName(std::string_view text);

/// The value of an expression of integers, names, `+`, `-`, `*`, `//`, `%` and brackets. Nothing: the text is another
/// expression, a name is unknown, or the number is too large.
std::optional<int64_t> pythonInteger(std::string_view text, const std::map<std::string, int64_t, std::less<>> &names);

} // namespace lanescope::repl
