// mma.sync: each warp multiplies its tiles of 16 rows and 8 columns; K advances in steps of 256 bits.
#include "core/gpu/ir/MatrixProducts.h"
#include "core/gpu/lowering/tensor/AccumulatorWords.h"

#include "layouts/Catalogue.h"
#include "layouts/support/Text.h"

namespace lanescope::core {

using namespace mlir;

namespace {

/// The registers of an operand as 32-bit words.
SmallVector<Value> words(ThreadBuilder &t, const RegisterArray &array) {
  SmallVector<Value> out;
  for (Value each : array.registers)
    out.push_back(t.create<LLVM::BitcastOp>(t.i32(), each));
  return out;
}

LogicalResult mma(KernelLowering &k, Operation *op) {
  auto mma = cast<mosaic_gpu::MMAOp>(op);
  ThreadBuilder &t = k.t;
  auto product = matrixProduct(mma);
  if (failed(product))
    return failure();
  int bits = product->instruction->elementBits();
  if (bits == 8 && !k.gpu->eightBitFloats && product->d != layouts::MatrixType::S32)
    return op->emitError(text("`mma` of 8-bit floats needs sm_89 or newer, and this kernel is for ", k.gpu->name,
                              ": convert the operands to f16 before the kernel"));
  auto layouts = layouts::catalogue::mmaLayouts(bits, mma.rowWarps());
  if (!layouts)
    return op->emitError(layouts.error().front().message);
  RegisterArray a = k.array(mma.getA(), layouts->lhs), b = k.array(mma.getB(), layouts->rhs),
                sum = k.array(mma.getAccumulator(), layouts->acc);
  SmallVector<Value> left = words(t, a), right = words(t, b);
  AccumulatorWords total(t, sum, mma.getAccumulator().getType().getElementType());
  // The number of words of a tile of 16 x 8. The operands are numbered in the order D, A, B, C.
  size_t tileWords = layouts::bitsOf(product->d) == 16 ? 2 : 4;
  std::string_view type = ptxName(product->d);
  std::string text =
      lanescope::text("mma.sync.aligned.m16n8k", product->depth, ".row.col.", type, ".", ptxName(product->a), ".",
                      ptxName(product->b), ".", type, " ", operandList(0, tileWords), ", ", operandList(tileWords, 4),
                      ", ", operandList(tileWords + 4, 2), ", ", operandList(tileWords + 6, tileWords), ";");
  std::string constraints;
  for (size_t i = 0; i < tileWords; ++i)
    constraints += lanescope::text("=", total.constraint(), ",");
  constraints += "r,r,r,r,r,r";
  for (size_t i = 0; i < tileWords; ++i)
    constraints += lanescope::text(",", total.constraint());
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
        for (size_t i = 0; i < 4; ++i)
          operands.push_back(left[(row * depth + step) * 4 + i]);
        for (size_t i = 0; i < 2; ++i)
          operands.push_back(right[(step * columns + column) * 2 + i]);
        for (size_t i = 0; i < tileWords; ++i)
          operands.push_back(total.words[at + i]);
        // All lanes of a warp must execute the instruction. If it had no side effects, LLVM could sink it into a
        // branch.
        Value all = t.ptx(results, text, constraints, operands);
        for (size_t i = 0; i < tileWords; ++i)
          total.words[at + i] = t.create<LLVM::ExtractValueOp>(all, ArrayRef<int64_t>{static_cast<int64_t>(i)});
      }
  k.set(mma.getResult(), total.array(t, sum, total.words));
  return success();
}

} // namespace

void addMma(HandlerTable &table) { table["mosaic_gpu.mma"] = mma; }

} // namespace lanescope::core
