// The tiles that the TensorCore's compiler chooses for memory whose type has no layout. `use_tc_tiling_on_sc` requests
// these tiles for a SparseCore.
//
//   tensorCoreLayout(f32, Space::Vmem, {64, 16}, true)   ->  #tpu.tiled<(1,128),[1,1]>        64 rows of 128 words
//   tensorCoreLayout(bf16, Space::Hbm, {16, 256}, false) ->  #tpu.tiled<(8,128)(2,1),[2,1]>
//
// Tiles are 8 sublanes by 128 lanes. A tile has fewer rows if the array has fewer. It has one row if it belongs to an
// allocation of 32-bit elements that is at most as wide as a tile's row. Elements narrower than 32 bits share words
// along the second-minor dimension. Source: jax-ml/jax, jaxlib/mosaic/dialect/tpu/transforms/infer_memref_layout.cc
// (until 2026), but without its large second-minor tiles, which would add no padding.
#pragma once

#include "core/tpu/program/TpuProgram.h"
#include "layouts/tpu/TiledMemoryLayout.h"

#include <optional>

namespace lanescope::core::sparsecore {

/// `allocated`: the kernel allocates the memory, so it is not an operand. Returns nothing for the memory of scalars
/// (SMEM), semaphores, and references without dimensions; these get no tiles.
std::optional<layouts::TiledMemoryLayout> tensorCoreLayout(const Element &element, Space space,
                                                           const std::vector<int64_t> &shape, bool allocated);

} // namespace lanescope::core::sparsecore
