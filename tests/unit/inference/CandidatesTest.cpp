// Constraints about memory, the candidates that they suggest, and the search.
#include "ConstraintSupport.h"

using namespace lanescope;
using namespace lanescope::core;
using namespace lanescope::core::constraints;

//===--- transfers ---===//

namespace {

/// Checks both directions of the transfer.
bool transfers(const Constant &registers, const Constant &shared, Shape shape, std::vector<int64_t> strides, int bits,
               TransferKind kind, const GpuTarget &target = defaultGpuTarget()) {
  bool store = holdsNow(SmemTransfer{registers, shared, shape, strides, bits, kind}, target);
  bool load = holdsNow(SmemTransfer{shared, registers, shape, strides, bits, kind}, target);
  EXPECT_EQ(store, load);
  return store;
}

} // namespace

// inventory: CS tiled_contiguous_smem_is_transferable_holds_unoptimized,
// tiled_non_contiguous_smem_is_transferable_holds_unoptimized
TEST(Constraints, TransfersOfTiledMemory) {
  const Constant tiled = tile({64, 64});
  auto contiguous = [&](const Constant &layout) {
    return transfers(layout, tiled, {128, 128}, {128, 1}, 32, TransferKind::Unoptimized);
  };
  auto transposed = [&](const Constant &layout) {
    return transfers(layout, tiled, {128, 128}, {1, 128}, 32, TransferKind::Unoptimized);
  };
  for (const TiledLayout *layout : {&c::wgmma(), &c::tcgen05(), &c::wgmmaRow(), &c::wgmmaCol(), &c::tcgen05Row()})
    EXPECT_TRUE(contiguous(*layout)) << jaxText(*layout);
  for (const Constant &layout : {splat({128, 128}), strided({128, 128}, 4)}) {
    EXPECT_FALSE(contiguous(layout));
    EXPECT_FALSE(transposed(layout));
  }
  EXPECT_FALSE(transposed(c::wgmma()));
  EXPECT_FALSE(transposed(c::tcgen05()));
  EXPECT_TRUE(transposed(c::wgmmaTransposed()));
  EXPECT_TRUE(transposed(c::tcgen05Transposed()));
}

// inventory: CS untiled_contiguous_smem_is_transferable_holds_downgradable,
// untiled_contiguous_smem_is_transferable_holds_optimized,
// untiled_swizzled_smem_is_not_transferable_for_strided_layout
TEST(Constraints, TransfersOfUntiledMemory) {
  auto as = [&](const Constant &layout, TransferKind kind) {
    return transfers(layout, kNoTransforms, {128, 128}, {128, 1}, 32, kind);
  };
  for (const TiledLayout *layout : {&c::wgmma(), &c::tcgen05()}) {
    EXPECT_TRUE(as(*layout, TransferKind::Downgradable));
    EXPECT_FALSE(as(*layout, TransferKind::Optimized)) << "banks meet";
  }
  for (const TiledLayout *layout : {&c::wgmmaTransposed(), &c::tcgen05Transposed()})
    EXPECT_FALSE(as(*layout, TransferKind::Optimized));
  for (const Constant &layout : {Constant(c::wgmmaRow()), Constant(c::wgmmaCol()), Constant(c::tcgen05Row()),
                                 splat({128, 128}), strided({128, 128}, 4)}) {
    EXPECT_TRUE(as(layout, TransferKind::Downgradable)) << layout.text();
    EXPECT_TRUE(as(layout, TransferKind::Optimized)) << layout.text();
  }
  EXPECT_FALSE(transfers(strided({128, 128}, 4), SmemTransforms{std::nullopt, 128}, {128, 128}, {128, 1}, 32,
                         TransferKind::Unoptimized));
}

// inventory: CS is_transferable_untiled_smem_registers_holds_for_2d_transposed_layout
TEST(Constraints, TransfersOfTransposedMemory) {
  const Constant swizzled = SmemTransforms{std::nullopt, 128};
  for (const TiledLayout *layout : {&c::wgmmaTransposed(), &c::tcgen05Transposed()}) {
    EXPECT_TRUE(transfers(*layout, swizzled, {128, 128}, {1, 128}, 16, TransferKind::Optimized));
    EXPECT_FALSE(transfers(*layout, swizzled, {128, 128, 128}, {1, 128, 128 * 128}, 16, TransferKind::Optimized));
  }
}

