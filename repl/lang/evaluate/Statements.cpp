// Interpreter: statements. Passes staged control flow on to the Staging.
#include "repl/lang/evaluate/Interpreter.h"
#include "repl/lang/evaluate/Iterators.h"
#include "repl/lang/evaluate/Methods.h"
#include "repl/lang/values/ArrayViews.h"

#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::repl {

using Flow = Interpreter::Flow;

Result<Flow> Interpreter::execute(const Block &block) {
  for (const StmtPtr &statement : block) {
    Flow flow = LANESCOPE_TRY(execute(*statement));
    if (flow != Flow::Normal)
      return flow;
  }
  return Flow::Normal;
}

/// The place for a diagnostic about the statement: its first line, without the blocks below.
static TextRange header(const Stmt &statement) {
  TextRange range = statement.range;
  switch (statement.kind) {
  case StmtKind::If: range.end = as<IfStmt>(&statement)->condition->range.end; break;
  case StmtKind::While: range.end = as<WhileStmt>(&statement)->condition->range.end; break;
  case StmtKind::For: range.end = as<ForStmt>(&statement)->iterable->range.end; break;
  case StmtKind::With: range.end = as<WithStmt>(&statement)->items.back().manager->range.end; break;
  case StmtKind::Function: range.end = as<FunctionStmt>(&statement)->function.nameRange.end; break;
  case StmtKind::Class: range.end = as<ClassStmt>(&statement)->nameRange.end; break;
  default: break;
  }
  return range;
}

Result<Flow> Interpreter::execute(const Stmt &statement) {
  LANESCOPE_CHECK(evaluator_.poll(span(header(statement))));
  LANESCOPE_CHECK(evaluator_.checkStack(span(header(statement))));
  if (evaluator_.staging_)
    evaluator_.staging_->atStatement(span(header(statement)));
  switch (statement.kind) {
  case StmtKind::Expression: {
    Value value = LANESCOPE_TRY(evaluate(*as<ExpressionStmt>(&statement)->value));
    if (show && !scope_ && !value.isNone())
      LANESCOPE_CHECK((*show)(value, span(statement.range)));
    return Flow::Normal;
  }
  case StmtKind::Assign: return assignment(*as<AssignStmt>(&statement));
  case StmtKind::AugmentedAssign: return augmented(*as<AugmentedAssignStmt>(&statement));
  case StmtKind::Function: return definition(*as<FunctionStmt>(&statement));
  case StmtKind::Return:
    returned_ = {};
    if (const ExprPtr &value = as<ReturnStmt>(&statement)->value)
      returned_ = LANESCOPE_TRY(evaluate(*value));
    return Flow::Return;
  case StmtKind::If: return branch(*as<IfStmt>(&statement));
  case StmtKind::For: return loop(*as<ForStmt>(&statement));
  case StmtKind::While: return loop(*as<WhileStmt>(&statement));
  case StmtKind::With: return with(*as<WithStmt>(&statement), 0);
  case StmtKind::Assert: return assertion(*as<AssertStmt>(&statement));
  case StmtKind::Delete: return deletion(*as<DeleteStmt>(&statement));
  case StmtKind::Pass: return Flow::Normal;
  case StmtKind::Break: return Flow::Break;
  case StmtKind::Continue: return Flow::Continue;
  case StmtKind::Import: return import(*as<ImportStmt>(&statement));
  case StmtKind::Class: return classDefinition(*as<ClassStmt>(&statement));
  }
  return Flow::Normal;
}

Result<Flow> Interpreter::assignment(const AssignStmt &statement) {
  if (!statement.value) // `name: type` binds nothing
    return Flow::Normal;
  Value value = LANESCOPE_TRY(evaluate(*statement.value));
  for (const ExprPtr &target : statement.targets)
    LANESCOPE_CHECK(assign(*target, value, statement.value->range));
  return Flow::Normal;
}

