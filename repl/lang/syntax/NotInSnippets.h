// The error for a part of Python that neither snippets nor the kernels of a Python file have: one sentence that names
// the alternative.
//
//   notInSnippets("`try`")      "`try` is Python, which snippets and kernels do not have; a file with imports has it …"
#pragma once

#include <string>
#include <string_view>

namespace lanescope::repl {

/// `what` is the beginning of the sentence: "`raise`", "a class that inherits".
inline std::string notInSnippets(std::string_view what) {
  return std::string(what) +
         " is Python, which snippets and kernels do not have; a file with imports has it around its kernels "
         "(`lanescope run FILE`)";
}

} // namespace lanescope::repl
