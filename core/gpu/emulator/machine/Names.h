// The names of warps, places in shared memory and barriers in messages.
#pragma once

#include "core/gpu/emulator/machine/Block.h"

#include <cstdint>
#include <string>
#include <vector>

namespace lanescope::core::emulator {

/// "warps 0-3, 5"
std::string warpList(const std::vector<uint32_t> &warps);
/// "shared address 33792 (byte 32768 of the dynamic shared memory)"; if a named array contains the `bytes`, "`tile[1,
/// 32:40]`, shared address 33792 (…)"; for a static variable, "byte 64 of `tile`, shared address 1088".
std::string describeShared(const Block &block, uint32_t address, uint32_t bytes = 1);
/// "`x[1, 32:40]`": the elements of an array that hold `bytes` bytes from `offset` on. After the array's end, the first
/// index is too large. If the bytes span several rows: "`x[1, 120]` to `x[2, 7]`". Empty if the region is no array with
/// a name.
std::string elementsOf(const Region &region, uint64_t offset, uint64_t bytes);
/// "`x[1, 32:40]`, byte 544 of `x` (f32[8, 64])"
std::string describeGlobal(const Region &region, uint64_t offset, uint64_t bytes);
/// "the mbarrier at shared address 33792 (…)", with the snippet's name for it if our compiler has recorded one.
std::string describeMbarrier(const Block &block, uint32_t address);
/// "lane 16, column 128": the cell at an address of tensor memory.
std::string describeTmem(uint32_t address);
/// "columns 0 to 127, columns 256 to 511": the tensor memory that is allocated now. "none" if nothing is allocated.
std::string allocatedColumns(const Block &block);
/// True if our compiler made the mbarrier for warpgroups and copies. Each of them counts as 128 arrivals.
bool countsWarpgroups(const Block &block, const Mbarrier &barrier);

} // namespace lanescope::core::emulator
