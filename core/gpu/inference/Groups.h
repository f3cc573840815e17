// Which arrays have one layout, and which it is.
//
//   groups.add(a); groups.add(b);
//   groups.merge(op, a, b);                     one group from here on
//   groups.fix(*groups.of(a), wgmma(), where);  and b's layout is known too
//
// A constant has no layout. Where an operation uses one, the operand itself may be a member (addUse), or have whatever
// layout another array gets (follow).
#pragma once

#include "core/gpu/inference/Rules.h"

#include "mlir/IR/Location.h"

#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace lanescope::core {

/// Arrays with one layout.
struct Group {
  std::vector<mlir::Value> members; // in program order within what was merged
  std::optional<layouts::RegisterLayout> layout;
  std::optional<mlir::Location> origin; // of the layout
};

class Groups {
public:
  void add(mlir::Value array);
  void addUse(mlir::OpOperand &constant);
  void follow(mlir::OpOperand &constant, const LayoutSite &site);

  /// Null for a constant, and for its use that nobody has added.
  Group *of(const LayoutSite &site);
  /// The layout at a place; a splat where there is none.
  layouts::RegisterLayout layoutAt(const LayoutSite &site);

  /// Errors (both functions report them, once for each group): two different layouts meet; the layout does not apply to
  /// some member's shape.
  mlir::LogicalResult merge(mlir::Operation *op, const LayoutSite &a, const LayoutSite &b);
  mlir::LogicalResult fix(Group &group, layouts::RegisterLayout layout, mlir::Location origin);

private:
  void add(const void *key, mlir::Value member);
  int find(int group);
  int find(const LayoutSite &site); // -1: none

  llvm::DenseMap<const void *, int> index_; // by value, or by operand that uses a constant
  std::vector<int> parents_;
  std::vector<Group> groups_;
};

} // namespace lanescope::core
