#include "core/gpu/inference/LayoutInference.h"

#include "core/gpu/inference/Layouts.h"
#include "core/gpu/inference/Transforms.h"
#include "core/gpu/lowering/arrays/LayoutCast.h"

#include "layouts/Catalogue.h"
#include "layouts/support/Text.h"

#include "core/gpu/ir/WarpOps.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/ADT/DenseSet.h"

namespace lanescope::core {

using namespace mlir;
using layouts::RegisterLayout;
using layouts::Shape;
using layouts::TiledLayout;

namespace {

/// A variable of the warpgroup: `memref<vector<64x128xf32>>`, a place in registers.
bool isVariable(Value value) {
  auto memref = dyn_cast<MemRefType>(value.getType());
  return memref && isa<VectorType>(memref.getElementType());
}

Shape shapeOf(Value value) {
  Type own = isVariable(value) ? cast<MemRefType>(value.getType()).getElementType() : value.getType();
  auto type = cast<VectorType>(own);
  return {type.getShape().begin(), type.getShape().end()};
}

int bitwidthOf(Value value) { return static_cast<int>(getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth()); }

bool isArray(Value value) { return isa<VectorType>(value.getType()); }

/// A layout for messages: its name in the catalogue where it has one, as a snippet would write it.
std::string shown(const RegisterLayout &layout) {
  if (auto name = layouts::catalogueName(layout))
    return "`" + *name + "`";
  return "`" + layouts::jaxText(layout) + "`";
}

/// What passes each operand on as the result of its place.
bool passesOn(Operation *op) { return isa<mosaic_gpu::OptimizationBarrierOp, statements::WgmmaWaitOp>(op); }

bool isElementwise(Operation *op) {
  llvm::StringRef dialect = op->getName().getDialectNamespace();
  return (dialect == "arith" && op->getNumOperands() > 0) || dialect == "math" || isa<statements::InlinePtxOp>(op);
}

/// Arrays that must have one layout.
struct Group {
  std::vector<Value> members; // in program order within what was merged
  std::optional<RegisterLayout> layout;
  std::optional<Location> origin; // of the layout
};

class Inference {
public:
  explicit Inference(Operation *root) : root_(root), transforms_(propagateTransforms(root)) {}

  LogicalResult run() {
    findSplats();
    root_->walk<WalkOrder::PreOrder>([&](Operation *op) {
      for (Value result : op->getResults())
        addValue(result);
      if (isa<mosaic_gpu::BroadcastInDimOp, vector::MultiDimReductionOp>(op) && isArray(op->getOperand(0)) &&
          isArray(op->getResult(0)))
        smaller_.push_back(op);
      addLinks(op);
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (Value argument : block.getArguments())
            addValue(argument);
    });
    root_->walk<WalkOrder::PreOrder>([&](Operation *op) { fixExplicit(op); });
    root_->walk<WalkOrder::PreOrder>([&](Operation *op) { mergeAt(op); });
    if (failed_)
      return failure();
    solve();
    if (failed_)
      return failure();
    root_->walk<WalkOrder::PreOrder>([&](Operation *op) { checkAt(op); });
    for (const Link &link : links_)
      checkLink(link);
    if (failed_)
      return failure();
    root_->walk([&](Operation *op) { annotate(op); });
    annotateTransforms(root_, transforms_);
    return success();
  }

private:
  //===--- which values are constants ---===//

  /// Calls link(a, b) for each way that a value passes through control flow into another.
  template <typename Link> void forEachFlow(Operation *op, Link link) {
    auto all = [&](ValueRange from, ValueRange to) {
      for (auto [a, b] : llvm::zip(from, to))
        if (isArray(a))
          link(a, b);
    };
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      all(loop.getInitArgs(), loop.getRegionIterArgs());
      all(loop.getBody()->getTerminator()->getOperands(), loop.getRegionIterArgs());
      all(loop.getRegionIterArgs(), loop.getResults());
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      for (Region *region : branch.getRegions())
        if (!region->empty())
          all(region->front().getTerminator()->getOperands(), branch.getResults());
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      all(loop.getInits(), loop.getBeforeArguments());
      all(loop.getAfterBody()->getTerminator()->getOperands(), loop.getBeforeArguments());
      all(loop.getConditionOp().getArgs(), loop.getAfterArguments());
      all(loop.getConditionOp().getArgs(), loop.getResults());
    }
  }

