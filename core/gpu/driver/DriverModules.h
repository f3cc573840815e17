// Makes a module from an image: parses its PTX, allocates its variables, and finds its kernels by name.
#pragma once

#include "core/gpu/driver/State.h"

namespace lanescope::core::driver {

inline constexpr int kPortableShared = 48 * 1024; // bytes per block, static and dynamic, without opt-in

/// Makes a module from an image. The status is CUDA's; the journal and `log` get the reason. An image with only machine
/// code loads, and its functions are found, but each launch reports why it fails.
Status loadModule(State &state, const void *image, Module *&out, std::string *log = nullptr);
void unloadModule(State &state, Module *module);
/// Returns null if the module has no kernel of that name.
Function *findFunction(State &state, Module &module, std::string_view name);

std::vector<Function *> functionsOf(Module &module);
/// The region of a `.global` or `.const` variable.
std::optional<uint32_t> findVariable(Module &module, std::string_view name);

/// `attribute`: a CUfunction_attribute. Returns false if there is none of that number.
bool functionAttribute(State &state, Function &function, int attribute, int &out);
/// Decodes the kernel on the first call.
const KernelNeeds &needsOf(Function &function);
/// The memory that the module's kernels can access in a launch.
emulator::StandingMemory standingMemoryOf(State &state, const Module &module);

/// Number of blocks of a kernel that a multiprocessor holds at once.
int residentBlocks(State &state, Function &function, int threads, size_t dynamicShared);

} // namespace lanescope::core::driver
