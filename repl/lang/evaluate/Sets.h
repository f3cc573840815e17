// Python's sets: items that differ, in the order in which they came.
//
//   {1, 2} | {2, 3}    ->  {1, 2, 3}
//
// Items are what a dict's keys are. A frozenset does not change, and is an item or a key itself.
#pragma once

#include "repl/lang/evaluate/Evaluator.h"

namespace lanescope::repl {

class SetObject final : public Object {
public:
  /// Errors: an item that cannot be told apart from others, as a list.
  static Result<Value> of(Evaluator &evaluator, const std::vector<Value> &items, const Span &span, bool frozen = false);

  std::string typeName() const override { return frozen_ ? "frozenset" : "set"; }
  std::string repr() const override;
  std::string key() const override;
  bool equals(const Object &other) const override;
  std::vector<std::string> members() const override;
  Result<Value> attribute(Context &context, const std::string &name) override;
  Result<bool> truth(Context &context) override { return items().size() > 0; }
  Result<int64_t> length(Context &context) override { return static_cast<int64_t>(items().size()); }
  Result<std::vector<Value>> iterate(Context &context) override { return values(); }
  Result<std::optional<Value>> binary(Context &context, BinaryOp op, const Arg &other, bool reflected) override;
  Result<std::optional<Value>> compare(Context &context, CompareOp op, const Arg &other) override;

  const DictData &items() const { return *items_.asDict(); } // its keys
  std::vector<Value> values() const;
  bool has(const Value &item) const { return items().find(item) != nullptr; }
  /// To be called before `change` gives another content. Error: it is frozen.
  Result<DictData *> changing(Context &context);
  /// `a |= b` and the like, in place; false where `op` is no operator of sets.
  Result<bool> combine(Context &context, BinaryOp op, const Arg &other);

private:
  SetObject(Value items, bool frozen) : items_(std::move(items)), frozen_(frozen) {}

  Value items_; // a dict without values: it remembers what it was when an entry fails
  bool frozen_;
};

} // namespace lanescope::repl
