// Short forms of systems of constraints for their tests.
#pragma once

#include "core/gpu/inference/constraints/Candidates.h"
#include "core/gpu/inference/constraints/Search.h"

#include "layouts/Catalogue.h"
#include "layouts/support/Text.h"

#include <gtest/gtest.h>

namespace lanescope::core::constraints {

namespace c = layouts::catalogue;
using layouts::Shape;
using layouts::TiledLayout;

inline std::string name(Variable variable) { return text("v", variable.id); }

inline Constant splat(Shape shape) { return layouts::RegisterLayout(layouts::WGSplatFragLayout{std::move(shape)}); }
inline Constant strided(Shape shape, int64_t vector) {
  return layouts::RegisterLayout(*layouts::WGStridedFragLayout::make(std::move(shape), vector));
}
inline Constant tile(Shape tiling, int swizzle = 0) { return SmemTransforms{std::move(tiling), swizzle}; }
inline const Constant kNoTransforms = SmemTransforms{};

/// A system of `count` arrays of one shape.
inline System arrays(size_t count, Shape shape = {128, 128}) {
  System system;
  for (size_t i = 0; i < count; ++i)
    system.add({MemorySpace::Registers, shape});
  return system;
}
inline constexpr Variable v0{0}, v1{1}, v2{2}, v3{3}, v4{4}, v5{5};

inline System with(System system, std::vector<Constraint> constraints) {
  system.constraints = std::move(constraints);
  return system;
}

inline std::vector<std::string> texts(const std::vector<Constraint> &constraints) {
  std::vector<std::string> out;
  for (const Constraint &constraint : constraints)
    out.push_back(textOf(constraint, name));
  return out;
}

/// The reduced system, or nothing if it is a contradiction.
inline std::optional<System> reduced(const System &system) {
  auto result = reduce(system);
  EXPECT_TRUE(result) << render(result.error());
  return result ? *result : std::nullopt;
}

/// The text of the reduced expression, or "unsatisfiable".
inline std::string reducedText(const Expression &expression, const Assignments &assignments = {}) {
  auto result = reduceExpression(expression, assignments);
  EXPECT_TRUE(result);
  return !result ? "error" : !*result ? "unsatisfiable" : textOf(**result, name);
}

inline bool holdsNow(const Constraint &constraint, const GpuTarget &target = defaultGpuTarget()) {
  auto result = holds(constraint, target);
  EXPECT_TRUE(result) << render(result.error());
  return result && *result;
}

} // namespace lanescope::core::constraints
