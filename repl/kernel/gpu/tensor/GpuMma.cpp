// `mma`: products of the warps' tensor cores, with all operands in registers.
#include "core/gpu/ir/MmaRules.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/kernel/gpu/tensor/Tensor.h"
#include "repl/kernel/gpu/trace/ValueRules.h"
#include "repl/kernel/trace/Traced.h"

namespace lanescope::repl {

namespace {

enum MmaArgument : size_t { kMmaAcc, kMmaA, kMmaB, kMmaWarps, kMmaAScale, kMmaBScale };

Result<core::IrValue> matrixArgument(GpuTracer &tracer, const BoundArguments &args, size_t index) {
  Term term = LANESCOPE_TRY(termOf(tracer, args[index], "mma"));
  if (!term.traced || term.traced->shape.size() != 2)
    return args.wrongType(index, "a matrix in registers");
  return *term.traced;
}

core::MmaOperand mmaOperandOf(const core::IrValue &value) { return {value.dtype, value.shape}; }

MmaArgument argumentOf(core::MmaProblem::Part part) {
  using Part = core::MmaProblem::Part;
  switch (part) {
  case Part::Call:
  case Part::Acc: return kMmaAcc;
  case Part::A: return kMmaA;
  case Part::B: return kMmaB;
  case Part::AScale: return kMmaAScale;
  case Part::BScale: return kMmaBScale;
  }
  return kMmaAcc;
}

Result<Value> multiplyTiles(GpuTracer &tracer, Context &context, const BoundArguments &args) {
  core::IrValue acc = LANESCOPE_TRY(matrixArgument(tracer, args, kMmaAcc));
  core::IrValue a = LANESCOPE_TRY(matrixArgument(tracer, args, kMmaA));
  core::IrValue b = LANESCOPE_TRY(matrixArgument(tracer, args, kMmaB));
  if (a.shape[1] != b.shape[0] || acc.shape[0] != a.shape[0] || acc.shape[1] != b.shape[1])
    return error("shape-mismatch", context.span,
                 Message("`a` of shape {shape} times `b` of shape {other_shape}{}", layouts::tupleText(a.shape),
                         layouts::tupleText(b.shape),
                         a.shape[1] != b.shape[0]
                             ? " do not go together: a has as many columns as b has rows"
                             : text(" does not go into the accumulator of shape ", layouts::tupleText(acc.shape))));
  core::MmaOperands operands{.acc = mmaOperandOf(acc), .a = mmaOperandOf(a), .b = mmaOperandOf(b)};
  std::optional<core::IrValue> scales[2];
  for (auto [index, scale, operand] :
       {std::tuple(kMmaAScale, &scales[0], &operands.aScale), {kMmaBScale, &scales[1], &operands.bScale}})
    if (args.has(index) && !args[index].value.isNone()) {
      *scale = LANESCOPE_TRY(matrixArgument(tracer, args, index));
      *operand = mmaOperandOf(**scale);
    }
  auto choice = core::chooseMma(operands);
  if (!choice) {
    core::MmaProblem &problem = choice.error();
    bool ofCall = problem.part == core::MmaProblem::Part::Call;
    return error(problem.kind, ofCall ? context.span : args[argumentOf(problem.part)].span, std::move(problem.message));
  }
  int64_t warps = LANESCOPE_TRY(args.integerOr(kMmaWarps, 4));
  if (warps != 1 && warps != 2 && warps != 4)
    return args.wrongValue(kMmaWarps, Message("1, 2 or 4 warps share the rows, not {}", warps));
  const layouts::MatrixInstruction &row = *choice->instruction;
  int64_t rows = row.rows.smallest() * warps, columns = row.columns.smallest() * (layouts::kWarpsPerWarpgroup / warps),
          depth = choice->depth();
  if (a.shape[0] % rows != 0 || a.shape[1] % depth != 0 || b.shape[1] % columns != 0)
    return error("shape-mismatch", context.span,
                 Message("with `m_warps={}`, `mma` of {dtype} multiplies in tiles of M = {rows}, N = {columns}, K = "
                         "{}, which (M, N, K) = ({}, {}, {}) is no multiple of",
                         warps, layouts::name(a.dtype), rows, columns, depth, a.shape[0], b.shape[1], a.shape[1]));
  std::optional<core::GpuBuilder::MmaScales> both;
  if (scales[0])
    both = {*scales[0], *scales[1]};
  return TracedValue::make(tracer, tracer.at(context.span).mma(acc, a, b, warps, both), context.span);
}

constexpr GpuPrimitive kMmaPrimitives[] = {
    {"mma", "mma(acc, a, b, m_warps=4, *, a_scale=None, b_scale=None)",
     "acc + a @ b by the warps (`mma.sync`), everything in registers: a of (M, K), b of (K, N). `m_warps` of the four "
     "warps share the rows, the others the columns.\n\n"
     "On sm_120a, sm_120f and sm_121a, floats of 8, 6 and 4 bits are multiplied with each other, and may have block "
     "scales in registers: `a_scale` of (M, K / block), `b_scale` of (N, K / block). The block is 32 with scales of "
     "f8e8m0fnu (mxfp8, mxfp6, mxfp4), and for "
     "f4e2m1fn on both sides also 16 with f8e4m3fn (nvfp4). f6e2m3fn and f6e3m2fn take a byte in memory and "
     "in registers. f4e2m1fn beside a wider float, or without scales, is multiplied as the 8-bit floats are.",
     multiplyTiles},
};

} // namespace

std::span<const GpuPrimitive> mmaPrimitives() { return kMmaPrimitives; }

} // namespace lanescope::repl
