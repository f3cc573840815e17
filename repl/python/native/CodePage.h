// A kernel's text and its stages as a page with a tab for each. Pointing at a line highlights the lines that it comes
// from and the lines that were made from it.
//
//   codePage(shown)     "<!doctype html>…", self-contained, in the reader's light or dark colours
#pragma once

#include "repl/session/Shown.h"

#include <string>

namespace lanescope::python {

std::string codePage(const repl::ShownCode &shown);

} // namespace lanescope::python
