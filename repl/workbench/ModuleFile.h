// A SparseCore module as the window shows it: its text, its operations, its first tiled array, and a trace of a run on
// zeros.
#pragma once

#include "layouts/support/Diagnostic.h"
#include "viz/host/Host.h"

#include <memory>
#include <optional>

namespace lanescope::repl {

struct ModuleFile {
  viz::CodeRequest code;
  std::optional<viz::ViewSpec> tiles;       // the first tiled reference that an operation returns
  std::shared_ptr<const core::Trace> trace; // timed by the emulator's cost model; null if the run failed
  std::string words;                        // text for the console
  Diagnostics problems; // why the module was refused; `code` then shows its text with these lines marked
};

/// `title`: the file's name.
ModuleFile openModuleFile(const SourceRef &source, const std::string &title);

} // namespace lanescope::repl
