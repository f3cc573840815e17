// The parts of prefixes that are written in the language: .py files of this repository, made into strings by CMake.
#pragma once

#include <string_view>

namespace lanescope::repl {

/// The text of `NAME.py`. A missing file is a programming error (asserts).
const char *libraryText(std::string_view name);

} // namespace lanescope::repl
