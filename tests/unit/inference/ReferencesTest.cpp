// Transforms of shared memory and layouts of tensor memory, as JAX infers them.
#include "InferenceSupport.h"

#include <gtest/gtest.h>

using namespace lanescope::core;

namespace {

void expectLine(const LaidOut &laidOut, const std::string &line) {
  EXPECT_NE(("\n" + laidOut.lines).find("\n" + line + "\n"), std::string::npos) << "expected " << line << "\n"
                                                                                << laidOut.lines << laidOut.errors;
}

void expectRefused(const std::string &text, const std::string &message) {
  LaidOut laidOut = layOut(text);
  EXPECT_NE(laidOut.errors.find(message), std::string::npos) << laidOut.errors << laidOut.lines;
}

/// Defines `%to` as `%from` with transforms: a type and the list.
std::string transforms(const std::string &from, const std::string &to, const std::string &type,
                       const std::string &list) {
  return to + " = \"mosaic_gpu.with_transforms\"(" + from + ") <{transforms = [" + list + "]}> : (memref<" + type +
         ", $smem>) -> memref<" + type + ", $smem>\n";
}
const std::string kTile64 = "#mosaic_gpu.tile<[8, 32]>, #mosaic_gpu.swizzle<64 : i32>";
const std::string kContradiction = "there are no layouts for all operations";

} // namespace

// inventory: LI slice_smem_gets_empty_by_default, infer_transforms_sets_default_empty_transforms_on_async_load
TEST(References, WithoutTransformsByDefault) {
  expectLine(layOut("%s = \"mosaic_gpu.slice_smem\"() <{offset = 0 : i32}> : () -> memref<64x64xf32, $smem>"),
             "slice_smem -> -");
}

// inventory: LI infer_transforms_preserves_with_transforms_requirements,
// infer_transforms_fails_on_conflicting_with_transforms_requirements,
// with_transforms_incompatible_with_smem_shape_is_unsatisfiable, invalid_tiling_with_swizzle_combinations
TEST(References, AsDeclared) {
  const std::string any = "any smem 64x64 bf16 -> %s\n";
  expectLine(layOut(any + transforms("%s", "%t", "64x64xbf16", kTile64)), "with_transforms (8, 32)/64 -> (8, 32)/64");
  expectRefused(any + transforms("%s", "%t", "64x64xbf16", kTile64) +
                    transforms("%s", "%u", "64x64xbf16", "#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.swizzle<128 : i32>"),
                kContradiction);
  expectRefused(any + transforms("%s", "%t", "64x64xbf16", "#mosaic_gpu.tile<[7, 32]>"), "cannot have the transforms");
  expectRefused(any + transforms("%s", "%t", "64x64xbf16", "#mosaic_gpu.tile<[8, 16]>, #mosaic_gpu.swizzle<128 : i32>"),
                "cannot have the transforms");
}

// inventory: LI memref_load_store_op_transforms_are_empty, infer_transforms_for_try_cluster_cancel_op
TEST(References, SingleElementsHaveNone) {
  expectLine(layOut("any smem 1 i32 -> %s\n%0 = \"arith.constant\"() <{value = 0 : index}> : () -> index\n"
                    "%x = \"memref.load\"(%s, %0) <{nontemporal = false}> : (memref<1xi32, $smem>, index) -> i32"),
             "load -");
  expectRefused("any smem 2 i32 -> %s\n%0 = \"arith.constant\"() <{value = 0 : index}> : () -> index\n"
                "%x = \"memref.load\"(%s, %0) <{nontemporal = false}> : (memref<2xi32, $smem>, index) -> i32",
                "only references to one element");
}

