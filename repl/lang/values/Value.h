// Values of the snippet language.
//
//   Value v = Value::tuple({Value(1), Value("a")});
//   v.asTuple()->size()   ->  2
//   repr(v)               ->  "(1, 'a')"
//
// A Value is small and cheap to copy: scalars are held by value, everything else is shared. Lists, dicts and arrays are
// mutable and have identity, as in Python. Change them through Evaluator::willChange, so that a failing entry can be
// undone. Kinds of other folders (traced arrays, references, barriers, kernels) derive from Object.
#pragma once

#include "core/data/Array.h"
#include "layouts/Layout.h"
#include "repl/lang/syntax/Ast.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

namespace lanescope::repl {

class Evaluator;
class Object;
class Value;
struct ListData;
struct DictData;
struct SliceData;
struct RangeData;
struct ArrayData;
struct ArrayPlaces;
struct Function;
struct BuiltinValue;

/// A layout of any language; Tiling, Replicated and transforms are Objects.
using layouts::Layout;

/// The rules that an array follows: the promotion of dtypes, the form of its scalars, and the existence of 64-bit
/// dtypes. `Snippet` is JAX's rules with 64 bits and with Python's numbers for single elements.
enum class ArrayRules : uint8_t { Snippet, Jax };

struct TupleData {
  std::vector<Value> items;
  ~TupleData();
};

class Value {
public:
  Value() = default; // None
  Value(bool b) : kind_(Kind::Bool) { scalar_.b = b; }
  Value(std::integral auto n)
    requires(!std::same_as<decltype(n), bool>)
      : kind_(Kind::Int) {
    scalar_.n = static_cast<int64_t>(n);
  }
  Value(double x) : kind_(Kind::Float) { scalar_.x = x; }
  Value(std::string s);
  Value(std::string_view s) : Value(std::string(s)) {}
  Value(const char *s) : Value(std::string(s)) {}
  /// A dtype that prints with the rules' name: `float32` for JAX's arrays, else `f32`.
  Value(layouts::Dtype dtype, ArrayRules rules = ArrayRules::Snippet) : kind_(Kind::Dtype) {
    scalar_.dtype = {dtype, rules};
  }
  Value(layouts::RegisterLayout layout);
  Value(layouts::TiledLayout layout);
  Value(layouts::TMEMLayout layout);
  Value(Layout layout);
  Value(core::Array array, ArrayRules rules = ArrayRules::Snippet);
  Value(std::shared_ptr<Object> object);
  template <std::derived_from<Object> T>
  Value(std::shared_ptr<T> object) : Value(std::static_pointer_cast<Object>(std::move(object))) {}
  Value(std::shared_ptr<const Function> function);
  Value(std::shared_ptr<const BuiltinValue> builtin);
  static Value ellipsis();
  static Value tuple(std::vector<Value> items);
  static Value list(std::vector<Value> items);
  static Value dict(DictData items);
  /// A dict with string keys in the given order.
  static Value dict(std::vector<std::pair<std::string, Value>> items);
  static Value slice(Value start, Value stop, Value step);
  static Value range(RangeData range);
  static Value range(Value start, Value stop, Value step, bool unrolled, int64_t atOnce = 1);
  static Value shape(const layouts::Shape &shape); // a tuple of ints
  /// A view of an array under its rules. `places` refer to the array that owns the elements, which is the base of
  /// `array` if `array` is a view itself.
  static Value view(const Value &array, ArrayPlaces places);

