#include "repl/kernel/trace/Primitives.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace lanescope::repl {

namespace {

/// Builtins of host arrays that kernels do not have.
constexpr std::array<std::string_view, 1> kHostOnly = {"transpose"};

std::vector<std::span<const Primitive>> families() {
  return {copyPrimitives(),      barrierPrimitives(), refPrimitives(),         mathPrimitives(),     arrayPrimitives(),
          reductionPrimitives(), probePrimitives(),   accumulatorPrimitives(), axisPrimitives(),     scopePrimitives(),
          semaphorePrimitives(), warpPrimitives(),    compoundPrimitives(),    inlinePtxPrimitives()};
}

/// What only a whole warpgroup can do (arrays aside, which are refused where they are used).
constexpr std::string_view kWarpgroupOnly[] = {"set_max_registers",
                                               "run_scoped",
                                               "wgmma",
                                               "wgmma_wait",
                                               "wgmma_accumulator_deref",
                                               "wgmma_accumulator_load",
                                               "wgmma_accumulator_store",
                                               "mma",
                                               "wait_gmem_to_smem",
                                               "print_layout",
                                               "core_map",
                                               "semaphore_read",
                                               "async_store_smem"};

Result<void> checkLevel(const Tracer &tracer, const Context &context, std::string_view name) {
  if (!tracer.warpAxis() || std::ranges::find(kWarpgroupOnly, name) == std::end(kWarpgroupOnly))
    return {};
  return context.fail("warp-level", text("`", name,
                                         "` is for a whole warpgroup, and inside of `core_map(WarpMesh(…))` each "
                                         "warp runs by itself; do it outside"));
}

struct Entry {
  Primitive primitive;
  Signature signature;
};

const std::unordered_map<std::string_view, Entry> &entries() {
  static const auto table = [] {
    std::unordered_map<std::string_view, Entry> out;
    for (auto family : families())
      for (const Primitive &primitive : family)
        out.emplace(primitive.name, Entry{primitive, Signature::parse(primitive.signature)});
    return out;
  }();
  return table;
}

} // namespace

Result<std::optional<Value>> applyPrimitive(Context &context, const std::string &name, const Arguments &arguments) {
  auto found = entries().find(name);
  if (found == entries().end()) {
    if (std::ranges::find(kHostOnly, name) != kHostOnly.end())
      return context.fail("unsupported", text("kernels do not have `", name, "`"));
    return std::nullopt;
  }
  Tracer *tracer = LANESCOPE_TRY(Tracer::current(context, name));
  auto bound = LANESCOPE_TRY(BoundArguments::bind(found->second.signature, arguments, context.span));
  LANESCOPE_CHECK(checkLevel(*tracer, context, name));
  tracer->at(context.span);
  return LANESCOPE_TRY(found->second.primitive.call(*tracer, context, bound));
}

void addPrimitives(Builtins &table) {
  for (auto family : families())
    for (const Primitive &primitive : family) {
      if (std::ranges::find(table, primitive.name, &Builtin::name) != table.end())
        continue;
      table.push_back({.name = std::string(primitive.name),
                       .signature = std::string(primitive.signature),
                       .doc = std::string(primitive.doc),
                       .call = [&primitive](Context &context, const BoundArguments &args) -> Result<Value> {
                         Tracer *tracer = LANESCOPE_TRY(Tracer::current(context, primitive.name));
                         LANESCOPE_CHECK(checkLevel(*tracer, context, primitive.name));
                         tracer->at(context.span);
                         return primitive.call(*tracer, context, args);
                       }});
    }
}

} // namespace lanescope::repl