// inventory: LI infer_transforms_for_memref_cast_op, get_cluster_ref_propagates_transforms
TEST(References, TheSameUnderOtherTypes) {
  const std::string cast = "any smem 64x64 bf16 -> %s\n%c = \"memref.cast\"(%t) : (memref<64x64xbf16, $smem>) -> "
                           "memref<64x64xbf16, strided<[64, 1]>, $smem>\n";
  std::string text = cast;
  text.replace(text.find("%t"), 2, "%s");
  expectLine(layOut(text + transforms("%s", "%u", "64x64xbf16", kTile64)), "cast (8, 32)/64 -> (8, 32)/64");
  const LaidOut cluster =
      layOut("any smem 64x64 bf16 -> %s\n" + transforms("%s", "%t", "64x64xbf16", kTile64) +
             "%i = \"arith.constant\"() <{value = 0 : i32}> : () -> i32\n"
             "%c = \"mosaic_gpu.get_cluster_ref\"(%t, %i) <{operandSegmentSizes = array<i32: 1, 1, 0, "
             "0>}> : (memref<64x64xbf16, $smem>, i32) -> memref<64x64xbf16, #mosaic_gpu.smem_cluster>");
  expectLine(cluster, "get_cluster_ref (8, 32)/64 -> (8, 32)/64");
}

// inventory: LI infer_transforms_for_memref_transpose
TEST(References, Transposed) {
  expectLine(
      layOut("any smem 32x64 bf16 -> %s\n" + transforms("%s", "%t", "32x64xbf16", kTile64) +
             "%r = \"memref.transpose\"(%t) <{permutation = affine_map<(d0, d1) -> (d1, d0)>}> : (memref<32x64xbf16, "
             "$smem>) -> memref<64x32xbf16, strided<[1, 64]>, $smem>"),
      "transpose (8, 32)/64 -> (32, 8)/64");
}

// inventory: LI infer_transforms_for_subview_raises_on_slice_incompatible_with_tile,
// infer_transforms_for_subview_handles_dynamic_offsets, infer_transforms_for_sliced_ref_with_assume_multiple,
// infer_transforms_for_sibling_subviews_and_distant_op
TEST(References, Sliced) {
  auto slice = [](const std::string &start, const std::string &number) {
    return "any smem 64x64 bf16 -> %s\n" + transforms("%s", "%t", "64x64xbf16", kTile64) + number +
           "%v = \"memref.subview\"(%t" + (number.empty() ? "" : ", %i") + ") <{operandSegmentSizes = array<i32: 1, " +
           (number.empty() ? "0" : "1") + ", 0, 0>, static_offsets = array<i64: " + start +
           ", 0>, static_sizes = array<i64: 16, 64>, static_strides = array<i64: 1, 1>}> : (memref<64x64xbf16, $smem>" +
           (number.empty() ? "" : ", index") + ") -> memref<16x64xbf16, strided<[64, 1], offset: ?>, $smem>\n";
  };
  const std::string dynamic = "-9223372036854775808";
  expectLine(layOut(slice("16", "")), "subview (8, 32)/64 -> (8, 32)/64");
  expectRefused(slice("3", ""), kContradiction);
  expectRefused(slice(dynamic, "%i = \"llvm.mlir.undef\"() : () -> index\n"), kContradiction);
  expectLine(layOut(slice(dynamic, "%n = \"llvm.mlir.undef\"() : () -> index\n%e = \"arith.constant\"() <{value = 8 : "
                                   "index}> : () -> index\n%i = \"arith.muli\"(%n, %e) <{overflowFlags = "
                                   "#arith.overflow<none>}> : (index, index) -> index\n")),
             "subview (8, 32)/64 -> (8, 32)/64");
}

