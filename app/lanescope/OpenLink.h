// Opens a link of the web page in the program.
#pragma once

#include "viz/host/LinkedFiles.h"

#include <string>
#include <vector>

namespace lanescope::app {

struct LinkedKernel {
  std::vector<viz::LinkedFile> files; // empty: the link shows no kernel
  core::Json debug;                   // the place of its run in the debugger (DebuggerPlace.h); null: there is none
};

/// The kernel of a link. Errors (kind "bad-view"): the link cannot be read,
/// or the kernel is a sample of the page or too large to be in the link.
Result<LinkedKernel> kernelOfLink(const std::string &link);

/// The traces of a link as files; empty: the link shows none. Errors (kind "bad-view"): the link cannot be read, or a
/// trace is a sample of the page or too large to be in the link.
Result<std::vector<viz::LinkedFile>> tracesOfLink(const std::string &link);

/// The pictures of a link as the text of a view. Errors (kind "bad-view"): the link cannot be read, or it shows no
/// layout.
Result<std::string> viewOfLink(const std::string &link);

} // namespace lanescope::app
