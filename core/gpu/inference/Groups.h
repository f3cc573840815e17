// Which arrays, and which references to tensor memory, have one layout: what a system's variables stand for, once all
// that is equal by a rule has been merged.
//
//   groups.add(a); groups.add(b);
//   groups.merge(op, a, b);                     one group from here on
//   groups.fix(*groups.of(a), wgmma(), where);  and b's layout is known too
//
// A constant has no layout. Where an operation uses one, the operand itself may be a member (addUse), or have whatever
// layout another array gets (follow).
#pragma once

#include "core/gpu/inference/constraints/Constants.h"
#include "core/gpu/inference/Rules.h"

#include "mlir/IR/Location.h"

#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace lanescope::core {

/// Values with one layout.
struct Group {
  std::vector<mlir::Value> members;          // in program order within what was merged
  constraints::Constant layout = {};         // none: not known
  std::optional<mlir::Location> origin = {}; // of the layout

  bool isTensor() const;
};

/// Of arrays: the layout itself; of references to tensor memory: its name there. For messages.
std::string quoted(const constraints::Constant &layout);

class Groups {
public:
  /// Nothing where it is there already.
  void add(mlir::Value value);
  void addUse(mlir::OpOperand &constant);
  void follow(mlir::OpOperand &constant, const LayoutSite &site);

  /// Null for a constant, and for its use that nobody has added.
  Group *of(const LayoutSite &site);
  /// The group at the site, which is made one of the constant's use where there is none.
  Group &ensured(const LayoutSite &site);
  /// The layout at a place; a splat where there is none.
  layouts::RegisterLayout layoutAt(const LayoutSite &site);
  /// Null where it is not known.
  const layouts::TMEMLayout *tensorAt(mlir::Value tensor);

  /// A number below `size` of each group; -1: none.
  int number(const LayoutSite &site);
  size_t size() const { return groups_.size(); }
  Group &byNumber(int number) { return groups_[number]; }

  /// Errors (both functions report them, once for each group): two different layouts meet; the layout does not apply to
  /// some member's shape.
  mlir::LogicalResult merge(mlir::Operation *op, const LayoutSite &a, const LayoutSite &b);
  mlir::LogicalResult fix(Group &group, constraints::Constant layout, mlir::Location origin);

private:
  void add(const void *key, mlir::Value member);
  int find(int group);

  llvm::DenseMap<const void *, int> index_; // by value, or by operand that uses a constant
  std::vector<int> parents_;
  std::vector<Group> groups_;
};

} // namespace lanescope::core
