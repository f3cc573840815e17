// A module of JAX as text: `lanescope open --emit`.
#pragma once

#include "app/lanescope/Arguments.h"
#include "layouts/support/Diagnostic.h"

namespace lanescope::app {

struct OpenedText {
  std::string text;
  Diagnostics warnings; // warnings of the compilation
};

/// The text that `arguments.emit` asks for; for a SparseCore module always the module itself. Errors: the module does
/// not parse, its layouts contradict each other, or its kernel does not compile.
Result<OpenedText> openedText(const SourceRef &source, const OpenArguments &arguments);

} // namespace lanescope::app
