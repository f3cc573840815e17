// Maps places in debug information to places in the sources, and decides which code is "made by the compiler".
//
//   SourcePlaces places(module.impl().sources, head);
//   places.at("pipeline.py", 30, 7)   ->  {Source, {pipeline.py:30:7}}
//   places.at("pipeline.py", 0, 7)    ->  {Compiler}        // LLVM moved or merged it, so it has no line
//
// Code that the lowering puts around a kernel's body has the place of the kernel's own name, its `head`, where no
// statement can be. Code with that place is therefore the compiler's.
#pragma once

#include "core/Stages.h"

namespace lanescope::core {

class SourcePlaces {
public:
  SourcePlaces() = default;
  /// `head` without a source: the kernel's place is not known.
  SourcePlaces(std::vector<SourceRef> sources, Span head) : sources_(std::move(sources)), head_(std::move(head)) {}

  /// Returns Text for a file that is not among the sources.
  LineOrigin at(std::string_view file, uint32_t line, uint32_t column) const;
  /// The origin of the line that begins the kernel.
  LineOrigin head() const;

private:
  std::vector<SourceRef> sources_;
  Span head_;
};

/// Adds the places of `more` that `origin` does not have yet.
void addTo(LineOrigin &origin, LineOrigin more);

} // namespace lanescope::core
