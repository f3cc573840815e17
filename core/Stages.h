// Everything a compilation produced, stage by stage, kept also when a later stage failed. The GUI's data model.
#pragma once

#include "core/gpu/kernel/CompiledKernel.h"

#include <optional>
#include <string>
#include <string_view>
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

  /// Null when the stage was not reached, or its text not asked for.
  const Stage *find(StageKind kind) const {
    for (const Stage &stage : stages)
      if (stage.kind == kind)
        return &stage;
    return nullptr;
  }
};

/// As `--emit` spells it: "ir", "laid-out", "nvvm", "llvm", "ptx".
constexpr std::string_view name(StageKind kind) {
  constexpr std::string_view kNames[] = {"ir", "laid-out", "nvvm", "llvm", "ptx"};
  return kNames[static_cast<int>(kind)];
}

} // namespace lanescope::core
