// Iterators: what `iter`, `zip`, `map`, … give. An item is made when it is asked for, and once.
//
//   it = iter([1, 2, 3])
//   next(it), list(it)   ->  (1, [2, 3])
#pragma once

#include "repl/lang/evaluate/Evaluator.h"

namespace lanescope::repl {

class Iterator final : public Object {
public:
  /// The next item; nothing at the end, after which it is not asked again.
  using Next = std::function<Result<std::optional<Value>>(Context &)>;
  /// `sources`: how deep those that it takes from stand on others. Error: too deep.
  static Result<std::shared_ptr<Iterator>> make(const Context &context, std::string type, Next next, int sources = 0);
  /// Over the items of a value; an iterator is its own.
  static Result<std::shared_ptr<Iterator>> of(Context &context, const Value &value, const Span &span);

  Result<std::optional<Value>> next(Context &context);
  /// How many iterators stand on each other down to the first.
  int depth() const { return depth_; }
  std::string typeName() const override { return type_; }
  std::string repr() const override { return "<" + type_ + " object>"; }
  /// All that are left.
  Result<std::vector<Value>> iterate(Context &context) override;

private:
  Iterator(std::string type, Next next, int depth) : type_(std::move(type)), next_(std::move(next)), depth_(depth) {}

  std::string type_;
  Next next_;
  int depth_;
  bool ended_ = false;
};

} // namespace lanescope::repl
