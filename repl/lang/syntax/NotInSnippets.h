// The error for a part of Python that snippets do not have: one sentence, with the way out.
//
//   notInSnippets("`try`")      "`try` is Python, which snippets do not have; `lanescope run FILE` runs a file with …"
#pragma once

#include <string>
#include <string_view>

namespace lanescope::repl {

/// `what` begins the sentence: "`raise`", "a class that inherits".
inline std::string notInSnippets(std::string_view what) {
  return std::string(what) +
         " is Python, which snippets do not have; `lanescope run FILE` runs a file with imports in Python";
}

} // namespace lanescope::repl
