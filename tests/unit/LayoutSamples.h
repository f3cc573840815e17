// Layouts of every notation, and shapes. Each shape fits some of the layouts, and no layout fits all shapes.
#pragma once

#include "layouts/Shape.h"

#include <vector>

namespace lanescope::layouts {

inline constexpr const char *kLayoutSamples[] = {
    // CuTe: plain, swizzled, pointers, tensor memory, coordinates, and operands with and without a tile.
    "(8,4):(4,1)",
    "((_4,_8),(_2,_2)):((_32,_1),(_16,_8))",
    "(_32,_4):(_4,_1)",
    "Sw<3,3,3> o _0 o (_8,_64):(_64,_1)",
    "Sw<3,4,3> o smem_ptr[32b](unset) o (_8,_32):(_32,_1)",
    "(_128,_64):(_1@0,_1@1)",
    "(_16,_2):(_1@0,_4@1)",
    "tmem_[32b](0x0000.0000) o (_128,_64):(_65536,_1)",
    "Tiler_MN: (_16,_8) LayoutC_TV: ((_4,_8),(_2,_2)):((_32,_1),(_16,_8))",
    "Tiler_MN: (_32,_8) TiledLayout_TV: (_32,_8):(_1,_32)",
    "SM80_16x8x16_F32F16F16F32_TN",
    "SM90_64x64x16_F32F16F16_SS",
    "SM70_8x8x4_F32F16F16F32_NT",
    "Layout<Shape<Shape<_4,_8>,Shape<_2,_2>>, Stride<Stride<_32,_1>,Stride<_16,_8>>>",
    "!cute.layout<\"(4,8):(1,4)\">",
    // Triton.
    "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>",
    "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>",
    "#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>",
    "#ttg.dot_op<{opIdx = 0, parent = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], "
    "instrShape = [16, 8]}>, kWidth = 2}>",
    "#ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [4, "
    "1], order = [1, 0]}>}>",
    "#ttg.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = "
    "[]}>",
    "#ttg.generic_linear<{register = [[1, 0], [0, 1]], lane = [[2, 0], [4, 0], [8, 0], [0, 2], [0, 4]], warp = [[16, "
    "8], [0, 8]], block = []}>",
    "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 4, order = [1, 0]}>",
    "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>",
    "#ttg.shared_linear<{offset = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]]}, alignment = 128>",
    "#ttg.padded_shared<[32:+8] {order = [1, 0], shape = [64, 32]}>",
    "#ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [16, 16, 16], isTransposed = true}>",
    "#ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>",
    "tensor<64x32xf32, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = "
    "[1, 0]}>>",
    "BlockedLayout(size_per_thread=[1, 4], threads_per_warp=[4, 8], warps_per_cta=[4, 1], order=[1, 0])",
    // Linear layouts as text.
    " - register=1 -> (0, 1)\n   register=2 -> (8, 0)\n - lane=1 -> (0, 2)\n   lane=2 -> (0, 4)\n   lane=4 -> (1, 0)\n"
    "   lane=8 -> (2, 0)\n   lane=16 -> (4, 0)\nwhere out dims are: [dim0 (size 16), dim1 (size 8)]",
    "L: [T,R] -> [Y,X]\nT: [[4,0],[8,0],[0,1],[0,2],[0,4]]\nR: [[1,0],[2,0]]",
    // Tilus.
    "local(2, 1).spatial(8, 4).local(1, 2)",
    "column_spatial(4, 1).column_local(2, 1).spatial(8, 4).local(2)",
    "RegisterLayout(shape=[16, 8], mode_shape=[2, 8, 4, 2], spatial_modes=[1, 2], local_modes=[0, 3])",
    "SharedLayout(shape=[16, 8], mode_shape=[16, 8], mode_strides=[8, 1], swizzle=None)",
    // TIRx.
    "S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)]",
    "S[(8,64):(64@m,1@m)]",
    "S[(128,64):(1@TLane,1@TCol)]",
    // Mosaic: MLIR, Python, transforms.
    "#mosaic_gpu.TiledLayout<[[64, 8], [16, 8], [8, 8], [2]], warp_dims = [-7], lane_dims = [-3, -2], vector_dim = "
    "-1>",
    "#mosaic_gpu.WGStridedFragLayout<[128, 8], 4>",
    "TMEMLayout(tiling=Tiling(tiles=((128, 1), (32, 1))), warp_dims=(-4,), lane_dims=(-2,), vector_dim=-1)",
    "(TilingTransform(tiling=(8, 32)), SwizzleTransform(swizzle=128))",
    // TileLang.
    "Fragment([16, 16] -> [8], replicate: 1, thread: 32, forward_thread: _i % 8 * 4 + _j % 8 // 2, forward_index: [_j "
    "// 8 * 4 + _i // 8 * 2 + _j % 2])",
    "Layout([16, 8] -> [128], transform: [_i, _j] -> [_i * 8 + _j])",
    // TPUs.
    "#tpu.tiled<(8,128),[2,1]>",
    "#tpu.tiled<(8,128)(2,1),[2,1]>",
    // Instructions.
    "fragment(\"mma.m16n8k16.f16\", \"a\")",
    "fragment(\"tcgen05.ld.16x256b.x1\", \"r\")",
    "fragment(\"ldmatrix.x4\", \"r\")",
    "fragment(\"stmatrix.x2\", \"r\")",
};

inline std::vector<Shape> sampleShapes() {
  return {{1},      {8},      {128},     {100},      {1, 1},      {8, 4},     {4, 8},    {16, 8},  {8, 16},   {16, 16},
          {32, 8},  {16, 12}, {20, 8},   {64, 8},    {64, 64},    {63, 64},   {64, 32},  {128, 8}, {128, 64}, {64, 128},
          {96, 24}, {7, 5},   {8, 8, 8}, {2, 16, 8}, {1, 64, 64}, {128, 128}, {256, 16}, {3, 1}};
}

} // namespace lanescope::layouts
