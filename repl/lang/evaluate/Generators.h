// Functions that `yield`: a call gives an iterator, whose items are made when they are asked for.
//
//   def tiles(n):
//     for i in range(n):
//       yield i          suspends the body, which runs on a stack of its own, until the next item is wanted
#pragma once

#include "repl/lang/evaluate/Coroutine.h"
#include "repl/lang/evaluate/Evaluator.h"

namespace lanescope::repl {

class Generator {
public:
  Generator(Evaluator &evaluator, std::shared_ptr<const Function> function, std::shared_ptr<Scope> scope, Span call);
  /// What the body still holds is given back: its `yield` ends it.
  ~Generator();
  Generator(const Generator &) = delete;
  Generator &operator=(const Generator &) = delete;

  /// The next item; nothing at the end.
  Result<std::optional<Value>> next(Context &context);
  /// The same, after `exception` was raised at the `yield` where it stands.
  Result<std::optional<Value>> raise(Context &context, const Value &exception);
  /// For `yield`: hands the item out, and comes back when the next one is wanted.
  Result<void> give(Value item, const Span &span);
  bool runsIn(const std::shared_ptr<Scope> &scope) const { return scope == scope_; }

private:
  void body(Coroutine &coroutine);
  void resume();

  Evaluator &evaluator_;
  std::shared_ptr<const Function> function_;
  std::shared_ptr<Scope> scope_;
  Span call_;
  std::vector<Evaluator::Frame> frames_; // of the body, while it is suspended
  std::vector<Diagnostics> handled_;
  std::optional<Value> given_, raised_;
  Result<void> outcome_;
  bool running_ = false, closing_ = false;
  uint64_t stagedFloor_ = 0;
  Coroutine coroutine_;
};

/// What a call of such a function gives.
Result<Value> generatorOf(Evaluator &evaluator, std::shared_ptr<const Function> function, std::shared_ptr<Scope> scope,
                          const Span &call);

} // namespace lanescope::repl
