// Everything a compilation produced, stage by stage, kept also when a later stage failed. The GUI's data model.
#pragma once

#include "core/CompiledKernel.h"

#include <optional>
#include <string>
#include <vector>

namespace lanescope::core {

enum class StageKind { Ir, LaidOut, Nvvm, Llvm, Ptx };

struct Stage {
  StageKind kind;
  std::string text;
};

struct Stages {
  std::vector<Stage> stages;            // in pipeline order, up to the one that failed
  Diagnostics diagnostics;              // errors of the failed stage, warnings of all
  std::optional<CompiledKernel> kernel; // present iff every stage succeeded
  const Stage *find(StageKind kind) const;
};

} // namespace lanescope::core