  bool isNone() const { return kind_ == Kind::None; }
  bool isEllipsis() const { return kind_ == Kind::Ellipsis; }
  const bool *asBool() const { return kind_ == Kind::Bool ? &scalar_.b : nullptr; }
  /// An int that is not a bool.
  const int64_t *asInt() const { return kind_ == Kind::Int ? &scalar_.n : nullptr; }
  const double *asFloat() const { return kind_ == Kind::Float ? &scalar_.x : nullptr; }
  const std::string *asStr() const { return pointee<const std::string>(Kind::Str); }
  const std::vector<Value> *asTuple() const;
  /// The items of a list or tuple.
  const std::vector<Value> *asListOrTuple() const;
  ListData *asList() const { return pointee<ListData>(Kind::List); }
  DictData *asDict() const { return pointee<DictData>(Kind::Dict); }
  const SliceData *asSlice() const { return pointee<const SliceData>(Kind::Slice); }
  const RangeData *asRange() const { return pointee<const RangeData>(Kind::Range); }
  const layouts::Dtype *asDtype() const { return kind_ == Kind::Dtype ? &scalar_.dtype.dtype : nullptr; }
  const Layout *asLayout() const { return pointee<const Layout>(Kind::Layout); }
  /// The elements of an array, and the present elements of a view. The pointer is valid as long as the value.
  const core::Array *asArray() const;
  ArrayData *asArrayData() const { return pointee<ArrayData>(Kind::Array); }
  const Function *asFunction() const { return pointee<const Function>(Kind::Function); }
  std::shared_ptr<const Function> functionRef() const;
  const BuiltinValue *asBuiltin() const { return pointee<const BuiltinValue>(Kind::Builtin); }
  Object *asObject() const { return pointee<Object>(Kind::Object); }
  std::shared_ptr<Object> objectRef() const;
  /// The object, if it is a T.
  template <typename T> T *as() const { return dynamic_cast<T *>(asObject()); }
  template <typename T> std::shared_ptr<T> ref() const { return std::dynamic_pointer_cast<T>(objectRef()); }

  /// The rules of an array, or the rules under which a dtype was obtained; Snippet for all other values.
  ArrayRules arrayRules() const;
  /// Converts a rank-0 array of NumPy or JAX, or an object that acts as a number, to Python's number. Returns any other
  /// value unchanged.
  Value plain() const;
  /// An int or a bool as an int, because Python treats True as 1.
  std::optional<int64_t> integer() const;
  /// An int, a bool or a float as a float.
  std::optional<double> number() const;
  /// The layout, if it is a register layout.
  std::optional<layouts::RegisterLayout> registerLayout() const;
  const layouts::TMEMLayout *tmemLayout() const;

  /// Python's name of the type: "int", "NoneType", "dtype", "TiledLayout", "array", an Object's typeName.
  std::string typeName() const;
  /// True for a list, dict or array without other references to it.
  bool uniquelyHeld() const;
  /// True for the same object (lists, dicts, arrays, objects) or the same scalar: Python's `is`.
  bool identical(const Value &other) const;

private:
  /// Kinds from Str on are shared.
  enum class Kind : uint8_t {
    None,
    Bool,
    Int,
    Float,
    Ellipsis,
    Dtype,
    Str,
    Tuple,
    List,
    Dict,
    Slice,
    Range,
    Layout,
    Array,
    Function,
    Builtin,
    Object,
  };
  Value(Kind kind, std::shared_ptr<const void> shared) : kind_(kind), shared_(std::move(shared)) {}
  template <typename T> T *pointee(Kind kind) const {
    return kind_ == kind ? static_cast<T *>(const_cast<void *>(shared_.get())) : nullptr;
  }
  friend void dismantle(std::vector<Value> values);

  // Not a std::variant: with so many kinds, every file would contain its code for copying and moving again.
  Kind kind_ = Kind::None;
  union {
    bool b;
    int64_t n;
    double x;
    struct {
      layouts::Dtype dtype;
      ArrayRules rules;
    } dtype;
  } scalar_{.n = 0};
  std::shared_ptr<const void> shared_; // has the type of the kind; an Object is held as Object
};

struct ListData {
  std::vector<Value> items;
  uint64_t born = 0; // the number of the evaluator's entry that made it; see Evaluator::willChange
  ~ListData();
};

/// A dict in insertion order. Keys are None, bools, ints, floats, strings, dtypes, layouts and tuples of those.
struct DictData {
  struct Item {
    Value key, value;
  };
  DictData() = default;
  DictData(const DictData &) = default;
  DictData(DictData &&) = default;
  DictData &operator=(const DictData &) = default;
  DictData &operator=(DictData &&) = default;
  ~DictData();

