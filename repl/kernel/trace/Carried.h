// Finds which of the variables that a loop's body rebinds become loop-carried values, and of which types.
//
//   acc = 0.0                          first attempt: the number 0.0, and the body makes f32[64] of it;
//   for i in range(n):                 second attempt: acc is carried as f32[64], starting from zeros: done
//     acc = acc + x[i]
//
// A variable that was traced before the loop keeps its type. A number takes the type that the body gives it: the body
// is traced again until no type changes. Tuples are carried item by item. All other values must stay unchanged.
#pragma once

#include "repl/kernel/trace/Traced.h"

namespace lanescope::repl {

class Carried {
public:
  Carried(Tracer &tracer, const std::vector<std::string> &names, const Bindings &initial, Span span);

  /// The values that enter the loop in this attempt. They are emitted before the loop.
  Result<std::vector<core::IrValue>> initialValues();
  /// The values of the names inside the loop, from the carried values there. Also their values after the loop, from its
  /// results.
  Bindings inside(const std::vector<core::IrValue> &carried) const;
  /// Takes the values of the names at the end of the body. Returns the values to carry to the next iteration, or
  /// nothing if a type has changed and the body must be traced again.
  Result<std::optional<std::vector<core::IrValue>>> absorb(const Bindings &results);
  /// The bindings after the loop. A name has no value if it had none before the loop, or if the body unbinds it.
  Bindings after(const std::vector<core::IrValue> &results) const;

private:
  struct Type {
    layouts::Dtype dtype;
    layouts::Shape shape;
    bool operator==(const Type &) const = default;
  };
  struct Leaf {
    size_t name;
    Value initial;
    std::optional<Type> carried; // nullopt: the value is the same in every iteration
  };
  Result<std::optional<Type>> merged(const Leaf &leaf, const Value &result) const;

  Tracer &tracer_;
  const std::vector<std::string> &names_;
  const Bindings &initial_;
  Span span_;
  std::vector<Leaf> leaves_;
  std::vector<bool> lost_; // one for each name
};

/// The leaves of a value: the items of its tuples, or itself.
void flatten(const Value &value, std::vector<Value> &leaves);
/// `model` with its leaves replaced by those from `next` on.
Value rebuilt(const Value &model, const std::vector<Value> &leaves, size_t &next);
/// True if both values are built of tuples in the same way.
bool sameStructure(const Value &a, const Value &b);
/// A value's description for messages: `f32[128]`, `the number 3`, `a list`.
std::string described(const Value &value);
/// True if both are the same host value or the same object.
bool sameStatic(const Value &a, const Value &b);

} // namespace lanescope::repl
