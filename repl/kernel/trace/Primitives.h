// The functions of the kernel language, as one table of families: each file of primitives adds its own.
//
// A name may exist on the host too (`exp`, `load`): then traced operands choose the primitive, through
// Object::applyBuiltin, and the host's builtin serves the rest.
#pragma once

#include "repl/kernel/trace/Tracer.h"

#include <optional>
#include <span>
#include <string_view>

namespace lanescope::repl {

struct Primitive {
  std::string_view name, signature, doc;
  Result<Value> (*call)(Tracer &tracer, Context &context, const BoundArguments &arguments);
};

std::span<const Primitive> copyPrimitives();        // Copies.cpp
std::span<const Primitive> barrierPrimitives();     // Barriers.cpp
std::span<const Primitive> axisPrimitives();        // Axes.cpp: places, registers, other blocks
std::span<const Primitive> scopePrimitives();       // Scratch.cpp: run_scoped
std::span<const Primitive> semaphorePrimitives();   // Semaphores.cpp
std::span<const Primitive> refPrimitives();         // Refs.cpp
std::span<const Primitive> mathPrimitives();        // Math.cpp
std::span<const Primitive> compoundPrimitives();    // Compound.cpp: made of several operations
std::span<const Primitive> arrayPrimitives();       // Arrays.cpp
std::span<const Primitive> probePrimitives();       // Probes.cpp: regions and prints
std::span<const Primitive> accumulatorPrimitives(); // Accumulators.cpp: wgmma
std::span<const Primitive> reductionPrimitives();   // Reductions.cpp
std::span<const Primitive> inlinePtxPrimitives();
std::span<const Primitive> warpPrimitives();        // Warps.cpp: warps by themselves, barriers of some warps
/// `WarpMesh`, which exists outside of kernels too.
Builtin warpMeshBuiltin();

/// Calls the primitive of that name, if there is one. For Object::applyBuiltin.
Result<std::optional<Value>> applyPrimitive(Context &context, const std::string &name, const Arguments &arguments);
/// Adds the primitives whose names `table` lacks.
void addPrimitives(Builtins &table);

/// `x.astype(dtype)`
Result<Value> castTo(Context &context, const Value &value, layouts::Dtype dtype);

} // namespace lanescope::repl