Result<Flow> Interpreter::augmented(const AugmentedAssignStmt &statement) {
  const Expr &target = *statement.target;
  Arg left = arg(target, LANESCOPE_TRY(evaluate(target)));
  Arg right = arg(*statement.value, LANESCOPE_TRY(evaluate(*statement.value)));
  // A list grows in place, as in Python.
  if (ListData *list = left.value.asList(); list && statement.op == BinaryOp::Add) {
    std::vector<Value> more = LANESCOPE_TRY(evaluator_.iterate(right.value, right.span));
    LANESCOPE_CHECK(evaluator_.willChange(left.value, left.span));
    LANESCOPE_CHECK(
        evaluator_.reserveItems(static_cast<int64_t>(list->items.size() + more.size()), span(statement.range)));
    for (const Value &item : more)
      if (auto fine = checkNoCycle(left.value, item); !fine)
        return at(right.span, std::move(fine.error()));
    list->items.insert(list->items.end(), more.begin(), more.end());
    if (target.kind != ExprKind::Name)
      return Flow::Normal;
    LANESCOPE_CHECK(assign(target, left.value, statement.value->range));
    return Flow::Normal;
  }
  Value value = LANESCOPE_TRY(evaluator_.binary(statement.op, left, right, span(statement.range)));
  // An array keeps its identity, so other references to it see the change. While a kernel is traced, the language's own
  // arrays are constants, and the name is rebound.
  bool constant = evaluator_.staging_ && left.value.arrayRules() == ArrayRules::Snippet;
  if (value.asArray() && changesInPlace(left.value) && !constant) {
    LANESCOPE_CHECK(evaluator_.willChange(left.value, left.span));
    auto stored = mayWrite(left.value);
    if (stored)
      stored = storeInPlace(left.value, *value.asArray(), statement.op);
    if (!stored)
      return at(span(statement.range), std::move(stored.error()));
    if (target.kind == ExprKind::Subscript && !left.value.asArrayData()->base.isNone())
      return Flow::Normal; // the element is already written in place
    value = left.value;
  }
  left.value = {}; // drop this reference, so that a container that only the target holds can be changed without a copy
  LANESCOPE_CHECK(assign(target, std::move(value), statement.range));
  return Flow::Normal;
}

Result<Flow> Interpreter::branch(const IfStmt &statement) {
  Value condition = LANESCOPE_TRY(evaluate(*statement.condition));
  if (traced(condition))
    return stagedBranch(statement, condition);
  bool holds = LANESCOPE_TRY(evaluator_.truth(condition, span(*statement.condition)));
  return execute(holds ? statement.body : statement.orElse);
}

Result<Flow> Interpreter::loop(const ForStmt &statement) {
  Value iterable = LANESCOPE_TRY(evaluate(*statement.iterable));
  const RangeData *range = iterable.asRange();
  if (range && evaluator_.staging_ && !range->unrolled)
    return stagedLoop(statement, *range);
  auto round = [&](Value item) -> Result<Flow> {
    LANESCOPE_CHECK(evaluator_.poll(span(*statement.iterable)));
    LANESCOPE_CHECK(assign(*statement.target, std::move(item), statement.iterable->range));
    return execute(statement.body);
  };
  auto ends = [](Flow flow) { return flow == Flow::Break || flow == Flow::Return; };
  if (range) { // a range is not expanded to a list
    auto count = range->count();
    if (!count)
      return fail(statement.iterable->range, "type",
                  Message("{value} has bounds that are known on the device only", repr(iterable)));
    int64_t start = *range->start.integer(), step = *range->step.integer();
    for (int64_t i = 0; i < *count; ++i) {
      Flow flow = LANESCOPE_TRY(round(Value(start + i * step)));
      if (ends(flow))
        return flow == Flow::Return ? flow : Flow::Normal;
    }
    return execute(statement.orElse);
  }
  if (auto iterator = iterable.ref<Iterator>()) { // items that the loop does not use stay in the iterator
    Context here = context(statement.iterable->range);
    while (auto item = LANESCOPE_TRY(iterator->next(here))) {
      Flow flow = LANESCOPE_TRY(round(*std::move(item)));
      if (ends(flow))
        return flow == Flow::Return ? flow : Flow::Normal;
    }
    return execute(statement.orElse);
  }
  std::vector<Value> items = LANESCOPE_TRY(evaluator_.iterate(iterable, span(*statement.iterable)));
  for (Value &item : items) {
    Flow flow = LANESCOPE_TRY(round(std::move(item)));
    if (ends(flow))
      return flow == Flow::Return ? flow : Flow::Normal;
  }
  return execute(statement.orElse);
}