  /// A value is a splat as long as nothing that is not one reaches it.
  void findSplats() {
    bool changed = true;
    auto spread = [&](Value value) {
      if (isArray(value) && spread_.insert(value).second)
        changed = true;
    };
    while (changed) {
      changed = false;
      root_->walk<WalkOrder::PreOrder>([&](Operation *op) {
        forEachFlow(op, [&](Value from, Value to) {
          if (spread_.contains(from))
            spread(to);
        });
        if (isa<mosaic_gpu::VectorLoadOp, mosaic_gpu::BroadcastedIotaOp, mosaic_gpu::LayoutCastOp, mosaic_gpu::WGMMAOp,
                mosaic_gpu::MMAOp, memref::LoadOp>(op)) {
          for (Value result : op->getResults())
            spread(result);
        } else if (isElementwise(op) ||
                   isa<mosaic_gpu::BroadcastInDimOp, vector::MultiDimReductionOp, vector::ShapeCastOp,
                       vector::ExtractStridedSliceOp, mosaic_gpu::VectorConcatOp>(op)) {
          if (llvm::any_of(op->getOperands(), [&](Value operand) { return spread_.contains(operand); }))
            for (Value result : op->getResults())
              spread(result);
        } else if (passesOn(op)) {
          for (auto [operand, result] : llvm::zip_equal(op->getOperands(), op->getResults()))
            if (spread_.contains(operand))
              spread(result);
        }
      });
    }
  }

  //===--- groups ---===//

  void addValue(Value value) {
    if (!spread_.contains(value) && !isVariable(value))
      return;
    groupOf_[value] = static_cast<int>(parents_.size());
    parents_.push_back(static_cast<int>(parents_.size()));
    groups_.push_back({{value}, std::nullopt, std::nullopt});
    order_.push_back(value);
  }

  int find(int group) {
    while (parents_[group] != group)
      group = parents_[group] = parents_[parents_[group]];
    return group;
  }
  Group *groupOf(Value value) {
    auto found = groupOf_.find(value);
    return found == groupOf_.end() ? nullptr : &groups_[find(found->second)];
  }

  /// Explicit layouts come first, so that merging sees where two of them meet.
  void fixExplicit(Operation *op) {
    if (auto cast = dyn_cast<mosaic_gpu::LayoutCastOp>(op)) {
      if (auto layout = toLayout(cast.getNewLayout()))
        fix(*groupOf(cast.getResult()), *layout, op->getLoc(), op);
    } else if (auto wgmma = dyn_cast<mosaic_gpu::WGMMAOp>(op)) {
      fixIfFree(wgmma.getResult(), layouts::catalogue::wgmma(), op);
      fixIfFree(wgmma.getA(), leftOperand(wgmma), op);
    } else if (auto mma = dyn_cast<mosaic_gpu::MMAOp>(op)) {
      if (auto layouts = mmaLayouts(mma)) {
        fixIfFree(mma.getResult(), layouts->acc, op);
        fixIfFree(mma.getA(), layouts->lhs, op);
        fixIfFree(mma.getB(), layouts->rhs, op);
      }
    } else if (Value rows = chosenRows(op)) {
      fixIfFree(rows, rowsLayout(rows), op);
    }
  }

  /// The array that says which rows an asynchronous copy takes; null: none does.
  static Value chosenRows(Operation *op) {
    if (isa<mosaic_gpu::AsyncLoadOp, mosaic_gpu::AsyncStoreOp>(op))
      for (Value operand : op->getOperands())
        if (isArray(operand))
          return operand;
    return Value();
  }

  /// By which of the warps' instructions they are taken, when nobody says: all four share them where they can.
  static const TiledLayout &rowsLayout(Value rows) {
    const TiledLayout &shared = layouts::catalogue::tmaIndices();
    return shared.registersShape(shapeOf(rows)) ? shared : layouts::catalogue::tmaIndices4();
  }

  /// How `wgmma` takes its left operand from registers.
  static const TiledLayout &leftOperand(mosaic_gpu::WGMMAOp op) {
    return bitwidthOf(op.getA()) == 8 ? layouts::catalogue::wgmma8Bit() : layouts::catalogue::wgmma();
  }

