#include "repl/lsp/LspNames.h"

namespace lanescope::repl::lsp {

/// Walks the tree once. An expression that is a target binds names; an expression that is a value uses them.
class NameWalk {
public:
  explicit NameWalk(Names &names) : names_(names) {}

  void block(const Block &statements) {
    for (const StmtPtr &each : statements)
      statement(*each);
  }

private:
  using NameScope = Names::NameScope;

  void use(const NameExpr &name) { names_.uses_.push_back({name.range, name.name, scope_}); }
  void bind(const std::string &name, TextRange range, NameKind kind) {
    if (!names_.scopes_[scope_].outer.contains(name))
      names_.scopes_[scope_].bound.insert(name);
    names_.uses_.push_back({range, name, scope_, true, kind});
  }
  void inScope(bool isClass, const auto &walk) {
    size_t outer = std::exchange(scope_, names_.scopes_.size());
    names_.scopes_.push_back({.parent = outer, .isClass = isClass});
    walk();
    scope_ = outer;
  }
  void values(const std::vector<ExprPtr> &all) {
    for (const ExprPtr &each : all)
      value(each);
  }

  void target(const ExprPtr &target) {
    if (const auto *name = as<NameExpr>(target))
      bind(name->name, name->range, NameKind::Variable);
    else if (const auto *tuple = as<TupleExpr>(target))
      std::ranges::for_each(tuple->items, [&](const ExprPtr &item) { this->target(item); });
    else if (const auto *list = as<ListExpr>(target))
      std::ranges::for_each(list->items, [&](const ExprPtr &item) { this->target(item); });
    else if (const auto *starred = as<StarredExpr>(target))
      this->target(starred->value);
    else
      value(target); // the target is an item or an attribute, which binds no name
  }

  /// Walks a function. Defaults and annotations belong to the scope around it.
  void function(const FunctionSyntax &function) {
    for (const Parameter &parameter : function.parameters) {
      value(parameter.annotation);
      value(parameter.defaultValue);
    }
    value(function.returnAnnotation);
    inScope(false, [&] {
      names_.scopes_[scope_].outer.insert(function.outerNames.begin(), function.outerNames.end());
      for (const Parameter &parameter : function.parameters)
        bind(parameter.name, parameter.range, NameKind::Parameter);
      block(function.body);
      value(function.result);
    });
  }

  void value(const ExprPtr &expression) {
    if (expression)
      value(*expression);
  }

  void value(const Expr &expression) {
    const Expr *e = &expression;
    if (const auto *name = as<NameExpr>(e)) {
      use(*name);
    } else if (const auto *formatted = as<FormattedStrExpr>(e)) {
      for (const auto &piece : formatted->pieces) {
        value(piece.value);
        if (piece.spec)
          value(*piece.spec);
      }
    } else if (const auto *tuple = as<TupleExpr>(e)) {
      values(tuple->items);
    } else if (const auto *list = as<ListExpr>(e)) {
      values(list->items);
    } else if (const auto *dict = as<DictExpr>(e)) {
      for (const auto &item : dict->items)
        value(item.key), value(item.value);
    } else if (const auto *unary = as<UnaryExpr>(e)) {
      value(unary->operand);
    } else if (const auto *binary = as<BinaryExpr>(e)) {
      value(binary->first);
      for (const auto &step : binary->steps)
        value(step.operand);
    } else if (const auto *logical = as<BoolOpExpr>(e)) {
      values(logical->operands);
    } else if (const auto *compare = as<CompareExpr>(e)) {
      value(compare->first);
      for (const auto &step : compare->steps)
        value(step.operand);
    } else if (const auto *choice = as<ConditionalExpr>(e)) {
      value(choice->condition), value(choice->whenTrue), value(choice->whenFalse);
    } else if (const auto *call = as<CallExpr>(e)) {
      value(call->callee);
      for (const auto &argument : call->arguments) {
        if (!argument.name.empty())
          names_.keywords_.insert(argument.name);
        value(argument.value);
      }
    } else if (const auto *attribute = as<AttributeExpr>(e)) {
      value(attribute->object);
    } else if (const auto *subscript = as<SubscriptExpr>(e)) {
      value(subscript->object), value(subscript->index);
    } else if (const auto *slice = as<SliceExpr>(e)) {
      value(slice->start), value(slice->stop), value(slice->step);
    } else if (const auto *starred = as<StarredExpr>(e)) {
      value(starred->value);
    } else if (const auto *named = as<NamedExpr>(e)) {
      value(named->value);
      bind(named->name, named->nameRange, NameKind::Variable);
    } else if (const auto *lambda = as<LambdaExpr>(e)) {
      function(lambda->function);
    } else if (const auto *comprehension = as<ComprehensionExpr>(e)) {
      inScope(false, [&] {
        for (const auto &clause : comprehension->clauses) {
          value(clause.iterable);
          target(clause.target);
          values(clause.conditions);
        }
        value(comprehension->key);
        value(comprehension->element);
      });
    }
  }

