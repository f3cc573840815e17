// The functions of a target's kernel language, as one table of families; each file of primitives has its own family.
//
// A name may exist on the host too (`exp`, `load`). Traced operands then choose the primitive, through
// Object::applyBuiltin, and the host's builtin handles all others.
#pragma once

#include "repl/kernel/trace/BuiltinTable.h"

#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace lanescope::repl {

class Tracer;

/// A signature or docstring that is declared in repl/lang/values/ArrayFunctions.h, because the host has the function
/// too.
inline constexpr std::string_view kDeclared = {};

/// A function of kernels. `T`: the kind of tracer that it needs, which is Tracer itself if any target will do.
template <typename T> struct PrimitiveOf {
  std::string_view name, signature, doc;
  Result<Value> (*call)(T &tracer, Context &context, const BoundArguments &arguments);
};
using Primitive = PrimitiveOf<Tracer>;

/// All primitives of one target. The object must outlive the sessions that use it.
class Primitives {
public:
  /// `target`: the words for its kernels in messages, "kernels of a GPU"; `group`: the heading of its functions.
  Primitives(std::string_view target, std::string_view group) : target_(target), group_(group) {}

  using Call = std::function<Result<Value>(Tracer &tracer, Context &context, const BoundArguments &arguments)>;

  /// Adds a family. Skips names that the table already has. A family for T belongs only in the table of a target whose
  /// tracer is a T.
  template <typename T> void add(std::span<const PrimitiveOf<T>> family) {
    for (const PrimitiveOf<T> &primitive : family)
      add(primitive.name, primitive.signature, primitive.doc,
          [call = primitive.call](Tracer &tracer, Context &context, const BoundArguments &arguments) {
            return call(static_cast<T &>(tracer), context, arguments);
          });
  }

  /// Calls the primitive of that name, if there is one. Used by Object::applyBuiltin.
  Result<std::optional<Value>> apply(Context &context, const std::string &name, const Arguments &arguments) const;
  /// Adds the primitives whose names `table` lacks. For the others, notes that kernels of this target have the
  /// function.
  void addTo(BuiltinTable &table) const;

private:
  struct Entry {
    std::string_view name, signature, doc;
    std::shared_ptr<const Signature> parsed;
    Call call;
  };
  void add(std::string_view name, std::string_view signature, std::string_view doc, Call call);
  Result<Value> call(const Entry &entry, Context &context, const BoundArguments &arguments) const;

  const Entry *find(std::string_view name) const;
  // A text such as "a GPU".
  std::string_view kind() const { return target_.substr(std::string_view("kernels of ").size()); }

  std::string_view target_, group_;
  std::vector<Entry> entries_;
};

} // namespace lanescope::repl
