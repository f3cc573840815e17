// mma.sync: each warp multiplies its tiles of 16 rows and 8 columns, K in steps of 256 bits.
#include "core/gpu/ir/MosaicGpu.h"
#include "core/gpu/lowering/thread/KernelLowering.h"
#include "core/gpu/lowering/tensor/MatrixTypes.h"

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
  Type element = mma.getA().getType().getElementType(), sumType = mma.getAccumulator().getType().getElementType();
  int bits = static_cast<int>(element.getIntOrFloatBitWidth());
  auto layouts = layouts::catalogue::mmaLayouts(bits, mma.rowWarps());
  if (!layouts)
    return op->emitError(layouts.error().front().message);
  RegisterArray a = k.array(mma.getA(), layouts->lhs), b = k.array(mma.getB(), layouts->rhs),
                sum = k.array(mma.getAccumulator(), layouts->acc);
  SmallVector<Value> left = words(t, a), right = words(t, b);
  bool floats = isa<FloatType>(sumType), isUnsigned = op->hasAttr("lanescope.unsigned");
  std::string type = matrixType(element, isUnsigned), acc = floats ? "f32" : "s32";
  std::string text = lanescope::text("mma.sync.aligned.m16n8k", 256 / bits, ".row.col.", acc, ".", type, ".", type, ".",
                                     acc, " {$0,$1,$2,$3}, {$4,$5,$6,$7}, {$8,$9}, {$10,$11,$12,$13};");
  std::string one = floats ? "f" : "r", constraints = "=" + one + ",=" + one + ",=" + one + ",=" + one;
  constraints += ",r,r,r,r,r,r," + one + "," + one + "," + one + "," + one;
  auto results = LLVM::LLVMStructType::getLiteral(t.context(), SmallVector<Type>(4, sumType));

  // Tiles of the warpgroup. Registers: a by (row tile, K tile, half of K, half of rows), b by (K tile, column tile,
  // half of K), the sum by (row tile, column tile, half of rows), each with its pair of columns.
  size_t rows = static_cast<size_t>(mma.getA().getType().getDimSize(0) / layouts->lhs.baseTile()[0]);
  size_t depth = static_cast<size_t>(mma.getA().getType().getDimSize(1) / layouts->lhs.baseTile()[1]);
  size_t columns = static_cast<size_t>(mma.getB().getType().getDimSize(1) / layouts->rhs.baseTile()[1]);
  for (size_t step = 0; step < depth; ++step)
    for (size_t row = 0; row < rows; ++row)
      for (size_t column = 0; column < columns; ++column) {
        size_t at = (row * columns + column) * 2;
        SmallVector<Value> operands;
        for (size_t i = 0; i < 4; ++i)
          operands.push_back(left[(row * depth + step) * 4 + i]);
        for (size_t i = 0; i < 2; ++i)
          operands.push_back(right[(step * columns + column) * 2 + i]);
        for (size_t half = 0; half < 2; ++half)
          for (int64_t i = 0; i < 2; ++i)
            operands.push_back(t.extract(sum.registers[at + half], i));
        // Warps run in step here: without side effects the instruction could sink into a branch.
        Value all = t.ptx(results, text, constraints, operands);
        auto word = [&](int64_t i) { return t.create<LLVM::ExtractValueOp>(all, ArrayRef<int64_t>{i}).getResult(); };
        sum.registers[at] = t.concatenate({word(0), word(1)});
        sum.registers[at + 1] = t.concatenate({word(2), word(3)});
      }
  k.set(mma.getResult(), std::move(sum));
  return success();
}

} // namespace

void addMma(HandlerTable &table) { table["mosaic_gpu.mma"] = mma; }

} // namespace lanescope::core
