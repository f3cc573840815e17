// A SparseCore module for the window: its text, its operations, its first array in tiles, and a trace of a run on
// zeros.
#pragma once

#include "layouts/support/Diagnostic.h"
#include "viz/host/Host.h"

#include <memory>
#include <optional>

namespace lanescope::repl {

struct ModuleFile {
  viz::CodeRequest code;
  std::optional<viz::ViewSpec> tiles;       // the first tiled reference that an operation gives
  std::shared_ptr<const core::Trace> trace; // by the emulator's cost model; null where the run did not end well
  std::string words;                        // for the console
  Diagnostics problems;                     // of a module that is refused; the rest is its text alone, lines marked
};

/// `title`: the file's name.
ModuleFile openModuleFile(const SourceRef &source, const std::string &title);

} // namespace lanescope::repl