// inventory: LI infer_layout_for_memref_expand_shape_op, infer_out_layout_for_memref_collapse_shape_no_reassociation,
// infer_out_layout_for_memref_collapse_shape_with_non_reassociable_tiling_fails,
// infer_out_layout_for_memref_collapse_shape_with_reassociable_tiling
TEST(References, Reshaped) {
  auto expand = [](const std::string &groups, const std::string &shape, const std::string &sizes) {
    return "any smem 32x64x128 f16 -> %s\n" +
           transforms("%s", "%t", "32x64x128xf16", "#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.swizzle<128 : i32>") +
           "%e = \"memref.expand_shape\"(%t) <{reassociation = [" + groups +
           "], static_output_shape = array<i64: " + sizes + ">}> : (memref<32x64x128xf16, $smem>) -> memref<" + shape +
           "xf16, $smem>\n";
  };
  expectLine(layOut(expand("[0, 1], [2], [3]", "4x8x64x128", "4, 8, 64, 128")),
             "expand_shape (8, 64)/128 -> (8, 64)/128");
  expectRefused(expand("[0], [1, 2], [3]", "32x4x16x128", "32, 4, 16, 128"), kContradiction);
  auto collapse = [](const std::string &tile, const std::string &groups, const std::string &shape) {
    return "any smem 32x64x128 f16 -> %s\n" +
           transforms("%s", "%t", "32x64x128xf16", "#mosaic_gpu.tile<[" + tile + "]>") +
           "%c = \"memref.collapse_shape\"(%t) <{reassociation = [" + groups +
           "]}> : (memref<32x64x128xf16, $smem>) -> memref<" + shape + "xf16, $smem>\n";
  };
  expectLine(layOut(collapse("4, 8, 16", "[0], [1], [2]", "32x64x128")), "collapse_shape (4, 8, 16) -> (4, 8, 16)");
  expectLine(layOut(collapse("4, 1, 16", "[0], [1, 2]", "32x8192")), "collapse_shape (4, 1, 16) -> (4, 16)");
  expectRefused(collapse("4, 8, 16", "[0], [1, 2]", "32x8192"), kContradiction);
}

TEST(References, AttributesThatAreNotThere) {
  for (const std::string &op : {"memref.transpose", "memref.collapse_shape", "memref.expand_shape"})
    expectRefused("any smem 32x64 f16 -> %s\n%t = \"" + op +
                      "\"(%s) : (memref<32x64xf16, $smem>) -> memref<64x32xf16, $smem>\n",
                  "lacks its attribute");
}

TEST(References, Reinterpreted) {
  auto cast = [](const std::string &from, const std::string &to) {
    return "any smem " + from + " f16 -> %s\n" + transforms("%s", "%t", from + "xf16", "#mosaic_gpu.tile<[8, 64]>") +
           "%c = \"mosaic_gpu.reinterpret_cast\"(%t) : (memref<" + from + "xf16, $smem>) -> memref<" + to +
           "xf16, $smem>\n";
  };
  expectLine(layOut(cast("32x64x128", "32x64x128")), "reinterpret_cast (8, 64) -> (8, 64)");
  expectLine(layOut(cast("4x8x64x128", "32x64x128")), "reinterpret_cast (8, 64) -> (8, 64)");
  expectRefused(cast("32x64x128", "64x32x128"), kContradiction);
}

