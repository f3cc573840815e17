// What warps, places in shared memory and barriers are called in messages.
#pragma once

#include "core/gpu/emulator/machine/Block.h"

#include <cstdint>
#include <string>
#include <vector>

namespace lanescope::core::emulator {

/// "warps 0-3, 5"
std::string warpList(const std::vector<uint32_t> &warps);
/// "shared address 33792 (byte 32768 of the dynamic shared memory)"; where an array with a name has the `bytes` there,
/// "`tile[1, 32:40]`, shared address 33792 (…)"; in a static variable "byte 64 of `tile`, shared address 1088".
std::string describeShared(const Block &block, uint32_t address, uint32_t bytes = 1);
/// "`x[1, 32:40]`" of an array, the elements that hold `bytes` from byte `offset`; the first index of what lies behind
/// the array's end is too large. Of several rows "`x[1, 120]` to `x[2, 7]`". Empty: no array with a name.
std::string elementsOf(const Region &region, uint64_t offset, uint64_t bytes);
/// "`x[1, 32:40]`, byte 544 of `x` (f32[8, 64])"
std::string describeGlobal(const Region &region, uint64_t offset, uint64_t bytes);
/// "the mbarrier at shared address 33792 (…)", with what the snippet calls it where our compiler says so.
std::string describeMbarrier(const Block &block, uint32_t address);
/// "lane 16, column 128" of an address in tensor memory.
std::string describeTmem(uint32_t address);
/// "columns 0 to 127, columns 256 to 511" of tensor memory, that are allocated now; "none"
std::string allocatedColumns(const Block &block);
/// Whether our compiler made that mbarrier for warpgroups and copies, each of which counts 128.
bool countsWarpgroups(const Block &block, const Mbarrier &barrier);

} // namespace lanescope::core::emulator