  static Result<layouts::catalogue::MmaLayouts> mmaLayouts(mosaic_gpu::MMAOp op) {
    auto warps = op->getAttrOfType<IntegerAttr>("lanescope.m_warps");
    return layouts::catalogue::mmaLayouts(bitwidthOf(op.getA()), warps ? static_cast<int>(warps.getInt()) : 4);
  }

  /// A layout that an instruction demands; where another was asked for, checkAt says so.
  void fixIfFree(Value value, const TiledLayout &layout, Operation *op) {
    if (Group *group = groupOf(value); group && !group->layout)
      fix(*group, layout, op->getLoc(), op);
  }

  /// Gives a group its layout after checking that it fits every member.
  bool fix(Group &group, RegisterLayout layout, Location origin, Operation *op) {
    for (Value member : group.members) {
      Shape shape = shapeOf(member);
      std::string problem;
      if (auto *tiled = std::get_if<TiledLayout>(&layout)) {
        if (auto registers = tiled->registersShape(shape); !registers)
          problem = registers.error().front().message;
      } else if (auto *strided = std::get_if<layouts::WGStridedFragLayout>(&layout);
                 strided && strided->shape() != shape) {
        problem = text("it is for shape ", layouts::tupleText(strided->shape()));
      }
      if (!problem.empty()) {
        failed_ = true;
        emitError(origin) << "the layout " << shown(layout) << " does not apply to an array of shape "
                          << layouts::tupleText(shape) << ": " << problem
                          << "; choose another with `layout=` or `layout_cast`";
        group.layout = std::move(layout); // so that it is reported once
        group.origin = origin;
        return false;
      }
    }
    group.layout = std::move(layout);
    group.origin = origin;
    return true;
  }

  void merge(Operation *op, Value a, Value b) {
    auto at = [&](Value value) { return find(groupOf_.at(value)); };
    int first = at(a), second = at(b);
    if (first == second)
      return;
    Group &one = groups_[first], &other = groups_[second];
    if (one.layout && other.layout && !(*one.layout == *other.layout)) {
      conflict(op, one, other);
      return;
    }
    if (!one.layout) {
      one.layout = other.layout;
      one.origin = other.origin;
    }
    one.members.insert(one.members.end(), other.members.begin(), other.members.end());
    parents_[second] = first;
  }

  void conflict(Operation *op, const Group &one, const Group &other) {
    failed_ = true;
    auto diagnostic = op->emitError() << "two arrays with different layouts meet here: " << shown(*one.layout)
                                      << " and " << shown(*other.layout) << "; convert one of them with `layout_cast`";
    diagnostic.attachNote(*one.origin) << shown(*one.layout) << " comes from here";
    diagnostic.attachNote(*other.origin) << shown(*other.layout) << " comes from here";
  }

  void mergeAt(Operation *op) {
    forEachFlow(op, [&](Value from, Value to) {
      if (spread_.contains(from) && spread_.contains(to))
        merge(op, to, from);
    });
    if (isElementwise(op)) {
      Value first;
      auto join = [&](Value value) {
        if (!spread_.contains(value))
          return;
        if (first)
          merge(op, first, value);
        else
          first = value;
      };
      llvm::for_each(op->getOperands(), join);
      llvm::for_each(op->getResults(), join);
    } else if (passesOn(op)) {
      for (auto [operand, result] : llvm::zip_equal(op->getOperands(), op->getResults()))
        if (spread_.contains(operand))
          merge(op, operand, result);
    } else if (auto load = dyn_cast<memref::LoadOp>(op); load && isArray(load.getResult())) {
      merge(op, load.getMemRef(), load.getResult());
    } else if (auto store = dyn_cast<memref::StoreOp>(op); store && spread_.contains(store.getValue())) {
      merge(op, store.getMemRef(), store.getValue());
    } else if (auto wgmma = dyn_cast<mosaic_gpu::WGMMAOp>(op); wgmma && spread_.contains(wgmma.getAccumulator())) {
      merge(op, wgmma.getResult(), wgmma.getAccumulator());
    } else if (auto reduction = dyn_cast<vector::MultiDimReductionOp>(op)) {
      if (spread_.contains(reduction.getAcc()))
        merge(op, reduction.getDest(), reduction.getAcc());
    } else if (auto mma = dyn_cast<mosaic_gpu::MMAOp>(op); mma && spread_.contains(mma.getAccumulator())) {
      merge(op, mma.getResult(), mma.getAccumulator());
    }
  }

