// Opens a link of the web page in the program.
#pragma once

#include "layouts/support/Diagnostic.h"

#include <string>

namespace lanescope::app {

/// The pictures of a link as the text of a view. Errors (kind "bad-view"): the link cannot be read, or it shows no
/// layout.
Result<std::string> viewOfLink(const std::string &link);

} // namespace lanescope::app
