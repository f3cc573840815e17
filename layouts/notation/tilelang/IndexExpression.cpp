#include "layouts/notation/tilelang/IndexExpression.h"

#include "layouts/support/Text.h"

#include <algorithm>
#include <array>

namespace lanescope::layouts {

struct IndexExpression::Reader {
  Scanner &in;
  size_t dims;
  IndexExpression &out;
  int depth = 0;

  static constexpr int kMaxDepth = 64;
  struct Infix {
    std::string_view spelling;
    int precedence;
    Op op;
  };
  // Longer spellings come first; the precedences are Python's.
  static constexpr std::array<Infix, 10> kInfix = {{{"//", 5, Op::FloorDiv},
                                                    {"<<", 3, Op::ShiftLeft},
                                                    {">>", 3, Op::ShiftRight},
                                                    {"*", 5, Op::Multiply},
                                                    {"%", 5, Op::FloorMod},
                                                    {"+", 4, Op::Add},
                                                    {"-", 4, Op::Subtract},
                                                    {"&", 2, Op::And},
                                                    {"^", 1, Op::Xor},
                                                    {"|", 0, Op::Or}}};
  struct Call {
    std::string_view name;
    Op op;
  };
  static constexpr std::array<Call, 9> kCalls = {{{"bitwise_xor", Op::Xor},
                                                  {"bitwise_and", Op::And},
                                                  {"bitwise_or", Op::Or},
                                                  {"shift_left", Op::ShiftLeft},
                                                  {"shift_right", Op::ShiftRight},
                                                  {"floordiv", Op::FloorDiv},
                                                  {"floormod", Op::FloorMod},
                                                  {"min", Op::Min},
                                                  {"max", Op::Max}}};

  Result<size_t> add(Node node) {
    if (out.nodes_.size() >= kMaxNodes)
      return in.expected("a shorter expression");
    out.nodes_.push_back(node);
    return out.nodes_.size() - 1;
  }

  Result<size_t> expression(int precedence) {
    if (++depth > kMaxDepth)
      return in.expected("an expression that nests less deeply");
    Result<size_t> left = operand();
    while (left) {
      const Infix *infix = nullptr;
      uint32_t before = (in.peek(), in.offset());
      for (const Infix &candidate : kInfix)
        if (in.eat(candidate.spelling)) {
          infix = &candidate;
          break;
        }
      // `->` ends an expression.
      if (!infix || infix->precedence < precedence || (infix->op == Op::Subtract && in.peek() == '>')) {
        in.rewind(before);
        break;
      }
      Result<size_t> right = expression(infix->precedence + 1);
      if (!right)
        return right;
      left = add({infix->op, 0, *left, *right});
    }
    --depth;
    return left;
  }

