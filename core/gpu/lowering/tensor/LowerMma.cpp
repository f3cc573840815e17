// mma.sync: each warp multiplies its tiles of 16 rows and 8 columns; K advances in steps of 256 bits.
#include "core/gpu/ir/MatrixProducts.h"
#include "core/gpu/lowering/tensor/AccumulatorWords.h"
#include "core/gpu/lowering/tensor/MmaScales.h"
#include "core/gpu/lowering/thread/NarrowTypes.h"

#include "layouts/Catalogue.h"
#include "layouts/support/Text.h"

namespace lanescope::core {

using namespace mlir;

namespace {

constexpr size_t kLeftWords = 4, kRightWords = 2; // registers of a lane for one tile

/// The registers of an operand as 32-bit words. In a container of a byte, a 4-bit float is in the bits 2 to 5, and a
/// 6-bit float in the bits 0 to 5, as in memory.
SmallVector<Value> words(ThreadBuilder &t, const RegisterArray &array, const MatrixProduct &product,
                         layouts::MatrixType type) {
  int64_t perWord = 32 / product.instruction->elementBits();
  bool widened = layouts::bitsOf(type) == 4 && product.instruction->elementBits() == 8;
  SmallVector<Value> out;
  for (Value each : array.registers) {
    Value bytes = widened ? widenNibbles(t, each, perWord, false) : each;
    Value word = t.create<LLVM::BitcastOp>(t.i32(), bytes);
    out.push_back(widened ? t.shiftLeft(word, 2) : word);
  }
  return out;
}

/// The instruction without its operands: "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32".
std::string opcode(const MatrixProduct &p) {
  std::string_view d = ptxName(p.d), a = ptxName(p.a), b = ptxName(p.b), kind = p.instruction->kind;
  std::string out = text("mma.sync.aligned.m16n8k", p.depth, ".row.col");
  if (!kind.empty())
    out += text(".kind::", kind);
  if (p.scale)
    out += text(".block_scale.scale_vec::", p.scale->count, "X");
  out += text(".", d, ".", a, ".", b, ".", d);
  return p.scale ? text(out, ".", ptxName(p.scale->type)) : out;
}

/// Says which instruction replaces `.kind::f8f6f4` and block scales on a target without them.
std::string insteadOfNarrowMma(const GpuTarget &gpu, bool scaled) {
  if (scaled && gpu.tcgen05)
    return "here `tcgen05_mma` multiplies with block scales, which are in tensor memory";
  return text("convert the operands to f16", gpu.narrowFloats ? "" : " before the kernel",
              scaled ? ", multiply them by their scales" : "", ", and use `mma` of f16");
}

/// Fails at the operation if the target lacks the product, and says what the target has instead.
LogicalResult checkTarget(KernelLowering &k, Operation *op, const MatrixProduct &product) {
  const GpuTarget &gpu = *k.gpu;
  if (!product.instruction->kind.empty() && !gpu.narrowMma)
    return op->emitError(text(product.scale ? "`mma` with block scales" : "`mma` of 6-bit and 4-bit floats",
                              " needs sm_120a, sm_120f or sm_121a, and this kernel is for ", gpu.name, ": ",
                              insteadOfNarrowMma(gpu, product.scale.has_value())));
  if (product.instruction->elementBits() == 8 && !gpu.eightBitFloats && product.d != layouts::MatrixType::S32)
    return op->emitError(text("`mma` of 8-bit floats needs sm_89 or newer, and this kernel is for ", gpu.name,
                              ": convert the operands to f16 before the kernel"));
  return success();
}

/// The scales of both operands; null without scales.
struct BothScales {
  std::optional<MmaScaleWords> a, b;
};
FailureOr<BothScales> scalesOf(KernelLowering &k, mosaic_gpu::MMAOp mma, const MatrixProduct &product) {
  BothScales out;
  if (!product.scale)
    return out;
  auto take = [&](Value scales, auto factory, std::optional<MmaScaleWords> &into) -> LogicalResult {
    auto places = factory(cast<VectorType>(scales.getType()).getShape().vec(), mma.rowWarps());
    if (!places)
      return mma.emitError(places.error().front().message);
    into.emplace(k.t, k.array(scales, places->layout), *places, product.scale->count);
    return success();
  };
  if (failed(take(mma.getAScale(), layouts::catalogue::mmaLhsScale, out.a)) ||
      failed(take(mma.getBScale(), layouts::catalogue::mmaRhsScale, out.b)))
    return failure();
  return out;
}

LogicalResult mma(KernelLowering &k, Operation *op) {
  auto mma = cast<mosaic_gpu::MMAOp>(op);
  ThreadBuilder &t = k.t;
  auto product = matrixProduct(mma);
  if (failed(product))
    return failure();
  if (failed(checkTarget(k, op, *product)))
    return failure();
  auto layouts = layouts::catalogue::mmaLayouts(product->instruction->elementBits(), mma.rowWarps());
  if (!layouts)
    return op->emitError(layouts.error().front().message);
  RegisterArray a = k.array(mma.getA(), layouts->lhs), b = k.array(mma.getB(), layouts->rhs),
                sum = k.array(mma.getAccumulator(), layouts->acc);
  SmallVector<Value> left = words(t, a, *product, product->a), right = words(t, b, *product, product->b);
  FailureOr<BothScales> scales = scalesOf(k, mma, *product);
  if (failed(scales))
    return failure();
  AccumulatorWords total(t, sum, mma.getAccumulator().getType().getElementType());
  // The number of words of a tile of 16 x 8. The operands are numbered in the order D, A, B, C.
  size_t tileWords = layouts::bitsOf(product->d) == 16 ? 2 : 4;
  size_t summands = tileWords + kLeftWords + kRightWords, after = summands + tileWords;
  std::string text =
      lanescope::text(opcode(*product), " ", operandList(0, tileWords), ", ", operandList(tileWords, kLeftWords), ", ",
                      operandList(tileWords + kLeftWords, kRightWords), ", ", operandList(summands, tileWords));
  std::string constraints;
  for (size_t i = 0; i < tileWords; ++i)
    constraints += lanescope::text("=", total.constraint(), ",");
  constraints += "r,r,r,r,r,r";
  for (size_t i = 0; i < tileWords; ++i)
    constraints += lanescope::text(",", total.constraint());
  if (product->scale)
    constraints += ",r,r";
  auto results = LLVM::LLVMStructType::getLiteral(t.context(), SmallVector<Type>(tileWords, total.word));

  // The tiles of a warp. The registers of a are in the order (row tile, K tile, half of K, half of rows), those of b in
  // the order (K tile, column tile, half of K), those of the sum in the order (row tile, column tile, half of rows).
  // Each holds adjacent elements.
  size_t rows = static_cast<size_t>(mma.getA().getType().getDimSize(0) / layouts->lhs.baseTile()[0]);
  size_t depth = static_cast<size_t>(mma.getA().getType().getDimSize(1) / layouts->lhs.baseTile()[1]);
  size_t columns = static_cast<size_t>(mma.getB().getType().getDimSize(1) / layouts->rhs.baseTile()[1]);
  for (size_t step = 0; step < depth; ++step)
    for (size_t row = 0; row < rows; ++row)
      for (size_t column = 0; column < columns; ++column) {
        size_t at = (row * columns + column) * tileWords;
        SmallVector<Value> operands;
        for (size_t i = 0; i < kLeftWords; ++i)
          operands.push_back(left[(row * depth + step) * kLeftWords + i]);
        for (size_t i = 0; i < kRightWords; ++i)
          operands.push_back(right[(step * columns + column) * kRightWords + i]);
        for (size_t i = 0; i < tileWords; ++i)
          operands.push_back(total.words[at + i]);
        std::string selected;
        if (product->scale) {
          const MmaScaleWords::Selected chosen[] = {scales->a->at(row, step), scales->b->at(column, step)};
          for (auto [n, scale] : llvm::enumerate(chosen)) {
            selected += lanescope::text(", $", after + n, ", {", scale.byte, ",", scale.thread, "}");
            operands.push_back(scale.word);
          }
        }
        // All lanes of a warp must execute the instruction. If it had no side effects, LLVM could sink it into a
        // branch.
        Value all = t.ptx(results, text + selected + ";", constraints, operands);
        for (size_t i = 0; i < tileWords; ++i)
          total.words[at + i] = t.create<LLVM::ExtractValueOp>(all, ArrayRef<int64_t>{static_cast<int64_t>(i)});
      }
  k.set(mma.getResult(), total.array(t, sum, total.words));
  return success();
}

} // namespace

void addMma(HandlerTable &table) { table["mosaic_gpu.mma"] = mma; }

} // namespace lanescope::core
