#include "core/ir/DiagnosticCollector.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"

namespace lanescope::core {

Span spanOf(mlir::Location location, const std::vector<SourceRef> &sources) {
  auto range = location->findInstanceOf<mlir::FileLineColRange>();
  if (!range)
    return {};
  for (const SourceRef &source : sources) {
    if (source->name() != range.getFilename().strref())
      continue;
    Span span = spanAt(source, range.getStartLine(), range.getStartColumn());
    bool hasEnd = range.getEndLine() > range.getStartLine() ||
                  (range.getEndLine() == range.getStartLine() && range.getEndColumn() > range.getStartColumn());
    if (hasEnd) // MLIR's end column is the column of the last character
      span.end = std::max(span.end, spanAt(source, range.getEndLine(), range.getEndColumn()).end);
    return span;
  }
  return {};
}

static Severity severityOf(mlir::DiagnosticSeverity severity) {
  switch (severity) {
  case mlir::DiagnosticSeverity::Error: return Severity::Error;
  case mlir::DiagnosticSeverity::Warning: return Severity::Warning;
  default: return Severity::Note;
  }
}

/// Removes MLIR's quotes around types, because ours are enough.
static std::string messageOf(const mlir::Diagnostic &problem) {
  std::string message = problem.str();
  for (std::string_view quotes : {"`'", "'`"})
    for (size_t at; (at = message.find(quotes)) != std::string::npos;)
      message.replace(at, quotes.size(), "`");
  return message;
}

DiagnosticCollector::DiagnosticCollector(mlir::MLIRContext &context, const std::vector<SourceRef> &sources,
                                         std::string kind)
    : sources_(sources), kind_(std::move(kind)), handler_(&context, [this](mlir::Diagnostic &problem) {
        Diagnostic diagnostic;
        diagnostic.severity = severityOf(problem.getSeverity());
        diagnostic.kind = problem.getSeverity() == mlir::DiagnosticSeverity::Remark ? "print-layout" : kind_;
        if (!problem.getMetadata().empty())
          diagnostic.kind = problem.getMetadata().front().getAsString().str();
        diagnostic.span = spanOf(problem.getLocation(), sources_);
        diagnostic.message = messageOf(problem);
        for (mlir::Diagnostic &note : problem.getNotes())
          // MLIR adds this note to every error, but the span already gives the place.
          if (!note.str().starts_with("see current operation"))
            diagnostic.notes.push_back({spanOf(note.getLocation(), sources_), messageOf(note)});
        diagnostics_.push_back(std::move(diagnostic));
        return mlir::success();
      }) {}

} // namespace lanescope::core
