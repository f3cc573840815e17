// Where each reference to tensor memory has its elements. References are few, and nearly all are told: by
// `tmem_layout_cast`, or by the instruction that reads them.
//
//   TensorLayouts tensors(module);
//   tensors.decide();                      what is said outright
//   tensors.fix(ref, layout, where);       what follows from an array that is stored there
//   tensors.finish();                      the rest: one element to a cell
#pragma once

#include "core/gpu/inference/Rules.h"

#include "mlir/IR/Location.h"

#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace lanescope::core {

class TensorLayouts {
public:
  explicit TensorLayouts(const ModuleRules &module);

  /// Errors: two different layouts of one reference; one that does not fit a shape.
  mlir::LogicalResult decide();
  mlir::LogicalResult fix(mlir::Value tensor, const layouts::TMEMLayout &layout, mlir::Location origin);
  /// Error where no layout fits a reference that has none yet.
  mlir::LogicalResult finish();

  /// Null where it is not known yet.
  const layouts::TMEMLayout *of(mlir::Value tensor);

private:
  struct Group {
    std::vector<mlir::Value> members;
    std::optional<layouts::TMEMLayout> layout;
    std::optional<mlir::Location> origin;
  };
  Group &group(mlir::Value tensor);
  void merge(mlir::Value a, mlir::Value b);

  const ModuleRules &module_;
  llvm::DenseMap<mlir::Value, int> index_;
  std::vector<Group> groups_; // merged ones are empty
};

} // namespace lanescope::core
