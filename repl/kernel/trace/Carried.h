// The variables that a loop's body rebinds: which of them become loop-carried values, and of which type.
//
//   acc = 0.0                          first round: the number 0.0, and the body makes f32[64] of it;
//   for i in range(n):                 second round: acc is carried as f32[64], starting from zeros: settled
//     acc = acc + x[i]
//
// A variable that was traced before the loop keeps its type. A number takes the type that the body gives it: the body
// is traced again until nothing changes. Tuples are carried item by item. Everything else must stay what it was.
#pragma once

#include "repl/kernel/trace/Traced.h"

namespace lanescope::repl {

class Carried {
public:
  Carried(Tracer &tracer, const std::vector<std::string> &names, const Bindings &initial, Span span);

  /// What goes into the loop in this attempt; emitted before it.
  Result<std::vector<core::IrValue>> initialValues();
  /// The names' values inside, given the carried values there (or after the loop, given its results).
  Bindings inside(const std::vector<core::IrValue> &carried) const;
  /// Takes what the body made of the names. The values to carry on, or nothing when a type has changed and the body is
  /// to be traced again.
  Result<std::optional<std::vector<core::IrValue>>> absorb(const Bindings &results);
  /// After the loop: names that had no value before it, or lost theirs inside, have none.
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
    std::optional<Type> carried; // nullopt: the same value in every round
  };
  Result<std::optional<Type>> merged(const Leaf &leaf, const Value &result) const;

  Tracer &tracer_;
  const std::vector<std::string> &names_;
  const Bindings &initial_;
  Span span_;
  std::vector<Leaf> leaves_;
  std::vector<bool> lost_; // by name
};

/// The leaves of a value: the items of its tuples, or itself.
void flatten(const Value &value, std::vector<Value> &leaves);
/// `model` with its leaves replaced by those from `next` on.
Value rebuilt(const Value &model, const std::vector<Value> &leaves, size_t &next);
/// Both are built of tuples in the same way.
bool sameStructure(const Value &a, const Value &b);
/// A value as messages name it: `f32[128]`, `the number 3`, `a list`.
std::string described(const Value &value);
/// The same host value, or the same object.
bool sameStatic(const Value &a, const Value &b);

} // namespace lanescope::repl
