// Constraints between layouts without any IR: which hold, and what follows from them.
#include "ConstraintSupport.h"

using namespace lanescope;
using namespace lanescope::core;
using namespace lanescope::core::constraints;

//===--- the tutorial in System.h, with its numbers ---===//

TEST(Constraints, TutorialOfTheHeader) {
  // 1. Unknowns and constraints.
  System kernel = arrays(4);
  kernel.variables[2].shape = {128};
  kernel.constraints = {Equals{v1, v0}, Equals{v1, Constant(c::wgmma())}, Equals{v2, Expression(v1).reduced({1}, 2)},
                        Relayout{v1, v3, 16}};

  // 2. What follows without a choice.
  auto left = reduced(kernel);
  ASSERT_TRUE(left);
  EXPECT_EQ(left->assignments[0], Constant(c::wgmma()));
  EXPECT_EQ(left->assignments[1], Constant(c::wgmma()));
  EXPECT_EQ(left->assignments[2], Constant(c::wgmmaRow()));
  EXPECT_FALSE(left->assignments[3]);
  EXPECT_EQ(texts(left->constraints),
            (std::vector<std::string>{text("Relayout(", Constant(c::wgmma()).text(), "  ⟶ V(v3))")}));

  // 3. A contradiction.
  const std::vector<Variable> unknowns = {v0, v1, v2, v3};
  System impossible = kernel;
  impossible.constraints.push_back(Equals{v0, Constant(c::wgmmaTransposed())});
  EXPECT_FALSE(reduced(impossible));
  auto failed = search(impossible, unknowns, defaultGpuTarget());
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->kind, SearchResult::Unsatisfiable);
  ASSERT_TRUE(failed->conflict);
  EXPECT_EQ(*failed->conflict, 0U);
  EXPECT_TRUE(holdsNow(Relayout{Constant(c::wgmma()), Constant(c::wgmmaTransposed()), 16}));

  // 4. Candidates, and one that is wrong.
  auto solved = search(kernel, unknowns, defaultGpuTarget());
  ASSERT_TRUE(solved);
  ASSERT_EQ(solved->kind, SearchResult::Solved);
  EXPECT_EQ(solved->assignments[3], Constant(c::wgmma()));
  EXPECT_EQ(solved->tried, 1);
  EXPECT_EQ(solved->reasons, (std::vector<int>{0, 1, 2, -1}));
  EXPECT_EQ(solved->suggestions, (std::vector<int>{-1, -1, -1, 3}));
  System transposed =
      with(arrays(1), {SmemTransfer{tile({64, 64}), v0, {128, 128}, {1, 128}, 32, TransferKind::Unoptimized}});
  const std::vector<Variable> one = {v0};
  auto second = search(transposed, one, defaultGpuTarget());
  ASSERT_TRUE(second);
  ASSERT_EQ(second->kind, SearchResult::Solved);
  EXPECT_EQ(second->assignments[0], Constant(c::wgmmaTransposed()));
  EXPECT_EQ(second->tried, 2);

  // 5. Implied constraints.
  System slices;
  slices.add({MemorySpace::Shared, {256, 64}, 16, {64, 1}});
  auto merges = reduced(with(slices, {Divides{v0, {128, 64}}, Divides{v0, {96, 64}}}));
  ASSERT_TRUE(merges);
  EXPECT_EQ(texts(merges->constraints), (std::vector<std::string>{"(32, 64) % V(v0) == 0"}));
}

//===--- systems ---===//

// inventory: CS constraint_system_is_unsatisfiable_if_assignment_is_invalid,
// constraint_system_is_unsatisfiable_if_assignments_are_incompatible,
// constraint_system_is_unsatisfiable_if_constraints_are_unsatisfiable
TEST(Constraints, ContradictionsAreFound) {
  EXPECT_FALSE(reduced(with(arrays(1), {Equals{v0, splat({64, 64})}}))) << "a splat of another shape";
  EXPECT_FALSE(
      reduced(with(arrays(1), {Equals{v0, Constant(c::wgmma())}, Equals{v0, Constant(c::wgmmaTransposed())}})));
  System converted = with(arrays(1), {Relayout{v0, splat({1, 2}), 32}});
  converted.assign(v0, splat({1, 1}));
  EXPECT_FALSE(reduced(converted));
}