  Result<size_t> operand() {
    if (in.eat('(')) {
      Result<size_t> inside = expression(0);
      if (inside)
        if (Result<void> closed = in.expect(')', "the expression"); !closed)
          return std::unexpected(std::move(closed.error()));
      return inside;
    }
    char c = in.peek();
    if (c == '-' || (c >= '0' && c <= '9')) {
      Result<int64_t> value = in.integer("a number");
      if (!value)
        return std::unexpected(std::move(value.error()));
      return add({Op::Constant, *value});
    }
    uint32_t begin = in.offset();
    std::string_view name = in.identifier();
    while (!name.empty() && in.eat('.'))
      name = in.identifier();
    if (name.empty())
      return in.expected("an index such as `_i`, a number or `(`");
    if (name == "_rep")
      return add({Op::Variable, kReplica});
    for (size_t dim = 0; dim < dims; ++dim)
      if (name == placeholder(dim))
        return add({Op::Variable, static_cast<int64_t>(dim)});
    const auto call = std::ranges::find(kCalls, name, &Call::name);
    if (call == kCalls.end() || in.peek() != '(')
      return in.fail(begin, Message("`{name}` is neither an index of the {dimensions} dimensions (`_i`, `_j`, …), "
                                    "`_rep`, nor a function that can be evaluated here",
                                    name, dims));
    in.eat('(');
    Result<size_t> left = expression(0);
    if (!left)
      return left;
    if (Result<void> comma = in.expect(',', "the arguments"); !comma)
      return std::unexpected(std::move(comma.error()));
    Result<size_t> right = expression(0);
    if (!right)
      return right;
    if (Result<void> closed = in.expect(')', "the arguments"); !closed)
      return std::unexpected(std::move(closed.error()));
    return add({call->op, 0, *left, *right});
  }
};

std::string placeholder(size_t dim) { return {'_', static_cast<char>('i' + dim % 18)}; }

Result<IndexExpression> IndexExpression::parse(Scanner &in, size_t dims) {
  IndexExpression out;
  Result<size_t> root = Reader{in, dims, out}.expression(0);
  if (!root)
    return std::unexpected(std::move(root.error()));
  return out;
}

std::optional<int64_t> IndexExpression::apply(Op op, int64_t a, int64_t b) {
  constexpr int64_t kLimit = int64_t(1) << 62;
  int64_t out = 0;
  switch (op) {
  case Op::Add: out = a + b; break; // operands are below 2^62
  case Op::Subtract: out = a - b; break;
  case Op::Multiply:
    if (__builtin_mul_overflow(a, b, &out))
      return std::nullopt;
    break;
  case Op::FloorDiv:
  case Op::FloorMod: {
    if (b == 0)
      return std::nullopt;
    int64_t quotient = a / b - (a % b != 0 && (a < 0) != (b < 0));
    out = op == Op::FloorDiv ? quotient : a - quotient * b;
    break;
  }
  case Op::Xor: out = a ^ b; break;
  case Op::And: out = a & b; break;
  case Op::Or: out = a | b; break;
  case Op::ShiftLeft:
  case Op::ShiftRight:
    if (b < 0 || b > 31 || a < 0 || a > INT32_MAX)
      return std::nullopt;
    out = op == Op::ShiftLeft ? a << b : a >> b;
    break;
  case Op::Min: out = std::min(a, b); break;
  case Op::Max: out = std::max(a, b); break;
  case Op::Constant:
  case Op::Variable: break;
  }
  if (out >= kLimit || out <= -kLimit)
    return std::nullopt;
  return out;
}

std::optional<int64_t> IndexExpression::evaluate(std::span<const int64_t> index, int64_t replica,
                                                 std::vector<int64_t> &scratch) const {
  constexpr int64_t kLimit = int64_t(1) << 62;
  scratch.resize(nodes_.size());
  for (size_t i = 0; i < nodes_.size(); ++i) {
    const Node &node = nodes_[i];
    if (node.op == Op::Constant) {
      if (node.value >= kLimit || node.value <= -kLimit)
        return std::nullopt;
      scratch[i] = node.value;
    } else if (node.op == Op::Variable) {
      scratch[i] = node.value == kReplica ? replica : index[static_cast<size_t>(node.value)];
    } else {
      std::optional<int64_t> value = apply(node.op, scratch[node.left], scratch[node.right]);
      if (!value)
        return std::nullopt;
      scratch[i] = *value;
    }
  }
  return scratch.back();
}

bool IndexExpression::isSeparable() const {
  constexpr int64_t kNone = INT64_MIN, kSeveral = INT64_MIN + 1;
  std::vector<int64_t> variable(nodes_.size(), kNone); // the one variable that a node depends on
  std::vector<bool> separable(nodes_.size(), true);
  for (size_t i = 0; i < nodes_.size(); ++i) {
    const Node &node = nodes_[i];
    if (node.op == Op::Variable)
      variable[i] = node.value;
    if (node.op == Op::Constant || node.op == Op::Variable)
      continue;
    int64_t left = variable[node.left], right = variable[node.right];
    variable[i] = left == kNone || left == right ? right : right == kNone ? left : kSeveral;
    if (variable[i] != kSeveral)
      continue;
    bool terms = separable[node.left] && separable[node.right];
    separable[i] = terms && (node.op == Op::Add || node.op == Op::Subtract ||
                             (node.op == Op::Multiply && (left == kNone || right == kNone)));
  }
  return separable.back();
}

std::string IndexExpression::text(size_t index) const {
  const Node &node = nodes_[index];
  // Writes parentheses only where precedence requires them, so that chains of operators stay flat.
  auto precedence = [&](size_t operand) {
    const auto infix = std::ranges::find(Reader::kInfix, nodes_[operand].op, &Reader::Infix::op);
    return infix == Reader::kInfix.end() ? INT32_MAX : infix->precedence;
  };
  auto part = [&](size_t operand, int least) {
    return precedence(operand) < least ? '(' + text(operand) + ')' : text(operand);
  };
  if (const auto infix = std::ranges::find(Reader::kInfix, node.op, &Reader::Infix::op); infix != Reader::kInfix.end())
    return lanescope::text(part(node.left, infix->precedence), ' ', infix->spelling, ' ',
                           part(node.right, infix->precedence + 1));
  if (node.op == Op::Constant)
    return lanescope::text(node.value);
  if (node.op == Op::Variable)
    return node.value == kReplica ? "_rep" : placeholder(static_cast<size_t>(node.value));
  return lanescope::text(node.op == Op::Min ? "T.min(" : "T.max(", text(node.left), ", ", text(node.right), ')');
}

} // namespace lanescope::layouts
