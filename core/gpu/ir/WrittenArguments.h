// Which of a kernel's arguments its threads write.
#pragma once

#include "mlir/IR/Value.h"

namespace lanescope::core {

enum class PointerKind {
  Memory,
  Descriptor, // of a TMA copy; pointers with an offset from it are other descriptors
};

/// Whether what `pointer` reaches is stored to: through references and pointers that are made of it, by stores, atomic
/// operations, copies, and PTX given as text.
bool isWritten(mlir::Value pointer, PointerKind kind);

} // namespace lanescope::core
