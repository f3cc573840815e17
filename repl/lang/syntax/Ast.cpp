#include "repl/lang/syntax/Ast.h"

#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::repl {

std::string_view spelling(UnaryOp op) {
  static constexpr std::string_view kTexts[] = {"-", "+", "~", "not"};
  return kTexts[static_cast<size_t>(op)];
}
std::string_view spelling(BinaryOp op) {
  static constexpr std::string_view kTexts[] = {"+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "<<", ">>"};
  return kTexts[static_cast<size_t>(op)];
}
std::string_view spelling(CompareOp op) {
  static constexpr std::string_view kTexts[] = {"==", "!=", "<", "<=", ">", ">=", "in", "not in", "is", "is not"};
  return kTexts[static_cast<size_t>(op)];
}
std::string_view spelling(BoolOp op) { return op == BoolOp::And ? "and" : "or"; }

void boundNames(const Expr &target, std::vector<std::string> &names) {
  if (const auto *name = as<NameExpr>(&target))
    names.push_back(name->name);
  else if (const auto *star = as<StarredExpr>(&target))
    boundNames(*star->value, names);
  else if (const auto *tuple = as<TupleExpr>(&target))
    for (const ExprPtr &item : tuple->items)
      boundNames(*item, names);
  else if (const auto *list = as<ListExpr>(&target))
    for (const ExprPtr &item : list->items)
      boundNames(*item, names);
}

static void collect(const Block &block, std::vector<std::string> &names) {
  for (const StmtPtr &statement : block) {
    names.insert(names.end(), statement->named.begin(), statement->named.end());
    switch (statement->kind) {
    case StmtKind::Assign:
      for (const ExprPtr &target : as<AssignStmt>(statement)->targets)
        boundNames(*target, names);
      break;
    case StmtKind::AugmentedAssign: boundNames(*as<AugmentedAssignStmt>(statement)->target, names); break;
    case StmtKind::Delete:
      for (const ExprPtr &target : as<DeleteStmt>(statement)->targets)
        boundNames(*target, names);
      break;
    case StmtKind::Function: names.push_back(as<FunctionStmt>(statement)->function.name); break;
    case StmtKind::Class: names.push_back(as<ClassStmt>(statement)->name); break;
    case StmtKind::If:
      collect(as<IfStmt>(statement)->body, names);
      collect(as<IfStmt>(statement)->orElse, names);
      break;
    case StmtKind::For:
      boundNames(*as<ForStmt>(statement)->target, names);
      collect(as<ForStmt>(statement)->body, names);
      collect(as<ForStmt>(statement)->orElse, names);
      break;
    case StmtKind::While:
      collect(as<WhileStmt>(statement)->body, names);
      collect(as<WhileStmt>(statement)->orElse, names);
      break;
    case StmtKind::With:
      for (const WithStmt::Item &item : as<WithStmt>(statement)->items)
        if (item.target)
          boundNames(*item.target, names);
      collect(as<WithStmt>(statement)->body, names);
      break;
    default: break;
    }
  }
}

std::vector<std::string> boundNames(const Block &block) {
  std::vector<std::string> names;
  collect(block, names);
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  return names;
}

namespace {

class Dumper {
public:
  explicit Dumper(const Module &module) : module_(module) {}

  void block(const Block &block) {
    for (const StmtPtr &statement : block)
      this->statement(*statement);
  }
  std::string take() { return std::move(out_); }

private:
  struct Indent {
    explicit Indent(Dumper &dumper) : dumper(dumper) { ++dumper.depth_; }
    ~Indent() { --dumper.depth_; }
    Dumper &dumper;
  };
  void line(std::string_view what, TextRange range) {
    LineColumn place = module_.source->lineColumn(range.begin);
    out_ += text(std::string(static_cast<size_t>(depth_) * 2, ' '), what, "  [", place.line, ":", place.column, "]\n");
  }
  void label(std::string_view what) { out_ += text(std::string(static_cast<size_t>(depth_) * 2, ' '), what, ":\n"); }
  void child(std::string_view name, const ExprPtr &node) {
    if (!node)
      return;
    label(name);
    Indent indent(*this);
    expression(*node);
  }
  void child(std::string_view name, const Block &body) {
    if (body.empty())
      return;
    label(name);
    Indent indent(*this);
    block(body);
  }

  void function(const FunctionSyntax &function) {
    for (const Parameter &parameter : function.parameters) {
      static constexpr std::string_view kPrefixes[] = {"", "(keyword) ", "*", "**"};
      line(text("parameter ", kPrefixes[static_cast<size_t>(parameter.form)], parameter.name), parameter.range);
      Indent indent(*this);
      child("annotation", parameter.annotation);
      child("default", parameter.defaultValue);
    }
    child("returns", function.returnAnnotation);
    child("result", function.result);
    child("body", function.body);
  }

  void statement(const Stmt &node) {
    static constexpr std::string_view kNames[] = {"expression", "assign",   "assign", "def",    "return", "if",
                                                  "for",        "while",    "with",   "assert", "pass",   "del",
                                                  "break",      "continue", "import", "class"};
    std::string what(kNames[static_cast<size_t>(node.kind)]);
    if (const auto *augmented = as<AugmentedAssignStmt>(&node))
      what += text(" ", spelling(augmented->op), "=");
    if (const auto *def = as<FunctionStmt>(&node))
      what += text(" ", def->function.name);
    if (const auto *type = as<ClassStmt>(&node))
      what += text(" ", type->name);
    line(what, node.range);
    Indent indent(*this);
    switch (node.kind) {
    case StmtKind::Expression: return expression(*as<ExpressionStmt>(&node)->value);
    case StmtKind::Assign: {
      const auto *assign = as<AssignStmt>(&node);
      for (const ExprPtr &target : assign->targets)
        child("target", target);
      child("annotation", assign->annotation);
      return child("value", assign->value);
    }
    case StmtKind::Import: {
      const auto *import = as<ImportStmt>(&node);
      if (!import->from.empty())
        label(text("from ", import->from));
      for (const ImportStmt::Item &item : import->items)
        line(text("name ", item.name, item.as.empty() ? "" : " as ", item.as), item.range);
      return;
    }
    case StmtKind::Class: {
      const auto *type = as<ClassStmt>(&node);
      for (const ExprPtr &decorator : type->decorators)
        child("decorator", decorator);
      return child("body", type->body);
    }
    case StmtKind::AugmentedAssign:
      child("target", as<AugmentedAssignStmt>(&node)->target);
      return child("value", as<AugmentedAssignStmt>(&node)->value);
    case StmtKind::Function:
      for (const ExprPtr &decorator : as<FunctionStmt>(&node)->decorators)
        child("decorator", decorator);
      return function(as<FunctionStmt>(&node)->function);
    case StmtKind::Return: return child("value", as<ReturnStmt>(&node)->value);
    case StmtKind::If:
      child("condition", as<IfStmt>(&node)->condition);
      child("then", as<IfStmt>(&node)->body);
      return child("else", as<IfStmt>(&node)->orElse);
    case StmtKind::For:
      child("target", as<ForStmt>(&node)->target);
      child("in", as<ForStmt>(&node)->iterable);
      child("body", as<ForStmt>(&node)->body);
      return child("else", as<ForStmt>(&node)->orElse);
    case StmtKind::While:
      child("condition", as<WhileStmt>(&node)->condition);
      child("body", as<WhileStmt>(&node)->body);
      return child("else", as<WhileStmt>(&node)->orElse);
    case StmtKind::With:
      for (const WithStmt::Item &item : as<WithStmt>(&node)->items) {
        child("manager", item.manager);
        child("as", item.target);
      }
      return child("body", as<WithStmt>(&node)->body);
    case StmtKind::Assert:
      child("condition", as<AssertStmt>(&node)->condition);
      return child("message", as<AssertStmt>(&node)->message);
    case StmtKind::Delete:
      for (const ExprPtr &target : as<DeleteStmt>(&node)->targets)
        expression(*target);
      return;
    case StmtKind::Pass:
    case StmtKind::Break:
    case StmtKind::Continue: return;
    }
  }

  std::string_view source(TextRange range) const {
    return std::string_view(module_.source->text()).substr(range.begin, range.end - range.begin);
  }

  void expression(const Expr &node) {
    static constexpr std::string_view kNames[] = {
        "None",  "...",       "bool",      "int",   "float",  "str",           "f-string", "name",
        "tuple", "list",      "dict",      "unary", "binary", "bool-op",       "compare",  "conditional",
        "call",  "attribute", "subscript", "slice", "lambda", "comprehension", "starred",  "named"};
    std::string what(kNames[static_cast<size_t>(node.kind)]);
    switch (node.kind) {
    case ExprKind::Bool:
    case ExprKind::Int:
    case ExprKind::Float:
    case ExprKind::Str:
    case ExprKind::FormattedStr: what += text(" ", source(node.range)); break;
    case ExprKind::Name: what += text(" ", as<NameExpr>(&node)->name); break;
    case ExprKind::Named: what += text(" ", as<NamedExpr>(&node)->name); break;
    case ExprKind::Attribute: what += text(" .", as<AttributeExpr>(&node)->name); break;
    case ExprKind::Unary: what += text(" ", spelling(as<UnaryExpr>(&node)->op)); break;
    case ExprKind::Bool2: what += text(" ", spelling(as<BoolOpExpr>(&node)->op)); break;
    default: break;
    }
    line(what, node.range);
    Indent indent(*this);
    parts(node);
  }

  void parts(const Expr &node) {
    auto all = [&](const std::vector<ExprPtr> &items) {
      for (const ExprPtr &item : items)
        expression(*item);
    };
    switch (node.kind) {
    case ExprKind::Tuple: return all(as<TupleExpr>(&node)->items);
    case ExprKind::List: return all(as<ListExpr>(&node)->items);
    case ExprKind::Dict:
      for (const DictExpr::Item &item : as<DictExpr>(&node)->items) {
        child("key", item.key);
        child("value", item.value);
      }
      return;
    case ExprKind::Unary: return expression(*as<UnaryExpr>(&node)->operand);
    case ExprKind::Binary:
      expression(*as<BinaryExpr>(&node)->first);
      for (const BinaryExpr::Step &step : as<BinaryExpr>(&node)->steps)
        child(spelling(step.op), step.operand);
      return;
    case ExprKind::Bool2: return all(as<BoolOpExpr>(&node)->operands);
    case ExprKind::Compare:
      expression(*as<CompareExpr>(&node)->first);
      for (const CompareExpr::Step &step : as<CompareExpr>(&node)->steps)
        child(spelling(step.op), step.operand);
      return;
    case ExprKind::Conditional:
      child("if", as<ConditionalExpr>(&node)->condition);
      child("then", as<ConditionalExpr>(&node)->whenTrue);
      return child("else", as<ConditionalExpr>(&node)->whenFalse);
    case ExprKind::Call:
      child("callee", as<CallExpr>(&node)->callee);
      for (const CallExpr::Argument &argument : as<CallExpr>(&node)->arguments) {
        static constexpr std::string_view kForms[] = {"argument", "", "* argument", "** argument"};
        bool keyword = argument.form == CallExpr::Form::Keyword;
        child(keyword ? std::string_view(argument.name) : kForms[static_cast<size_t>(argument.form)], argument.value);
      }
      return;
    case ExprKind::Attribute: return expression(*as<AttributeExpr>(&node)->object);
    case ExprKind::Subscript:
      expression(*as<SubscriptExpr>(&node)->object);
      return child("index", as<SubscriptExpr>(&node)->index);
    case ExprKind::Slice:
      child("start", as<SliceExpr>(&node)->start);
      child("stop", as<SliceExpr>(&node)->stop);
      return child("step", as<SliceExpr>(&node)->step);
    case ExprKind::Lambda: return function(as<LambdaExpr>(&node)->function);
    case ExprKind::Comprehension:
      child("key", as<ComprehensionExpr>(&node)->key);
      child("element", as<ComprehensionExpr>(&node)->element);
      for (const ComprehensionExpr::Clause &clause : as<ComprehensionExpr>(&node)->clauses) {
        child("for", clause.target);
        child("in", clause.iterable);
        for (const ExprPtr &condition : clause.conditions)
          child("if", condition);
      }
      return;
    case ExprKind::Starred: return expression(*as<StarredExpr>(&node)->value);
    case ExprKind::Named: return expression(*as<NamedExpr>(&node)->value);
    default: return;
    }
  }

  const Module &module_;
  std::string out_;
  int depth_ = 0;
};

} // namespace

std::string dump(const Module &module) {
  Dumper dumper(module);
  dumper.block(module.body);
  return dumper.take();
}

} // namespace lanescope::repl