  /// The value of a key; null if the key is absent or not hashable.
  const Value *find(const Value &key) const;
  const Value *find(std::string_view key) const { return find(Value(key)); }
  /// Sets the value of a key. Returns false if the key is not hashable.
  bool set(const Value &key, Value value);
  bool erase(const Value &key);
  const std::vector<Item> &items() const { return items_; }
  std::vector<Item> takeItems();
  size_t size() const { return items_.size(); }
  uint64_t born = 0;

private:
  std::vector<Item> items_;
  std::unordered_map<std::string, size_t> index_; // canonical key text -> position
};

struct SliceData {
  Value start, stop, step; // None if left out
  ~SliceData();
};
/// range(...) and static_range(...) (`unrolled`). Bounds are ints, or Objects while a kernel is traced. A loop on the
/// device executes `atOnce` steps per iteration.
struct RangeData {
  /// How a target counts the steps of a loop: in its preferred way, by the number of the iteration, or in iterations
  /// that do not depend on each other.
  enum class Form : uint8_t { Plain, Rounds, Independent };
  Value start, stop, step;
  bool unrolled = false;
  int64_t atOnce = 1;
  Form form = Form::Plain;
  /// The number of steps if all bounds are ints.
  std::optional<int64_t> count() const;
};
/// The places of the elements of a part of an array: `offset + Σ index[d] * strides[d]`, in elements.
struct ArrayPlaces {
  int64_t offset = 0;
  layouts::Shape shape, strides;
};
/// An array, or a view: a part of another array that is written in place (ArrayViews.h).
struct ArrayData {
  core::Array array; // for a view, the elements at the last access; Value::asArray updates them
  uint64_t born = 0;
  ArrayRules rules = ArrayRules::Snippet;
  Value base; // for a view: the array, not itself a view, that owns the elements at `places`
  ArrayPlaces places;
  uint64_t changes = 0; // number of writes to the array; for a view, that number at the view's last access
};

/// The names of one function call, or of a comprehension.
struct Scope {
  std::map<std::string, Value, std::less<>> names;
  std::shared_ptr<Scope> parent; // scope of the enclosing function; null if the session's names come next
  const FunctionSyntax *syntax = nullptr;
  uint64_t born = 0; // the evaluator's epoch at the function's call (Evaluator::epoch_)
  ~Scope();
};

/// A variable of a call of a function, or of the session.
struct Variable {
  Scope *scope = nullptr; // null: the session's
  std::string name;
  bool operator==(const Variable &) const = default;
};

/// A `def` or `lambda` with its closure.
struct Function {
  ModuleRef module; // keeps `syntax` alive
  const FunctionSyntax *syntax = nullptr;
  std::shared_ptr<Scope> closure;             // null at the top level
  std::vector<std::optional<Value>> defaults; // parallel to syntax->parameters
  std::string name;                           // the name given by `functools.wraps`; empty for its own name
  Span span() const { return module->span(syntax->range); }
  ~Function();
};

/// The place of an operation; passed to every hook of Object and Staging, and to builtins.
struct Context {
  Evaluator &evaluator;
  Span span; // the expression (call, operation, subscript) being evaluated
  std::unexpected<Diagnostics> fail(std::string kind, Message message, std::vector<Note> notes = {}) const {
    return error(std::move(kind), span, std::move(message), std::move(notes));
  }
};

/// A value with the place where it was written.
struct Arg {
  Value value;
  Span span;
};
struct KeywordArg {
  std::string name;
  Span nameSpan;
  Value value;
  Span span;
};
struct Arguments {
  std::vector<Arg> positional;
  std::vector<KeywordArg> keyword;
  const KeywordArg *find(std::string_view name) const;
};

/// The base of all value kinds outside repl/lang. If a kind does not override a hook, the hook's default is an error
/// that names the type. binary and compare return an empty optional if the object does not handle the operation; the
/// other operand is then asked.
class Object : public std::enable_shared_from_this<Object> {
public:
  virtual ~Object() = default;
  virtual std::string typeName() const = 0;
  virtual std::string repr() const;
  /// The text that print() shows.
  virtual std::string str() const { return repr(); }
  /// The text of help(); nothing to use the type's description.
  virtual std::optional<std::string> help(Context &) { return std::nullopt; }

