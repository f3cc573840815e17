// References to parts of memory, and their loads and stores.
#pragma once

#include "core/gpu/build/GpuReferences.h"

namespace lanescope::core {

struct GpuBuilderImpl;

/// The L2 cache's treatment of the data of a load (PTX ISA, `createpolicy`).
enum class EvictionPolicy : uint8_t { None, First, Last };

class MemoryEmitter {
public:
  /// The part of `ref` that `dims` (one per dimension) select, as a reference. In tensor memory, a slice must take all
  /// rows, and its columns must start at a multiple of the layout's tile. In the dimensions before these two, it must
  /// take one index or everything.
  IrRef slice(const IrRef &ref, const std::vector<SliceDim> &dims);
  /// Dimension i of the result is dimension `order[i]` of `ref`.
  IrRef transpose(const IrRef &ref, const std::vector<size_t> &order);
  /// Views the elements of `ref` in another shape with as many elements, in row-major order; nothing if the strides of
  /// `ref` do not permit this.
  std::optional<IrRef> reshape(const IrRef &ref, const layouts::Shape &shape);
  /// Loads a whole reference of rank 1 or more. `eviction`: for global memory.
  IrValue load(const IrRef &ref, std::optional<bool> optimized, EvictionPolicy eviction = EvictionPolicy::None);
  void store(const IrValue &value, const IrRef &ref, std::optional<bool> optimized,
             std::optional<AtomicKind> atomic = std::nullopt);
  /// Loads one element, the same for every thread.
  IrValue loadScalar(const IrRef &ref, const std::vector<Offset> &indices);
  void storeScalar(const IrValue &value, const IrRef &ref, const std::vector<Offset> &indices);

protected:
  explicit MemoryEmitter(GpuBuilderImpl &impl) : impl_(&impl) {}

private:
  GpuBuilderImpl *impl_;
};

} // namespace lanescope::core
