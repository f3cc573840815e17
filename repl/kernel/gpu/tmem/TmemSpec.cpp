#include "repl/kernel/gpu/tmem/TmemSpec.h"

#include "layouts/Catalogue.h"
#include "layouts/support/Words.h"
#include "repl/kernel/gpu/trace/ValueRules.h"
#include "repl/lang/evaluate/Evaluator.h"

#include <algorithm>

namespace lanescope::repl {

using layouts::Dtype;
using layouts::Shape;

std::string TmemSpec::repr() const {
  std::string layout = layouts::catalogueName(place.layout).value_or(layouts::jaxText(place.layout));
  return text("TMEM(", layouts::tupleText(shape), ", ", name(dtype), ", layout=", layout,
              place.collective ? ", collective=True)" : ")");
}

namespace {

enum : size_t { kShape, kDtype, kPacked, kCollective, kLayout };

/// The result of a function of layouts/, with an error placed at argument `index`.
template <typename T> Result<T> at(const BoundArguments &args, size_t index, Result<T> result) {
  if (!result)
    return args.wrongValue(index, result.error().front().message);
  return result;
}

Result<layouts::TMEMLayout> layoutFor(const BoundArguments &args, const Shape &matrix, Dtype dtype, bool collective) {
  bool packedGiven = args.has(kPacked) && !args[kPacked].value.isNone();
  int bits = layouts::bitwidth(dtype);
  if (args.has(kLayout) && !args[kLayout].value.isNone()) {
    const layouts::TMEMLayout *layout = args[kLayout].value.tmemLayout();
    if (!layout)
      return args.wrongType(kLayout, "a layout of tensor memory such as `tmem_default_layout(2)`");
    if (packedGiven)
      return args.wrongValue(kPacked, "a layout says itself how elements are packed; leave `packed` or `layout` out");
    LANESCOPE_CHECK(at(args, kLayout, layout->columnsIn(matrix, bits)));
    return *layout;
  }
  if (bits < layouts::kTmemCellBits && !packedGiven)
    return args.wrongValue(
        kDtype, Message("elements of {bits} bits are stored one to a column of {limit} bits (`packed=False`, as "
                        "accumulators are) or {} (`packed=True`, as left operands are): say which, or give a `layout`",
                        bits, layouts::kTmemCellBits, layouts::kTmemCellBits / bits));
  bool packed = packedGiven && LANESCOPE_TRY(args.booleanOr(kPacked, false));
  auto layout = LANESCOPE_TRY(
      at(args, kShape, layouts::catalogue::inferTmem(matrix, collective, packed ? layouts::kTmemCellBits / bits : 1)));
  LANESCOPE_CHECK(at(args, kShape, layout.columnsIn(matrix, bits)));
  return layout;
}

Result<Value> tmemSpec(Context &context, const BoundArguments &args) {
  Shape shape = LANESCOPE_TRY(args.shape(kShape));
  if (shape.size() < 2 || std::ranges::find(shape, 0) != shape.end())
    return args.wrongValue(kShape, Message("tensor memory holds matrices, maybe several of them (2 dimensions or more, "
                                           "sizes above 0), not the shape {shape}",
                                           layouts::tupleText(shape)));
  Dtype dtype = LANESCOPE_TRY(args.dtype(kDtype));
  if (dtype == Dtype::I1 || dtype == Dtype::TF32 || layouts::bitwidth(dtype) > layouts::kTmemCellBits)
    return args.wrongValue(kDtype, Message("tensor memory has cells of {limit} bits and holds no {dtype}{}",
                                           layouts::kTmemCellBits, name(dtype),
                                           dtype == Dtype::TF32 ? "; products read f32 as tf32" : ""));
  bool collective =
      args.has(kCollective) && !args[kCollective].value.isNone() && LANESCOPE_TRY(args.booleanOr(kCollective, false));
  Shape matrix(shape.end() - 2, shape.end());
  auto spec = std::make_shared<TmemSpec>(
      core::TensorPlace{LANESCOPE_TRY(layoutFor(args, matrix, dtype, collective)), collective});
  spec->shape = std::move(shape);
  spec->dtype = dtype;
  spec->span = context.evaluator.snippetPlace(context.span);
  return Value(std::move(spec));
}

} // namespace

Builtin tmemBuiltin() {
  return {.name = "TMEM",
          .signature = "TMEM(shape, dtype, packed=None, collective=None, layout=None)",
          .doc = "An array in tensor memory (sm_100a), for `scratch` and `run_scoped`: 128 or 64 rows, and as many "
                 "columns as fit 512 of 32 bits in all.\n\n"
                 "Elements of fewer bits need `packed`: False stores one to a column, as accumulators are, True as "
                 "many as fit, as the left operand of `tcgen05_mma` is; or a `layout`, such as `scales_layout()`. "
                 "`collective=True` allocates it in both blocks of a pair, for products that these compute together. "
                 "Dimensions before the last two count from left to right in the columns: `acc.at[i]`. A block "
                 "allocates everything at its start and frees it at its end.",
          .call = tmemSpec};
}

Result<void> checkTensorBuffer(const core::KernelFrame::TensorBuffer &buffer, const core::GpuTarget &target,
                               const Shape &cluster, const core::KernelFrame::TensorBuffer *first) {
  if (!target.tcgen05) {
    std::string_view other = core::targetWith(&core::GpuTarget::tcgen05, target).name;
    return error(
        "unsupported", buffer.span,
        Message("{target} has no tensor memory, which {} has; compile with `--arch {}`", target.name, other, other));
  }
  bool collective = buffer.place.collective;
  if (collective && layouts::elementCount(cluster) % 2 != 0)
    return error("value", buffer.span,
                 Message("`collective=True` allocates in both blocks of a pair, and the kernel's cluster has {}; give "
                         "it `cluster=(2,)`",
                         counted(layouts::elementCount(cluster), "block")));
  if (first && first->place.collective != collective)
    return error(
        "value", buffer.span,
        Message("a kernel's tensor memory is all collective or not at all: `{name}` is{}, and `{other_name}` is{}",
                buffer.name, collective ? "" : " not", first->name, collective ? " not" : ""),
        {{first->span, text("`", first->name, "` is declared here")}});
  return {};
}

} // namespace lanescope::repl