  //===--- arrays cut, joined and reshaped ---===//

  /// Two arrays whose elements stay in their threads, so that one's layout gives the other's.
  struct Link {
    Operation *op;
    Value one, other;
    bool isConcatenation() const { return isa<mosaic_gpu::VectorConcatOp>(op); }
  };

  void addLinks(Operation *op) {
    if (!isa<vector::ShapeCastOp, vector::ExtractStridedSliceOp, mosaic_gpu::VectorConcatOp>(op))
      return;
    for (Value operand : op->getOperands())
      links_.push_back({op, op->getResult(0), operand});
  }

  /// The layout of `to`, when `from` has this one; nothing: the operation is not possible in it.
  std::optional<RegisterLayout> across(Operation *op, const RegisterLayout &layout, Value from, Value to) {
    if (isa<vector::ShapeCastOp>(op))
      return reshapedLayout(layout, shapeOf(from), shapeOf(to));
    if (const auto *strided = std::get_if<layouts::WGStridedFragLayout>(&layout)) {
      // Chunk after chunk: along the first dimension only.
      auto join = dyn_cast<mosaic_gpu::VectorConcatOp>(op);
      if (!join || join.getDimension() != 0)
        return std::nullopt;
      auto own = layouts::WGStridedFragLayout::make(shapeOf(to), strided->vecSize());
      return own ? std::optional<RegisterLayout>(*own) : std::nullopt;
    }
    const auto *tiled = std::get_if<TiledLayout>(&layout);
    return tiled && tiled->registersShape(shapeOf(to)) ? std::optional(layout) : std::nullopt;
  }

  bool propagateLinks() {
    bool progress = false;
    for (const Link &link : links_)
      for (auto [from, to] : {std::pair(link.one, link.other), std::pair(link.other, link.one)}) {
        Group *known = groupOf(from), *unknown = groupOf(to);
        if (failed_ || !known || !unknown || !known->layout || unknown->layout)
          continue;
        if (auto layout = across(link.op, *known->layout, from, to))
          progress |= fix(*unknown, *layout, link.op->getLoc(), link.op);
      }
    return progress;
  }

  void checkLink(const Link &link) {
    Group *one = groupOf(link.one), *other = groupOf(link.other);
    if (failed_ || !one || !other || across(link.op, *other->layout, link.other, link.one) == one->layout)
      return;
    failed_ = true;
    bool reshapes = isa<vector::ShapeCastOp>(link.op);
    auto diagnostic = link.op->emitError()
                      << (reshapes                 ? "this reshape would move elements between threads"
                          : link.isConcatenation() ? "arrays are joined in one layout, in whole tiles of it"
                                                   : "an array is sliced in whole tiles of its layout")
                      << ": the layouts are " << shown(*other->layout) << " for shape "
                      << layouts::tupleText(shapeOf(link.other)) << " and " << shown(*one->layout) << " for "
                      << layouts::tupleText(shapeOf(link.one))
                      << (reshapes ? "; go through memory, or cut the array along its layout's tiles"
                                   : "; convert with `layout_cast` to a tiled layout whose tiles divide both shapes");
    diagnostic.attachNote(*other->origin) << shown(*other->layout) << " comes from here";
  }

  //===--- what nobody said ---===//

  void solve() {
    while (!failed_) {
      if (propagateShrinking() || propagateLinks())
        continue;
      if (takeHint())
        continue;
      if (!takeDefault())
        return;
    }
  }

  /// An operation between an array and a smaller one that lacks some of its dimensions.
  struct Shrinking {
    Value large, small;
    std::vector<int64_t> axes; // of `large`, that `small` lacks
  };
  static Shrinking shrinkingAt(Operation *op) {
    if (auto reduction = dyn_cast<vector::MultiDimReductionOp>(op))
      return {reduction.getSource(),
              reduction.getDest(),
              {reduction.getReductionDims().begin(), reduction.getReductionDims().end()}};
    auto broadcast = cast<mosaic_gpu::BroadcastInDimOp>(op);
    Shrinking out{broadcast.getResult(), broadcast.getOperand(), {}};
    for (int64_t d = 0, rank = cast<VectorType>(out.large.getType()).getRank(); d < rank; ++d)
      if (!llvm::is_contained(broadcast.getBroadcastDimensions(), d))
        out.axes.push_back(d);
    return out;
  }

