// The texts that a compilation produces, one per stage, for people to read. The texts of earlier stages stay if a later
// stage fails. core/Links.h finds the origin of each line. The target decides the stages; those of the GPU are in
// core/gpu/codegen/StageKinds.h.
#pragma once

#include "layouts/support/Diagnostic.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::core {

/// One stage of a target. Its texts are string literals.
struct StageKind {
  std::string_view id;     // the name in `--emit`: "laid-out"
  std::string_view title;  // "Laid-out IR"
  std::string_view suffix; // the suffix of its files, after the kernel's name: ".laid-out.mlir"

  bool operator==(const StageKind &other) const { return id == other.id; }
};

/// The compiled source, a snippet or a module's text, as a stage (core/Links.h); This stage comes before the first
/// stage of every target.
inline constexpr StageKind kSourceStage{"source", "Source", ""};

/// The origin of a stage's line.
struct LineOrigin {
  enum class Kind : uint8_t {
    Text,     // no code (a directive, a label, a bracket), or code of unknown origin
    Compiler, // added by the compiler: a kernel's start and end, its parameters, code of no source line
    Source,   // made from `places`
  };
  Kind kind = Kind::Text;
  std::vector<Span> places = {};
  /// The line (from 1) of the stage `Stage::madeFrom` from which this line was made; 0 if not known.
  uint32_t before = 0;
};

struct Stage {
  StageKind kind;
  SourceRef source;                     // the stage's text
  std::vector<LineOrigin> origins = {}; // one per line; empty if not requested
  std::string_view madeFrom = {};       // id of the stage whose lines `LineOrigin::before` counts

  const std::string &text() const { return source->text(); }
};

struct Stages {
  std::vector<Stage> stages; // in the order of the target's list; if a stage failed, it is the last one
  Diagnostics diagnostics;   // errors of the failed stage, warnings of all stages
  // The sources that places refer to, the kernel's own first; empty if texts were not requested.
  std::vector<SourceRef> sources = {};

  /// Returns null if the stage was not reached, or if its text was not requested.
  const Stage *find(std::string_view id) const {
    for (const Stage &stage : stages)
      if (stage.kind.id == id)
        return &stage;
    return nullptr;
  }
};

} // namespace lanescope::core
