#include "repl/lang/evaluate/Generators.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/lang/evaluate/Exceptions.h"
#include "repl/lang/evaluate/Interpreter.h"
#include "repl/lang/evaluate/Iterators.h"

#include <utility>

namespace lanescope::repl {

Generator::Generator(Evaluator &evaluator, std::shared_ptr<const Function> function, std::shared_ptr<Scope> scope,
                     Span call)
    : evaluator_(evaluator), function_(std::move(function)), scope_(std::move(scope)), call_(std::move(call)),
      coroutine_([this](Coroutine &coroutine) { body(coroutine); }) {}

Generator::~Generator() {
  closing_ = true;
  if (coroutine_.started() && !coroutine_.finished() && !running_)
    resume();
}

void Generator::body(Coroutine &) {
  evaluator_.frames_.push_back({function_->syntax->name, call_});
  Interpreter interpreter(evaluator_, function_->module, scope_);
  auto flow = interpreter.execute(function_->syntax->body);
  if (!flow)
    outcome_ = std::unexpected(std::move(flow.error()));
  evaluator_.frames_.pop_back();
}

/// Runs the body up to its next `yield` or its end, with what the evaluator keeps of it in place.
void Generator::resume() {
  Evaluator &e = evaluator_;
  const size_t frames = e.frames_.size(), handled = e.handled_.size();
  e.frames_.insert(e.frames_.end(), frames_.begin(), frames_.end());
  e.handled_.insert(e.handled_.end(), handled_.begin(), handled_.end());
  // The limit of the stack is counted from its base: this one begins where as much is left as it may use.
  const char *base = std::exchange(
      e.stackBase_, coroutine_.stackTop() + (e.limits_.stackBytes - static_cast<int64_t>(Coroutine::kUsableBytes)));
  Generator *outer = std::exchange(e.generator_, this);
  running_ = true;
  stagedFloor_ = e.stagedFloor_;
  coroutine_.resume();
  running_ = false;
  e.generator_ = outer;
  e.stackBase_ = base;
  frames_.assign(e.frames_.begin() + static_cast<ptrdiff_t>(frames), e.frames_.end());
  e.frames_.resize(frames);
  handled_.assign(e.handled_.begin() + static_cast<ptrdiff_t>(handled), e.handled_.end());
  e.handled_.resize(handled);
}

Result<std::optional<Value>> Generator::next(Context &context) {
  if (running_)
    return context.fail("value", text("generator `", function_->syntax->name, "` is running already"));
  if (coroutine_.finished())
    return std::nullopt;
  if (!coroutine_.stackTop())
    return context.fail("out-of-memory", "there is no memory for the stack of a generator");
  resume();
  if (!coroutine_.finished())
    return std::exchange(given_, std::nullopt);
  if (!outcome_) {
    Diagnostics failed = std::move(outcome_.error());
    outcome_ = {};
    return std::unexpected(std::move(failed));
  }
  return std::nullopt;
}

Result<std::optional<Value>> Generator::raise(Context &context, const Value &exception) {
  raised_ = exception;
  return next(context);
}

Result<void> Generator::give(Value item, const Span &span) {
  if (evaluator_.stagedFloor_ != stagedFloor_)
    return error("staging", span, "`yield` cannot stand in a loop or branch that runs on the device");
  given_ = std::move(item);
  coroutine_.suspend();
  if (closing_)
    return error("interrupted", span, "the generator is given up");
  if (raised_) {
    evaluator_.raised_ = std::exchange(raised_, std::nullopt);
    const auto *exception = evaluator_.raised_->as<ExceptionValue>();
    std::string told = exception ? exception->str() : std::string();
    return error("raised", span,
                 text(exception ? exception->type().name() : "exception", told.empty() ? "" : ": ", told));
  }
  return {};
}

Result<Value> generatorOf(Evaluator &evaluator, std::shared_ptr<const Function> function, std::shared_ptr<Scope> scope,
                          const Span &call) {
  auto generator = std::make_shared<Generator>(evaluator, std::move(function), std::move(scope), call);
  auto made = LANESCOPE_TRY(Iterator::make({evaluator, call}, "generator",
                                           [generator](Context &context) { return generator->next(context); }));
  made->generator = std::move(generator);
  return Value(std::move(made));
}

Result<Value> Interpreter::yield(const YieldExpr &expression) {
  Generator *generator = evaluator_.generator_;
  if (!generator || !generator->runsIn(scope_))
    return fail(expression.range, "unsupported",
                "`yield` stands in the body of a function that is called for its items");
  if (!expression.all) {
    Value item = expression.value ? LANESCOPE_TRY(evaluate(*expression.value)) : Value();
    LANESCOPE_CHECK(generator->give(std::move(item), span(expression)));
    return Value();
  }
  Context here = context(expression.range);
  Value source = LANESCOPE_TRY(evaluate(*expression.value));
  auto items = LANESCOPE_TRY(Iterator::of(here, source, span(*expression.value)));
  while (auto item = LANESCOPE_TRY(items->next(here)))
    LANESCOPE_CHECK(generator->give(*std::move(item), span(expression)));
  return Value();
}

} // namespace lanescope::repl
