// The module variables that a kernel can access: its code, a function that it calls, or the initial value of another
// such variable names them. A module may have thousands of others.
#pragma once

#include "core/gpu/emulator/ptx/PtxModule.h"

#include <set>
#include <string_view>

namespace lanescope::core::record {

std::set<std::string_view> usedVariables(const emulator::Module &module, const emulator::Function &entry);

} // namespace lanescope::core::record
