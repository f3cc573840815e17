// A kernel's page (core/gpu/dumps) as the window and HTML files draw it.
#pragma once

#include "core/gpu/dumps/KernelPage.h"
#include "viz/scene/DumpPage.h"

namespace lanescope::repl {

/// The page of a path: a folder's one kernel, a kernel by the start of its files' names, or a module. Errors: it has no
/// module, several kernels are there, or it is a SparseCore's.
Result<core::dumps::KernelPage> readDumpPage(const std::string &path, const std::string &arch = "",
                                             const core::dumps::SourceReader &read = core::readSource);
/// The page of a module. Errors: those of reading it.
Result<core::dumps::KernelPage> modulePage(const SourceRef &module, const std::string &arch = "");

/// With why values have their layouts, where our inference finds JAX's.
viz::DumpPage drawnPage(const core::dumps::KernelPage &page);

} // namespace lanescope::repl