  /// The layout of a broadcast that repeats an array in a strided layout as a whole.
  static std::optional<RegisterLayout> repeatedAt(Operation *op, const Shrinking &s, const RegisterLayout &small) {
    return isa<mosaic_gpu::BroadcastInDimOp>(op) ? repeatedLayout(small, shapeOf(s.large), s.axes) : std::nullopt;
  }

  /// Reductions and broadcasts: one side's layout gives the other's.
  bool propagateShrinking() {
    bool progress = false;
    for (Operation *op : smaller_) {
      Shrinking s = shrinkingAt(op);
      Group *large = groupOf(s.large), *small = groupOf(s.small);
      if (!large || !small || failed_)
        continue;
      if (large->layout && !small->layout) {
        if (auto layout = reducedLayout(*large->layout, shapeOf(s.large), s.axes))
          progress |= fix(*small, *layout, op->getLoc(), op);
      } else if (small->layout && !large->layout) {
        // What it is cast to, then the named layouts that reduce to the smaller one's, in the order in which JAX tries
        // them.
        namespace c = layouts::catalogue;
        Shape shape = shapeOf(s.large);
        std::vector<TiledLayout> candidates = castsOf(*large);
        candidates.insert(candidates.end(),
                          {c::wgmma(), c::wgmmaTransposed(), c::tcgen05(), c::tcgen05Transposed(), *c::tmemNative(2)});
        if (auto halves = c::faM64Collective(shape.back()))
          candidates.push_back(*halves);
        for (const TiledLayout &candidate : candidates)
          if (candidate.registersShape(shape) && reducedLayout(candidate, shape, s.axes) == small->layout) {
            progress |= fix(*large, candidate, op->getLoc(), op);
            break;
          }
        if (auto repeated = repeatedAt(op, s, *small->layout); repeated && !large->layout)
          progress |= fix(*large, *repeated, op->getLoc(), op);
      }
    }
    return progress;
  }

  /// The tiled layouts that casts give to members of the group.
  static std::vector<TiledLayout> castsOf(const Group &group) {
    std::vector<TiledLayout> layouts;
    for (Value member : group.members)
      for (Operation *user : member.getUsers())
        if (auto cast = dyn_cast<mosaic_gpu::LayoutCastOp>(user))
          if (auto layout = toLayout(cast.getNewLayout()))
            if (auto *tiled = std::get_if<TiledLayout>(&*layout))
              layouts.push_back(*tiled);
    return layouts;
  }

  /// What feeds a cast takes its layout.
  bool takeHint() {
    bool progress = false;
    root_->walk<WalkOrder::PreOrder>([&](mosaic_gpu::LayoutCastOp op) {
      Group *operand = groupOf(op.getX());
      if (progress || !operand || operand->layout)
        return;
      if (auto layout = toLayout(op.getNewLayout())) {
        fix(*operand, *layout, op.getLoc(), op);
        progress = true;
      }
    });
    return progress;
  }

  bool takeDefault() {
    for (Value value : order_) {
      Group *group = groupOf(value);
      if (!group->layout)
        return fixDefault(*group);
    }
    return false;
  }

