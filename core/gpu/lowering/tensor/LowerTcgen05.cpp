// tcgen05.mma: one thread runs all instructions of an operation, which are one statement of inline PTX. Also the
// operations that signal the completion of products.
//
//   { add.u32 low, $1, 2; mov.b64 da, {low, …}; … tcgen05.mma.cta_group::1.kind::f16 [d], da, db, 135333008, p; … }
//
// Instructions and their descriptors: layouts/fragments/InstructionDescriptor.h. PTX ISA, "tcgen05.mma",
// "tcgen05.commit", "tcgen05.shift".
#include "core/gpu/ir/Lanescope.h"
#include "core/gpu/ir/TensorProducts.h"
#include "core/gpu/lowering/tensor/LowerTensorMemory.h"
#include "core/gpu/lowering/tensor/Tcgen05Operand.h"
#include "core/gpu/lowering/threads/Clusters.h"

#include "layouts/Catalogue.h"
#include "layouts/fragments/InstructionDescriptor.h"
#include "layouts/support/Text.h"

namespace lanescope::core {

using namespace mlir;
using layouts::kTmemCellBits;
using mosaic_gpu::Tcgen05MMAOp;

namespace {

class Emitter {
public:
  Emitter(KernelLowering &k, Tcgen05MMAOp op, const TensorProduct &product) : k_(k), op_(op), p_(product) {}

  LogicalResult run() {
    if (failed(operands()) || failed(groups()) || failed(write()))
      return failure();
    k_.when(k_.elected, [&] { k_.t.ptx(body_, constraints_, values_); });
    return success();
  }

private:
  template <typename... Parts> LogicalResult fail(Parts &&...parts) {
    return op_.emitError(text(std::forward<Parts>(parts)...));
  }

  /// The name of `value` in the statement.
  std::string operand(Value value, std::string_view constraint = "r") {
    constraints_ += text(values_.empty() ? "" : ",", constraint);
    values_.push_back(value);
    return text("$", values_.size() - 1);
  }

  std::string tensorOperand(Value ref) { return operand(tensorAddress(k_.t, k_.tensor(ref))); }

  LogicalResult operands() {
    // K of A is as long as an instruction needs, even if only half of A is stored.
    constexpr int64_t kInstructionBytes = 32;
    d_ = tensorOperand(op_.getAccumulator());
    if (p_.leftInTensor) {
      aTensor_ = tensorOperand(op_.getA());
    } else {
      const Ref &ref = k_.ref(op_.getA());
      auto a = tcgen05Operand(k_, op_, ref, ref.dims[0], ref.dims[1], kInstructionBytes, "the left operand");
      if (failed(a) || failed(checkMajor(*a, "the left operand", "M")))
        return failure();
      a_ = *a;
      aLow_ = operand(a->low);
    }
    const Ref &ref = k_.ref(op_.getB());
    auto b = tcgen05Operand(k_, op_, ref, ref.dims[1], ref.dims[0], kInstructionBytes * (p_.sparse ? 2 : 1),
                            "the right operand");
    if (failed(b) || failed(checkMajor(*b, "the right operand", "N")))
      return failure();
    b_ = *b;
    bLow_ = operand(b->low);
    accumulate_ = operand(k_.scalar(op_.getAccumulate()), "b");
    if (p_.scale) {
      aScale_ = tensorOperand(op_.getAScale());
      bScale_ = tensorOperand(op_.getBScale());
    }
    if (p_.sparse)
      metadata_ = tensorOperand(op_.getASparseMetadata());
    return success();
  }

  /// 32-bit elements along M or N would need a swizzle of 32-byte pieces, which no copy here produces.
  LogicalResult checkMajor(const Tcgen05SmemOperand &operand, std::string_view what, std::string_view rows) {
    if (!operand.transposed || (p_.instruction->transposes && p_.bits < 32))
      return success();
    return fail(what, " of `tcgen05_mma` has its rows along ", rows, "; elements of ", p_.bits,
                " bits are stored with K as the last dimension");
  }