// inventory: CS reduce_constraint_system_removes_satisfed_relayouts
TEST(Constraints, ConversionsThatThereAreSayNothing) {
  for (const auto &[from, to] :
       std::vector<std::pair<TiledLayout, TiledLayout>>{{c::wgmma(), c::wgmmaTransposed()},
                                                        {c::wgmmaTransposed(), c::wgmma()},
                                                        {c::tcgen05(), c::tcgen05Transposed()},
                                                        {c::tcgen05Transposed(), c::tcgen05()},
                                                        {c::wgmmaUpcast2x(), c::wgmma()},
                                                        {c::wgmmaUpcast4x(), c::wgmmaUpcast2x()},
                                                        {c::wgmmaUpcast4x(), c::wgmma()},
                                                        {*c::tmemNative(2), *c::tmemNative(1)}}) {
    auto system = reduced(with({}, {Relayout{Constant(from), Constant(to), 4}}));
    ASSERT_TRUE(system) << jaxText(from);
    EXPECT_TRUE(system->constraints.empty());
  }
}

// inventory: CS relayout_constraint_does_not_hold_for_incompatible_layouts, strict_relayout_constraint_holds,
// forcing_relayout_on_unsupported_bitwidth_raises, forcing_relayout_on_supported_bitwidth_succeeds
TEST(Constraints, Conversions) {
  auto converts = [](Constant from, Constant to, int bits, bool strict = false) {
    return holdsNow(Relayout{std::move(from), std::move(to), bits, strict});
  };
  EXPECT_FALSE(converts(c::wgmmaRow(), c::wgmmaCol(), 32));
  EXPECT_TRUE(converts(c::wgmma(), c::wgmma(), 32, true));
  EXPECT_FALSE(converts(c::wgmma(), c::wgmmaTransposed(), 32, true));
  EXPECT_TRUE(converts(splat({128, 128}), c::wgmma(), 32, true));
  EXPECT_TRUE(converts(splat({128, 128}), strided({128, 128}, 1), 32, true));
  EXPECT_FALSE(converts(splat({128, 127}), c::wgmma(), 32)) << "tiles do not divide the shape";
  EXPECT_FALSE(converts(strided({128, 128}, 1), splat({128, 128}), 32));
  EXPECT_FALSE(converts(c::wgmmaUpcast4x(), c::wgmmaUpcast2x(), 8));
  EXPECT_FALSE(converts(c::wgmmaUpcast4x(), c::wgmma(), 8));
  EXPECT_FALSE(converts(c::wgmmaUpcast2x(), c::wgmma(), 32));
  EXPECT_TRUE(converts(c::wgmmaUpcast4x(), c::wgmmaUpcast2x(), 4));
  EXPECT_TRUE(converts(c::wgmmaUpcast4x(), c::wgmma(), 4));
  EXPECT_TRUE(converts(c::wgmmaUpcast2x(), c::wgmma(), 16));
}

// inventory: CS not_of_type_constraint_holds_for_different_types, not_of_type_constraint_does_not_holds_for_same_types,
// not_of_type_constraint_is_unknown_for_unreduced_expression
TEST(Constraints, KindsOfLayouts) {
  EXPECT_TRUE(holdsNow(NotOfType{Constant(c::wgmma()), LayoutKind::Splat}));
  EXPECT_FALSE(holdsNow(NotOfType{splat({1, 128}), LayoutKind::Splat}));
  EXPECT_EQ(examine(NotOfType{v0, LayoutKind::Splat}, Assignments(1), defaultGpuTarget())->kind, Finding::Open);
}

