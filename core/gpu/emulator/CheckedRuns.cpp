#include "core/gpu/emulator/CheckedRuns.h"

#include <algorithm>

namespace lanescope::core {

namespace {

/// True if both findings are about the same two uses of memory.
bool isMirrored(const Diagnostic &a, const Diagnostic &b) {
  auto names = [](const Diagnostic &one, const Span &place) {
    return std::ranges::any_of(one.notes, [&](const Note &note) { return isSameSpan(note.span, place); });
  };
  return a.severity == Severity::Error && b.severity == Severity::Error && !isConsequence(a) && !isConsequence(b) &&
         !isSameSpan(a.span, b.span) && names(a, b.span) && names(b, a.span);
}

} // namespace

uint64_t arrayBytesOf(const Launch &launch) {
  uint64_t bytes = 0;
  for (const BufferSpec *buffer : launch.buffers())
    bytes += static_cast<uint64_t>(layouts::elementCount(buffer->shape)) *
             static_cast<uint64_t>(layouts::hostBytes(buffer->dtype));
  return bytes * launch.deviceCount();
}

bool isSameSpan(const Span &a, const Span &b) {
  return a.begin == b.begin && a.source && b.source && a.source->name() == b.source->name();
}

bool isSamePlace(const Diagnostic &a, const Diagnostic &b) { return a.kind == b.kind && isSameSpan(a.span, b.span); }

bool isConsequence(const Diagnostic &finding) {
  return finding.kind == "deadlock" || finding.kind == "phase-overrun" || finding.kind == "endless-loop" ||
         finding.kind == "timeout";
}

bool isSameFinding(const Diagnostic &a, const Diagnostic &b) { return isSamePlace(a, b) || isMirrored(a, b); }

bool mayHaveOtherCause(const Diagnostics &findings) {
  return std::ranges::all_of(findings, [](const Diagnostic &finding) {
    return finding.severity != Severity::Error || finding.kind == "deadlock" || finding.kind == "phase-overrun" ||
           finding.kind == "copy-not-awaited";
  });
}

} // namespace lanescope::core
