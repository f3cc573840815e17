// Opens a link of the web page in the program.
#pragma once

#include "viz/host/LinkedFiles.h"

#include <string>
#include <vector>

namespace lanescope::app {

/// The files of a kernel in a link; empty: the link shows no kernel. Errors (kind "bad-view"): the link cannot be read,
/// or the kernel is a sample of the page or too large to be in the link.
Result<std::vector<viz::LinkedFile>> kernelOfLink(const std::string &link);

/// The pictures of a link as the text of a view. Errors (kind "bad-view"): the link cannot be read, or it shows no
/// layout.
Result<std::string> viewOfLink(const std::string &link);

} // namespace lanescope::app
