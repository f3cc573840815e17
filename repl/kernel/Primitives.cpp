#include "repl/kernel/Primitives.h"

#include "layouts/support/Text.h"
#include "repl/lang/Try.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace lanescope::repl {

namespace {

/// Builtins of host arrays that kernels do not have.
constexpr std::array<std::string_view, 3> kHostOnly = {"any", "all", "transpose"};

std::vector<std::span<const Primitive>> families() {
  return {copyPrimitives(),  barrierPrimitives(),   refPrimitives(),      mathPrimitives(),
          arrayPrimitives(), reductionPrimitives(), probePrimitives(),    accumulatorPrimitives(),
          axisPrimitives(),  scopePrimitives(),     semaphorePrimitives()};
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
                         tracer->at(context.span);
                         return primitive.call(*tracer, context, args);
                       }});
    }
}

} // namespace lanescope::repl