// inventory: LI vector_load_of_smem_transposed_tiled_dimensions_yields_wgmma_layout,
// vector_store_of_smem_transposed_tiled_dimensions_yields_wgmma_layout, infer_transforms_for_vector_load_op,
// infer_transforms_for_vector_store_op, infer_transforms_for_vector_store_op_downgrades_when_unspecified,
// infer_transforms_for_async_store_smem_op, conjure_mma_layout_for_tiled_ref_transfer
TEST(References, LoadedAndStored) {
  const std::string type = "memref<64x64xbf16, strided<[1, 64]>, $smem>";
  const std::string transposed = "any smem 64x64 bf16 -> %u\n" + transforms("%u", "%s", "64x64xbf16", kTile64) +
                                 "%t = \"memref.transpose\"(%s) <{permutation = affine_map<(d0, d1) -> (d1, d0)>}> : "
                                 "(memref<64x64xbf16, $smem>) -> " +
                                 type + "\n";
  expectLine(layOut(transposed + "%x = \"mosaic_gpu.vector_load\"(%t) : (" + type + ") -> vector<64x64xbf16>"),
             "vector_load (32, 8)/64 -> WGMMA");
  expectLine(layOut(transposed + "any 64x64 bf16 -> %x\n\"mosaic_gpu.vector_store\"(%x, %t) : (vector<64x64xbf16>, " +
                    type + ") -> ()"),
             "vector_store WGMMA, (32, 8)/64");
  // The reverse: the memory that a layout requires.
  const std::string load =
      "any smem 128x128 f32 -> %s\n%x = \"mosaic_gpu.vector_load\"(%s) : (memref<128x128xf32, $smem>) -> "
      "vector<128x128xf32>\n";
  expectLine(layOut(load + "cast %x 128x128 f32 WGMMA -> %y"), "vector_load (8, 32)/128 -> WGMMA");
  expectLine(layOut(load), "vector_load - -> strided(2)");
  const std::string value = "any smem 128x128 f32 -> %s\nany 128x128 f32 -> %u\ncast %u 128x128 f32 WGMMA -> %x\n";
  const std::string operands = "(%x, %s)", types = " : (vector<128x128xf32>, memref<128x128xf32, $smem>) -> ()";
  expectLine(layOut(value + "\"mosaic_gpu.vector_store\"" + operands + types), "vector_store WGMMA, (8, 32)/128");
  expectLine(
      layOut(value + transforms("%s", "%t", "128x128xf32", "") + "\"mosaic_gpu.vector_store\"" + operands + types),
      "vector_store WGMMA, -");
  expectRefused(value + transforms("%s", "%t", "128x128xf32", "") + "\"mosaic_gpu.vector_store\"" + operands +
                    " <{optimized = true}>" + types,
                kContradiction);
  expectLine(layOut("any smem 128x128 f32 -> %s\n" +
                        transforms("%s", "%t", "128x128xf32",
                                   "#mosaic_gpu.tile<[8, 32]>, "
                                   "#mosaic_gpu.swizzle<128 : i32>") +
                        "%x = \"mosaic_gpu.vector_load\"(%s) : (memref<128x128xf32, $smem>) -> "
                        "vector<128x128xf32>",
                    {.target = findGpuTarget("sm_100a")}),
             "vector_load (8, 32)/128 -> TCGEN05");
}

// inventory: LI infer_transforms_for_async_load_store_works_on_ok_input,
// infer_transforms_for_async_load_store_raises_on_unaligned_tiles, infer_layout_for_async_ops_with_vector_indices,
// infer_transforms_for_async_gather_scatter_indices_ok,
// infer_transforms_for_async_gather_scatter_indices_non_divisible_shape_raises,
// infer_transforms_for_async_gather_scatter_non_leading_indices_raises,
// infer_transforms_for_async_gather_scatter_indices_non_2d_shape_raises
TEST(References, Copied) {
  auto load = [](const std::string &index, const std::string &type, const std::string &tile, int columns = 64) {
    const std::string n = std::to_string(columns), smem = "memref<64x" + n + "xbf16, $smem>";
    return "%g = \"llvm.mlir.undef\"() : () -> memref<64x" + n +
           "xbf16>\n%b = \"llvm.mlir.undef\"() : () -> "
           "memref<!mosaic_gpu.barrier>\nany smem 64x" +
           n + " bf16 -> %s\n" + transforms("%s", "%t", "64x" + n + "xbf16", tile) + index +
           "%z = \"arith.constant\"() <{value = 0 : i32}> : () -> i32\n"
           "\"mosaic_gpu.async_load\"(%g, %s, %b, %i, %z) <{collective = [], oob_fill_mode = 2 : i32, "
           "operandSegmentSizes = "
           "array<i32: 1, 1, 1, 2, 0, 0>, slice_lengths = array<i64: 64, " +
           n + ">}> : (memref<64x" + n + "xbf16>, " + smem + ", memref<!mosaic_gpu.barrier>, " + type + ", i32) -> ()";
  };
  auto constant = [](int value) {
    return "%i = \"arith.constant\"() <{value = " + std::to_string(value) + " : i32}> : () -> i32\n";
  };
  expectLine(layOut(load(constant(8), "i32", kTile64)), "async_load (8, 32)/64");
  expectRefused(load(constant(1), "i32", kTile64), kContradiction);
  expectLine(layOut(load("any 64 i32 -> %i\n", "vector<64xi32>", kTile64)), "async_load (8, 32)/64, TMA_INDICES");
  expectRefused(load("any 3 i32 -> %i\n", "vector<3xi32>", kTile64), "multiple of four elements");
  expectRefused(load("any 64 i32 -> %i\n", "vector<64xi32>", "", 12), "rows that are gathered");
}