// inventory: CS tiling_is_valid_mma_tiling_holds_for_valid_tiling,
// tiling_is_valid_mma_tiling_holds_for_unswizzled_tiling_only_if_allowed, minor_dim_divisible_by_constraint_holds,
// reduce_minor_dim_divisible_by_divisor_holds, reduce_minor_dim_divisible_by_nondivisible_divisor_returns_unsat
TEST(Constraints, TilesOfProductsAndGathers) {
  for (int bits : {16, 32})
    for (int swizzle : {32, 64, 128})
      EXPECT_TRUE(holdsNow(ValidMmaTiling{tile({8, swizzle * 8 / bits}, swizzle), bits}));
  for (bool allowed : {false, true})
    EXPECT_EQ(holdsNow(ValidMmaTiling{tile({8, 8}), 16, allowed}), allowed);
  EXPECT_TRUE(holdsNow(MinorDimDivisibleBy{tile({2, 8}), 4}));
  EXPECT_FALSE(holdsNow(MinorDimDivisibleBy{tile({2, 8}), 3}));
  EXPECT_TRUE(holdsNow(MinorDimDivisibleBy{tile({}), 4}));
  EXPECT_TRUE(holdsNow(MinorDimDivisibleBy{kNoTransforms, 4}));
  for (int64_t divisor : {4, 3}) {
    System system = with({}, {MinorDimDivisibleBy{v0, divisor}});
    system.add({MemorySpace::Shared, {2, 8}, 16, {8, 1}});
    system.assign(v0, tile({2, 8}));
    EXPECT_EQ(reduced(system).has_value(), divisor == 4);
  }
}

// inventory: CS is_supported_broadcast_constraint_holds_for_strided_layouts
TEST(Constraints, Broadcasts) {
  auto repeats = [](Constant from, Constant to, std::vector<int64_t> dims) {
    return holdsNow(SupportedBroadcast{std::move(from), std::move(to), std::move(dims)});
  };
  EXPECT_TRUE(repeats(strided({1, 128}, 1), strided({4, 128}, 1), {0, 1}));
  EXPECT_FALSE(repeats(strided({1, 128}, 1), strided({4, 128}, 2), {0, 1})) << "vectors of another length";
  EXPECT_TRUE(repeats(strided({1, 1, 128}, 1), strided({2, 4, 128}, 1), {0, 1, 2}));
  EXPECT_TRUE(repeats(strided({1, 4, 128}, 1), strided({2, 4, 128}, 1), {0, 1, 2}));
  EXPECT_TRUE(repeats(strided({128}, 1), strided({4, 128}, 1), {1}));
  EXPECT_FALSE(repeats(strided({2, 1, 128}, 1), strided({2, 4, 128}, 1), {0, 1, 2})) << "within, not before";
  EXPECT_TRUE(repeats(strided({128}, 1), strided({128, 128}, 1), {1}));
  EXPECT_TRUE(repeats(strided({1, 128}, 1), strided({18, 4, 128}, 1), {1, 2}));
}

// inventory: CS one_of_constraint_holds, one_of_reduces_to_unsatisfiable_if_invalid_assignment,
// one_of_canonicalize_preserves_order_and_removes_duplicates, one_of_canonicalize_reduces_singleton_to_equals,
// reduce_one_of_singleton_yields_equals
TEST(Constraints, OneOfSeveral) {
  const Constant a = splat({128}), b = Constant(c::wgmma());
  EXPECT_TRUE(holdsNow(OneOf{a, {a, b}}));
  EXPECT_TRUE(holdsNow(OneOf{b, {a, b}}));
  EXPECT_FALSE(holdsNow(OneOf{Constant(c::wgmmaCol()), {a, b}}));
  System system = with(arrays(1, {128}), {OneOf{v0, {a, b}}});
  system.assign(v0, c::wgmmaCol());
  EXPECT_FALSE(reduced(system));
  const Assignments none(1);
  EXPECT_EQ(textOf(*simplified(OneOf{v0, {b, a, b}}, none), name), textOf(OneOf{v0, {b, a}}, name));
  EXPECT_EQ(textOf(*simplified(OneOf{v0, {a, a}}, none), name), textOf(Equals{v0, a}, name));
  auto assigned = reduced(with(arrays(1, {128}), {OneOf{v0, {a}}}));
  ASSERT_TRUE(assigned);
  EXPECT_EQ(assigned->assignments[0], a);
}

//===--- candidates and the search ---===//

namespace {

std::vector<std::string> candidates(const System &system, const GpuTarget &target = defaultGpuTarget()) {
  Propagation state(system, target);
  EXPECT_TRUE(state.start());
  const std::vector<Variable> unknowns = system.unknowns();
  Candidates all(unknowns);
  std::vector<std::string> out;
  while (true) {
    auto next = all.next(state);
    if (!next || !*next)
      return out;
    out.push_back(text(name((*next)->variable), " = ", (*next)->value.text()));
  }
}

System withReference(System system, Shape shape, std::vector<int64_t> strides, int bits) {
  system.add({MemorySpace::Shared, std::move(shape), bits, std::move(strides)});
  return system;
}

} // namespace

