// Functions that the decoders of tcgen05 share: targets, `.cta_group::`, addresses in tensor memory.
#pragma once

#include "core/gpu/emulator/decode/Decoder.h"

namespace lanescope::core::emulator {

/// The targets that have an instruction, or a modifier of it.
enum class TensorTargets : uint8_t {
  All,      // sm_100a, sm_103a, sm_110a and their families, sm_100f …
  Exact,    // without the families: sm_100a, sm_103a, sm_110a
  NotOf103, // sm_100a, sm_110a
  NotOf110, // sm_100a, sm_103a and their families
  NotOf100, // sm_103a, sm_110a and their families
};

/// Records an error if the module's `.target` does not have `what`.
bool requireTensor(Decoder &d, TensorTargets targets, std::string_view what);
/// Takes `.cta_group::1` or `::2`, which must be the same in the whole kernel. Returns false after an error.
bool takeTensorGroup(Decoder &d, Modifiers &mods);
/// Decodes `[taddr]` or `[taddr + columns]`.
bool tensorAddress(Decoder &d, const Operand &operand, AddressRef &out);

} // namespace lanescope::core::emulator