//===--- products ---===//

// inventory: LI infer_transforms_for_wgmma_op, infer_wgmma_transforms_supports_small_tile_sizes,
// infer_layouts_for_8bits_wgmma_op
TEST(References, Wgmma) {
  const std::string types =
      "(vector<64x64xf32>, memref<64x64xbf16, $smem>, memref<64x64xbf16, $smem>) -> vector<64x64xf32>";
  const std::string operands = "any 64x64 f32 -> %c\nany smem 64x64 bf16 -> %a\nany smem 64x64 bf16 -> %b\n";
  expectLine(layOut(operands + "%r = \"mosaic_gpu.wgmma\"(%c, %a, %b) : " + types),
             "wgmma WGMMA, (8, 64)/128, (8, 64)/128 -> WGMMA");
  expectLine(layOut(operands + transforms("%a", "%t", "64x64xbf16", kTile64) +
                    "%r = \"mosaic_gpu.wgmma\"(%c, %a, %b) : " + types),
             "wgmma WGMMA, (8, 32)/64, (8, 32)/64 -> WGMMA");
  expectLine(
      layOut(
          "any 64x64 i32 -> %c\nany 64x64 i8 -> %a\nany smem 64x64 i8 -> %b\n%r = \"mosaic_gpu.wgmma\"(%c, %a, %b) : "
          "(vector<64x64xi32>, vector<64x64xi8>, memref<64x64xi8, $smem>) -> vector<64x64xi32>"),
      "wgmma WGMMA, WGMMA_8BIT, (8, 64)/64 -> WGMMA");
}

// inventory: LI infer_transforms_for_tcgen05_mma_op, infer_correct_swizzle_for_tcgen05_mma_op_with_m64,
// infer_tcgen05_mma_transforms_supports_small_tile_sizes, infer_tmem_layout_for_tcgen05_mma_with_scales,
// infer_tmem_layout_for_tcgen05_collective_scaled_mma, infer_tmem_layout_for_tcgen05_mma_sparse_metadata
TEST(References, TensorProducts) {
  auto product = [](int m, const std::string &element, bool collective, bool scaled) {
    const std::string rows = std::to_string(m), acc = "memref<" + rows + "x64xf32, $tmem>",
                      a = "memref<" + rows + "x128x" + element + ", $smem>",
                      b = "memref<128x64x" + element + ", $smem>", scale = "memref<128x4xf8E8M0FNU, $tmem>";
    return "any tmem " + rows + "x64 f32 -> %d\nany smem " + rows + "x128 " + element + " -> %a\nany smem 128x64 " +
           element + " -> %b\n%t = \"arith.constant\"() <{value = true}> : () -> i1\n" +
           (scaled ? "any tmem 128x4 f8E8M0FNU -> %p\nany tmem 128x4 f8E8M0FNU -> %q\n" : "") +
           "\"mosaic_gpu.tcgen05_mma\"(%d, %a, %b, %t" + (scaled ? ", %p, %q" : "") +
           ") <{collective = " + (collective ? "true" : "false") + ", operandSegmentSizes = array<i32: 1, 1, 1, 1, " +
           (scaled ? "1, 1" : "0, 0") + ", 0>}> : (" + acc + ", " + a + ", " + b + ", i1" +
           (scaled ? ", " + scale + ", " + scale : "") + ") -> ()";
  };
  expectLine(layOut(product(128, "bf16", false, false)),
             "tcgen05_mma tmem_default_layout(packing=1), (8, 64)/128, (8, 64)/128");
  // With two halves of 32 columns, no tile may be wider than 32 columns.
  expectLine(layOut(product(64, "i8", false, false)),
             "tcgen05_mma tmem_half_lane_layout(64, packing=1), (8, 128)/128, (8, 32)/32");
  expectLine(layOut(product(64, "bf16", true, false)),
             "tcgen05_mma tmem_m64_collective_layout(64, packing=1), (8, 64)/128, (8, 64)/128");
  expectLine(layOut(product(128, "f8E4M3FN", false, true)),
             "tcgen05_mma tmem_default_layout(packing=1), (8, 128)/128, (8, 64)/64, scales_layout(), scales_layout()");
}

