// Builtin functions, their signatures and their arguments. A table of builtins is plain data, assembled by the code
// that makes a Session (there is no registry).
//
//   Builtins table = hostBuiltins();
//   table.push_back({.name = "twice", .signature = "twice(x, times=2)", .doc = "Multiplies `x`.",
//                    .call = [](Context &context, const BoundArguments &args) -> Result<Value> { ... }});
//
// `help` prints the signature, and calls are checked against it: names, `=default` (optional; the text is for the
// reader), `*` (keyword-only from here), `*rest`, `**keywords`. The function gets the arguments by its positions.
#pragma once

#include "repl/lang/values/Value.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::repl {

struct SignatureParameter {
  std::string name;
  std::string defaultText; // empty for a required parameter and for `*rest`
  Parameter::Form form = Parameter::Form::Normal;
};
struct Signature {
  std::string name;
  std::vector<SignatureParameter> parameters;
  /// A text that does not parse is a programming error (asserts). Each text is parsed once per process.
  static std::shared_ptr<const Signature> parse(const std::string &text);
};

/// A call's arguments by the positions of the signature's parameters. The errors of the accessors name the argument.
class BoundArguments {
public:
  Span call;
  std::string function; // the function's name, for messages
  /// The argument; null if it was left out.
  const Arg *get(size_t index) const { return slots_[index] ? &*slots_[index] : nullptr; }
  bool has(size_t index) const { return slots_[index].has_value(); }
  const Arg &operator[](size_t index) const { return *slots_[index]; } // only for a required parameter
  const std::vector<Arg> &rest() const { return rest_; }
  const std::vector<KeywordArg> &keywords() const { return keywords_; }
  /// The receiver of a method; null for plain functions.
  const Value *self = nullptr;

  /// An error at the argument: "`shape` of `zeros` must be a tuple of ints, not str".
  std::unexpected<Diagnostics> wrongType(size_t index, std::string_view expected) const;
  std::unexpected<Diagnostics> wrongValue(size_t index, Message message) const;
  Result<int64_t> integer(size_t index) const;
  Result<int64_t> integerOr(size_t index, int64_t fallback) const;
  Result<double> number(size_t index) const;
  Result<double> numberOr(size_t index, double fallback) const;
  Result<bool> booleanOr(size_t index, bool fallback) const;
  Result<std::string> text(size_t index) const;
  /// The argument as a shape: an int, or a tuple or list of non-negative ints with fewer than 2^31 elements.
  Result<layouts::Shape> shape(size_t index) const;
  /// The argument as integers: an int, or a tuple or list of ints.
  Result<std::vector<int64_t>> integers(size_t index) const;
  Result<std::vector<int64_t>> integersOr(size_t index, std::vector<int64_t> fallback) const;
  /// The axes that the argument names, as one int or several, counted from the front and sorted. Without the argument,
  /// all axes of `shape`. Errors: an axis does not exist, or is named twice.
  Result<std::vector<int64_t>> axes(size_t index, const layouts::Shape &shape) const;
  Result<layouts::Dtype> dtype(size_t index) const;
  Result<layouts::Dtype> dtypeOr(size_t index, layouts::Dtype fallback) const;
  Result<layouts::RegisterLayout> registerLayout(size_t index) const;
  Result<const core::Array *> array(size_t index) const;

  /// Checks a call against a signature.
  static Result<BoundArguments> bind(const Signature &signature, const Arguments &arguments, Span call);

private:
  std::vector<SignatureParameter> parameters_;
  std::vector<std::optional<Arg>> slots_;
  std::vector<Arg> rest_;
  std::vector<KeywordArg> keywords_;
};

/// The values with which a builtin works.
enum class WorksIn : uint8_t {
  Both,    // any values: those of the host, and those of a kernel that is being traced
  Host,    // values of the host; if a target has a function of that name, it handles its kernels' values
  Kernels, // values of a kernel, whose target has a function of that name, which is called
};

using BuiltinCall = std::function<Result<Value>(Context &, const BoundArguments &)>;

/// One name: a function (with `signature` and `call`) or a constant (`constant`). If two entries in a table have one
/// name, the later one counts. A call with an Object first asks that object (Object::applyBuiltin).
struct Builtin {
  std::string name;
  std::string signature;
  std::string doc; // first line: a summary
  BuiltinCall call;
  Value constant = {};
  std::string group = "other"; // heading in `help()`: "Python", "arrays", "layouts", "kernels", …
  WorksIn worksIn = WorksIn::Both;
  // The targets whose kernels have a function of that name: "a GPU", "a SparseCore".
  std::vector<std::string_view> targets = {};
};
using Builtins = std::vector<Builtin>;

/// A sentence such as "For the host and for kernels of a GPU."; empty for constants.
std::string whereItWorks(const Builtin &builtin);

/// True for a builtin that is a type of Python: `int`, `list`, ….
bool isTypeName(std::string_view name);

struct BuiltinValue {
  std::string name;
  std::shared_ptr<const Signature> signature;
  std::string signatureText;
  std::string doc;
  BuiltinCall call;
  WorksIn worksIn = WorksIn::Both;
  std::optional<Value> self;
  static Value make(const Builtin &builtin, std::optional<Value> self = std::nullopt);
};

} // namespace lanescope::repl
