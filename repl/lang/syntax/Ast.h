// The syntax tree of a snippet: the parser makes it, and the evaluator walks it.
//
//   auto module = *parse(Source::make("a.py", "y = x + 1\n"));
//   module->body[0]                  an AssignStmt; its value is a BinaryExpr with range {4, 9}
//
// Nodes carry byte ranges of the module's source; `Module::span` makes a Span from one. Trees are at most kMaxNesting
// deep, so walking and destroying them never exhausts the stack. Functions keep their module alive.
#pragma once

#include "layouts/support/Diagnostic.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace lanescope::repl {

/// The limit for nested expressions, blocks and brackets (a long chain such as 1+1+1+… does not count, since a loop
/// handles it).
constexpr int kMaxNesting = 100;

struct TextRange {
  uint32_t begin = 0;
  uint32_t end = 0;
};

enum class UnaryOp : uint8_t { Negate, Plus, Invert, Not };
enum class BinaryOp : uint8_t {
  Add,
  Subtract,
  Multiply,
  Divide,
  FloorDivide,
  Modulo,
  Power,
  MatrixMultiply,
  BitAnd,
  BitOr,
  BitXor,
  ShiftLeft,
  ShiftRight,
};
enum class CompareOp : uint8_t { Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual, In, NotIn, Is, IsNot };
enum class BoolOp : uint8_t { And, Or };

/// The operator as it is written: "+", "//", "<=", "not in", "and".
std::string_view spelling(UnaryOp op);
std::string_view spelling(BinaryOp op);
std::string_view spelling(CompareOp op);
std::string_view spelling(BoolOp op);

// --- expressions -----------------------------------------------------------------------------------------------------

enum class ExprKind : uint8_t {
  None,
  Ellipsis,
  Bool,
  Int,
  Float,
  Str,
  FormattedStr,
  Name,
  Tuple,
  List,
  Dict,
  Unary,
  Binary,
  Bool2,
  Compare,
  Conditional,
  Call,
  Attribute,
  Subscript,
  Slice,
  Lambda,
  Comprehension,
  Starred,
  Named,
};

struct Expr {
  const ExprKind kind;
  uint16_t height = 1; // height of the tree below this node, for the nesting limit
  TextRange range;
  virtual ~Expr() = default;

protected:
  Expr(ExprKind kind, TextRange range) : kind(kind), range(range) {}
};
using ExprPtr = std::unique_ptr<Expr>;

template <ExprKind K> struct ExprOf : Expr {
  static constexpr ExprKind kKind = K;
  explicit ExprOf(TextRange range) : Expr(K, range) {}
};

struct NoneExpr : ExprOf<ExprKind::None> {
  using ExprOf::ExprOf;
};
struct EllipsisExpr : ExprOf<ExprKind::Ellipsis> {
  using ExprOf::ExprOf;
};
struct BoolExpr : ExprOf<ExprKind::Bool> {
  using ExprOf::ExprOf;
  bool value = false;
};
struct IntExpr : ExprOf<ExprKind::Int> {
  using ExprOf::ExprOf;
  int64_t value = 0;
};
struct FloatExpr : ExprOf<ExprKind::Float> {
  using ExprOf::ExprOf;
  double value = 0;
};
struct StrExpr : ExprOf<ExprKind::Str> {
  using ExprOf::ExprOf;
  std::string value;
};
struct NameExpr : ExprOf<ExprKind::Name> {
  using ExprOf::ExprOf;
  std::string name;
};
/// A formatted string such as f"a{x!r:>{w}}": literal pieces and fields, in order.
struct FormattedStrExpr : ExprOf<ExprKind::FormattedStr> {
  using ExprOf::ExprOf;
  struct Piece {
    std::string literal; // used if `value` is null
    ExprPtr value;
    char conversion = 0;                    // 'r', 's', 'a' or 0
    std::string debugText;                  // f"{x=}": the text before the value
    std::unique_ptr<FormattedStrExpr> spec; // null if there is none
  };
  std::vector<Piece> pieces;
};
struct TupleExpr : ExprOf<ExprKind::Tuple> {
  using ExprOf::ExprOf;
  std::vector<ExprPtr> items;
};
struct ListExpr : ExprOf<ExprKind::List> {
  using ExprOf::ExprOf;
  std::vector<ExprPtr> items;
};
struct DictExpr : ExprOf<ExprKind::Dict> {
  using ExprOf::ExprOf;
  struct Item {
    ExprPtr key; // null for `**value`
    ExprPtr value;
  };
  std::vector<Item> items;
};
struct UnaryExpr : ExprOf<ExprKind::Unary> {
  using ExprOf::ExprOf;
  UnaryOp op = UnaryOp::Negate;
  ExprPtr operand;
};
/// A left-associative chain `first op1 x1 op2 x2 …`, kept flat so that long sums are not deep trees. `**` has one step.
struct BinaryExpr : ExprOf<ExprKind::Binary> {
  using ExprOf::ExprOf;
  struct Step {
    BinaryOp op;
    TextRange opRange;
    ExprPtr operand;
  };
  ExprPtr first;
  std::vector<Step> steps;
};
/// A chain with one operator: `a and b and c`.
struct BoolOpExpr : ExprOf<ExprKind::Bool2> {
  using ExprOf::ExprOf;
  BoolOp op = BoolOp::And;
  std::vector<ExprPtr> operands;
};
/// A chain of comparisons: `a < b <= c`.
struct CompareExpr : ExprOf<ExprKind::Compare> {
  using ExprOf::ExprOf;
  struct Step {
    CompareOp op;
    ExprPtr operand;
  };
  ExprPtr first;
  std::vector<Step> steps;
};
struct ConditionalExpr : ExprOf<ExprKind::Conditional> {
  using ExprOf::ExprOf;
  ExprPtr condition, whenTrue, whenFalse;
};
struct CallExpr : ExprOf<ExprKind::Call> {
  using ExprOf::ExprOf;
  enum class Form : uint8_t { Positional, Keyword, Starred, DoubleStarred };
  struct Argument {
    Form form = Form::Positional;
    std::string name; // the keyword's name; empty for a positional argument
    TextRange nameRange;
    ExprPtr value;
  };
  ExprPtr callee;
  std::vector<Argument> arguments;
};
struct AttributeExpr : ExprOf<ExprKind::Attribute> {
  using ExprOf::ExprOf;
  ExprPtr object;
  std::string name;
  TextRange nameRange;
};
/// `x[index]`. Several indices between commas are one TupleExpr.
struct SubscriptExpr : ExprOf<ExprKind::Subscript> {
  using ExprOf::ExprOf;
  ExprPtr object, index;
};
struct SliceExpr : ExprOf<ExprKind::Slice> {
  using ExprOf::ExprOf;
  ExprPtr start, stop, step; // null if left out
};
struct StarredExpr : ExprOf<ExprKind::Starred> {
  using ExprOf::ExprOf;
  ExprPtr value;
};