//===--- tensor memory ---===//

// inventory: LI infer_layout_for_tmem_alloc_by_default, infer_tmem_alloc_layout_correctly,
// tmem_dealloc_propagates_producer_layout, infer_tmem_layout_cast_correctly, infer_tmem_layout_for_slice_tmem_op,
// infer_layout_for_print_tmem_layout_op, cant_relayout_tmem,
// tmem_layout_cast_incompatible_with_ref_shape_is_unsatisfiable
TEST(References, TensorMemory) {
  const std::string alloc =
      "any smem 1 i32 -> %p\n%t = \"mosaic_gpu.tmem_alloc\"(%p) <{collective = false, packing = 1 : i32}> : "
      "(memref<1xi32, $smem>) -> memref<128x128xf32, $tmem>\n";
  const std::string dealloc = "\"mosaic_gpu.tmem_dealloc\"(%t) : (memref<128x128xf32, $tmem>) -> ()\n";
  auto cast = [](const std::string &from, const std::string &to, const std::string &layout) {
    return to + " = \"mosaic_gpu.tmem_layout_cast\"(" + from + ") <{new_layout = " + layout +
           "}> : (memref<128x128xf32, $tmem>) -> memref<128x128xf32, $tmem>\n";
  };
  const std::string
      one = "#mosaic_gpu.TiledLayout<[[128, 1], [32, 1]], warp_dims = [-4], lane_dims = [-2], vector_dim = -1>",
      two = "#mosaic_gpu.TiledLayout<[[128, 2], [32, 2]], warp_dims = [-4], lane_dims = [-2], vector_dim = -1>";
  expectLine(layOut(alloc + dealloc), "tmem_alloc - -> tmem_default_layout(packing=1)");
  expectLine(layOut(alloc + dealloc), "tmem_dealloc tmem_default_layout(packing=1)");
  expectLine(layOut(alloc + cast("%t", "%c", two)), "tmem_alloc - -> tmem_default_layout(packing=2)");
  expectRefused(alloc + cast("%t", "%c", two) + cast("%c", "%d", one), kContradiction);
  expectRefused("any tmem 4x4 f32 -> %t\n%c = \"mosaic_gpu.tmem_layout_cast\"(%t) <{new_layout = " + two +
                    "}> : (memref<4x4xf32, $tmem>) -> memref<4x4xf32, $tmem>\n",
                "cannot have the layout");
}

// inventory: LI async_store_tmem_accepts_expected_src_dest_layouts, async_load_tmem_accepts_expected_in_out_layouts,
// infer_async_load_chooses_in_tmem_layouts_compatible_with_register_layout,
// infer_async_load_chooses_out_layouts_compatible_with_tmem_layout,
// async_load_tmem_rejects_incompatible_in_out_layouts, async_load_tmem_rejects_invalid_layouts
TEST(References, TensorMemoryAndRegisters) {
  const std::string load =
      "any tmem 128x128 f32 -> %t\n%x = \"mosaic_gpu.async_load_tmem\"(%t) : (memref<128x128xf32, $tmem>) -> "
      "vector<128x128xf32>\n";
  expectLine(layOut(load + "cast %x 128x128 f32 TCGEN05 -> %y"),
             "async_load_tmem tmem_default_layout(packing=1) -> TCGEN05");
  expectLine(layOut(load + "cast %x 128x128 f32 TMEM_NATIVE -> %y"),
             "async_load_tmem tmem_default_layout(packing=1) -> TMEM_NATIVE");
  EXPECT_NE(layOut(load + "cast %x 128x128 f32 WGMMA_TRANSPOSED -> %y").errors, "");
  for (const std::string &layout : {"TCGEN05", "TMEM_NATIVE"})
    expectLine(layOut("any tmem 128x128 f32 -> %t\nany 128x128 f32 -> %u\ncast %u 128x128 f32 " + std::string(layout) +
                      " -> %x\n\"mosaic_gpu.async_store_tmem\"(%x, %t) : (vector<128x128xf32>, memref<128x128xf32, "
                      "$tmem>) -> ()"),
               "async_store_tmem " + std::string(layout) + ", tmem_default_layout(packing=1)");
}

