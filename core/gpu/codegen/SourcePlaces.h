// Places that debug information names, as places of the sources: the one rule of what "made by the compiler" means.
//
//   SourcePlaces places(module.impl().sources, head);
//   places.at("pipeline.py", 30, 7)   ->  {Source, {pipeline.py:30:7}}
//   places.at("pipeline.py", 0, 7)    ->  {Compiler}        // LLVM moved or merged it: it belongs to no line
//
// What the lowering puts around a kernel's body has the place of the kernel's own name, its `head`, where no statement
// can be; so code of that place is the compiler's.
#pragma once

#include "core/Stages.h"

namespace lanescope::core {

class SourcePlaces {
public:
  SourcePlaces() = default;
  /// `head` without a source: nothing is known of the kernel's place.
  SourcePlaces(std::vector<SourceRef> sources, Span head) : sources_(std::move(sources)), head_(std::move(head)) {}

  /// A file that is none of the sources: Text, for nothing is known.
  LineOrigin at(std::string_view file, uint32_t line, uint32_t column) const;
  /// Of the line that begins the kernel itself.
  LineOrigin head() const;

private:
  std::vector<SourceRef> sources_;
  Span head_;
};

/// Adds what `more` says; a place that is there already is not repeated.
void addTo(LineOrigin &origin, LineOrigin more);

} // namespace lanescope::core
