#include "repl/kernel/gpu/trace/ValueRules.h"

#include "repl/kernel/trace/Traced.h"

#include <algorithm>

namespace lanescope::repl {

using layouts::Dtype;
using layouts::Shape;

bool isKernelDtype(Dtype dtype) { return dtype != Dtype::TF32; }

static bool isNarrowFloat(Dtype dtype) {
  return dtype == Dtype::F4E2M1FN || dtype == Dtype::F6E2M3FN || dtype == Dtype::F6E3M2FN || dtype == Dtype::F8E8M0FNU;
}
static bool isEightBitFloat(Dtype dtype) { return dtype == Dtype::F8E4M3FN || dtype == Dtype::F8E5M2; }

Result<Dtype> kernelDtype(Dtype dtype, const Span &span) {
  if (!isKernelDtype(dtype))
    return error("unsupported", span, Message("kernels do not compute with {dtype}", name(dtype)));
  return dtype;
}

Result<void> checkComputes(const core::GpuTarget &target, Dtype dtype, std::string_view what, const Span &span) {
  int bits = layouts::bitwidth(dtype);
  if (bits >= 16 || dtype == Dtype::I1 || (bits == 8 && !layouts::isFloat(dtype)))
    return {};
  if ((isNarrowFloat(dtype) && !target.narrowFloats) || (isEightBitFloat(dtype) && !target.eightBitFloats))
    return error("unsupported", span,
                 Message("`{function}` does not compute with {dtype}, and {target} does not convert it; `bitcast(x, "
                         "{})` gives its bits",
                         what, name(dtype), target.name, bits == 4 ? "u4" : "u8"));
  return error("unsupported", span,
               Message("`{function}` does not compute with {dtype}; convert with `.astype({})` first", what,
                       name(dtype),
                       dtype == Dtype::F8E8M0FNU         ? "f32"
                       : layouts::isFloat(dtype)         ? "f16"
                       : layouts::isSignedInteger(dtype) ? "i8"
                                                         : "u8"));
}

Result<void> checkConverts(const core::GpuTarget &target, Dtype from, Dtype to, const Span &span) {
  if (from == to)
    return {};
  if (!target.narrowFloats && (isNarrowFloat(from) || isNarrowFloat(to))) {
    Dtype narrow = isNarrowFloat(from) ? from : to;
    return error("unsupported", span,
                 Message("conversions from {dtype} to {other_dtype} need {target}; `bitcast(x, {})` and `bitcast(x, "
                         "{})` pass between {} and its bits",
                         name(from), name(to), core::targetWith(&core::GpuTarget::narrowFloats, target).name,
                         layouts::bitwidth(narrow) == 4 ? "u4" : "u8", name(narrow), name(narrow)));
  }
  if (!target.eightBitFloats && (isEightBitFloat(from) || isEightBitFloat(to)))
    return error("unsupported", span,
                 Message("conversions from {dtype} to {other_dtype} need sm_89 or newer, and this kernel is for "
                         "{target}; convert the array before the kernel",
                         name(from), name(to), target.name));
  return {};
}

Result<void> checkRegisters(Dtype dtype, const Shape &shape, const Span &span) {
  if (dtype == Dtype::U2)
    return error("unsupported", span, "kernels copy u2, the metadata of sparse operands, and do not compute with it");
  // A thread has 255 registers of 32 bits; further values are spilled to local memory.
  constexpr int64_t kMaxBytes = int64_t{4} * 1024 * layouts::kThreadsPerWarpgroup;
  int64_t bytes = layouts::elementCount(shape) * std::max(8, layouts::bitwidth(dtype)) / 8;
  if (bytes <= kMaxBytes)
    return {};
  return error(
      "too-large", span,
      Message("an array {type} takes {} KiB, and the registers of a warpgroup hold 128 KiB; work on tiles of it",
              typeText(dtype, shape), bytes / 1024));
}

Result<void> checkLayout(const Shape &shape, const layouts::RegisterLayout &layout, const Span &span) {
  if (std::holds_alternative<layouts::WGSplatFragLayout>(layout))
    return error("layout", span, "a splat layout holds one value; an array cannot be cast to it");
  if (shape.empty())
    return error("layout", span, "a scalar has no layout");
  if (const auto *strided = std::get_if<layouts::WGStridedFragLayout>(&layout))
    if (strided->shape() != shape)
      return error("layout", span,
                   Message("this layout is for arrays of shape {shape}, and the array has shape {other_shape}",
                           layouts::tupleText(strided->shape()), layouts::tupleText(shape)));
  if (const auto *tiled = std::get_if<layouts::TiledLayout>(&layout))
    if (auto registers = tiled->registersShape(shape); !registers)
      return error("layout", span,
                   Message("an array of shape {shape} cannot have this layout: {}", layouts::tupleText(shape),
                           registers.error().front().message));
  return {};
}

} // namespace lanescope::repl