// inventory: LI async_store_smem_to_tmem_infers_expected_src_dest_layouts,
// async_store_smem_to_tmem_rejects_incompatible_tmem_layout, async_store_smem_to_tmem_rejects_incompatible_shape,
// async_store_sparse_metadata_smem_to_tmem_infers_expected_src_dest_layouts,
// async_store_sparse_metadata_smem_to_tmem_rejects_incompatible_tmem_layout,
// async_store_scales_smem_to_tmem_infers_expected_src_dest_layouts,
// async_store_scales_smem_to_tmem_rejects_incompatible_layouts
TEST(References, CopiedToTensorMemory) {
  auto copy = [](const std::string &name, const std::string &from, const std::string &to) {
    return "%s = \"llvm.mlir.undef\"() : () -> memref<" + from +
           ", $smem>\n%t = \"llvm.mlir.undef\"() : () -> memref<" + to + ", $tmem>\n\"mosaic_gpu.async_store_" + name +
           "smem_to_tmem\"(%s, %t) <{collective = false}> : (memref<" + from + ", $smem>, memref<" + to +
           ", $tmem>) -> ()\n";
  };
  const std::string cast =
      "%c = \"mosaic_gpu.tmem_layout_cast\"(%t) <{new_layout = #mosaic_gpu.TiledLayout<[[128, 4], [32, 4]], "
      "warp_dims = [-4], lane_dims = [-2], vector_dim = -1>}> : ";
  expectLine(layOut(copy("", "128x128xbf16", "128x128xbf16")),
             "async_store_smem_to_tmem (8, 64)/128, tmem_default_layout(packing=2)");
  expectRefused(copy("", "128x1xbf16", "128x1xbf16"), "cannot have the layout");
  expectRefused(copy("", "128x128xbf16", "128x128xbf16") + cast +
                    "(memref<128x128xbf16, $tmem>) -> memref<128x128xbf16, $tmem>",
                kContradiction);
  expectLine(layOut(copy("scales_", "2x32x32x16xf8E8M0FNU", "256x128xf8E8M0FNU")),
             "async_store_scales_smem_to_tmem -, scales_layout()");
  expectLine(layOut(copy("scales_", "1x32x64x16xf8E8M0FNU", "256x128xf8E8M0FNU")),
             "async_store_scales_smem_to_tmem -, b_scales_m64_collective_layout()");
  expectRefused(copy("scales_", "2x32x32x16xf8E8M0FNU", "256x128xf8E8M0FNU") + cast +
                    "(memref<256x128xf8E8M0FNU, $tmem>) -> memref<256x128xf8E8M0FNU, $tmem>",
                kContradiction);
  expectLine(layOut(copy("sparse_metadata_", "1x4x128x64xi2", "128x256xi2")),
             "async_store_sparse_metadata_smem_to_tmem -, sparse_meta_layout()");
  expectRefused(copy("sparse_metadata_", "1x4x128x64xi2", "128x256xi2") + cast +
                    "(memref<128x256xi2, $tmem>) -> memref<128x256xi2, $tmem>",
                kContradiction);
}

//===--- regions ---===//