  void statement(const Stmt &statement) {
    const Stmt *s = &statement;
    if (const auto *expression = as<ExpressionStmt>(s)) {
      value(expression->value);
    } else if (const auto *assign = as<AssignStmt>(s)) {
      value(assign->annotation);
      value(assign->value);
      std::ranges::for_each(assign->targets, [&](const ExprPtr &each) { target(each); });
    } else if (const auto *augmented = as<AugmentedAssignStmt>(s)) {
      value(augmented->value);
      target(augmented->target);
    } else if (const auto *definition = as<FunctionStmt>(s)) {
      values(definition->decorators);
      bind(definition->function.name, definition->function.nameRange, NameKind::Function);
      function(definition->function);
    } else if (const auto *result = as<ReturnStmt>(s)) {
      value(result->value);
    } else if (const auto *branch = as<IfStmt>(s)) {
      value(branch->condition);
      block(branch->body), block(branch->orElse);
    } else if (const auto *each = as<ForStmt>(s)) {
      value(each->iterable);
      target(each->target);
      block(each->body);
    } else if (const auto *loop = as<WhileStmt>(s)) {
      value(loop->condition);
      block(loop->body);
    } else if (const auto *with = as<WithStmt>(s)) {
      for (const auto &item : with->items) {
        value(item.manager);
        if (item.target)
          target(item.target);
      }
      block(with->body);
    } else if (const auto *assertion = as<AssertStmt>(s)) {
      value(assertion->condition), value(assertion->message);
    } else if (const auto *removal = as<DeleteStmt>(s)) {
      values(removal->targets);
    } else if (const auto *type = as<ClassStmt>(s)) {
      values(type->decorators);
      bind(type->name, type->nameRange, NameKind::Class);
      inScope(true, [&] { block(type->body); });
    }
  }

  Names &names_;
  size_t scope_ = 0;
};

Names namesOf(const Snippet &snippet) {
  Names names;
  NameWalk walk(names);
  for (const Parsed &entry : snippet.entries)
    walk.block(entry.module->body);
  std::ranges::stable_sort(names.uses_, {}, [](const NameUse &use) { return use.range.begin; });
  return names;
}

const NameUse *Names::at(uint32_t offset) const {
  auto after = std::ranges::upper_bound(uses_, offset, {}, [](const NameUse &use) { return use.range.begin; });
  return after != uses_.begin() && offset <= std::prev(after)->range.end ? &*std::prev(after) : nullptr;
}

std::optional<size_t> Names::binder(std::string_view name, size_t scope) const {
  for (size_t at = scope;; at = scopes_[at].parent) {
    if (scopes_[at].bound.contains(name) && (at == scope || !scopes_[at].isClass))
      return at;
    if (at == 0)
      return std::nullopt;
  }
}

const NameUse *Names::definition(const NameUse &use) const {
  std::optional<size_t> scope = binder(use.name, use.scope);
  const NameUse *first = nullptr, *last = nullptr;
  if (scope)
    for (const NameUse &other : uses_)
      if (other.binds && other.name == use.name && binder(other.name, other.scope) == scope) {
        first = first ? first : &other;
        if (other.range.begin <= use.range.begin)
          last = &other;
      }
  return last ? last : first;
}

std::vector<const NameUse *> Names::sameVariable(const NameUse &use) const {
  std::vector<const NameUse *> out;
  std::optional<size_t> scope = binder(use.name, use.scope);
  if (scope)
    for (const NameUse &other : uses_)
      if (other.name == use.name && binder(other.name, other.scope) == scope)
        out.push_back(&other);
  return out;
}

} // namespace lanescope::repl::lsp