  LogicalResult groups() {
    int64_t perInstruction = (p_.sparse ? 2 : 1) * 256 / p_.bits;
    int64_t aRow = a_ ? k_.ref(op_.getA()).swizzle * 8 / p_.bits * (p_.sparse ? 2 : 1) : 0;
    int64_t bRow = k_.ref(op_.getB()).swizzle * 8 / p_.bits;
    int64_t unit = std::max(aRow, bRow);
    if (p_.sparse)
      unit = std::max<int64_t>(unit, 64); // whole pairs of columns of metadata
    if (p_.scale)
      unit = std::max<int64_t>(unit, 4 * p_.scale->block); // whole cells of scales
    if (p_.k % unit != 0)
      return fail("this `tcgen05_mma` needs a depth that is a multiple of ", unit, ", not ", p_.k);
    steps_ = p_.k / perInstruction;
    depth_ = perInstruction;
    columns_ = std::min<int64_t>(p_.n / p_.laneGroups(), 256 / p_.ctas());
    if (columns_ % b_.mnTile != 0)
      return fail("the right operand of `tcgen05_mma` is taken ", columns_,
                  " columns at a time, but it is stored in "
                  "tiles of ",
                  b_.mnTile, "; choose a narrower swizzle");
    return success();
  }

  layouts::TmemMmaOpcode opcode() const {
    return {.kind = p_.instruction->kind,
            .ctas = p_.ctas(),
            .sparse = p_.sparse,
            .scaleCount = p_.scale ? p_.scale->count : 0};
  }

  /// The instruction descriptor of step `step` along K.
  FailureOr<uint32_t> descriptor(int64_t step) {
    layouts::TmemMmaShape shape{.d = p_.d, .a = p_.a, .b = p_.b, .m = p_.m * p_.ctas(), .n = columns_ * p_.ctas()};
    shape.transposeA = a_ && a_->transposed;
    shape.transposeB = b_.transposed;
    if (p_.scale) {
      shape.scale = p_.scale->type;
      shape.scaleIdA = shape.scaleIdB = static_cast<int>(step % scaleSteps() * p_.scale->count);
    } else if (p_.sparse) {
      shape.sparsitySelector = static_cast<int>(step % metadataSteps());
    }
    auto encoded = layouts::encode(opcode(), shape);
    if (!encoded)
      return op_.emitError(encoded.error().message);
    return *encoded;
  }

  /// Number of instructions whose scales share a cell.
  int64_t scaleSteps() const { return 4 / p_.scale->count; }
  /// Number of instructions whose metadata share a pair of columns, each of which has 16 elements of 2 bits per row.
  int64_t metadataSteps() const { return 2 * 16 / (2 * depth_ / p_.sparseGroup); }
  /// The columns of tensor memory between a group of four columns of scales and the next group.
  int64_t scaleColumns(Value scale) const {
    const TensorRef &ref = k_.tensor(scale);
    return *ref.layout == layouts::catalogue::scales() ? ref.shape[0] / 32 : 4;
  }

  LogicalResult write() {
    std::string kind = text(".kind::", p_.instruction->kind);
    if (p_.scale)
      kind += k_.gpu->tensorShift // family targets have only the names of blocks
                  ? text(".block_scale.scale_vec::", p_.scale->count, "X")
                  : text(".block_scale.block", p_.scale->count == 4 ? 16 : 32);
    body_ = "{ .reg .pred all; .reg .b32 low, d, a, idesc, sa, sb, meta; .reg .b64 da, db;\nsetp.ne.b32 all, 1, 0;\n";
    int64_t columnGroups = p_.n / columns_ / p_.laneGroups();
    for (int64_t lanes = 0; lanes < p_.laneGroups(); ++lanes)
      for (int64_t group = 0; group < columnGroups; ++group) {
        // With 64 rows in a block, the other half of each quarter's lanes holds the right half of the columns.
        body_ += text("add.u32 d, ", d_, ", ", (lanes * 16 << 16) + group * columns_ * p_.ctas(), ";\n");
        int64_t tiles = (lanes * columnGroups + group) * columns_ / b_.mnTile;
        for (int64_t step = 0; step < steps_; ++step)
          if (failed(instruction(kind, step, tiles * b_.mnTileBytes)))
            return failure();
      }
    body_ += "}";
    return success();
  }

