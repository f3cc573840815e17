// Declarations for SparseCore kernels: memory to allocate, semaphores, meshes of subcores, blocks of operands.
//
//   VMEM((16,), i32), VMEM_SHARED((64, 16), f32, tiling=[(8, 16)]), SMEM((4,), i32), SemaphoreType.DMA((2,))
//   VectorSubcoreMesh(core_axis_name="core", subcore_axis_name="subcore", num_cores=1)
#pragma once

#include "core/tpu/build/TpuBuilder.h"
#include "repl/lang/values/Builtin.h"

#include <optional>
#include <string>
#include <vector>

namespace lanescope::repl {

/// `VMEM(…)`, `SemaphoreType.DMA(…)`, …
class TpuMemorySpec final : public Object {
public:
  core::TpuMemoryType type;
  Span span; // place of the call that made it
  std::string typeName() const override;
  std::string repr() const override;
};

/// The value of `SemaphoreType.DMA` and `SemaphoreType.REGULAR`. It is a spec by itself, and a call makes a spec of
/// several semaphores.
class SemaphoreKind final : public Object {
public:
  explicit SemaphoreKind(core::TpuElement element) : element_(element) {}
  std::string typeName() const override { return "semaphore type"; }
  std::string repr() const override;
  bool callable() const override { return true; }
  Result<Value> call(Context &context, const Arguments &arguments) override;
  Value single(const Span &span) const;
  core::TpuElement element() const { return element_; }

private:
  core::TpuElement element_;
};

/// The value of `ScalarSubcoreMesh(…)`, `VectorSubcoreMesh(…)`.
class SubcoreMesh final : public Object {
public:
  core::TpuCore core = core::TpuCore::VectorSubcore;
  std::string coreAxis, subcoreAxis;      // `subcoreAxis`: only for vector subcores
  std::optional<int64_t> cores, subcores; // by default, the numbers of the chip
  Span span;
  std::string typeName() const override;
  std::string repr() const override;
  Result<Value> attribute(Context &context, const std::string &name) override;
  std::vector<std::string> members() const override;
  /// `VMEM((16,), i32) @ mesh`: memory that belongs to the mesh's subcores.
  Result<std::optional<Value>> binary(Context &context, BinaryOp op, const Arg &other, bool reflected) override;
  /// The sizes. If the mesh gives no number, the chip's number is used. Errors: the mesh has more cores or subcores
  /// than the chip.
  Result<layouts::Shape> sizes(const core::TpuTarget &target) const;
};

/// The block of an operand, from `BlockSpec(…)`.
struct TpuBlock {
  std::optional<layouts::Shape> shape; // no value: the whole array
  std::optional<Arg> indexMap;
  std::optional<core::TpuMemory> memory;
  core::TpuElement element = core::TpuElement::Number; // semaphores if `memory_space=SemaphoreType.DMA`
  std::optional<int> indexedBy, indexedDim;
};
/// The memory and the element type of an operand: `HBM`, `SMEM`, `SemaphoreType.DMA`, …
struct TpuPlace {
  core::TpuMemory memory = core::TpuMemory::Hbm;
  core::TpuElement element = core::TpuElement::Number;
};
/// The place that `memory_space=` names. Error: `value` names no memory.
Result<TpuPlace> placeOf(const Value &value, const Span &span);
/// The block that a spec describes. Error: `spec` is no BlockSpec, or has dimensions that blocks of a SparseCore do not
/// have.
Result<TpuBlock> blockOf(const Value &spec, const Span &span);

/// The memory that a spec of `scratch` or `run_scoped` requests. The spec is a TpuMemorySpec, or `SMEM(…)` or
/// `Semaphore(…)`, which kernels of a GPU have too.
Result<core::TpuMemoryType> memoryTypeOf(const Value &spec, const Span &span);

/// The builtins that make these specs.
Builtins tpuSpecBuiltins();

} // namespace lanescope::repl
