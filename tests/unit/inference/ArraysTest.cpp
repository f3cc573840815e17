// Layouts of arrays in registers, as JAX infers them.
#include "InferenceSupport.h"

#include <gtest/gtest.h>

using namespace lanescope::core;

namespace {

/// The result contains `line`.
void expectLine(const LaidOut &laidOut, const std::string &line) {
  EXPECT_NE(("\n" + laidOut.lines).find("\n" + line + "\n"), std::string::npos) << "expected " << line << "\n"
                                                                                << laidOut.lines << laidOut.errors;
}

void expectRefused(const std::string &text, const std::string &message) {
  LaidOut laidOut = layOut(text);
  EXPECT_NE(laidOut.errors.find(message), std::string::npos) << laidOut.errors << laidOut.lines;
}

} // namespace

// inventory: LI infer_strided_layout_default, infer_layout_has_no_layout_for_non_vector_types
TEST(Arrays, StridedByDefault) {
  expectLine(layOut("any 128 bf16 -> %x"), "mlir.undef -> strided(1)");
  expectLine(layOut("any 32x256 i4 -> %x"), "mlir.undef -> strided(16)");
  expectLine(layOut("any 32x256 i2 -> %x"), "mlir.undef -> strided(32)");
  EXPECT_EQ(layOut("%c = \"arith.constant\"() <{value = 1 : i32}> : () -> i32").lines, "");
}

// inventory: LI dont_infer_invalid_strided_layout
TEST(Arrays, NoDefaultWhereItDoesNotFit) {
  expectRefused("any 63 f32 -> %x", "some values have neither a stated nor a default layout");
}