// inventory: CS reduce_constraint_system_removes_tautological_constraints_and_constraints,
// reduce_constraint_system_drops_always_true_constraints, reduce_constraint_system_of_simplified_system_is_noop,
// reduce_relayout_same_source_and_target_returns_always_true, reduce_equals_same_lhs_and_rhs_returns_always_true
TEST(Constraints, WhatIsAlwaysTrueGoes) {
  auto left =
      reduced(with(arrays(2), {Equals{v0, v1}, Equals{v0, v0}, Relayout{v0, v0, 32},
                               NotOfType{Constant(c::wgmma()), LayoutKind::Splat}, NotOfType{v1, LayoutKind::Splat}}));
  ASSERT_TRUE(left);
  EXPECT_EQ(texts(left->constraints),
            (std::vector<std::string>{"Equals(V(v0) == V(v1))", "type(V(v1)) ≠ WGSplatFragLayout"}));
  auto again = reduced(*left);
  ASSERT_TRUE(again);
  EXPECT_EQ(texts(again->constraints), texts(left->constraints));
  EXPECT_EQ(examine(Relayout{v0, v0, 32}, Assignments(1), defaultGpuTarget())->kind, Finding::True);
  EXPECT_EQ(examine(Equals{v0, v0}, Assignments(1), defaultGpuTarget())->kind, Finding::True);
}

// inventory: CS reduce_constraint_system_assigns_variables_with_known_constraints,
// constraint_system_unknowns_are_all_the_variables_without_assignment
TEST(Constraints, KnownVariablesGiveOthers) {
  const Constant layout = splat({1, 1});
  for (Variable known : {v0, v1}) {
    auto system = reduced(with(arrays(2, {1, 1}), {Equals{known, layout}, Equals{v0, v1}}));
    ASSERT_TRUE(system);
    EXPECT_TRUE(system->constraints.empty());
    EXPECT_EQ(system->assignments[0], layout);
    EXPECT_EQ(system->assignments[1], layout);
  }
  System system = with(arrays(4, {1, 1}), {Equals{v1, v2}, Relayout{v2, v3, 32}});
  system.assign(v0, layout);
  EXPECT_EQ(system.unknowns(), (std::vector<Variable>{v1, v2, v3}));
}

// inventory: CS intersection_of_conflicting_systems_is_unsatisfiable,
// intersection_of_compatible_systems_is_union_of_fields
TEST(Constraints, Intersections) {
  System one = arrays(3), other = arrays(3);
  one.assign(v0, splat({1, 1}));
  other.assign(v0, splat({1, 2}));
  EXPECT_FALSE(intersection(one, other));
  System a = with(arrays(3), {Equals{v0, splat({1, 1})}}), b = with(arrays(3), {Equals{v1, splat({1, 2})}});
  b.assign(v2, splat({1, 3}));
  auto both = intersection(a, b);
  ASSERT_TRUE(both);
  EXPECT_EQ(both->constraints.size(), 2U);
  EXPECT_EQ(both->assignments[2], splat({1, 3}));
  EXPECT_EQ(both->unknowns(), (std::vector<Variable>{v0, v1}));
}

//===--- expressions ---===//

// inventory: CS reduce_reduce_expression_reduces_layout,
// reduce_reduce_expression_does_not_reduce_tiled_layout_if_axes_are_not_tiled,
// reduce_reduce_expression_does_not_reduce_tiled_layout_if_keep_dims_is_true,
// reduce_reduce_expression_reduces_splat_layout
TEST(Constraints, ReductionsOfTiledLayouts) {
  const Expression wgmma{Constant(c::wgmma())};
  EXPECT_EQ(reducedText(wgmma.reduced({1}, 2)), Constant(c::wgmmaRow()).text());
  EXPECT_EQ(reducedText(wgmma.reduced({0}, 2)), Constant(c::wgmmaCol()).text());
  EXPECT_EQ(reducedText(wgmma.reduced({0}, 3)), Constant(c::wgmma()).text());
  const Expression kept = wgmma.reduced({0}, 2, true);
  EXPECT_EQ(reducedText(kept), textOf(kept, name));
  EXPECT_EQ(reducedText(Expression(splat({128, 8})).reduced({0}, 2)), splat({8}).text());
}

