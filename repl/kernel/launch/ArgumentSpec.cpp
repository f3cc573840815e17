#include "repl/kernel/launch/ArgumentSpec.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <limits>

namespace lanescope::repl {

namespace {

std::string_view kindName(core::ArgumentKind kind) {
  switch (kind) {
  case core::ArgumentKind::In: return "GMEM";
  case core::ArgumentKind::Out: return "Out";
  case core::ArgumentKind::InOut: return "InOut";
  case core::ArgumentKind::Scratch: return "Semaphore";
  }
  return "GMEM";
}

std::string dimText(const Dim &dim) {
  const auto *known = std::get_if<int64_t>(&dim);
  return known ? text(*known) : std::get<std::shared_ptr<SymbolicDim>>(dim)->text();
}

constexpr int64_t kMaxDim = std::numeric_limits<int32_t>::max();

template <core::ArgumentKind kind> Result<Value> argumentSpec(Context &, const BoundArguments &args) {
  auto spec = std::make_shared<ArgumentSpec>();
  spec->kind = kind;
  std::vector<Value> dims = args[0].value.asTuple()  ? *args[0].value.asTuple()
                            : args[0].value.asList() ? args[0].value.asList()->items
                                                     : std::vector{args[0].value};
  for (const Value &dim : dims) {
    if (const int64_t *known = dim.asInt()) {
      if (*known < 1 || *known > kMaxDim)
        return args.wrongValue(0, Message("a dimension cannot have the size {size}", *known));
      spec->dims.emplace_back(*known);
    } else if (auto symbol = dim.ref<SymbolicDim>()) {
      spec->dims.emplace_back(std::move(symbol));
    } else {
      return args.wrongType(0, "a tuple of sizes, or of names for sizes");
    }
  }
  spec->dtype = LANESCOPE_TRY(args.dtype(1));
  if (spec->dtype == layouts::Dtype::TF32)
    return args.wrongValue(1, "memory of kernels does not hold tf32; use f32, which tensor cores read as tf32");
  if (args.has(2))
    spec->sharding = LANESCOPE_TRY(shardingOf(args[2].value, args[2].span));
  return Value(std::move(spec));
}

} // namespace

Result<std::optional<Value>> SymbolicDim::binary(Context &context, BinaryOp op, const Arg &other, bool reflected) {
  std::string theirs;
  if (auto *dim = other.value.as<SymbolicDim>())
    theirs = dim->plain() ? dim->text() : lanescope::text("(", dim->text(), ")");
  else if (const int64_t *known = other.value.asInt())
    theirs = lanescope::text(*known);
  else
    return std::nullopt;
  std::string mine = plain_ ? text_ : lanescope::text("(", text_, ")");
  return Value(std::make_shared<SymbolicDim>(reflected ? lanescope::text(theirs, " ", spelling(op), " ", mine)
                                                       : lanescope::text(mine, " ", spelling(op), " ", theirs),
                                             false));
}

Result<bool> SymbolicDim::truth(Context &context) {
  return context.fail("type", Message("the size of `{}` is known at the call only", text_));
}

std::string ArgumentSpec::typeName() const { return std::string(kindName(kind)); }

std::string ArgumentSpec::repr() const {
  std::vector<std::string> sizes;
  for (const Dim &dim : dims)
    sizes.push_back(dimText(dim));
  return text(kindName(kind), "((", joined(sizes, ", "), sizes.size() == 1 ? ",), " : "), ", name(dtype),
              sharding.empty() ? "" : text(", sharding=", shardingText(sharding)), ")");
}

Builtins argumentBuiltins() {
  return {
      {.name = "GMEM",
       .signature = "GMEM(shape, dtype, sharding=None)",
       .doc =
           "Annotates a kernel's input: an array in global memory. Sizes may be names, which the call binds.\n\nIn a "
           "kernel for several devices (`mesh=`) the shape is that of one device's part, and `sharding` says, for "
           "each dimension, along which axis of the mesh the array is split: `(\"x\", None)`. Without it each "
           "device gets all of the array.",
       .call = argumentSpec<core::ArgumentKind::In>},
      {.name = "Out",
       .signature = "Out(shape, dtype, sharding=None)",
       .doc =
           "Annotates a kernel's output: an array in global memory that the call makes and returns.\n\nIn a kernel for "
           "several devices (`mesh=`) the call joins the devices' parts as `sharding` says; without it all devices "
           "make the same array.",
       .call = argumentSpec<core::ArgumentKind::Out>},
      {.name = "InOut",
       .signature = "InOut(shape, dtype, sharding=None)",
       .doc = "Annotates an array that the kernel reads and writes: passed to the call, and returned.",
       .call = argumentSpec<core::ArgumentKind::InOut>},
  };
}

} // namespace lanescope::repl
