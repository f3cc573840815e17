// While the object lives, it collects all of MLIR's diagnostics as ours, with spans into the sources that locations
// name.
//
//   DiagnosticCollector collector(context, sources, "layout");
//   inferLayouts(module);
//   append(stages.diagnostics, collector.take());
#pragma once

#include "layouts/support/Diagnostic.h"

#include "mlir/IR/Diagnostics.h"

namespace lanescope::core {

/// The place that a location names in one of `sources`. The span has no source if the location names none.
Span spanOf(mlir::Location location, const std::vector<SourceRef> &sources);

class DiagnosticCollector {
public:
  /// `kind` becomes Diagnostic::kind; a string in a diagnostic's metadata replaces it. Other remarks get
  /// "print-layout".
  DiagnosticCollector(mlir::MLIRContext &context, const std::vector<SourceRef> &sources, std::string kind);
  Diagnostics take() { return std::move(diagnostics_); }

private:
  const std::vector<SourceRef> &sources_;
  std::string kind_;
  Diagnostics diagnostics_;
  mlir::ScopedDiagnosticHandler handler_; // last, because it refers to the others
};

} // namespace lanescope::core
