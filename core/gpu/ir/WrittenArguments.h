// Finds the arguments of a kernel that its threads write.
#pragma once

#include "mlir/IR/Value.h"

namespace lanescope::core {

enum class PointerKind {
  Memory,
  Descriptor, // the descriptor of a TMA copy; a pointer at an offset from it points to another descriptor
};

/// True if memory reachable from `pointer` is stored to, through references and pointers derived from it: by stores,
/// atomic operations, copies, and inline PTX.
bool isWritten(mlir::Value pointer, PointerKind kind);

} // namespace lanescope::core
