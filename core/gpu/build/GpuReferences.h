// References to memory, variables in registers, and barriers: the emitters of a GPU's kernel take and return these
// beside values. Each is a handle, so no MLIR type appears here.
#pragma once

#include "core/build/KernelBuilder.h"
#include "layouts/TmemLayout.h"

namespace lanescope::core {

/// Cluster: the shared memory of a block of the cluster, which may be another block. Tensor: the tensor memory of
/// Blackwell's tensor cores.
enum class MemorySpace : uint8_t { Global, Shared, Cluster, Tensor };

/// The places of the elements of a reference to tensor memory. Matrices of dimensions before the last two are side by
/// side in the columns: (2, 128, 64) is stored as (128, 128).
struct TensorPlace {
  layouts::TMEMLayout layout;
  bool collective = false; // allocated in both blocks of a pair
};

struct IrRef {
  void *handle = nullptr;
  layouts::Dtype dtype = layouts::Dtype::F32;
  layouts::Shape shape;
  MemorySpace space = MemorySpace::Global;
  std::optional<TensorPlace> tensor = std::nullopt; // for MemorySpace::Tensor
};

/// A variable of the warpgroup, in registers: each thread keeps its part.
struct IrVariable {
  void *handle = nullptr;
  layouts::Dtype dtype = layouts::Dtype::F32;
  layouts::Shape shape;
};

/// One barrier of a group.
struct IrBarrier {
  size_t group = 0;
  Offset index = int64_t{0};
};

enum class AtomicKind : uint8_t { Add, Minimum, Maximum, And, Or, Xor };

} // namespace lanescope::core
