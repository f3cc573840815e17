// Groups of arrays, or of references to tensor memory, that have one layout. After all values that are equal by a rule
// have been merged, the groups are the variables of a system.
//
//   groups.add(a); groups.add(b);
//   groups.merge(op, a, b);                     one group from here on
//   groups.fix(*groups.of(a), wgmma(), where);  and b's layout is known too
//
// A constant has no layout. If an operation uses one, the operand itself may be a member (addUse), or take the layout
// of another array (follow).
#pragma once

#include "core/gpu/inference/constraints/Constants.h"
#include "core/gpu/inference/ModuleRules.h"

#include "mlir/IR/Location.h"

#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace lanescope::core {

/// Values that have the same layout.
struct Group {
  std::vector<mlir::Value> members;          // in program order within each merged part
  constraints::Constant layout = {};         // none: unknown
  std::optional<mlir::Location> origin = {}; // the place that determines the layout

  bool isTensor() const;
};

/// The name of the layout, quoted for messages: of a register layout for arrays, of a layout of tensor memory for
/// references to it.
std::string quoted(const constraints::Constant &layout);

class Groups {
public:
  /// Does nothing if the value is already in a group.
  void add(mlir::Value value);
  void addUse(mlir::OpOperand &constant);
  void follow(mlir::OpOperand &constant, const LayoutSite &site);

  /// Returns null for a constant, and for a use of a constant that was not added.
  Group *of(const LayoutSite &site);
  /// The group at the site; if there is none, creates one for the constant's use.
  Group &ensured(const LayoutSite &site);
  /// The layout at a place; a splat if there is none.
  layouts::RegisterLayout layoutAt(const LayoutSite &site);
  /// Returns null if the layout is not known.
  const layouts::TMEMLayout *tensorAt(mlir::Value tensor);

  /// The group's index, below `size`; -1: none.
  int number(const LayoutSite &site);
  size_t size() const { return groups_.size(); }
  Group &byNumber(int number) { return groups_[number]; }

  /// Errors (both functions report them, once for each group): a group would get two different layouts; the layout does
  /// not apply to a member's shape.
  mlir::LogicalResult merge(mlir::Operation *op, const LayoutSite &a, const LayoutSite &b);
  mlir::LogicalResult fix(Group &group, constraints::Constant layout, mlir::Location origin);

private:
  void add(const void *key, mlir::Value member);
  int find(int group);

  llvm::DenseMap<const void *, int> index_; // the key is the value, or the operand if its value is a constant
  std::vector<int> parents_;
  std::vector<Group> groups_;
};

} // namespace lanescope::core
