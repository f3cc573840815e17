// The architectures that PTX may name as its `.target`, and the existing versions of PTX.
//
//   findPtxArchitecture("sm_100a")->since    ->  86: PTX 8.6 and later
//   findPtxArchitecture("sm_1")              ->  null
//
// Not here: the targets that we compile for, and those that the emulator imitates (GpuTarget.h).
// Source: PTX ISA, "Release Notes" and ".target".
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace lanescope::core {

struct PtxArchitecture {
  std::string_view name;
  int since; // ten times the first PTX version that has the architecture
};

/// All architectures, oldest first.
std::span<const PtxArchitecture> ptxArchitectures();
/// Returns null if there is no architecture of this name.
const PtxArchitecture *findPtxArchitecture(std::string_view name);
/// The message for an unknown architecture: "`sm_9` is no architecture; did you mean `sm_90`?"
std::string noPtxArchitectureText(std::string_view name);

/// Ten times a version such as "8.6"; 0: no such version. Versions from 9.0 on are all accepted.
int ptxVersion(std::string_view digits);
/// The text of a version: "8.6" for 86.
std::string ptxVersionText(int version);

} // namespace lanescope::core