// inventory: LI conjure_assignment_prioritizes_relayout, conjure_tries_high_priority_assignments_first
TEST(Candidates, WhatNeedsNoConversionComesFirst) {
  System system = arrays(3);
  system.constraints = {Equals{Constant(c::wgmmaRow()), Expression(v0).reduced({1}, 2)},
                        Relayout{v1, strided({128, 128}, 1), 32}, Relayout{v2, Constant(c::tcgen05()), 32}};
  auto found = candidates(system);
  ASSERT_GE(found.size(), 3U);
  EXPECT_EQ(found[0], text("v2 = ", Constant(c::tcgen05()).text()));
  EXPECT_EQ(found[1], text("v0 = ", Constant(c::wgmma()).text()));
  auto untiled = std::ranges::find(found, text("v1 = ", strided({128, 128}, 1).text()));
  ASSERT_NE(untiled, found.end());
  EXPECT_GT(untiled - found.begin(), 1) << "layouts that are not tiled come after those that are";
}

// inventory: LI conjure_smem_assignment_from_is_transferable, conjure_smem_tiling_for_arbitrary_tiled_layout_transfer,
// do_not_conjure_smem_tiling_for_3d_transposed_ref_transfer
TEST(Candidates, TransformsForTransfers) {
  auto of = [](Shape shape, std::vector<int64_t> strides, Constant layout, std::vector<Constraint> more = {}) {
    System system = withReference({}, shape, strides, 32);
    system.constraints = {SmemTransfer{std::move(layout), v0, shape, strides, 32, TransferKind::Optimized}};
    std::ranges::move(more, std::back_inserter(system.constraints));
    return candidates(system);
  };
  EXPECT_EQ(of({128, 128}, {128, 1}, c::wgmma()),
            (std::vector<std::string>{"v0 = " + tile({8, 32}, 128).text(), "v0 = " + tile({8, 16}, 64).text(),
                                      "v0 = " + tile({8, 8}, 32).text(), "v0 = C(None, None)"}));
  EXPECT_EQ(of({128, 128}, {1, 128}, c::wgmmaTransposed()).front(), "v0 = " + tile({32, 8}, 128).text());
  EXPECT_EQ(of({128, 128}, {128, 1}, c::wgmma(), {Divides{v0, {64, 16}}}).front(), "v0 = " + tile({8, 16}, 64).text());
  EXPECT_EQ(of({128, 128, 128}, {1, 128, 128 * 128}, c::wgmmaTransposed()),
            (std::vector<std::string>{"v0 = C(None, None)"}));
}

// inventory: LI find_assignments_for_is_transferable_constraints_is_deterministic,
// cannot_find_assignments_for_unsatisfiable_constraint_system, infer_layout_fails_if_not_enough_fuel
TEST(Candidates, TheSearchIsDeterministicAndEnds) {
  System system = withReference(arrays(1), {128, 128}, {128, 1}, 32);
  system.assign(v1, tile({8, 32}, 128));
  system.constraints = {SmemTransfer{v1, v0, {128, 128}, {128, 1}, 32, TransferKind::Optimized}};
  const std::vector<Variable> unknowns = {v0, v1};
  for (int round = 0; round < 3; ++round) {
    auto solved = search(system, unknowns, defaultGpuTarget());
    ASSERT_TRUE(solved);
    ASSERT_EQ(solved->kind, SearchResult::Solved);
    EXPECT_EQ(solved->assignments[0], Constant(c::wgmma()));
    EXPECT_EQ(solved->tried, 1);
  }
  EXPECT_EQ(search(system, unknowns, *findGpuTarget("sm_100a"))->assignments[0], Constant(c::tcgen05()));
  EXPECT_EQ(search(system, unknowns, defaultGpuTarget(), /*fuel=*/0)->kind, SearchResult::OutOfFuel);
  system.constraints.push_back(NotOfType{v0, LayoutKind::Tiled});
  EXPECT_EQ(search(system, unknowns, defaultGpuTarget())->kind, SearchResult::Unsatisfiable);
}

// inventory: LI default_strided_layout_assignment_is_deterministic
TEST(Candidates, DefaultsInTheOrderOfUnknowns) {
  System system = arrays(2, {8, 128});
  system.constraints = {Relayout{v0, v1, 32}};
  EXPECT_EQ(candidates(system),
            (std::vector<std::string>{"v0 = " + strided({8, 128}, 2).text(), "v1 = " + strided({8, 128}, 2).text()}));
}