  LogicalResult instruction(const std::string &kind, int64_t step, int64_t bBytes) {
    auto descriptor = this->descriptor(step);
    if (failed(descriptor))
      return failure();
    std::string left = "da";
    if (a_) {
      body_ += text("add.u32 low, ", aLow_, ", ", a_->offset(step) >> 4, "; mov.b64 da, {low, ", a_->high, "};\n");
    } else {
      int64_t cells = depth_ / (p_.sparse ? 2 : 1) * p_.bits / kTmemCellBits;
      body_ += text("add.u32 a, ", aTensor_, ", ", step * cells, ";\n");
      left = "[a]";
    }
    body_ += text("add.u32 low, ", bLow_, ", ", (b_.offset(step) + bBytes) >> 4, "; mov.b64 db, {low, ", b_.high,
                  "};\nmov.b32 idesc, ", *descriptor, ";\n");
    std::string metadata, scales;
    if (p_.sparse) {
      body_ += text("add.u32 meta, ", metadata_, ", ", step / metadataSteps() * 2, ";\n");
      metadata = "[meta], ";
    }
    if (p_.scale) {
      int64_t cell = step / scaleSteps();
      body_ += text("add.u32 sa, ", aScale_, ", ", cell * scaleColumns(op_.getAScale()), "; add.u32 sb, ", bScale_,
                    ", ", cell * scaleColumns(op_.getBScale()), ";\n");
      scales = "[sa], [sb], ";
    }
    body_ += text("tcgen05.mma", p_.sparse ? ".sp" : "", groupOf(p_.collective), kind, " [d], ", left, ", db, ",
                  metadata, "idesc, ", scales, step == 0 ? accumulate_ : "all", ";\n");
    return success();
  }

  KernelLowering &k_;
  Tcgen05MMAOp op_;
  const TensorProduct &p_;
  std::optional<Tcgen05SmemOperand> a_;
  Tcgen05SmemOperand b_;
  std::string d_, aTensor_, aLow_, bLow_, accumulate_, aScale_, bScale_, metadata_; // names in the statement
  int64_t steps_ = 0, depth_ = 0; // instructions along K, and the elements of K of each
  int64_t columns_ = 0;           // columns of b in this block per instruction
  std::string body_, constraints_;
  SmallVector<Value> values_;
};

LogicalResult tcgen05Mma(KernelLowering &k, Operation *op) {
  auto mma = cast<Tcgen05MMAOp>(op);
  if (failed(needsTensorMemory(k, op)) || (mma.getCollective() && failed(needsPair(k, op))))
    return failure();
  auto product = tensorProduct(mma);
  if (failed(product))
    return failure();
  if (product->d == layouts::MatrixType::S32 && !k.gpu->tensorIntegers)
    return op->emitError(text("`tcgen05_mma` of 8-bit integers is an instruction of ",
                              targetWith(&GpuTarget::tensorIntegers, *k.gpu).name, ", not of ", k.gpu->name));
  return Emitter(k, mma, *product).run();
}

LogicalResult commitArrive(KernelLowering &k, Operation *op) {
  auto commit = cast<mosaic_gpu::Tcgen05CommitArriveOp>(op);
  if (failed(needsTensorMemory(k, op)) || (commit.getCollective() && failed(needsPair(k, op))))
    return failure();
  ThreadBuilder &t = k.t;
  Value barrier = k.scalar(commit.getBarrier());
  std::string body = text("tcgen05.commit", groupOf(commit.getCollective()), ".mbarrier::arrive::one.shared::cluster");
  if (!commit.getCollective()) {
    k.when(k.elected, [&] { t.ptx(body + ".b64 [$0];", "r", barrier); });
    return success();
  }
  Value both = t.resize(maskAlong(k, {0}), 16);
  k.when(k.elected, [&] { t.ptx(body + ".multicast::cluster.b64 [$0], $1;", "r,h", {barrier, both}); });
  return success();
}

LogicalResult shift(KernelLowering &k, Operation *op) {
  auto shift = cast<statements::Tcgen05ShiftOp>(op);
  if (failed(needsTensorMemory(k, op)) || (shift.getCollective() && failed(needsPair(k, op))))
    return failure();
  if (!k.gpu->tensorShift)
    return op->emitError(text("rows of tensor memory are shifted on targets that end in `a`, and this kernel is for ",
                              k.gpu->name, "; compile with `--arch ", targetWith(&GpuTarget::tensorShift, *k.gpu).name,
                              "`"));
  Value address = tensorAddress(k.t, k.tensor(shift.getRef()));
  k.when(k.elected,
         [&] { k.t.ptx(text("tcgen05.shift", groupOf(shift.getCollective()), ".down [$0];"), "r", address); });
  return success();
}

} // namespace

void addTcgen05(HandlerTable &table) {
  table["mosaic_gpu.tcgen05_mma"] = tcgen05Mma;
  table["mosaic_gpu.tcgen05_commit_arrive"] = commitArrive;
  table["lanescope.tcgen05_shift"] = shift;
}

} // namespace lanescope::core
