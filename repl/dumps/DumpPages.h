// A kernel's page (core/gpu/dumps) as the window and HTML files draw it.
#pragma once

#include "core/gpu/dumps/DumpKernelPage.h"
#include "viz/scene/DumpPage.h"

namespace lanescope::repl {

/// The page at a path. The path names a folder with one kernel, a kernel by the prefix of its files' names, or a
/// module. Errors: there is no module, there are several kernels, or the module is a SparseCore's.
Result<core::dumps::KernelPage> readDumpPage(const std::string &path, const std::string &arch = "",
                                             const core::dumps::SourceReader &read = core::readSource);
/// The page of a module. Errors: those of reading it.
Result<core::dumps::KernelPage> modulePage(const SourceRef &module, const std::string &arch = "");

/// The page for drawing. If our inference finds the same layouts as JAX's, the page explains why values have them.
viz::DumpPage drawnPage(const core::dumps::KernelPage &page);

} // namespace lanescope::repl
