// Everything a compilation produced, stage by stage, kept also when a later stage failed; for people to read, who may
// ask of every line where it comes from (core/Links.h). Which stages there are is the target's to say; those of the GPU
// are in core/gpu/codegen/StageKinds.h.
#pragma once

#include "layouts/support/Diagnostic.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::core {

/// One of a target's stages. The texts are constants of the program.
struct StageKind {
  std::string_view id;     // as `--emit` spells it: "laid-out"
  std::string_view title;  // "Laid-out IR"
  std::string_view suffix; // what files of it are called after the kernel's name: ".laid-out.mlir"

  bool operator==(const StageKind &other) const { return id == other.id; }
};

/// What was compiled, a snippet or the text of a module, as a stage (core/Links.h); before the first of every target.
inline constexpr StageKind kSourceStage{"source", "Source", ""};

/// Where a line of a stage comes from.
struct LineOrigin {
  enum class Kind : uint8_t {
    Text,     // no code: a directive, a label, a bracket; or code of which nothing is known
    Compiler, // made by the compiler: a kernel's start and end, its parameters, what belongs to no line of the source
    Source,   // made from `places`
  };
  Kind kind = Kind::Text;
  std::vector<Span> places = {};
  /// The line (from 1) of the stage `Stage::madeFrom` that it was made from; 0: not known.
  uint32_t before = 0;
};

struct Stage {
  StageKind kind;
  SourceRef source;                     // its text
  std::vector<LineOrigin> origins = {}; // of line 1, 2, …; empty: not asked for
  std::string_view madeFrom = {};       // id of the stage that `LineOrigin::before` counts in

  const std::string &text() const { return source->text(); }
};

struct Stages {
  std::vector<Stage> stages;           // in the order of the target's list, up to the one that failed
  Diagnostics diagnostics;             // errors of the failed stage, warnings of all
  std::vector<SourceRef> sources = {}; // what places are in, the kernel's own first; empty: texts not asked for

  /// Null when the stage was not reached, or its text not asked for.
  const Stage *find(std::string_view id) const {
    for (const Stage &stage : stages)
      if (stage.kind.id == id)
        return &stage;
    return nullptr;
  }
};

} // namespace lanescope::core
