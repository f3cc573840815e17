// A kernel's text and its stages as a page: a tab for each, the lines that a line comes from or gives light up.
//
//   codePage(shown)     "<!doctype html>…", self-contained, in the reader's light or dark colours
#pragma once

#include "repl/session/Shown.h"

#include <string>

namespace lanescope::python {

std::string codePage(const repl::ShownCode &shown);

} // namespace lanescope::python
