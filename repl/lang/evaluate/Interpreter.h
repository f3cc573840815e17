// Walks the tree of one module in one scope: the implementation of Evaluator.
#pragma once

#include "layouts/support/DiagnosticKind.h"
#include "layouts/support/Try.h"
#include "repl/lang/evaluate/Evaluator.h"

namespace lanescope::repl {

class ClassValue;

class Interpreter {
public:
  /// If `scope` is null, the module runs at the top level, where names belong to the session.
  Interpreter(Evaluator &evaluator, ModuleRef module, std::shared_ptr<Scope> scope)
      : evaluator_(evaluator), module_(std::move(module)), scope_(std::move(scope)) {}

  enum class Flow : uint8_t { Normal, Break, Continue, Return };
  Result<Flow> execute(const Block &block);
  Result<Flow> execute(const Stmt &statement);
  Result<Value> evaluate(const Expr &expression);
  Value takeReturn() { return std::move(returned_); }

  const Evaluator::Show *show = nullptr;               // receives the values of the entry's expression statements
  const Evaluator::UnknownName *unknownName = nullptr; // the last place where a name is looked up

private:
  Span span(TextRange range) const { return module_->span(range); }
  Span span(const Expr &expression) const { return module_->span(expression.range); }
  Context context(TextRange range) const { return {evaluator_, span(range)}; }
  std::unexpected<Diagnostics> fail(TextRange range, DiagnosticKind kind, Message message) const {
    return error(kind, span(range), std::move(message));
  }
  Arg arg(const Expr &expression, Value value) const { return {std::move(value), span(expression)}; }

  // --- names (NameLookup.cpp)
  Result<Value> lookup(const NameExpr &name);
  const Value *find(std::string_view name) const;
  std::unexpected<Diagnostics> unknown(const NameExpr &name) const;
  /// The error for `tool.use`, if `tool` is the name of a tool that we know and that snippets lack.
  std::unexpected<Diagnostics> unknownTool(const NameExpr &tool, const AttributeExpr &use, Diagnostics unknown) const;
  Result<void> bind(const std::string &name, Value value, TextRange range);
  void unbind(const std::string &name);
  /// The variable that a name in this function binds: its own, or by `nonlocal` and `global` an outer one.
  Variable variableOf(const std::string &name) const;
  /// The variables that a part of this function can rebind: those of `names`, which it binds itself, and those that the
  /// functions inside of this one and of the enclosing ones bind by `nonlocal`, because the part may call them.
  std::vector<Variable> reboundBy(const std::vector<std::string> &names) const;
  Result<void> assign(const Expr &target, Value value, TextRange valueRange);
  Result<void> unpack(const Expr &target, const std::vector<ExprPtr> &targets, const Value &value,
                      TextRange valueRange);
  Result<Value> makeFunction(const FunctionSyntax &syntax) { return makeFunction(syntax, scope_); }
  Result<Value> makeFunction(const FunctionSyntax &syntax, const std::shared_ptr<Scope> &closure);
  Bindings current(const std::vector<Variable> &variables) const;
  void install(const std::vector<Variable> &variables, const Bindings &bindings);

  // --- statements (Statements.cpp)
  Result<Flow> assignment(const AssignStmt &statement);
  Result<Flow> augmented(const AugmentedAssignStmt &statement);
  Result<Flow> definition(const FunctionStmt &statement);
  // --- definitions (Definitions.cpp)
  Result<Value> decorated(Value value, const std::vector<ExprPtr> &decorators, TextRange nameRange);
  Result<Flow> classDefinition(const ClassStmt &statement);
  Result<void> classBody(const ClassStmt &statement, ClassValue &type, const std::shared_ptr<Scope> &outside);
  Result<Flow> import(const ImportStmt &statement);
  Result<Flow> branch(const IfStmt &statement);
  Result<Flow> loop(const ForStmt &statement);
  Result<Flow> loop(const WhileStmt &statement);
  Result<Flow> with(const WithStmt &statement, size_t item);
  Result<Flow> assertion(const AssertStmt &statement);
  Result<Flow> deletion(const DeleteStmt &statement);
  Result<Flow> stagedLoop(const ForStmt &statement, const RangeData &range);
  Result<Flow> stagedWhile(const WhileStmt &statement, const Value &first);
  Result<Flow> stagedBranch(const IfStmt &statement, const Value &condition);
  Result<Bindings> stagedBody(const Block &body, const std::vector<Variable> &variables, const Bindings &bindings);
  bool traced(const Value &value) const { return evaluator_.staging() && evaluator_.staging()->isTraced(value); }

  // --- expressions (Expressions.cpp)
  Result<std::vector<Value>> sequence(const std::vector<ExprPtr> &items);
  Result<Value> dict(const DictExpr &expression);
  Result<Value> named(const NamedExpr &expression);
  /// Evaluates a part whose execution depends on a traced condition.
  template <typename Part> Result<Value> perhaps(Part part) {
    const std::vector<Variable> none;
    StagedPart staged(evaluator_, none);
    const bool before = std::exchange(mayNotRun_, true);
    Result<Value> value = part();
    mayNotRun_ = before;
    return value;
  }
  Result<Value> chain(const BinaryExpr &expression);
  Result<Value> boolean(const BoolOpExpr &expression, size_t from);
  Result<Value> comparison(const CompareExpr &expression, size_t from, const Arg &left);
  Result<Value> conditional(const ConditionalExpr &expression);
  Result<Value> call(const CallExpr &expression);
  Result<Value> subscript(const SubscriptExpr &expression);
  Result<Value> slice(const SliceExpr &expression);
  Result<Value> comprehension(const ComprehensionExpr &expression);
  Result<std::string> formatted(const FormattedStrExpr &expression);

  Evaluator &evaluator_;
  ModuleRef module_;
  std::shared_ptr<Scope> scope_;
  bool mayNotRun_ = false; // true inside a part that perhaps() evaluates
  Value returned_;
};

/// The text of f"{value:spec}". Python's format specifications apply to str, int, bool and float; other types accept
/// width and alignment.
Result<std::string> formatValue(const Value &value, std::string_view spec);

} // namespace lanescope::repl
