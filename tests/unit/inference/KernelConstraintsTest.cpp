// Our kernels' demands on the engine beyond those of JAX's modules: more conversions and transfers, layouts that follow
// from our lowering's rules, merging, and the consequences of first choices.
#include "ConstraintSupport.h"

using namespace lanescope;
using namespace lanescope::core;
using namespace lanescope::core::constraints;

TEST(KernelConstraints, ConversionsAreThoseOfTheLowering) {
  Relayout pairs{Constant(c::wgmma()), Constant(c::wgmmaAcc32Bit()), 32};
  EXPECT_FALSE(holdsNow(pairs)) << "JAX's inference does not believe in it";
  pairs.shape = Shape{64, 64};
  EXPECT_TRUE(holdsNow(pairs));
  EXPECT_FALSE(holdsNow(Relayout{Constant(c::wgmma()), Constant(c::tcgen05()), 32, false, Shape{128, 64}}));
}

TEST(KernelConstraints, ReductionsOfStridedArrays) {
  // 128 columns of pairs: a row is half of a chunk of 256.
  System system = arrays(2, {64, 128});
  system.variables[1].shape = {64};
  system = with(std::move(system), {Equals{v1, Expression(v0).derived({Derive::Reduced, {64, 128}, {64}, {1}})}});
  system.assign(v0, strided({64, 128}, 2));
  auto known = reduced(system);
  ASSERT_TRUE(known);
  ASSERT_TRUE(known->assignments[1].tiled()) << "of the tiled form of the strided layout";
  system.assignments[0] = strided({64, 24}, 4); // chunks do not divide the rows
  EXPECT_FALSE(reduced(system)) << "no value, so nothing equals it";
}

TEST(KernelConstraints, PartsAndReshapesHaveOneLayoutInWholeTiles) {
  auto derived = [](Derive::Kind kind, Constant from, Shape source, Shape target) {
    auto value =
        reduceExpression(Expression(std::move(from)).derived({kind, std::move(source), std::move(target)}), {});
    return value && *value ? (*value)->constant()->text() : std::string("none");
  };
  EXPECT_EQ(derived(Derive::Part, c::wgmma(), {64, 64}, {64, 8}), Constant(c::wgmma()).text());
  EXPECT_EQ(derived(Derive::Part, c::wgmma(), {64, 64}, {64, 4}), "none");
  EXPECT_EQ(derived(Derive::Part, strided({64, 64}, 2), {64, 64}, {32, 64}), "none");
  EXPECT_EQ(derived(Derive::LeadingPart, strided({64, 64}, 2), {64, 64}, {32, 64}), strided({32, 64}, 2).text());
  EXPECT_EQ(derived(Derive::Reshaped, strided({64, 64}, 2), {64, 64}, {4096}), strided({4096}, 2).text());
  EXPECT_EQ(derived(Derive::Reshaped, c::wgmma(), {64, 64}, {4096}), "none");
}

TEST(KernelConstraints, RepetitionsAreReductionsBackwardsOrWhole) {
  const Repeated rows{v0, v1, {64, 64}, {1}};
  System system = arrays(2, {64, 64});
  system.variables[0].shape = {64};
  system = with(std::move(system), {rows});
  System known = system;
  known.assign(v1, c::wgmma());
  auto found = reduced(known);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->assignments[0], Constant(c::wgmmaRow()));
  EXPECT_TRUE(holdsNow(Repeated{strided({128}, 1), strided({4, 128}, 1), {4, 128}, {0}})) << "as a whole";
  EXPECT_FALSE(holdsNow(Repeated{Constant(c::wgmmaCol()), Constant(c::wgmma()), {64, 64}, {1}}));
}

TEST(KernelConstraints, EqualArraysAreOneVariable) {
  System system = arrays(4, {64, 64});
  system.variables[3].bitwidth = 16;
  system = with(std::move(system), {Equals{v0, v1}, Equals{v1, v2}, Equals{v2, v3}, NotOfType{v2, LayoutKind::Splat}});
  system.assign(v1, c::wgmma());
  auto merged = mergeEquals(system);
  ASSERT_TRUE(merged);
  EXPECT_EQ(merged->system.variables.size(), 2U) << "elements of another width have other defaults";
  EXPECT_EQ(merged->of[0], merged->of[2]);
  EXPECT_NE(merged->of[0], merged->of[3]);
  EXPECT_EQ(merged->system.constraints.size(), 2U);
  EXPECT_EQ(merged->system.assignments[merged->of[0].id], Constant(c::wgmma()));
  system.assign(v2, c::wgmmaTransposed());
  EXPECT_FALSE(mergeEquals(system));
}

TEST(KernelConstraints, FirstChoicesGoOnBehindAContradiction) {
  System system = with(arrays(3, {64, 64}),
                       {Equals{v0, Constant(c::wgmma())}, Equals{v0, Constant(c::wgmmaTransposed())}, Equals{v1, v0}});
  const std::vector<Variable> unknowns = {v0, v1, v2};
  auto found = firstChoices(system, defaultGpuTarget(), Candidates(unknowns));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->contradictions, std::vector<size_t>{1});
  EXPECT_EQ(found->assignments[1], Constant(c::wgmma()));
  EXPECT_TRUE(found->assignments[2]) << "by default";
  EXPECT_EQ(found->reasons[1], 2);
}

TEST(KernelConstraints, PatienceEndsWhereNothingComesOfCandidates) {
  // Ten arrays may have either of two layouts, and one array cannot have any.
  System system = arrays(11, {64, 64});
  for (unsigned i = 0; i < 10; ++i)
    system.constraints.push_back(OneOf{Variable{i}, {Constant(c::wgmma()), Constant(c::wgmmaTransposed())}});
  system.constraints.push_back(OneOf{Variable{10}, {Constant(c::tcgen05()), Constant(c::tcgen05Transposed())}});
  std::vector<Variable> unknowns;
  for (unsigned i = 0; i < 11; ++i)
    unknowns.push_back({i});
  system.constraints.push_back(NotOfType{Variable{10}, LayoutKind::Tiled});
  auto soon = search(system, unknowns, defaultGpuTarget(), kDefaultFuel, Candidates(unknowns), /*patience=*/20);
  ASSERT_TRUE(soon);
  EXPECT_EQ(soon->kind, SearchResult::OutOfFuel);
  EXPECT_LT(soon->tried, 40);
}
