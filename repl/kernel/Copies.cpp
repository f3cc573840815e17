// Asynchronous copies between global and shared memory, and what orders them.
#include "repl/kernel/Barriers.h"
#include "repl/kernel/Primitives.h"
#include "repl/kernel/Refs.h"
#include "repl/kernel/Traced.h"

#include "layouts/support/Text.h"
#include "repl/lang/Try.h"

namespace lanescope::repl {

using layouts::Shape;

namespace {

/// What both directions demand. `shared` and `global` are arguments 0/1 or 1/0.
Result<void> checkCopy(const BoundArguments &args, const RefValue &global, size_t globalIndex, const RefValue &shared,
                       size_t sharedIndex) {
  bool load = globalIndex == 0;
  std::string_view slice = load ? "the source slice" : "the destination slice";
  std::string_view tile = load ? "the destination tile" : "the source tile";
  if (global.dtype() != shared.dtype())
    return error("dtype-mismatch", args[0].span,
                 text(tile, " has dtype ", layouts::name(shared.dtype()), " but ", slice, " has dtype ",
                      layouts::name(global.dtype())),
                 {shared.declared(), global.declared()});
  if (global.shape() != shared.shape())
    return error("shape-mismatch", args[0].span,
                 text(tile, " has shape ", layouts::tupleText(shared.shape()), " but ", slice, " has shape ",
                      layouts::tupleText(global.shape())),
                 {shared.declared(), global.declared()});
  if (global.shape().empty())
    return error("unsupported", args[globalIndex].span,
                 text("a copy moves a slice, and `", global.describe(), "` is one element; read and write it"));
  for (auto [ref, index] : {std::pair(&global, globalIndex), std::pair(&shared, sharedIndex)})
    if (ref->transposed())
      return error("unsupported", args[index].span,
                   text("a copy cannot transpose `", ref->name(), "`; read and write it through registers"));
  return {};
}

Result<Value> copyIn(Tracer &tracer, Context &context, const BoundArguments &args) {
  auto source = LANESCOPE_TRY(refArgument(tracer, args, 0, core::MemorySpace::Global));
  auto target = LANESCOPE_TRY(refArgument(tracer, args, 1, core::MemorySpace::Shared));
  auto barrier = LANESCOPE_TRY(barrierArgument(tracer, args, 2));
  LANESCOPE_CHECK(checkCopy(args, *source, 0, *target, 1));
  // Each of the 128 threads announces its share of the bytes.
  int64_t bits = layouts::elementCount(target->shape()) * layouts::bitwidth(target->dtype());
  if (bits % (8 * layouts::kThreadsPerWarpgroup) != 0)
    return error("unsupported", args[1].span,
                 text("`", target->describe(), "` takes ", bits / 8,
                      " bytes; a copy that a barrier counts is a multiple of 128 bytes"),
                 {target->declared()});
  core::KernelBuilder &builder = tracer.at(context.span);
  builder.asyncLoad(source->base(), source->dims(), LANESCOPE_TRY(target->materialize(tracer)), barrier->ir());
  return Value();
}

Result<Value> copyOut(Tracer &tracer, Context &context, const BoundArguments &args) {
  auto source = LANESCOPE_TRY(refArgument(tracer, args, 0, core::MemorySpace::Shared));
  auto target = LANESCOPE_TRY(refArgument(tracer, args, 1, core::MemorySpace::Global));
  LANESCOPE_CHECK(checkCopy(args, *target, 1, *source, 0));
  if (!target->writable())
    return error("read-only", args[1].span,
                 text("`", target->name(), "` is an input, so it cannot be written; declare it `InOut(…)`"),
                 {target->declared()});
  std::optional<core::IrValue> predicate;
  core::KernelBuilder &builder = tracer.at(context.span);
  if (args.has(2) && !args[2].value.isNone()) {
    Term wanted = LANESCOPE_TRY(termOf(tracer, args[2], "predicate"));
    if (!wanted.shape().empty())
      return args.wrongType(2, "a scalar condition");
    predicate = LANESCOPE_TRY(shaped(tracer, wanted, layouts::Dtype::I1, {}));
  }
  bool commit = LANESCOPE_TRY(args.booleanOr(3, true));
  if (args.has(4) && !args[4].value.isNone())
    return error("unsupported", args[4].span, "copies that combine with what memory holds are not supported yet");
  builder.asyncStore(LANESCOPE_TRY(source->materialize(tracer)), target->base(), target->dims(), commit, predicate);
  return Value();
}

Result<Value> waitOut(Tracer &tracer, Context &context, const BoundArguments &args) {
  int64_t pending = LANESCOPE_TRY(args.integer(0));
  if (pending < 0)
    return args.wrongValue(0, text("a count of groups cannot be ", pending));
  constexpr int64_t kMaxGroups = 1 << 20;
  if (pending > kMaxGroups)
    return args.wrongValue(0, text("there are never ", pending, " groups pending"));
  bool readOnly = LANESCOPE_TRY(args.booleanOr(1, false));
  tracer.at(context.span).waitSmemToGmem(pending, readOnly);
  return Value();
}

Result<Value> commitSmem(Tracer &tracer, Context &context, const BoundArguments &) {
  tracer.at(context.span).commitSmem();
  return Value();
}

Result<Value> commitGroup(Tracer &tracer, Context &context, const BoundArguments &) {
  tracer.at(context.span).commitGroup();
  return Value();
}

constexpr Primitive kPrimitives[] = {
    {"copy_gmem_to_smem", "copy_gmem_to_smem(src, dst, barrier)",
     "Starts a copy from global to shared memory. The barrier counts its bytes and one arrival: wait on it before "
     "reading `dst`.",
     copyIn},
    {"copy_smem_to_gmem", "copy_smem_to_gmem(src, dst, predicate=None, commit_group=True, reduction_op=None)",
     "Starts a copy from shared to global memory. Call `commit_smem()` after writing `src`, and `wait_smem_to_gmem` "
     "before writing it again or ending the kernel.",
     copyOut},
    {"wait_smem_to_gmem", "wait_smem_to_gmem(n, wait_read_only=False)",
     "Waits until at most `n` groups of copies to global memory are pending; with `wait_read_only`, until their "
     "sources have been read.",
     waitOut},
    {"commit_smem", "commit_smem()", "Makes the warpgroup's writes to shared memory visible to copies.", commitSmem},
    {"commit_smem_to_gmem_group", "commit_smem_to_gmem_group()",
     "Closes the group of copies to global memory started with `commit_group=False`.", commitGroup},
};

} // namespace

std::span<const Primitive> copyPrimitives() { return kPrimitives; }

} // namespace lanescope::repl