  /// Swizzled memory decides if any of the group's loads reads it: the others can be read in any layout.
  bool fixDefault(Group &group) {
    Value leader = group.members.front();
    // Strided arrays cannot be cut, and joined along the first dimension only.
    for (const Link &link : links_) {
      auto join = dyn_cast<mosaic_gpu::VectorConcatOp>(link.op);
      bool whole = isa<vector::ShapeCastOp>(link.op) || (join && join.getDimension() == 0);
      if (whole || (groupOf(link.one) != &group && groupOf(link.other) != &group))
        continue;
      const TiledLayout &layout = layouts::catalogue::wgmma();
      if (layout.registersShape(shapeOf(link.one)) && layout.registersShape(shapeOf(link.other)))
        return fix(group, layout, link.op->getLoc(), link.op);
    }
    for (Value member : group.members)
      if (auto load = member.getDefiningOp<mosaic_gpu::VectorLoadOp>()) {
        RefTransforms transforms = transforms_.lookup(load.getSource());
        if (!transforms.isTiled())
          continue;
        int bits = bitwidthOf(member);
        bool down = transforms.transposed && (bits == 16 || bits == 32);
        const TiledLayout &layout = down ? layouts::catalogue::wgmmaTransposed() : layouts::catalogue::wgmma();
        if (!layout.registersShape(shapeOf(member))) {
          failed_ = true;
          load.emitError() << "tiled shared memory is loaded as " << shown(layout) << ", which needs multiples of "
                           << layouts::tupleText(layout.baseTile()) << ", but this has shape "
                           << layouts::tupleText(shapeOf(member)) << "; name a layout that fits with `layout=`";
          return false;
        }
        return fix(group, layout, load.getLoc(), load);
      }
    for (Value member : group.members)
      if (member.getDefiningOp<mosaic_gpu::VectorLoadOp>()) {
        leader = member;
        break;
      }
    auto strided = layouts::WGStridedFragLayout::fromShapedType(shapeOf(leader), std::max(8, bitwidthOf(leader)));
    if (!strided) {
      failed_ = true;
      emitError(leader.getLoc())
          << "an array of shape " << layouts::tupleText(shapeOf(leader))
          << " cannot be dealt evenly to a warpgroup's 128 threads; name a layout that fits with "
             "`layout=`";
      return false;
    }
    Operation *op = leader.getDefiningOp();
    return fix(group, *strided, leader.getLoc(), op ? op : root_);
  }

  //===--- what cannot be ---===//

  void checkAt(Operation *op) {
    if (auto cast = dyn_cast<mosaic_gpu::LayoutCastOp>(op)) {
      Group *from = groupOf(cast.getX());
      auto to = toLayout(cast.getNewLayout());
      if (from && to && !canRelayout(*from->layout, *to, bitwidthOf(cast.getX()))) {
        failed_ = true;
        auto diagnostic = op->emitError()
                          << "there is no conversion from " << shown(*from->layout) << " to " << shown(*to) << " for "
                          << bitwidthOf(cast.getX()) << "-bit elements; there are: " << supportedRelayouts();
        diagnostic.attachNote(*from->origin) << shown(*from->layout) << " comes from here";
      }
    } else if (auto wgmma = dyn_cast<mosaic_gpu::WGMMAOp>(op)) {
      checkOperand(op, wgmma.getResult(), layouts::catalogue::wgmma(), "the accumulator of `wgmma`");
      checkOperand(op, wgmma.getA(), leftOperand(wgmma), "the left operand of `wgmma`");
    } else if (auto mma = dyn_cast<mosaic_gpu::MMAOp>(op)) {
      if (auto layouts = mmaLayouts(mma)) {
        checkOperand(op, mma.getResult(), layouts->acc, "the accumulator of `mma`");
        checkOperand(op, mma.getA(), layouts->lhs, "the left operand of `mma`");
        checkOperand(op, mma.getB(), layouts->rhs, "the right operand of `mma`");
      }
    } else if (Value rows = chosenRows(op)) {
      Group *group = groupOf(rows);
      if (!group || *group->layout != RegisterLayout(layouts::catalogue::tmaIndices4()))
        checkOperand(op, rows, layouts::catalogue::tmaIndices(), "the array that chooses rows");
    } else if (llvm::is_contained(smaller_, op)) {
      Shrinking s = shrinkingAt(op);
      Group *large = groupOf(s.large), *small = groupOf(s.small);
      if (!large || !small)
        return;
      auto wanted = reducedLayout(*large->layout, shapeOf(s.large), s.axes);
      if (wanted == small->layout || repeatedAt(op, s, *small->layout) == large->layout)
        return;
      failed_ = true;
      bool reduces = isa<vector::MultiDimReductionOp>(op);
      const char *largeName = reduces ? "operand" : "result", *smallName = reduces ? "result" : "operand";
      if (!wanted) {
        auto diagnostic = op->emitError()
                          << "an array in the layout " << shown(*large->layout) << " cannot be "
                          << (reduces ? "reduced over" : "a broadcast along")
                          << " these dimensions; give it a tiled layout with `layout_cast`, such as `WGMMA`";
        diagnostic.attachNote(*large->origin) << shown(*large->layout) << " comes from here";
        return;
      }
      auto diagnostic = op->emitError() << "the " << smallName << "'s layout " << shown(*small->layout)
                                        << " is not the " << largeName << "'s layout " << shown(*large->layout)
                                        << " reduced by the " << (reduces ? "reduced" : "new")
                                        << " dimensions; convert the operand with `layout_cast`"
                                        << (reduces ? "" : " to the result's layout's `.reduce(…)`");
      diagnostic.attachNote(*small->origin) << shown(*small->layout) << " comes from here";
      diagnostic.attachNote(*large->origin) << shown(*large->layout) << " comes from here";
    }
  }

