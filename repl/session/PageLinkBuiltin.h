// page_link(): the address of the web page that shows what show() shows.
#pragma once

#include "repl/lang/values/Builtin.h"

namespace lanescope::repl {

/// `page_link(x, …)` takes the arguments of `show`, and returns a text.
Builtin pageLinkBuiltin();

} // namespace lanescope::repl
