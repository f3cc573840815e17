// The architectures that PTX may name as its `.target`, and the versions of PTX that there are.
//
//   findPtxArchitecture("sm_100a")->since    ->  86: PTX 8.6 and later
//   findPtxArchitecture("sm_1")              ->  null
//
// Not here: what the compiler makes code for and what the emulator is (GpuTarget.h).
// Source: PTX ISA, "Release Notes" and ".target".
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace lanescope::core {

struct PtxArchitecture {
  std::string_view name;
  int since; // ten times the first version of PTX that has it
};

/// The oldest first.
std::span<const PtxArchitecture> ptxArchitectures();
/// Null where there is none of this name.
const PtxArchitecture *findPtxArchitecture(std::string_view name);
/// "`sm_9` is no architecture; did you mean `sm_90`?"
std::string noPtxArchitectureText(std::string_view name);

/// Ten times a version such as "8.6"; 0: there is no such version. Versions from 9.0 on are believed.
int ptxVersion(std::string_view digits);
/// "8.6" of 86.
std::string ptxVersionText(int version);

} // namespace lanescope::core