// inventory: LI infer_layout_of_custom_primitive_op_uses_argument_layouts, custom_primitive_op_retains_layouts,
// custom_primitive_op_retains_transforms, custom_primitive_op_with_conflicting_transforms_is_unsat
TEST(References, CustomPrimitives) {
  auto primitive = [](const std::string &second) {
    return "any smem 64x64 bf16 -> %s\nany 128 f32 -> %x\n%r = \"mosaic_gpu.custom_primitive\"(%x, %s, %s) "
           "<{in_layouts = "
           "[$WGMMA_ROW], in_transforms = [[" +
           kTile64 + "], [" + second +
           "]], out_layouts = [$WGMMA_COL]}> ({\n^bb0(%a: "
           "vector<128xf32>, %b: memref<64x64xbf16, $smem>, %c: memref<64x64xbf16, $smem>):\n}) : (vector<128xf32>, "
           "memref<64x64xbf16, $smem>, memref<64x64xbf16, $smem>) -> vector<128xf32>";
  };
  const LaidOut laidOut = layOut(primitive(kTile64));
  expectLine(laidOut, "custom_primitive WGMMA_ROW, (8, 32)/64, (8, 32)/64 -> WGMMA_COL");
  expectLine(laidOut, "mlir.undef -> WGMMA_ROW");
  expectRefused(primitive(""), kContradiction);
}

// inventory: LI infer_layout_for_warp_map_op, infer_layout_for_warp_map_op_works_for_refs_with_common_producer
TEST(References, WarpMaps) {
  const std::string type = "memref<64x64xbf16, $smem>";
  expectLine(layOut("any smem 64x64 bf16 -> %s\n\"mosaic_gpu.warp_map\"(%s, %s) ({\n^bb0(%a: " + type +
                    ", %b: " + type + "):\n" + transforms("%a", "%t", "64x64xbf16", kTile64) + "}) : (" + type + ", " +
                    type + ") -> ()"),
             "warp_map (8, 32)/64, (8, 32)/64");
}

// inventory: LI constraint_extraction_works_correctly, relayout_only_derived_for_registers,
// slice_smem_constraint_system_with_alias_ids_works_correctly,
// slice_smem_constraint_system_with_alias_ids_fails_on_conflict
TEST(References, SystemsInJaxsWords) {
  EXPECT_EQ(
      systemOf("any 64 f32 -> %x\ncast %x 64 f32 WGMMA_ROW -> %y\n\"mosaic_gpu.debug_print\"(%y) <{format = \"{}\"}> : "
               "(vector<64xf32>) -> ()"),
      R"(ConstraintSystem
  assignments:
    V(%1 = mosaic_gpu.layout_cast:r-0) ⟵ C(TiledLayout(tiling=Tiling(tiles=((64,), (16,), (8,), (1,))), warp_dims=(-4,), lane_dims=(-2, Replicated(times=4)), vector_dim=-1))
  constraints:
    Relayout(V(%1 = mosaic_gpu.layout_cast:o-0)  ⟶ V(%1 = mosaic_gpu.layout_cast:r-0))
    Relayout(V(%0 = llvm.mlir.undef:r-0)  ⟶ V(%1 = mosaic_gpu.layout_cast:o-0))
    Relayout(V(%1 = mosaic_gpu.layout_cast:r-0)  ⟶ V("mosaic_gpu.debug_print"(%1):o-0))
)");
  auto slices = [](const std::string &first, const std::string &second) {
    auto one = [](const std::string &name, const std::string &list) {
      return name +
             " = \"mosaic_gpu.slice_smem\"() <{alias_id = 0 : i64, offset = 0 : i32}> : () -> memref<64x64xbf16, "
             "$smem>\n" +
             transforms(name, name + "t", "64x64xbf16", list);
    };
    return one("%a", first) + one("%b", second);
  };
  EXPECT_EQ(systemOf(slices(kTile64, kTile64)),
            "ConstraintSystem\n  assignments:\n    V(%0 = \"mosaic_gpu.slice_smem\"():r-0) ⟵ "
            "C(TileTransform(tiling=(8, 32), rounding=None), 64)\n  constraints:\n");
  expectRefused(slices(kTile64, ""), kContradiction);
}