/// An assignment inside an expression: `(name := value)`.
struct NamedExpr : ExprOf<ExprKind::Named> {
  using ExprOf::ExprOf;
  std::string name;
  TextRange nameRange;
  ExprPtr value;
};

/// `node` as a T, or null if it is of another kind.
template <typename T> const T *as(const Expr *node) {
  return node && node->kind == T::kKind ? static_cast<const T *>(node) : nullptr;
}
template <typename T> const T *as(const ExprPtr &node) { return as<T>(node.get()); }

// --- statements ------------------------------------------------------------------------------------------------------

enum class StmtKind : uint8_t {
  Expression,
  Assign,
  AugmentedAssign,
  Function,
  Return,
  If,
  For,
  While,
  With,
  Assert,
  Pass,
  Delete,
  Break,
  Continue,
  Import,
  Class,
};

struct Stmt {
  const StmtKind kind;
  TextRange range;
  // Names that `:=` binds in the statement's own expressions, without those in its blocks.
  std::vector<std::string> named;
  virtual ~Stmt() = default;

protected:
  Stmt(StmtKind kind, TextRange range) : kind(kind), range(range) {}
};
using StmtPtr = std::unique_ptr<Stmt>;
using Block = std::vector<StmtPtr>;

template <StmtKind K> struct StmtOf : Stmt {
  static constexpr StmtKind kKind = K;
  explicit StmtOf(TextRange range) : Stmt(K, range) {}
};
template <typename T> const T *as(const Stmt *node) {
  return node && node->kind == T::kKind ? static_cast<const T *>(node) : nullptr;
}
template <typename T> const T *as(const StmtPtr &node) { return as<T>(node.get()); }

struct Parameter {
  enum class Form : uint8_t { Normal, KeywordOnly, Rest, KeywordRest }; // x, (after *) x, *x, **x
  Form form = Form::Normal;
  std::string name;
  TextRange range;
  ExprPtr annotation;   // `def` does not evaluate it; see Evaluator::evaluate
  ExprPtr defaultValue; // null if required
};

/// The parts that `def` and `lambda` have in common.
struct FunctionSyntax {
  std::string name; // "<lambda>" for a lambda
  TextRange nameRange;
  std::vector<Parameter> parameters;
  ExprPtr returnAnnotation;
  Block body;      // only for a `def`
  ExprPtr result;  // only for a `lambda`
  std::string doc; // the first string of the body
  TextRange range; // the whole definition
  /// The names that the body binds, including parameters, sorted. They are local to a call.
  std::vector<std::string> localNames;
  /// The names in `nonlocal` and `global` statements. The body binds them in the enclosing function, or in the session.
  std::vector<std::string> outerNames;
  /// The outerNames of the functions inside of this one, at any depth: a call of them can bind these names.
  std::vector<std::string> innerOuterNames;
};