// inventory: CS reduce_reduce_expression_reduces_strided_layout, reduce_expression_reduces_nested_reduce_expression,
// reduce_reduce_expression_cant_reduce_unsupported_strided_layout
TEST(Constraints, ReductionsOfStridedLayouts) {
  auto of = [](Shape shape, int64_t vector) { return Expression(strided(std::move(shape), vector)); };
  EXPECT_EQ(reducedText(of({4, 128}, 1).reduced({0}, 2)), strided({128}, 1).text());
  EXPECT_EQ(reducedText(of({4, 128}, 1).reduced({0}, 2, true)), strided({1, 128}, 1).text());
  EXPECT_EQ(reducedText(of({4, 2, 128}, 1).reduced({0, 1}, 3)), strided({128}, 1).text());
  EXPECT_EQ(reducedText(of({4, 2, 128}, 2).reduced({0}, 3)), strided({2, 128}, 2).text());
  EXPECT_EQ(reducedText(of({2, 4, 128}, 1).reduced({1}, 3, true)), strided({2, 1, 128}, 1).text());
  EXPECT_EQ(reducedText(of({2, 4, 128}, 1).reduced({1}, 3, true).reduced({0}, 3)), strided({1, 128}, 1).text());
  for (const Expression &stays :
       {of({128, 128}, 1).reduced({1}, 2), of({4, 2, 128}, 2).reduced({0, 1}, 3), of({128, 2, 129}, 2).reduced({0}, 3)})
    EXPECT_EQ(reducedText(stays), textOf(stays, name));
}

// inventory: CS reduce_reshape_of_splat_layout_is_reduced_to_splat_layout,
// reduce_reshape_of_strided_layout_is_reduced_to_strided_layout,
// reduce_reshape_of_tiled_layout_with_indivisible_shape_is_irreducible,
// reduce_reshape_of_tiled_layout_with_modified_minor_tiled_dimensions_is_irreducible,
// reduce_reshape_of_tiled_layout_with_compatible_shape_is_identity
TEST(Constraints, Reshapes) {
  EXPECT_EQ(reducedText(Expression(splat({1024})).reshaped({1024}, {128, 8})), splat({128, 8}).text());
  EXPECT_EQ(reducedText(Expression(strided({1024}, 8)).reshaped({1024}, {128, 8})), strided({128, 8}, 8).text());
  const Expression wgmma{Constant(c::wgmma())};
  EXPECT_EQ(reducedText(wgmma.reshaped({2, 128, 8}, {256, 8})), Constant(c::wgmma()).text());
  for (const Expression &stays : {wgmma.reshaped({128, 8}, {129, 8}), wgmma.reshaped({2, 128, 8}, {2, 64, 16})})
    EXPECT_EQ(reducedText(stays), textOf(stays, name));
}

// inventory: CS transpose_expression, reduce_transpose_of_untiled_and_tiled_dimensions_is_unsatisfiable
TEST(Constraints, Transposes) {
  auto transposed = [](std::optional<Shape> tiling, std::vector<int64_t> permutation) {
    return reducedText(Expression(Constant(SmemTransforms{std::move(tiling), 32})).transposed(std::move(permutation)));
  };
  EXPECT_EQ(transposed(std::nullopt, {}), "C(None, 32)");
  EXPECT_EQ(transposed({{2, 3}}, {1, 0}), tile({3, 2}, 32).text());
  EXPECT_EQ(transposed({{3}}, {0}), tile({3}, 32).text());
  EXPECT_EQ(transposed({{2, 4, 8}}, {1, 0, 2}), tile({4, 2, 8}, 32).text());
  EXPECT_EQ(transposed({{2, 4, 8}}, {1, 2, 0}), tile({4, 8, 2}, 32).text());
  EXPECT_EQ(transposed({{2, 4, 8}}, {2, 1, 0}), tile({8, 4, 2}, 32).text());
  EXPECT_EQ(transposed({{2, 4}}, {1, 0, 3, 2}), tile({4, 2}, 32).text());
  EXPECT_EQ(transposed({{2, 4}}, {0, 1, 3, 2}), tile({4, 2}, 32).text());
  EXPECT_EQ(transposed({{2, 4}}, {0, 1, 2, 3}), tile({2, 4}, 32).text());
  for (const std::vector<int64_t> &permutation :
       std::vector<std::vector<int64_t>>{{1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}, {2, 3, 1, 0}})
    EXPECT_EQ(transposed({{2, 32}}, permutation), "unsatisfiable");
}