  void checkOperand(Operation *op, Value value, const TiledLayout &wanted, llvm::StringRef what) {
    Group *group = groupOf(value);
    if (!group || *group->layout == RegisterLayout(wanted))
      return;
    failed_ = true;
    auto diagnostic = op->emitError() << what << " is in registers as " << shown(wanted) << ", but this is in "
                                      << shown(*group->layout) << "; convert it with `layout_cast`";
    diagnostic.attachNote(*group->origin) << shown(*group->layout) << " comes from here";
  }

  //===--- attributes ---===//

  RegisterLayout layoutOf(Value value) {
    Group *group = groupOf(value);
    return group ? *group->layout : RegisterLayout(layouts::WGSplatFragLayout{shapeOf(value)});
  }

  /// A splat operand is written with the layout in which it is used.
  RegisterLayout useLayout(Operation *op, OpOperand &use) {
    Value value = use.get();
    if (groupOf(value))
      return layoutOf(value);
    if (isElementwise(op))
      for (Value other : op->getOperands())
        if (groupOf(other))
          return layoutOf(other);
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return layoutOf(loop.getTiedLoopRegionIterArg(&use));
    if (auto loop = dyn_cast<scf::WhileOp>(op))
      return layoutOf(loop.getBeforeArguments()[use.getOperandNumber()]);
    if (isa<mosaic_gpu::LayoutCastOp>(op))
      return layoutOf(op->getResult(0));
    if (isa<mosaic_gpu::VectorConcatOp>(op))
      if (auto layout = across(op, layoutOf(op->getResult(0)), op->getResult(0), value))
        return *layout;
    if (auto store = dyn_cast<memref::StoreOp>(op))
      return layoutOf(store.getMemRef());
    if (auto wgmma = dyn_cast<mosaic_gpu::WGMMAOp>(op))
      return value == wgmma.getAccumulator() ? layoutOf(wgmma.getResult()) : RegisterLayout(leftOperand(wgmma));
    if (chosenRows(op) == value)
      return rowsLayout(value);
    if (auto mma = dyn_cast<mosaic_gpu::MMAOp>(op))
      if (auto layouts = mmaLayouts(mma))
        return value == mma.getAccumulator() ? layouts->acc : value == mma.getA() ? layouts->lhs : layouts->rhs;
    return layoutOf(value);
  }

  void annotate(Operation *op) {
    if (op->hasTrait<OpTrait::IsTerminator>())
      return;
    SmallVector<Attribute> in, out;
    for (OpOperand &use : op->getOpOperands())
      if (isArray(use.get()))
        in.push_back(toAttribute(op->getContext(), useLayout(op, use)));
    for (Value result : op->getResults())
      if (isArray(result) || isVariable(result))
        out.push_back(toAttribute(op->getContext(), layoutOf(result)));
    if (!in.empty())
      op->setAttr(kInLayouts, ArrayAttr::get(op->getContext(), in));
    if (!out.empty())
      op->setAttr(kOutLayouts, ArrayAttr::get(op->getContext(), out));
  }

  Operation *root_;
  TransformMap transforms_;
  llvm::DenseSet<Value> spread_; // not splats
  llvm::DenseMap<Value, int> groupOf_;
  std::vector<int> parents_;
  std::vector<Group> groups_;
  std::vector<Value> order_;
  std::vector<Link> links_;
  std::vector<Operation *> smaller_; // reductions and broadcasts between arrays
  bool failed_ = false;
};

} // namespace

LogicalResult inferLayouts(ModuleOp module) { return Inference(module).run(); }

} // namespace lanescope::core