Result<Flow> Interpreter::loop(const WhileStmt &statement) {
  for (;;) {
    LANESCOPE_CHECK(evaluator_.poll(span(*statement.condition)));
    Value condition = LANESCOPE_TRY(evaluate(*statement.condition));
    if (traced(condition))
      return stagedWhile(statement, condition);
    if (!LANESCOPE_TRY(evaluator_.truth(condition, span(*statement.condition))))
      return execute(statement.orElse);
    Flow flow = LANESCOPE_TRY(execute(statement.body));
    if (flow == Flow::Return)
      return flow;
    if (flow == Flow::Break)
      return Flow::Normal;
  }
}

Result<Flow> Interpreter::with(const WithStmt &statement, size_t item) {
  if (item == statement.items.size())
    return execute(statement.body);
  const WithStmt::Item &here = statement.items[item];
  Value manager = LANESCOPE_TRY(evaluate(*here.manager));
  Object *object = manager.asObject();
  if (!object)
    return fail(
        here.manager->range, "type",
        Message("`with` does not take a `{type}`; it takes `region(\"name\")` and the like", manager.typeName()));
  Context place = context(here.manager->range);
  auto entered = object->enter(place);
  if (!entered)
    return at(place.span, std::move(entered.error()));
  if (here.target)
    LANESCOPE_CHECK(assign(*here.target, std::move(*entered), here.manager->range));
  Flow flow = LANESCOPE_TRY(with(statement, item + 1));
  if (auto left = object->exit(place); !left)
    return at(place.span, std::move(left.error()));
  return flow;
}

Result<Flow> Interpreter::assertion(const AssertStmt &statement) {
  Value condition = LANESCOPE_TRY(evaluate(*statement.condition));
  auto message = [&]() -> Result<std::string> {
    if (statement.message && evaluator_.isLibrary(module_->source))
      return str(LANESCOPE_TRY(evaluate(*statement.message)));
    std::string source(module_->source->text().substr(
        statement.condition->range.begin, statement.condition->range.end - statement.condition->range.begin));
    std::ranges::replace(source, '\n', ' ');
    if (!statement.message)
      return text("assertion `", source, "` does not hold");
    return text("assertion `", source, "` does not hold: ", str(LANESCOPE_TRY(evaluate(*statement.message))));
  };
  if (traced(condition)) {
    std::string told = LANESCOPE_TRY(message());
    Context here = context(statement.condition->range);
    auto done = evaluator_.staging_->assertion(here, condition, told);
    if (!done)
      return at(here.span, std::move(done.error()));
    return Flow::Normal;
  }
  // A kernel's assertions hold for its compilation, too, where results are zeros.
  if ((!evaluator_.checkAssertions_ && !evaluator_.staging_) ||
      LANESCOPE_TRY(evaluator_.truth(condition, span(*statement.condition))))
    return Flow::Normal;
  return fail(statement.condition->range, "assertion", LANESCOPE_TRY(message()));
}

Result<Flow> Interpreter::deletion(const DeleteStmt &statement) {
  for (const ExprPtr &target : statement.targets) {
    if (const auto *name = as<NameExpr>(target)) {
      Variable variable = variableOf(name->name);
      if (!evaluator_.namesOf(variable).contains(name->name)) {
        if (!scope_ && evaluator_.findBuiltin(name->name))
          return fail(target->range, "unknown-name", Message("builtin `{name}` cannot be deleted", name->name));
        return unknown(*name);
      }
      if (variable.scope != scope_.get())
        LANESCOPE_CHECK(evaluator_.willRebind(variable, span(*target)));
      unbind(name->name);
      continue;
    }
    const auto *subscript = as<SubscriptExpr>(target);
    Arg object = arg(*subscript->object, LANESCOPE_TRY(evaluate(*subscript->object)));
    Arg index = arg(*subscript->index, LANESCOPE_TRY(evaluate(*subscript->index)));
    LANESCOPE_CHECK(deleteItemOf(evaluator_, object, index, span(*target)));
  }
  return Flow::Normal;
}