// inventory: CS collapse_shape_invalid_reassociation_raises, reduce_collapse_shape_is_unsatisfiable_,
// reduce_collapse_shape_reduces_tiling_
TEST(Constraints, CollapsedShapes) {
  EXPECT_EQ(checkReassociation({2, 4, 6}, {0}).error().front().kind, "layout-not-inferable");
  EXPECT_NE(render(checkReassociation({2, 4, 6}, {0}).error()).find("at least one dimension"), std::string::npos);
  EXPECT_NE(render(checkReassociation({2, 4, 6}, {2}).error()).find("equal to the rank"), std::string::npos);
  auto collapsed = [](Shape tiling, Shape shape, std::vector<int64_t> groups) {
    return reducedText(Expression(tile(std::move(tiling), 32)).collapsed(std::move(shape), std::move(groups)));
  };
  EXPECT_EQ(collapsed({2, 4, 8}, {3, 4, 8}, {1, 1, 1}), "unsatisfiable") << "tiles do not divide the shape";
  EXPECT_EQ(collapsed({2, 4, 8}, {4, 8, 16}, {2, 1}), "unsatisfiable");
  EXPECT_EQ(collapsed({2, 4}, {2, 4, 8}, {2, 1}), "unsatisfiable") << "tiled with untiled dimensions";
  EXPECT_EQ(collapsed({4, 8}, {4, 16}, {2}), "unsatisfiable");
  EXPECT_EQ(collapsed({4, 1}, {16, 16}, {2}), "unsatisfiable");
  EXPECT_EQ(collapsed({1, 2, 8}, {4, 4, 16}, {2, 1}), tile({2, 8}, 32).text());
  EXPECT_EQ(collapsed({4, 8}, {4, 8, 8}, {1, 2}), tile({32}, 32).text());
  EXPECT_EQ(collapsed({1, 4, 8}, {4, 8, 8}, {3}), tile({32}, 32).text());
}

//===--- consequences, and shortcuts of the search ---===//

// inventory: CS reduce_strict_relayout_produces_equals_constraint
TEST(Constraints, StrictConversionsOfWhatIsNoSplatAreEqualities) {
  const Assignments none(1);
  for (const Constant &from : {strided({128, 128}, 1), Constant(c::wgmma())}) {
    EXPECT_EQ(textOf(*simplified(Relayout{from, v0, 32, true}, none), name), textOf(Equals{from, v0}, name));
    EXPECT_EQ(examine(Relayout{from, v0, 32, true}, none, defaultGpuTarget())->kind, Finding::Assign);
  }
  const Constraint ofSplat = Relayout{splat({128, 128}), v0, 32, true};
  EXPECT_EQ(textOf(*simplified(ofSplat, none), name), textOf(ofSplat, name));
}

// inventory: CS relayout_of_non_splat_to_splat_is_unsatisfiable_shortcut
TEST(Constraints, WhatIsNoSplatDoesNotBecomeOne) {
  System system = with(arrays(2, {128}), {NotOfType{v0, LayoutKind::Splat}, Relayout{v0, v1, 32}});
  system.assign(v1, splat({128}));
  EXPECT_FALSE(reduced(system));
}

