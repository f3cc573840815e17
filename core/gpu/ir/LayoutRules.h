// What operations demand of the layouts of their arrays and of the transforms of their references, as data.
//
//   mosaic_gpu.wgmma   oneOf(result, {WGMMA}, "the accumulator of `wgmma`"), equal({result, accumulator})
//   arith.addf         equal({lhs, rhs, result})
//   layout_cast        relayout(x, result), oneOf(result, {new_layout})
//
// An operation of ours says so in its .td entry (`let layoutRules = [{ … }];`), one of MLIR's in
// UpstreamLayoutRules.cpp. Whoever infers layouts asks for the rules and knows no operation by name. They speak of
// places, not of values: a constant has no layout of its own and is made anew in the one of each place that uses it.
//
// Not here: what the relations mean in a layout (layouts/, core/gpu/inference/constraints/DerivedLayouts.h); how they
// are solved.
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

/// An array, or a variable of the warpgroup: `memref<vector<64x128xf32>>`, a place in registers.
bool hasRegisterLayout(mlir::Type type);
bool isVariable(mlir::Type type);
/// A reference to data (not barriers) in shared memory.
bool hasTransforms(mlir::Type type);
/// A reference to tensor memory.
bool hasTensorLayout(mlir::Type type);

/// Where an array or a reference is: in an operand, in a result, or in an argument of a region. What a region's
/// terminator passes on is the business of the operation around it.
struct LayoutSite {
  LayoutSite(mlir::OpOperand &operand) : value(operand.get()), use(&operand) {}
  LayoutSite(mlir::Value defined) : value(defined) {}

  mlir::Value value;
  mlir::OpOperand *use = nullptr; // null: the value is defined here
};

/// The relations. Those that name references too say so; all others are of arrays. References are those in shared
/// memory, which have transforms; those in tensor memory, which have layouts, are called tensors.
namespace rule {

/// One layout at all sites (of arrays, or of tensors), or for references, the same transforms.
struct Equal {
  llvm::SmallVector<LayoutSite, 4> sites;
};
/// `to` is `from` in another layout, by a conversion of layouts/cost/RelayoutTable.h; where it is strict, only a
/// constant is converted, and all else is equal.
struct Relayout {
  LayoutSite from, to;
  bool strict;
};
/// `small` has what `large` has in each thread, without the dimensions `axes` of `large`. With `repeats` it is made
/// larger, so that an array may also be repeated as a whole.
struct Reduced {
  LayoutSite large, small;
  std::vector<int64_t> axes;
  bool repeats;
};
/// The same elements in row-major order, in another shape: all stay in their threads. References: in their places.
struct Reshaped {
  LayoutSite from, to;
};
/// `part` is some tiles of `whole`, whose elements stay in their threads; `leading`: cut along the first dimension
/// only.
struct Part {
  LayoutSite whole, part;
  bool leading;
};
/// References: dimension i of `to` is permutation[i] of `from`.
struct Transposed {
  LayoutSite from, to;
  llvm::SmallVector<unsigned, 4> permutation;
};
/// Any of the layouts; the first that fits the shape, where nothing else decides. `what` names the array in messages.
struct OneOf {
  LayoutSite site;
  std::vector<layouts::RegisterLayout> layouts;
  llvm::StringRef what; // a literal
};
/// A reference's transforms, by declaration.
struct FixedTransforms {
  LayoutSite site;
  SmemTransforms transforms;
};
/// The array is read from the reference, or written to it.
struct Transfer {
  LayoutSite array;
  mlir::Value reference;
};
/// A tensor has one of the layouts; the first that fits the shape, where nothing else decides. `what` as in OneOf.
struct TensorOneOf {
  LayoutSite site;
  std::vector<layouts::TMEMLayout> layouts;
  llvm::StringRef what; // a literal
};
/// The array is read from the tensor, or written to it.
struct TensorTransfer {
  LayoutSite array, tensor;
};
/// Elements differ, so that the array has a layout.
struct NotSplat {
  LayoutSite site;
};
/// One value for all elements.
struct Splat {
  LayoutSite site;
};
/// Every layout will do, of an array or a tensor.
struct Any {
  LayoutSite site;
};

} // namespace rule

using LayoutRule = std::variant<rule::Equal, rule::Relayout, rule::Reduced, rule::Reshaped, rule::Part,
                                rule::Transposed, rule::OneOf, rule::FixedTransforms, rule::Transfer, rule::TensorOneOf,
                                rule::TensorTransfer, rule::NotSplat, rule::Splat, rule::Any>;

/// The arrays and references that the rule is about.
llvm::SmallVector<LayoutSite, 4> sitesOf(const LayoutRule &rule);

/// Rules of many operations, in the order in which they were asked. The functions that operations call pass over sites
/// without an array (a scalar among the operands, a matrix in memory), so that no operation has to look.
class LayoutRules {
public:
  struct Entry {
    mlir::Operation *op;
    LayoutRule rule;
  };

  /// Adds what `op` says, if it says anything. The new entries are the last ones.
  void ask(mlir::Operation *op);
  const std::vector<Entry> &entries() const { return entries_; }

  void equal(llvm::ArrayRef<LayoutSite> sites);
  /// All operands and results of the operation that is asked.
  void equalAll();
  /// Each operand and the result of its place.
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
  /// All operands of the operation that is asked.
  void anyAll();

private:
  /// Unless one of the sites has neither layout nor transforms.
  template <typename Rule> void add(Rule rule);

  std::vector<Entry> entries_;
  mlir::Operation *op_ = nullptr; // that is asked
};

/// Rules for the operations of arith, math, memref, scf, ub and vector that kernels have, attached when their dialects
/// are loaded.
void registerLayoutRules(mlir::DialectRegistry &registry);

} // namespace lanescope::core
