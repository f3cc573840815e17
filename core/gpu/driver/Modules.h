// From an image to a module: its PTX parsed, its variables placed in memory, its kernels by name.
#pragma once

#include "core/gpu/driver/State.h"

namespace lanescope::core::driver {

inline constexpr int kPortableShared = 48 * 1024; // bytes of a block, static and dynamic, without opting in

/// Makes a module of an image. The status is CUDA's; the journal and `log` say what is wrong.
/// A module whose image has machine code alone loads: its functions are found, and each launch says why it fails.
Status loadModule(State &state, const void *image, Module *&out, std::string *log = nullptr);
void unloadModule(State &state, Module *module);
/// Null: the module has no kernel of that name.
Function *findFunction(State &state, Module &module, std::string_view name);

/// CUfunction_attribute. False: there is none of that number.
bool functionAttribute(State &state, Function &function, int attribute, int &out);
/// Decodes the kernel when it is first asked.
const KernelNeeds &needsOf(Function &function);
/// The memory that a launch of the module's kernels reaches.
emulator::StandingMemory standingMemoryOf(State &state, const Module &module);

/// Blocks of a kernel that a multiprocessor holds at once.
int residentBlocks(State &state, Function &function, int threads, size_t dynamicShared);

} // namespace lanescope::core::driver