// --- staged control flow ---------------------------------------------------------------------------------------------

/// Evaluates a body that runs on the device. Takes the names' values before it, and returns their values after it.
Result<Bindings> Interpreter::stagedBody(const Block &body, const std::vector<Variable> &variables,
                                         const Bindings &bindings) {
  install(variables, bindings);
  StagedPart part(evaluator_, variables);
  Flow flow = LANESCOPE_TRY(execute(body));
  if (flow != Flow::Normal) {
    std::string_view word = flow == Flow::Break ? "break" : flow == Flow::Continue ? "continue" : "return";
    TextRange range = body.empty() ? TextRange{} : TextRange{body.front()->range.begin, body.back()->range.end};
    return fail(range, "staging",
                Message("`{statement}` leaves a loop or branch that runs on the device, which it cannot; use a "
                        "condition on static values, or `static_range(…)`",
                        word));
  }
  return current(variables);
}

static std::vector<std::string> namesOf(const std::vector<Variable> &variables) {
  std::vector<std::string> names;
  for (const Variable &variable : variables)
    names.push_back(variable.name);
  return names;
}

Result<Flow> Interpreter::stagedLoop(const ForStmt &statement, const RangeData &range) {
  std::vector<std::string> targets, names = boundNames(statement.body);
  boundNames(*statement.target, targets);
  std::erase_if(names, [&](const std::string &name) { return std::ranges::find(targets, name) != targets.end(); });
  std::vector<Variable> variables = reboundBy(names);
  Bindings initial = current(variables);
  Staging::LoopBody body = [&](const Value &index, const Bindings &bindings) -> Result<Bindings> {
    LANESCOPE_CHECK(assign(*statement.target, index, statement.iterable->range));
    return stagedBody(statement.body, variables, bindings);
  };
  Context here = context(header(statement));
  auto result = evaluator_.staging_->forRange(here, statement, range, namesOf(variables), initial, body);
  if (!result)
    return at(here.span, std::move(result.error()));
  install(variables, *result);
  for (const std::string &target : targets)
    unbind(target);                 // the index exists only on the device, inside the loop
  return execute(statement.orElse); // the loop has no `break`, so its `else` always runs
}

Result<Flow> Interpreter::stagedWhile(const WhileStmt &statement, const Value &first) {
  if (!statement.named.empty())
    return fail(statement.condition->range, "staging",
                Message("`{name} := …` in a condition that the device decides: assign it before the loop and at the "
                        "end of its body",
                        statement.named.front()));
  std::vector<Variable> variables = reboundBy(boundNames(statement.body));
  Bindings initial = current(variables);
  Staging::LoopCondition condition = [&](const Bindings &bindings) {
    install(variables, bindings);
    const std::vector<Variable> none; // only the condition's value outlives its evaluation
    StagedPart part(evaluator_, none);
    return evaluate(*statement.condition);
  };
  Staging::WhileBody body = [&](const Bindings &bindings) { return stagedBody(statement.body, variables, bindings); };
  Context here = context(header(statement));
  auto result = evaluator_.staging_->whileLoop(here, statement, first, namesOf(variables), initial, condition, body);
  if (!result)
    return at(here.span, std::move(result.error()));
  install(variables, *result);
  return execute(statement.orElse);
}

Result<Flow> Interpreter::stagedBranch(const IfStmt &statement, const Value &condition) {
  std::vector<std::string> names = boundNames(statement.body);
  for (std::string &name : boundNames(statement.orElse))
    if (std::ranges::find(names, name) == names.end())
      names.push_back(std::move(name));
  std::vector<Variable> variables = reboundBy(names);
  Bindings initial = current(variables);
  Staging::Branch whenTrue = [&] { return stagedBody(statement.body, variables, initial); };
  Staging::Branch whenFalse = [&] { return stagedBody(statement.orElse, variables, initial); };
  Context here = context(statement.condition->range);
  auto result =
      evaluator_.staging_->ifElse(here, statement, condition, namesOf(variables), initial, whenTrue, whenFalse);
  if (!result)
    return at(here.span, std::move(result.error()));
  install(variables, *result);
  return Flow::Normal;
}

} // namespace lanescope::repl