// inventory: CS saturate_distinct_from_splat_does_not_create_duplicate_constraints,
// saturate_distinct_from_splat_does_not_affect_non_splat, canonicalize_strict_non_splat_relayouts_to_equals
TEST(Constraints, NoSplatsAlongConversions) {
  System twice = with(arrays(3), {NotOfType{v0, LayoutKind::Splat}, NotOfType{v1, LayoutKind::Splat},
                                  Relayout{v0, v2, 32}, Relayout{v1, v2, 32}});
  saturateNotSplat(twice);
  ASSERT_EQ(twice.constraints.size(), 5U);
  EXPECT_EQ(textOf(twice.constraints.back(), name), "type(V(v2)) ≠ WGSplatFragLayout");

  System others = with(arrays(5), {NotOfType{v0, LayoutKind::Splat}, NotOfType{v1, LayoutKind::Strided},
                                   Relayout{v0, v2, 32}, Relayout{v1, v3, 32}, Relayout{v4, v0, 32}});
  saturateNotSplat(others);
  ASSERT_EQ(others.constraints.size(), 6U);
  EXPECT_EQ(textOf(others.constraints.back(), name), "type(V(v2)) ≠ WGSplatFragLayout");

  System strict = with(arrays(3), {NotOfType{v0, LayoutKind::Splat}, Relayout{v0, v1, 32, true},
                                   Relayout{v2, v1, 32, true}, Relayout{v0, v1, 32}});
  equateStrictRelayouts(strict);
  EXPECT_EQ(texts(strict.constraints),
            (std::vector<std::string>{"type(V(v0)) ≠ WGSplatFragLayout", "Equals(V(v0) == V(v1))",
                                      "Relayout(V(v2)  ⟶ V(v1))", "Relayout(V(v0)  ⟶ V(v1))"}));
}

// inventory: CS divides_constraint_are_satisfied_by_empty_tiling, divides_constraints_are_satisfied_by_divisor_tiling,
// divides_constraints_are_not_satisfied_by_non_divisor_tiling,
// divides_constraints_for_strided_and_splat_are_satisfied_for_any_tiling
TEST(Constraints, Divisors) {
  auto divides = [](Constant constant, std::vector<int64_t> multiples) {
    return holdsNow(Divides{std::move(constant), std::move(multiples)});
  };
  EXPECT_TRUE(divides(kNoTransforms, {1, 2}));
  EXPECT_TRUE(divides(tile({2, 2}), {4, 6}));
  EXPECT_TRUE(divides(c::wgmma(), {0, 64}));
  EXPECT_TRUE(divides(*c::tmemDefault(1), {0, 64}));
  EXPECT_FALSE(divides(tile({2, 2}), {4, 3}));
  EXPECT_FALSE(divides(c::wgmma(), {3, 64}));
  EXPECT_FALSE(divides(*c::tmemDefault(1), {3, 64}));
  EXPECT_FALSE(divides(tile({2, 2}), {4})) << "more dimensions than are known";
  EXPECT_TRUE(divides(splat({4, 32}), {2, 16}));
  EXPECT_TRUE(divides(strided({4, 32}, 1), {2, 16}));
}

// inventory: CS reduce_merges_divides_constraints_on_same_variable, saturate_divides_constraints_for_equal_vars
TEST(Constraints, DivisorsOfEqualVariables) {
  auto merges = reduced(with(arrays(2), {Divides{v0, {18, 17}}, Divides{v0, {3, 19}}, Divides{v1, {6, 1, 3}}}));
  ASSERT_TRUE(merges);
  EXPECT_EQ(texts(merges->constraints), (std::vector<std::string>{"(3, 1) % V(v0) == 0", "(6, 1, 3) % V(v1) == 0"}));
  auto shorter = reduced(with(arrays(1), {Divides{v0, {16, 10}}, Divides{v0, {8}}}));
  ASSERT_TRUE(shorter);
  EXPECT_EQ(texts(shorter->constraints), (std::vector<std::string>{"(2,) % V(v0) == 0"}));

  System chain = with(
      arrays(6), {Equals{v0, v1}, Equals{v2, v3}, Equals{v2, v4}, Equals{v1, v4}, Divides{v0, {1}}, Divides{v5, {1}}});
  saturateDivides(chain);
  ASSERT_EQ(chain.constraints.size(), 10U);
  for (unsigned i = 0; i < 6; ++i)
    EXPECT_EQ(textOf(chain.constraints[4 + i], name), text("(1,) % V(v", i, ") == 0"));
}
