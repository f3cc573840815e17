// Decides if a `.py` file is a program, which Python runs, or a snippet. A program imports something.
//
//   importsOf("import torch, a.b as c\n")          {"torch", "a.b"}
//   isProgram("x = 'import os'\n")                 false: the import is text in a string
//
// Only the text is read; nothing is run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lanescope::repl {

/// The paths of the modules that a text imports with `import a.b as c, d` or `from a.b import c`.
std::vector<std::string> importsOf(std::string_view text);
/// True if a text has a statement `import` or `from … import`.
bool isProgram(std::string_view text);

} // namespace lanescope::repl
