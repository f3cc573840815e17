#include "repl/kernel/trace/Primitives.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/kernel/trace/Tracer.h"
#include "repl/lang/values/ArrayFunctions.h"

#include <algorithm>
#include <cassert>

namespace lanescope::repl {

void Primitives::add(std::string_view name, std::string_view signature, std::string_view doc, Call call) {
  if (find(name)) // a target's own primitive takes precedence over the common one
    return;
  if (signature.empty()) {
    const ArrayFunction *declared = arrayFunction(name);
    assert(declared && "a primitive has a signature, or is declared in ArrayFunctions.cpp");
    signature = declared->signature, doc = declared->doc;
  }
  entries_.push_back({name, signature, doc, Signature::parse(std::string(signature)), std::move(call)});
}

const Primitives::Entry *Primitives::find(std::string_view name) const {
  auto found = std::ranges::find(entries_, name, &Entry::name);
  return found == entries_.end() ? nullptr : &*found;
}

Result<Value> Primitives::call(const Entry &entry, Context &context, const BoundArguments &arguments) const {
  Tracer *tracer = LANESCOPE_TRY(Tracer::current(context, entry.name));
  if (&tracer->primitives() != this) // the trace belongs to another target, which lacks the name
    return context.fail("unsupported", Message("`{function}` is for {}, and this is one for {}", entry.name, target_,
                                               tracer->primitives().target_));
  LANESCOPE_CHECK(tracer->checkCall(context, entry.name));
  tracer->at(context.span);
  return entry.call(*tracer, context, arguments);
}

Result<std::optional<Value>> Primitives::apply(Context &context, const std::string &name,
                                               const Arguments &arguments) const {
  const Entry *entry = find(name);
  if (!entry)
    return std::nullopt;
  LANESCOPE_CHECK(Tracer::current(context, name));
  auto bound = LANESCOPE_TRY(BoundArguments::bind(*entry->parsed, arguments, context.span));
  return LANESCOPE_TRY(call(*entry, context, bound));
}

void Primitives::addTo(BuiltinTable &table) const {
  for (const Entry &entry : entries_) {
    if (Builtin *known = table.find(entry.name)) {
      // The explanations of the two functions are joined.
      if (known->signature != entry.signature || known->doc != entry.doc)
        known->doc += text("\n\nIn ", target_, ": `", entry.signature, "`. ", entry.doc);
      known->targets.push_back(kind());
      continue;
    }
    table.put({.name = std::string(entry.name),
               .signature = std::string(entry.signature),
               .doc = std::string(entry.doc),
               .call = [this, &entry](Context &context, const BoundArguments &args) -> Result<Value> {
                 return call(entry, context, args);
               },
               .group = std::string(group_),
               .worksIn = WorksIn::Kernels,
               .targets = {kind()}});
  }
}

} // namespace lanescope::repl
