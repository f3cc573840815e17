// Whether a `.py` file is a program, which needs CPython, or may be a snippet.
//
//   importsOf("import torch, a.b as c\n")          {"torch", "a.b"}
//   foreignImport(source, "/x/k.py", session.evaluator())      "torch": neither the language's nor a file beside it
//
// Text alone is looked at; nothing is run.
#pragma once

#include "layouts/support/Source.h"

#include <string>
#include <string_view>
#include <vector>

namespace lanescope::repl {

class Evaluator;

/// The paths of the modules that a text imports: of `import a.b as c, d` and of `from a.b import c`.
std::vector<std::string> importsOf(std::string_view text);
/// The first module that the file imports and the language has not, nor a file beside it; empty: there is none.
std::string foreignImport(const Source &source, const std::string &file, const Evaluator &evaluator);

} // namespace lanescope::repl
