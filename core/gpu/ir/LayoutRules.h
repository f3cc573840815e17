// The demands of operations on the layouts of their arrays and the transforms of their references, as data.
//
//   mosaic_gpu.wgmma   oneOf(result, {WGMMA}, "the accumulator of `wgmma`"), equal({result, accumulator})
//   arith.addf         equal({lhs, rhs, result})
//   layout_cast        relayout(x, result), oneOf(result, {new_layout})
//
// Our operations state their rules in their .td entry (`let layoutRules = [{ … }];`). The rules of MLIR's operations
// are in UpstreamLayoutRules.cpp. Inference only asks for rules and knows no operation by name. Rules apply to sites,
// not to values: a constant has no layout of its own, and is created again in the layout of each site that uses it.
//
// Not here: the effect of a relation on a layout (layouts/, core/gpu/inference/constraints/DerivedLayouts.h), and the
// search for layouts (core/gpu/inference).
#pragma once

#include "core/gpu/ir/LayoutRulesInterface.h"
#include "core/gpu/ir/SmemTransforms.h"

#include "layouts/RegisterLayout.h"
#include "layouts/TmemLayout.h"

#include "mlir/IR/DialectRegistry.h"

#include "llvm/ADT/SmallVector.h"

#include <variant>
#include <vector>

namespace lanescope::core {

/// True for an array, or a variable of the warpgroup: `memref<vector<64x128xf32>>`, which is kept in registers.
bool hasRegisterLayout(mlir::Type type);
bool isVariable(mlir::Type type);
/// True for a reference to data (not barriers) in shared memory.
bool hasTransforms(mlir::Type type);
/// True for a reference to tensor memory.
bool hasTensorLayout(mlir::Type type);

/// The place of an array or a reference: an operand, a result, or an argument of a region. The operands of a region's
/// terminator belong to the enclosing operation.
struct LayoutSite {
  LayoutSite(mlir::OpOperand &operand) : value(operand.get()), use(&operand) {}
  LayoutSite(mlir::Value defined) : value(defined) {}

  mlir::Value value;
  mlir::OpOperand *use = nullptr; // null: the value is defined here
};

/// The kinds of rules. They relate arrays unless they mention references. A "reference" is one to shared memory, which
/// has transforms. A "tensor" is a reference to tensor memory, which has a layout.
namespace rule {

/// All sites have the same layout (arrays, or tensors), or the same transforms (references).
struct Equal {
  llvm::SmallVector<LayoutSite, 4> sites;
};
/// `to` is `from` in another layout, converted as layouts/cost/RelayoutTable.h permits. If `strict`, only constants are
/// converted; for other values both layouts must be equal.
struct Relayout {
  LayoutSite from, to;
  bool strict;
};
/// In each thread, `small` has the elements of `large` without its dimensions `axes`. With `repeats` the array is
/// enlarged, and may also be repeated as a whole.
struct Reduced {
  LayoutSite large, small;
  std::vector<int64_t> axes;
  bool repeats;
};
/// `to` has the elements of `from`, in row-major order, in another shape. Elements of arrays stay in their threads, and
/// elements of references stay at their addresses.
struct Reshaped {
  LayoutSite from, to;
};
/// `part` consists of some tiles of `whole`, whose elements stay in their threads; `leading`: it is cut only along the
/// first dimension.
struct Part {
  LayoutSite whole, part;
  bool leading;
};
/// For references: dimension i of `to` is dimension permutation[i] of `from`.
struct Transposed {
  LayoutSite from, to;
  llvm::SmallVector<unsigned, 4> permutation;
};
/// The array has any of the layouts; by default the first that fits the shape. `what` names the array in messages.
struct OneOf {
  LayoutSite site;
  std::vector<layouts::RegisterLayout> layouts;
  llvm::StringRef what; // a literal
};
/// A reference's declared transforms.
struct FixedTransforms {
  LayoutSite site;
  SmemTransforms transforms;
};
/// The array is read from the reference or written to it.
struct Transfer {
  LayoutSite array;
  mlir::Value reference;
};
/// A tensor has one of the layouts; by default the first that fits the shape. `what` names the tensor in messages.
struct TensorOneOf {
  LayoutSite site;
  std::vector<layouts::TMEMLayout> layouts;
  llvm::StringRef what; // a literal
};
/// The array is read from the tensor or written to it.
struct TensorTransfer {
  LayoutSite array, tensor;
};
/// The array's elements may differ, so it has a layout.
struct NotSplat {
  LayoutSite site;
};
/// All elements of the array have the same value.
struct Splat {
  LayoutSite site;
};
/// An array or a tensor may have any layout.
struct Any {
  LayoutSite site;
};

} // namespace rule

using LayoutRule = std::variant<rule::Equal, rule::Relayout, rule::Reduced, rule::Reshaped, rule::Part,
                                rule::Transposed, rule::OneOf, rule::FixedTransforms, rule::Transfer, rule::TensorOneOf,
                                rule::TensorTransfer, rule::NotSplat, rule::Splat, rule::Any>;

/// The arrays and references that the rule relates.
llvm::SmallVector<LayoutSite, 4> sitesOf(const LayoutRule &rule);

/// The rules of many operations, in the order in which they were added. The functions that operations call skip sites
/// without an array (a scalar operand, a matrix in memory), so operations need not check.
class LayoutRules {
public:
  struct Entry {
    mlir::Operation *op;
    LayoutRule rule;
  };

  /// Adds the rules of `op`, if it has any, at the end.
  void ask(mlir::Operation *op);
  const std::vector<Entry> &entries() const { return entries_; }

  void equal(llvm::ArrayRef<LayoutSite> sites);
  /// All operands and results of the current operation have one layout.
  void equalAll();
  /// Each operand has the layout of the result with the same index.
  void equalPairs();
  void relayout(LayoutSite from, LayoutSite to);
  void relayoutOfConstant(LayoutSite from, LayoutSite to); // strict
  void reduction(LayoutSite from, LayoutSite to, llvm::ArrayRef<int64_t> axes);
  /// Dimension i of `from` is dimension kept[i] of `to`.
  void broadcast(LayoutSite from, LayoutSite to, llvm::ArrayRef<int64_t> kept);
  void reshape(LayoutSite from, LayoutSite to);
  void part(LayoutSite whole, LayoutSite part, bool leading);
  void transpose(LayoutSite from, LayoutSite to, llvm::ArrayRef<unsigned> permutation);
  void oneOf(LayoutSite site, std::vector<layouts::RegisterLayout> layouts, llvm::StringLiteral what);
  void transforms(LayoutSite site, SmemTransforms transforms);
  void transfer(LayoutSite array, mlir::Value reference);
  void oneOf(LayoutSite tensor, std::vector<layouts::TMEMLayout> layouts, llvm::StringLiteral what);
  void tensorTransfer(LayoutSite array, LayoutSite tensor);
  void notSplat(LayoutSite site);
  void splat(LayoutSite site);
  void any(LayoutSite site);
  /// All operands of the current operation may have any layout.
  void anyAll();

private:
  /// Adds a rule unless one of its sites has neither a layout nor transforms.
  template <typename Rule> void add(Rule rule);

  std::vector<Entry> entries_;
  mlir::Operation *op_ = nullptr; // the current operation
};

/// Rules for the operations of arith, math, memref, scf, ub and vector that kernels use; attached when their dialects
/// are loaded.
void registerLayoutRules(mlir::DialectRegistry &registry);

} // namespace lanescope::core
