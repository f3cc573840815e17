// wgmma: one statement of inline PTX has all instructions of one operation, so that nothing is scheduled between them.
// If an accumulator in flight were copied, ptxas would serialise the products.
//
//   { wgmma.fence; wgmma.mma_async m64n128k16 {…}, descriptor, descriptor, 1, 1, 1, 0, 1; … }
#include "core/gpu/inference/LayoutsInModule.h"
#include "core/gpu/ir/Lanescope.h"
#include "core/gpu/ir/MatrixProducts.h"
#include "core/gpu/ir/MosaicGpu.h"
#include "core/gpu/lowering/tensor/AccumulatorWords.h"
#include "core/gpu/lowering/tensor/KeepsSums.h"
#include "core/gpu/lowering/tensor/WgmmaOperand.h"

#include "layouts/Catalogue.h"
#include "layouts/support/Text.h"

namespace lanescope::core {

using namespace mlir;

namespace {

bool hasWgmma(const KernelLowering &k) { return k.gpu->wgmma; }

/// Runs `text` on the words of the accumulator, which are read and written as $0, $1, …. `more` are the operands after
/// them, i32 each.
SmallVector<Value> runInPlace(ThreadBuilder &t, const AccumulatorWords &fragment, llvm::StringRef text,
                              ValueRange more) {
  size_t n = fragment.words.size();
  std::string constraints;
  for (size_t i = 0; i < n; ++i)
    constraints += lanescope::text(i ? "," : "", "=", fragment.constraint());
  for (size_t i = 0; i < n; ++i)
    constraints += lanescope::text(",", i);
  for (size_t i = 0; i < more.size(); ++i)
    constraints += ",r";
  SmallVector<Value> operands(fragment.words);
  operands.append(more.begin(), more.end());
  SmallVector<Type> types(n, fragment.word);
  Type result = n == 1 ? fragment.word : LLVM::LLVMStructType::getLiteral(t.context(), types);
  Value all = t.ptx(result, text, constraints, operands);
  SmallVector<Value> words;
  for (size_t i = 0; i < n; ++i)
    words.push_back(n == 1 ? all : t.create<LLVM::ExtractValueOp>(all, ArrayRef<int64_t>{static_cast<int64_t>(i)}));
  return words;
}

std::string descriptor(std::string_view name, size_t operand, const WgmmaOperand &from, int64_t bytes) {
  return text("add.u32 low, $", operand, ", ", bytes >> 4, "; mov.b64 ", name, ", {low, ", from.high, "};\n");
}

LogicalResult wgmma(KernelLowering &k, Operation *op) {
  auto wgmma = cast<mosaic_gpu::WGMMAOp>(op);
  ThreadBuilder &t = k.t;
  if (!hasWgmma(k))
    return op->emitError("`wgmma` is an instruction of sm_90a only; on ")
           << k.gpu->name << " multiply with `" << (k.gpu->tcgen05 ? "tcgen05_mma" : "mma") << "`"
           << ", or compile for sm_90a";
  auto accumulatorType = cast<VectorType>(wgmma.getAccumulator().getType());
  Type element = accumulatorType.getElementType();
  auto aType = cast<ShapedType>(wgmma.getA().getType());
  auto product = matrixProduct(wgmma);
  if (failed(product))
    return failure();
  const layouts::MatrixInstruction &instruction = *product->instruction;
  int64_t m = accumulatorType.getDimSize(0), n = accumulatorType.getDimSize(1), depth = aType.getDimSize(1);
  int64_t bits = instruction.elementBits(), instructionDepth = product->depth, rows = instruction.rows.smallest();

  const Ref &bRef = k.ref(wgmma.getB());
  auto b = wgmmaOperand(k, op, instruction, bRef, bRef.dims[1], bRef.dims[0], "the right operand");
  if (failed(b))
    return failure();
  int64_t period = bRef.swizzle * 8 / bits;
  if (depth % period != 0)
    return op->emitError(
        text("`wgmma` needs a depth that is a multiple of ", period, ", one row of the swizzle, not ", depth));
  std::optional<WgmmaOperand> a;
  RegisterArray aArray;
  if (k.isArray(wgmma.getA())) {
    if (bits == 32 || (bits == 8 && bRef.swizzle == 32 && aType.getElementType().isInteger(8)))
      return op->emitError(bits == 32 ? "the left operand of `wgmma` in registers has 8 or 16 bits an element"
                                      : "the left operand of `wgmma` in registers with i8 needs a swizzle of 64 or 128 "
                                        "bytes on the right, not 32");
    aArray = k.array(wgmma.getA(), layouts::RegisterLayout(layouts::catalogue::wgmmaLeft(bits)));
  } else {
    const Ref &aRef = k.ref(wgmma.getA());
    auto operand = wgmmaOperand(k, op, instruction, aRef, aRef.dims[0], aRef.dims[1], "the left operand");
    if (failed(operand))
      return failure();
    if (aRef.swizzle != bRef.swizzle)
      return op->emitError(text("the operands of `wgmma` have one swizzle, but these have ", aRef.swizzle, " and ",
                                bRef.swizzle, " bytes"));
    a = *operand;
  }

  RegisterArray before = k.array(wgmma.getAccumulator(), layouts::catalogue::wgmma());
  AccumulatorWords accumulator(t, before, element);
  // Operands after the accumulator's words, which appear twice: as results and as initial values.
  size_t next = accumulator.words.size() * 2;
  SmallVector<Value> more{b->low};
  size_t bOperand = next, aOperand = next + 1;
  if (a)
    more.push_back(a->low);
  else
    for (Value each : aArray.registers)
      more.push_back(t.create<LLVM::BitcastOp>(t.i32(), each));

  int64_t slabs = m / rows, steps = depth / instructionDepth;
  size_t wordsPerSlab = accumulator.words.size() / slabs;
  std::string scales = instruction.negates ? ", 1, 1" : "";
  if (instruction.transposes)
    scales += a ? text(", ", int{a->transposed}, ", ", int{b->transposed}) : text(", ", int{b->transposed});
  std::string body = text("{ .reg .pred keep, p; .reg .b32 low; .reg .b64 da, db;\n", kKeepsSums,
                          " setp.ne.b32 p, 1, 0;\nwgmma.fence.sync.aligned;\n");
  for (int64_t slab = 0; slab < slabs; ++slab)
    for (int64_t step = 0; step < steps; ++step) {
      body += descriptor("db", bOperand, *b, b->offset(step, instructionDepth));
      std::string left = "da";
      if (a)
        body += descriptor("da", aOperand, *a,
                           a->offset(step, instructionDepth) + slab * (rows / a->mnTile) * a->mnTileBytes);
      else
        left = operandList(aOperand + static_cast<size_t>(slab * steps + step) * 4, 4);
      body += text("wgmma.mma_async.sync.aligned.m", rows, "n", n, "k", instructionDepth, ".", ptxName(product->d), ".",
                   ptxName(product->a), ".", ptxName(product->b), " ",
                   operandList(static_cast<size_t>(slab) * wordsPerSlab, wordsPerSlab), ", ", left, ", db, ",
                   step == 0 ? "keep" : "p", scales, ";\n");
    }
  body += "}";
  k.set(wgmma.getResult(), accumulator.array(t, before, runInPlace(t, accumulator, body, more)));
  return success();
}

/// A target without `wgmma` has nothing in flight. Kernels commit and wait even if they started no product.
LogicalResult commit(KernelLowering &k, Operation *) {
  if (hasWgmma(k))
    k.t.ptx("wgmma.commit_group.sync.aligned;", "", {});
  return success();
}

/// The accumulators that the wait is for pass through its statement, so that no use of them moves above the wait.
LogicalResult wait(KernelLowering &k, Operation *op) {
  auto wait = cast<statements::WgmmaWaitOp>(op);
  std::string body = text("wgmma.wait_group.sync.aligned ", wait.getN(), ";");
  if (wait.getAccumulators().empty()) {
    if (hasWgmma(k))
      k.t.ptx(body, "", {});
    return success();
  }
  for (auto [operand, result] : llvm::zip_equal(wait.getAccumulators(), wait.getValues())) {
    if (!hasWgmma(k) || k.array(operand).isSplat()) { // no product has been issued
      k.set(result, k.array(operand));
      continue;
    }
    const RegisterArray before = k.array(operand);
    AccumulatorWords fragment(k.t, before, cast<VectorType>(operand.getType()).getElementType());
    k.set(result, fragment.array(k.t, before, runInPlace(k.t, fragment, body, {})));
  }
  return success();
}

} // namespace

void addWgmma(HandlerTable &table) {
  table["mosaic_gpu.wgmma"] = wgmma;
  table["lanescope.wgmma_commit"] = commit;
  table["lanescope.wgmma_wait"] = wait;
}

} // namespace lanescope::core