// inventory: LI infer_splat_layout_for_splat_constants, infer_layout_from_consumer_for_non_splat_constant,
// infer_splat_layout_for_vector_splat, vector_broadcast_from_scalar_infers_splat_layout,
// infer_layout_preserves_splat_layouts_in_producers, infer_layout_traverses_ops_correctly
TEST(Arrays, Constants) {
  expectLine(layOut("%c = \"arith.constant\"() <{value = dense<1.0> : vector<16x8xf32>}> : () -> vector<16x8xf32>"),
             "constant -> splat");
  LaidOut used = layOut(
      R"(%c = "arith.constant"() <{value = dense<[[1.0, 2.0], [3.0, 4.0]]> : vector<2x2xf32>}> : () -> vector<2x2xf32>)");
  EXPECT_NE(used.errors, "") << "two by two elements have no layout";
  LaidOut splat = layOut(R"(%s = "llvm.mlir.undef"() : () -> f32
%b = "vector.broadcast"(%s) : (f32) -> vector<64x8xf32>
any 64x8 f32 -> %x
cast %x 64x8 f32 WGMMA -> %y
%z = "arith.addf"(%b, %y) <{fastmath = #arith.fastmath<none>}> : (vector<64x8xf32>, vector<64x8xf32>) -> vector<64x8xf32>)");
  expectLine(splat, "broadcast -> splat");
  expectLine(splat, "addf WGMMA, WGMMA -> WGMMA");
}

// inventory: LI pointwise_op_propagates_argument_layouts, infer_layout_picks_non_splat_layout_over_splat_layout,
// infer_layout_cast_layout
TEST(Arrays, ElementByElement) {
  LaidOut laidOut = layOut(R"(any 64x16 f32 -> %x
cast %x 64x16 f32 WGMMA -> %y
%c = "arith.constant"() <{value = dense<1.0> : vector<64x16xf32>}> : () -> vector<64x16xf32>
%s = "arith.addf"(%c, %y) <{fastmath = #arith.fastmath<none>}> : (vector<64x16xf32>, vector<64x16xf32>) -> vector<64x16xf32>
%a = "arith.addf"(%c, %c) <{fastmath = #arith.fastmath<none>}> : (vector<64x16xf32>, vector<64x16xf32>) -> vector<64x16xf32>)");
  expectLine(laidOut, "layout_cast WGMMA -> WGMMA");
  expectLine(laidOut, "addf WGMMA, WGMMA -> WGMMA");
  expectLine(laidOut, "addf splat, splat -> splat");
}

// inventory: LI layout_cast_of_vector_load_to_splat_raises, layout_cast_of_non_splat_constant_to_splat_raises,
// vector_load_does_not_allow_splat_result, infer_layout_for_broadcasted_iota_rejects_splat_layout,
// multimem_load_reduce_does_not_allow_splat_result
TEST(Arrays, WhatIsNoSplatDoesNotBecomeOne) {
  const std::string cast =
      "%y = \"mosaic_gpu.layout_cast\"(%x) <{new_layout = #mosaic_gpu.WGSplatFragLayout<[32, 4]>}> : "
      "(vector<32x4xf32>) -> vector<32x4xf32>";
  for (const std::string &source :
       {R"(%m = "llvm.mlir.undef"() : () -> memref<32x4xf32>
%x = "mosaic_gpu.vector_load"(%m) : (memref<32x4xf32>) -> vector<32x4xf32>)",
        R"(%x = "mosaic_gpu.broadcasted_iota"() <{dimension = 0 : i32}> : () -> vector<32x4xf32>)",
        R"(%m = "llvm.mlir.undef"() : () -> memref<32x4xf32>
%x = "mosaic_gpu.multimem_load_reduce"(%m) <{reduction_op = 0 : i32}> : (memref<32x4xf32>) -> vector<32x4xf32>)"}) {
    LaidOut laidOut = layOut(std::string(source) + "\n" + cast);
    EXPECT_NE(laidOut.errors.find("there are no layouts for all operations"), std::string::npos) << laidOut.errors;
  }
}

// inventory: LI infer_broadcast_in_dim_layout, infer_strided_layout_for_broadcast
TEST(Arrays, Broadcasts) {
  auto repeat = [](const std::string &dims) {
    return "%y = \"mosaic_gpu.broadcast_in_dim\"(%x) <{broadcast_dimensions = array<i64: " + dims +
           ">}> : (vector<128xf32>) -> vector<128x128xf32>";
  };
  expectLine(layOut("any 128 f32 -> %a\ncast %a 128 f32 WGMMA_ROW -> %x\n" + repeat("0")),
             "broadcast_in_dim WGMMA_ROW -> WGMMA");
  expectLine(layOut("any 128 f32 -> %x\n" + repeat("1") + "\ncast %y 128x128 f32 TCGEN05 -> %z"),
             "broadcast_in_dim WGMMA_COL -> TCGEN05");
  LaidOut strided = layOut("any 1x128 f32 -> %x\n%y = \"mosaic_gpu.broadcast_in_dim\"(%x) <{broadcast_dimensions = "
                           "array<i64: 0, 1>}> : (vector<1x128xf32>) -> vector<4x128xf32>");
  expectLine(strided, "broadcast_in_dim strided(1) -> strided(1)");
}

// inventory: LI infer_multi_reduce_layout, reduce_of_untiled_dimension_does_not_reduce_layout,
// reduce_of_untiled_dimension_conjures_reduced_layout_for_input, vector_reduction_infers_reducible_producer_layout
TEST(Arrays, Reductions) {
  auto reduce = [](int dim) {
    return "any 128 f32 -> %a\n%r = \"vector.multi_reduction\"(%x, %a) <{kind = #vector.kind<add>, reduction_dims = "
           "array<i64: " +
           std::to_string(dim) + ">}> : (vector<128x128xf32>, vector<128xf32>) -> vector<128xf32>\n";
  };
  const std::string wgmma = "any 128x128 f32 -> %u\ncast %u 128x128 f32 WGMMA -> %x\n";
  expectLine(layOut(wgmma + reduce(1)), "multi_reduction WGMMA, WGMMA_ROW -> WGMMA_ROW");
  expectLine(layOut(wgmma + reduce(0)), "multi_reduction WGMMA, WGMMA_COL -> WGMMA_COL");
  expectLine(layOut("any 128x128 f32 -> %x\n" + reduce(1) + "cast %r 128 f32 WGMMA_ROW -> %y"),
             "multi_reduction WGMMA, WGMMA_ROW -> WGMMA_ROW");
  const std::string outer = "any 64x64 f32 -> %a\n%r = \"vector.multi_reduction\"(%x, %a) <{kind = #vector.kind<add>, "
                            "reduction_dims = array<i64: 0>}> : (vector<4x64x64xf32>, vector<64x64xf32>) -> "
                            "vector<64x64xf32>\n";
  expectLine(layOut("any 4x64x64 f32 -> %u\ncast %u 4x64x64 f32 WGMMA -> %x\n" + outer),
             "multi_reduction WGMMA, WGMMA -> WGMMA");
  expectLine(layOut("any 4x64x64 f32 -> %x\n" + outer + "cast %r 64x64 f32 WGMMA -> %y"),
             "multi_reduction WGMMA, WGMMA -> WGMMA");
  expectLine(layOut("any 128 f32 -> %u\ncast %u 128 f32 WGMMA_ROW -> %x\n%r = \"vector.reduction\"(%x) <{kind = "
                    "#vector.kind<add>, fastmath = #arith.fastmath<none>}> : (vector<128xf32>) -> f32"),
             "reduction WGMMA_ROW");
}

// inventory: LI infer_layout_bidirectionally_through_shape_cast
TEST(Arrays, Reshapes) {
  const std::string reshape = "%y = \"vector.shape_cast\"(%x) : (vector<2x128x8xbf16>) -> vector<256x8xbf16>\n";
  expectLine(layOut("any 2x128x8 bf16 -> %u\ncast %u 2x128x8 bf16 WGMMA -> %x\n" + reshape),
             "shape_cast WGMMA -> WGMMA");
  expectLine(layOut("any 2x128x8 bf16 -> %x\n" + reshape + "cast %y 256x8 bf16 WGMMA -> %z"),
             "shape_cast WGMMA -> WGMMA");
}

// inventory: LI infer_vector_concat_layout, infer_vector_concat_rejects_strided_layout,
// infer_layout_for_vector_extract_strided_slice, infer_layout_for_vector_extract_strided_slice_fails,
// infer_layout_for_vector_insert_strided_slice, infer_layout_for_vector_insert_strided_slice_fails
TEST(Arrays, CutAndJoined) {
  const std::string parts = "any 64x32 f32 -> %a\nany 128x32 f32 -> %b\n";
  const std::string concat = "%c = \"mosaic_gpu.vector_concat\"(%x, %b) <{dimension = 0 : i32}> : (vector<64x32xf32>, "
                             "vector<128x32xf32>) -> vector<192x32xf32>";
  expectLine(layOut(parts + "cast %a 64x32 f32 WGMMA -> %x\n" + concat), "vector_concat WGMMA, WGMMA -> WGMMA");
  expectRefused(parts +
                    "%x = \"mosaic_gpu.layout_cast\"(%a) <{new_layout = #mosaic_gpu.WGStridedFragLayout<[64, 32], "
                    "1>}> : (vector<64x32xf32>) -> vector<64x32xf32>\n" +
                    concat,
                "there are no layouts for all operations");
  auto slice = [](const std::string &offsets, const std::string &sizes) {
    return "any 128x128 f32 -> %a\ncast %a 128x128 f32 WGMMA -> %x\n%s = \"vector.extract_strided_slice\"(%x) "
           "<{offsets = [" +
           offsets + "], sizes = [" + sizes + "], strides = [1, 1]}> : (vector<128x128xf32>) -> vector<" +
           (sizes.starts_with("64") ? "64x64" : "125x64") + "xf32>";
  };
  expectLine(layOut(slice("64, 64", "64, 64")), "extract_strided_slice WGMMA -> WGMMA");
  expectRefused(slice("3, 64", "125, 64"), "there are no layouts for all operations");
  auto insert = [](const std::string &offsets) {
    return "any 64x64 f32 -> %p\nany 128x128 f32 -> %a\ncast %a 128x128 f32 WGMMA -> %x\n%s = "
           "\"vector.insert_strided_slice\"(%p, %x) <{offsets = [" +
           offsets + "], strides = [1, 1]}> : (vector<64x64xf32>, vector<128x128xf32>) -> vector<128x128xf32>";
  };
  expectLine(layOut(insert("0, 64")), "insert_strided_slice WGMMA, WGMMA -> WGMMA");
  expectRefused(insert("3, 64"), "there are no layouts for all operations");
}

// inventory: LI infer_layout_for_vector_extract, infer_layout_for_vector_extract_to_scalar,
// infer_layout_for_vector_extract_fails_if_not_dividing_result_shape
TEST(Arrays, Extracted) {
  auto extract = [](const std::string &shape, const std::string &rest) {
    return "any " + shape + " f32 -> %a\ncast %a " + shape +
           " f32 WGMMA -> %x\n%s = \"vector.extract\"(%x) "
           "<{static_position = array<i64: 1>}> : (vector<" +
           shape + "xf32>) -> vector<" + rest + "xf32>";
  };
  expectLine(layOut(extract("2x64x64", "64x64")), "extract WGMMA -> WGMMA");
  expectRefused(extract("64x64", "64"), "there are no layouts for all operations");
  expectLine(layOut(R"(%c = "arith.constant"() <{value = dense<1.0> : vector<128xf32>}> : () -> vector<128xf32>
%s = "vector.extract"(%c) <{static_position = array<i64: 1>}> : (vector<128xf32>) -> f32)"),
             "extract splat");
}

// inventory: LI optimization_barrier_op_propagates_user_layouts, optimization_barrier_op_propagates_producer_layouts,
// infer_layout_for_print_register_layout_op
TEST(Arrays, BarriersAndPrints) {
  const std::string barrier =
      "%b = \"mosaic_gpu.optimization_barrier\"(%x) : (vector<64x32xf32>) -> vector<64x32xf32>\n";
  expectLine(layOut("any 64x32 f32 -> %u\ncast %u 64x32 f32 WGMMA -> %x\n" + barrier),
             "optimization_barrier WGMMA -> WGMMA");
  expectLine(layOut("any 64x32 f32 -> %x\n" + barrier + "cast %b 64x32 f32 WGMMA -> %y"),
             "optimization_barrier WGMMA -> WGMMA");
  expectLine(
      layOut("any 64x32 f32 -> %u\ncast %u 64x32 f32 WGMMA -> %x\n\"mosaic_gpu.print_layout\"(%x) <{format = \"x\"}> : "
             "(vector<64x32xf32>) -> ()"),
      "print_layout WGMMA");
}

// inventory: LI layout_of_wgmma_layout_to_wgmma_row_layout_raises,
// layout_cast_incompatible_with_vector_shape_is_unsatisfiable
TEST(Arrays, ImpossibleCasts) {
  expectRefused("any 128 f32 -> %a\ncast %a 128 f32 WGMMA_ROW -> %x\ncast %x 128 f32 WGMMA_COL -> %y",
                "there are no layouts for all operations");
  expectRefused("any 63x7 f32 -> %a\ncast %a 63x7 f32 WGMMA -> %x", "cannot have the layout");
}

// inventory: LI layout_inference_gelu_does_not_timeout
TEST(Arrays, LongChainsOfConstantsEndSoon) {
  std::string text = "%m = \"llvm.mlir.undef\"() : () -> memref<128xf32>\n%v0 = \"mosaic_gpu.vector_load\"(%m) : "
                     "(memref<128xf32>) -> vector<128xf32>\n";
  for (int i = 0; i < 200; ++i) {
    const std::string n = std::to_string(i), next = std::to_string(i + 1);
    text +=
        "%c" + n + " = \"arith.constant\"() <{value = dense<" + n + ".5> : vector<128xf32>}> : () -> vector<128xf32>\n";
    text += "%v" + next + " = \"arith.mulf\"(%v" + n + ", %c" + n +
            ") <{fastmath = #arith.fastmath<none>}> : (vector<128xf32>, vector<128xf32>) -> vector<128xf32>\n";
  }
  LaidOut laidOut = layOut(text, {.fuel = 1000});
  expectLine(laidOut, "mulf strided(1), strided(1) -> strided(1)");
}

//===--- control flow ---===//

// inventory: LI infer_layout_from_yield_op_in_layouts_for_for_op, infer_layout_from_body_op_to_yield_op_to_for_op
TEST(Arrays, CarriedByLoops) {
  const std::string bounds = R"(%0 = "arith.constant"() <{value = 0 : index}> : () -> index
%1 = "arith.constant"() <{value = 1 : index}> : () -> index
any 64x32 f32 -> %i
)";
  LaidOut laidOut = layOut(bounds + R"(%r = "scf.for"(%0, %1, %1, %i) ({
^bb0(%n: index, %x: vector<64x32xf32>):
cast %x 64x32 f32 WGMMA -> %y
"scf.yield"(%y) : (vector<64x32xf32>) -> ()
}) : (index, index, index, vector<64x32xf32>) -> vector<64x32xf32>)");
  expectLine(laidOut, "for WGMMA -> WGMMA");
  expectLine(laidOut, "yield WGMMA");
}

// inventory: LI infer_while_op_layouts, infer_index_switch_op_layouts
TEST(Arrays, CarriedByWhileAndSwitch) {
  expectLine(layOut(R"(any 64x32 f32 -> %i
%c = "arith.constant"() <{value = true}> : () -> i1
%r = "scf.while"(%i) ({
^bb0(%x: vector<64x32xf32>):
cast %x 64x32 f32 WGMMA -> %y
"scf.condition"(%c, %y) : (i1, vector<64x32xf32>) -> ()
}, {
^bb0(%z: vector<64x32xf32>):
"scf.yield"(%z) : (vector<64x32xf32>) -> ()
}) : (vector<64x32xf32>) -> vector<64x32xf32>)"),
             "while WGMMA -> WGMMA");
  expectLine(layOut(R"(%n = "arith.constant"() <{value = 0 : index}> : () -> index
%r = "scf.index_switch"(%n) <{cases = array<i64: 0>}> ({
any 64x32 f32 -> %a
"scf.yield"(%a) : (vector<64x32xf32>) -> ()
}, {
any 64x32 f32 -> %b
cast %b 64x32 f32 WGMMA -> %d
"scf.yield"(%d) : (vector<64x32xf32>) -> ()
}) : (index) -> vector<64x32xf32>)"),
             "index_switch -> WGMMA");
}

//===--- messages about contradictions ---===//

TEST(Contradictions, SmallestSetAndTheCastsThatWouldDo) {
  std::string text = "any 64x64 f32 -> %u\ncast %u 64x64 f32 WGMMA -> %v0\n";
  for (int i = 0; i < 150; ++i) // bench_inference uses a thousand
    text += "%v" + std::to_string(i + 1) + " = \"math.exp\"(%v" + std::to_string(i) +
            ") <{fastmath = #arith.fastmath<none>}> : (vector<64x64xf32>) -> vector<64x64xf32>\n";
  text += "any 64x64 f32 -> %w\ncast %w 64x64 f32 WGMMA_TRANSPOSED -> %t\n%s = \"arith.addf\"(%v150, %t) <{fastmath = "
          "#arith.fastmath<none>}> : (vector<64x64xf32>, vector<64x64xf32>) -> vector<64x64xf32>";
  const LaidOut laidOut = layOut(text);
  EXPECT_NE(laidOut.errors.find("here its result is `WGMMA_TRANSPOSED`"), std::string::npos) << laidOut.errors;
  EXPECT_NE(laidOut.errors.find("but here its result is `WGMMA`"), std::string::npos) << laidOut.errors;
  EXPECT_NE(laidOut.errors.find("a `layout_cast` of operand 1 from `WGMMA_TRANSPOSED` to `WGMMA` would do (shuffles"),
            std::string::npos)
      << laidOut.errors;
}