  virtual Result<Value> attribute(Context &context, const std::string &name);
  virtual Result<void> setAttribute(Context &context, const std::string &name, const Arg &value);
  /// Attribute names, for completion and `help`.
  virtual std::vector<std::string> members() const { return {}; }
  virtual Result<Value> getItem(Context &context, const Arg &index);
  virtual Result<void> setItem(Context &context, const Arg &index, const Arg &value);
  virtual Result<Value> unary(Context &context, UnaryOp op);
  /// Applies a binary operator. `reflected`: this object is the right operand.
  virtual Result<std::optional<Value>> binary(Context &context, BinaryOp op, const Arg &other, bool reflected);
  /// Compares this object, as the left operand. For the right operand, the operator is mirrored. `==` and `!=` fall
  /// back to identity.
  virtual Result<std::optional<Value>> compare(Context &context, CompareOp op, const Arg &other);
  virtual bool callable() const { return false; }
  virtual Result<Value> call(Context &context, const Arguments &arguments);
  virtual Result<bool> truth(Context &context) { return true; }
  virtual Result<int64_t> length(Context &context);
  /// Handles a call of a builtin function (`sum`, `abs`, `exp`, `reshape`, …) with this object among its arguments. It
  /// is asked before the builtin itself, so that one name serves host arrays and traced ones. Empty: the object does
  /// not handle the call.
  virtual Result<std::optional<Value>> applyBuiltin(Context &context, const std::string &name,
                                                    const Arguments &arguments) {
    return std::nullopt;
  }
  virtual Result<std::vector<Value>> iterate(Context &context);
  /// `with object as target:`. exit also runs if return, break or continue leaves the body.
  virtual Result<Value> enter(Context &context);
  virtual Result<void> exit(Context &context);
  /// The value as JSON text for `eval --json`. Nothing: the JSON is the value's repr as a string.
  virtual std::optional<std::string> json() const { return std::nullopt; }
  /// A text that makes equal objects equal dict keys; empty if not hashable.
  virtual std::string key() const { return {}; }
  /// Python's == with another object. For objects without a key, it is called only if the two are not identical.
  virtual bool equals(const Object &other) const { return !key().empty() && key() == other.key(); }
};

/// Python's repr(). For layouts, it is JAX's form; for arrays, NumPy's with an ellipsis.
std::string repr(const Value &value);
/// Python's str(): strings stay unchanged, and all other values have their repr.
std::string str(const Value &value);
/// Python's == for host values (Objects: identity or equal key()). Deep structures are compared element by element.
/// Arrays are equal if dtype, shape and bytes are. Structures too deep to compare count as different; Equality.h
/// reports this to snippets.
bool equal(const Value &a, const Value &b);
/// repr() of a float: the shortest text that reads back as the same number, `1.0`, `1e+20`, `inf`, `nan`.
std::string floatText(double value);
/// The canonical text of a hashable value; nullopt if it is not hashable. 1, 1.0 and True have the same text.
std::optional<std::string> hashKey(const Value &value);

/// Destroys values without recursion, however deep they nest.
void dismantle(std::vector<Value> values);

} // namespace lanescope::repl
