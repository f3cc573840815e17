// Iterators, the results of `iter`, `zip`, `map`, …. Each item is made on demand, and only once.
//
//   it = iter([1, 2, 3])
//   next(it), list(it)   ->  (1, [2, 3])
#pragma once

#include "repl/lang/evaluate/Evaluator.h"

namespace lanescope::repl {

class Iterator final : public Object {
public:
  /// Returns the next item, or nothing at the end. It is not called again after the end.
  using Next = std::function<Result<std::optional<Value>>(Context &)>;
  /// `sources`: the depth of the iterators from which this one takes items. Error: they nest too deep.
  static Result<std::shared_ptr<Iterator>> make(const Context &context, std::string type, Next next, int sources = 0);
  /// An iterator over the items of a value. For an iterator, it is the value itself.
  static Result<std::shared_ptr<Iterator>> of(Context &context, const Value &value, const Span &span);

  Result<std::optional<Value>> next(Context &context);
  /// The length of the longest chain of iterators in which each one takes items from the next.
  int depth() const { return depth_; }
  std::string typeName() const override { return type_; }
  std::string repr() const override { return "<" + type_ + " object>"; }
  /// All items that are left.
  Result<std::vector<Value>> iterate(Context &context) override;

private:
  Iterator(std::string type, Next next, int depth) : type_(std::move(type)), next_(std::move(next)), depth_(depth) {}

  std::string type_;
  Next next_;
  int depth_;
  bool ended_ = false;
};

} // namespace lanescope::repl