struct LambdaExpr : ExprOf<ExprKind::Lambda> {
  using ExprOf::ExprOf;
  FunctionSyntax function;
};
/// A comprehension: [element for target in iterable if condition …], {key: element for …} or (element for …).
struct ComprehensionExpr : ExprOf<ExprKind::Comprehension> {
  using ExprOf::ExprOf;
  struct Clause {
    ExprPtr target, iterable;
    std::vector<ExprPtr> conditions;
  };
  ExprPtr key;            // null for a list
  bool generator = false; // true in parentheses, which make an iterator
  ExprPtr element;
  std::vector<Clause> clauses;
};

struct ExpressionStmt : StmtOf<StmtKind::Expression> {
  using StmtOf::StmtOf;
  ExprPtr value;
};
/// An assignment: `a = b = value`, or `a: type = value` with one target. A target is a NameExpr, SubscriptExpr,
/// AttributeExpr, or a TupleExpr or ListExpr of targets, one of which may be starred.
struct AssignStmt : StmtOf<StmtKind::Assign> {
  using StmtOf::StmtOf;
  std::vector<ExprPtr> targets;
  ExprPtr annotation; // not evaluated; null if there is none
  ExprPtr value;      // null for `a: type`, which binds nothing
};
struct AugmentedAssignStmt : StmtOf<StmtKind::AugmentedAssign> {
  using StmtOf::StmtOf;
  ExprPtr target;
  BinaryOp op = BinaryOp::Add;
  ExprPtr value;
};
struct FunctionStmt : StmtOf<StmtKind::Function> {
  using StmtOf::StmtOf;
  FunctionSyntax function;
  std::vector<ExprPtr> decorators; // the expressions after `@`, in written order
};
struct ReturnStmt : StmtOf<StmtKind::Return> {
  using StmtOf::StmtOf;
  ExprPtr value; // null for None
};
struct IfStmt : StmtOf<StmtKind::If> {
  using StmtOf::StmtOf;
  ExprPtr condition;
  Block body, orElse; // `elif` is an IfStmt in orElse
};
struct ForStmt : StmtOf<StmtKind::For> {
  using StmtOf::StmtOf;
  ExprPtr target, iterable;
  Block body, orElse; // orElse runs if no `break` ended the loop
};
struct WhileStmt : StmtOf<StmtKind::While> {
  using StmtOf::StmtOf;
  ExprPtr condition;
  Block body, orElse; // `orElse` is like that of `for`
};
struct WithStmt : StmtOf<StmtKind::With> {
  using StmtOf::StmtOf;
  struct Item {
    ExprPtr manager;
    ExprPtr target; // null if there is no `as`
  };
  std::vector<Item> items;
  Block body;
};
struct AssertStmt : StmtOf<StmtKind::Assert> {
  using StmtOf::StmtOf;
  ExprPtr condition, message;
};
struct PassStmt : StmtOf<StmtKind::Pass> {
  using StmtOf::StmtOf;
};
struct DeleteStmt : StmtOf<StmtKind::Delete> {
  using StmtOf::StmtOf;
  std::vector<ExprPtr> targets;
};
struct BreakStmt : StmtOf<StmtKind::Break> {
  using StmtOf::StmtOf;
};
struct ContinueStmt : StmtOf<StmtKind::Continue> {
  using StmtOf::StmtOf;
};
/// An import: `import a.b as c, d` or `from a.b import c as d, e`.
struct ImportStmt : StmtOf<StmtKind::Import> {
  using StmtOf::StmtOf;
  struct Item {
    std::string name;  // "a.b", or the name taken from the module
    std::string as;    // the name that is bound; empty for `import a.b`, which binds `a`
    TextRange range;   // range of the name, without its `as`
    TextRange asRange; // range of the word after `as`; empty if there is none
  };
  std::string from; // empty for `import …`
  TextRange fromRange;
  std::vector<Item> items;
};
/// `class C: …` with fields and methods.
struct ClassStmt : StmtOf<StmtKind::Class> {
  using StmtOf::StmtOf;
  std::string name;
  TextRange nameRange;
  std::vector<ExprPtr> decorators;
  std::string doc;
  Block body;
};
struct Module {
  SourceRef source;
  Block body;
  Span span(TextRange range) const { return {source, range.begin, range.end}; }
};
using ModuleRef = std::shared_ptr<const Module>;

/// The names that the statements bind (by assignment, for, with and def), without those of nested functions. They are
/// sorted, each once.
std::vector<std::string> boundNames(const Block &block);
/// Appends the names that a target binds to `names`.
void boundNames(const Expr &target, std::vector<std::string> &names);

/// The tree as an indented outline, one node per line (`compile --emit ast`).
std::string dump(const Module &module);

} // namespace lanescope::repl
