// The names of instructions in the language that a kernel was written in.
//
//   inItsWords(grid, words::kWgmmaWait)   // "`wgmma.wait_group` (`wgmma_wait`)" for snippets and Mosaic GPU's PTX,
//                                  // "`wgmma.wait_group` (CuTe's `warpgroup_wait`)" of nvcc's
#pragma once

#include "core/gpu/emulator/machine/Grid.h"

#include <string>
#include <string_view>

namespace lanescope::core::emulator {

/// The names of one instruction. A name is empty if the language has none.
struct LanguageWords {
  std::string_view instruction, jax, cute, gluon;
};

namespace words {
inline constexpr LanguageWords kCpAsyncWait{"cp.async.wait_group", "wait_gmem_to_smem", "cp_async_wait",
                                            "async_copy.wait_group"};
inline constexpr LanguageWords kStoreReadWait{"cp.async.bulk.wait_group.read", "wait_smem_to_gmem", "tma_store_wait",
                                              "tma.store_wait"};
inline constexpr LanguageWords kStoreWait{"cp.async.bulk.wait_group", "wait_smem_to_gmem", {}, {}};
inline constexpr LanguageWords kStoreCommit{
    "cp.async.bulk.commit_group", "commit_smem_to_gmem_group()", "tma_store_arrive", {}};
inline constexpr LanguageWords kWgmmaWait{"wgmma.wait_group", "wgmma_wait", "warpgroup_wait", "warpgroup_mma_wait"};
inline constexpr LanguageWords kRegistersBack{
    "setmaxnreg.dec", "set_max_registers(…, action=\"decrease\")", "warpgroup_reg_dealloc", {}};
} // namespace words

/// Returns the instruction's name. If the name in the kernel's language is known, it follows in brackets.
std::string inItsWords(const Grid &grid, const LanguageWords &words);

} // namespace lanescope::core::emulator
