#include "repl/lang/values/Value.h"
#include "repl/lang/values/ArrayViews.h"

#include "repl/lang/values/Equality.h"

#include "layouts/support/Text.h"
#include "repl/lang/values/Builtin.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace lanescope::repl {

namespace {
// Structures deeper or larger than this are not hashable, because a structure with shared parts can represent
// exponentially many parts.
constexpr int kMaxKeyDepth = 200;
constexpr size_t kMaxKeyBytes = 1 << 20;
} // namespace

// --- construction ----------------------------------------------------------------------------------------------------

Value::Value(std::string s) : Value(Kind::Str, std::make_shared<std::string>(std::move(s))) {}
Value::Value(layouts::RegisterLayout layout) : Value(Layout(std::move(layout))) {}
Value::Value(layouts::TiledLayout layout) : Value(layouts::RegisterLayout(std::move(layout))) {}
Value::Value(layouts::TMEMLayout layout) : Value(Layout(std::move(layout))) {}
Value::Value(Layout layout) : Value(Kind::Layout, std::make_shared<Layout>(std::move(layout))) {}
Value::Value(core::Array array, ArrayRules rules)
    : Value(Kind::Array, std::make_shared<ArrayData>(
                             ArrayData{.array = std::move(array), .rules = rules, .base = {}, .places = {}})) {}
Value::Value(std::shared_ptr<Object> object) : Value(Kind::Object, std::move(object)) {}
Value::Value(std::shared_ptr<const Function> function) : Value(Kind::Function, std::move(function)) {}
Value::Value(std::shared_ptr<const BuiltinValue> builtin) : Value(Kind::Builtin, std::move(builtin)) {}

Value Value::ellipsis() { return Value(Kind::Ellipsis, nullptr); }
Value Value::tuple(std::vector<Value> items) {
  auto data = std::make_shared<TupleData>();
  data->items = std::move(items);
  return Value(Kind::Tuple, std::move(data));
}
Value Value::list(std::vector<Value> items) {
  auto data = std::make_shared<ListData>();
  data->items = std::move(items);
  return Value(Kind::List, std::move(data));
}
Value Value::dict(DictData items) { return Value(Kind::Dict, std::make_shared<DictData>(std::move(items))); }
Value Value::dict(std::vector<std::pair<std::string, Value>> items) {
  DictData data;
  for (auto &[key, value] : items)
    data.set(Value(std::move(key)), std::move(value));
  return dict(std::move(data));
}
Value Value::slice(Value start, Value stop, Value step) {
  auto data = std::make_shared<SliceData>();
  data->start = std::move(start);
  data->stop = std::move(stop);
  data->step = std::move(step);
  return Value(Kind::Slice, std::move(data));
}
Value Value::range(RangeData range) { return Value(Kind::Range, std::make_shared<RangeData>(std::move(range))); }

Value Value::range(Value start, Value stop, Value step, bool unrolled, int64_t atOnce) {
  return Value(Kind::Range, std::make_shared<RangeData>(
                                RangeData{std::move(start), std::move(stop), std::move(step), unrolled, atOnce}));
}
Value Value::view(const Value &array, ArrayPlaces places) {
  const ArrayData &of = *array.asArrayData();
  constexpr uint64_t kNever = UINT64_MAX;
  core::Array elements{of.array.dtype, places.shape, {}};
  return Value(Kind::Array, std::make_shared<ArrayData>(ArrayData{.array = std::move(elements),
                                                                  .rules = of.rules,
                                                                  .base = of.base.isNone() ? array : of.base,
                                                                  .places = std::move(places),
                                                                  .changes = kNever}));
}
Value Value::shape(const layouts::Shape &shape) { return tuple(std::vector<Value>(shape.begin(), shape.end())); }

// --- access ----------------------------------------------------------------------------------------------------------

const std::vector<Value> *Value::asTuple() const {
  const auto *data = pointee<const TupleData>(Kind::Tuple);
  return data ? &data->items : nullptr;
}
const std::vector<Value> *Value::asListOrTuple() const {
  const ListData *list = asList();
  return list ? &list->items : asTuple();
}
ArrayRules Value::arrayRules() const {
  const ArrayData *data = asArrayData();
  return data ? data->rules : kind_ == Kind::Dtype ? scalar_.dtype.rules : ArrayRules::Snippet;
}

Value Value::plain() const {
  const ArrayData *data = asArrayData();
  if (!data || !data->array.shape.empty() || data->rules == ArrayRules::Snippet)
    return *this;
  const core::Array *array = asArray();
  if (array->dtype == layouts::Dtype::I1)
    return array->integer(0) != 0;
  if (layouts::isInteger(array->dtype))
    return array->integer(0);
  return array->number(0);
}

const core::Array *Value::asArray() const {
  ArrayData *data = asArrayData();
  if (data && !data->base.isNone())
    lookAgain(*data);
  return data ? &data->array : nullptr;
}
std::shared_ptr<const Function> Value::functionRef() const {
  return kind_ == Kind::Function ? std::static_pointer_cast<const Function>(shared_) : nullptr;
}
std::shared_ptr<Object> Value::objectRef() const {
  if (kind_ != Kind::Object)
    return nullptr;
  return std::const_pointer_cast<Object>(std::static_pointer_cast<const Object>(shared_));
}
std::optional<int64_t> Value::integer() const {
  if (const int64_t *n = asInt())
    return *n;
  if (const bool *b = asBool())
    return *b ? 1 : 0;
  return std::nullopt;
}
std::optional<double> Value::number() const {
  if (const double *x = asFloat())
    return *x;
  if (auto n = integer())
    return static_cast<double>(*n);
  return std::nullopt;
}
std::optional<layouts::RegisterLayout> Value::registerLayout() const {
  const Layout *layout = asLayout();
  const auto *reg = layout ? std::get_if<layouts::RegisterLayout>(layout) : nullptr;
  return reg ? std::optional(*reg) : std::nullopt;
}
const layouts::TMEMLayout *Value::tmemLayout() const {
  const Layout *layout = asLayout();
  return layout ? std::get_if<layouts::TMEMLayout>(layout) : nullptr;
}

std::string Value::typeName() const {
  if (asLayout()) {
    static constexpr const char *kNames[] = {"WGSplatFragLayout", "WGStridedFragLayout", "TiledLayout"};
    if (std::holds_alternative<layouts::Foreign>(*asLayout()))
      return text(layouts::languageOf(*asLayout()), " layout");
    auto reg = registerLayout();
    return reg ? kNames[reg->index()] : "TMEMLayout";
  }
  if (const Object *object = asObject())
    return object->typeName();
  if (const RangeData *range = asRange())
    return range->unrolled ? "static_range" : "range";
  static constexpr const char *kNames[] = {"NoneType", "bool",  "int",      "float",   "ellipsis", "dtype",
                                           "str",      "tuple", "list",     "dict",    "slice",    "range",
                                           "layout",   "array", "function", "builtin", "object"};
  return kNames[static_cast<size_t>(kind_)];
}

bool Value::uniquelyHeld() const {
  return (kind_ == Kind::List || kind_ == Kind::Dict || kind_ == Kind::Array) && shared_.use_count() == 1;
}

bool Value::identical(const Value &other) const {
  if (kind_ != other.kind_)
    return false;
  switch (kind_) {
  case Kind::None:
  case Kind::Ellipsis: return true;
  case Kind::Bool: return scalar_.b == other.scalar_.b;
  case Kind::Int: return scalar_.n == other.scalar_.n;
  case Kind::Float: return scalar_.x == other.scalar_.x;
  case Kind::Dtype: return scalar_.dtype.dtype == other.scalar_.dtype.dtype;
  case Kind::Str: return *asStr() == *other.asStr();
  default: return shared_ == other.shared_;
  }
}

// --- equality and hashing --------------------------------------------------------------------------------------------

namespace {

bool appendKey(const Value &value, int depth, std::string &out) {
  if (depth > kMaxKeyDepth || out.size() > kMaxKeyBytes)
    return false;
  if (value.isNone()) {
    out += "n;";
  } else if (auto n = value.integer()) {
    out += text("i", *n, ";");
  } else if (const double *x = value.asFloat()) {
    if (*x == std::floor(*x) && std::abs(*x) < 9e15)
      out += text("i", static_cast<int64_t>(*x), ";");
    else
      out += text("f", floatText(*x), ";");
  } else if (const std::string *s = value.asStr()) {
    out += text("s", s->size(), ":", *s);
  } else if (const auto *dtype = value.asDtype()) {
    out += text("d", layouts::name(*dtype), ";");
  } else if (value.asLayout()) {
    out += text("L", repr(value), ";");
  } else if (value.isEllipsis()) {
    out += "e;";
  } else if (value.asArray() && value.plain().number()) {
    return appendKey(value.plain(), depth + 1, out);
  } else if (const auto *items = value.asTuple()) {
    out += '(';
    for (const Value &item : *items)
      if (!appendKey(item, depth + 1, out))
        return false;
    out += ')';
  } else if (const Object *object = value.asObject()) {
    std::string key = object->key();
    if (key.empty())
      return false;
    out += text("o", object->typeName(), ":", key, ";");
  } else {
    return false;
  }
  return true;
}

} // namespace

bool equal(const Value &a, const Value &b) { return compared(a, b).value_or(false); }

std::optional<std::string> hashKey(const Value &value) {
  std::string out;
  if (!appendKey(value, 0, out))
    return std::nullopt;
  return out;
}

// --- dicts and ranges ------------------------------------------------------------------------------------------------

const Value *DictData::find(const Value &key) const {
  auto text = hashKey(key);
  auto found = text ? index_.find(*text) : index_.end();
  return found == index_.end() ? nullptr : &items_[found->second].value;
}
bool DictData::set(const Value &key, Value value) {
  auto text = hashKey(key);
  if (!text)
    return false;
  auto [place, added] = index_.try_emplace(std::move(*text), items_.size());
  if (added)
    items_.push_back({key, std::move(value)});
  else
    items_[place->second].value = std::move(value);
  return true;
}
bool DictData::erase(const Value &key) {
  auto text = hashKey(key);
  auto found = text ? index_.find(*text) : index_.end();
  if (found == index_.end())
    return false;
  size_t position = found->second;
  index_.erase(found);
  items_.erase(items_.begin() + static_cast<ptrdiff_t>(position));
  for (auto &[other, place] : index_)
    place -= place > position ? 1 : 0;
  return true;
}
std::vector<DictData::Item> DictData::takeItems() {
  index_.clear();
  return std::exchange(items_, {});
}

std::optional<int64_t> RangeData::count() const {
  auto first = start.integer(), last = stop.integer(), by = step.integer();
  if (!first || !last || !by || *by == 0)
    return std::nullopt;
  // Computed in 128 bits, because the distance of two 64-bit numbers needs 65 bits.
  __extension__ using Wide = __int128;
  Wide distance = static_cast<Wide>(*last) - *first;
  Wide steps = *by > 0 ? (distance + *by - 1) / *by : (distance + *by + 1) / *by;
  return static_cast<int64_t>(std::clamp<Wide>(steps, 0, INT64_MAX));
}

// --- destruction -----------------------------------------------------------------------------------------------------

/// Moves the parts out of those values to which only `values` refer, until no nested part is left to destroy.
void dismantle(std::vector<Value> values) {
  auto takeScope = [&](std::shared_ptr<Scope> scope) {
    while (scope && scope.use_count() == 1) {
      for (auto &[name, value] : scope->names)
        values.push_back(std::move(value));
      scope->names.clear();
      scope = std::exchange(scope->parent, nullptr);
    }
  };
  while (!values.empty()) {
    Value value = std::move(values.back());
    values.pop_back();
    if (value.shared_.use_count() != 1)
      continue;
    void *parts = const_cast<void *>(value.shared_.get());
    switch (value.kind_) {
    case Value::Kind::Tuple: {
      auto &items = static_cast<TupleData *>(parts)->items;
      std::ranges::move(items, std::back_inserter(values));
      items.clear();
      break;
    }
    case Value::Kind::List: {
      auto &items = static_cast<ListData *>(parts)->items;
      std::ranges::move(items, std::back_inserter(values));
      items.clear();
      break;
    }
    case Value::Kind::Dict:
      for (DictData::Item &item : static_cast<DictData *>(parts)->takeItems()) {
        values.push_back(std::move(item.key));
        values.push_back(std::move(item.value));
      }
      break;
    case Value::Kind::Slice: {
      auto *slice = static_cast<SliceData *>(parts);
      for (Value *part : {&slice->start, &slice->stop, &slice->step})
        values.push_back(std::exchange(*part, Value()));
      break;
    }
    case Value::Kind::Function: {
      auto *function = static_cast<Function *>(parts);
      for (auto &fallback : function->defaults)
        if (fallback)
          values.push_back(std::move(*fallback));
      function->defaults.clear();
      takeScope(std::exchange(function->closure, nullptr));
      break;
    }
    case Value::Kind::Builtin:
      if (auto &self = static_cast<BuiltinValue *>(parts)->self) {
        values.push_back(std::move(*self));
        self.reset();
      }
      break;
    default: break;
    }
  }
}

TupleData::~TupleData() {
  if (!items.empty())
    dismantle(std::move(items));
}
ListData::~ListData() {
  if (!items.empty())
    dismantle(std::move(items));
}
DictData::~DictData() {
  std::vector<Value> values;
  for (Item &item : takeItems()) {
    values.push_back(std::move(item.key));
    values.push_back(std::move(item.value));
  }
  dismantle(std::move(values));
}
SliceData::~SliceData() { dismantle({std::move(start), std::move(stop), std::move(step)}); }
Scope::~Scope() {
  std::vector<Value> values;
  for (auto &[name, value] : names)
    values.push_back(std::move(value));
  names.clear();
  dismantle(std::move(values));
}
Function::~Function() {
  std::vector<Value> values;
  for (auto &fallback : defaults)
    if (fallback)
      values.push_back(std::move(*fallback));
  dismantle(std::move(values));
}

// --- objects ---------------------------------------------------------------------------------------------------------

const KeywordArg *Arguments::find(std::string_view name) const {
  auto found = std::ranges::find(keyword, name, &KeywordArg::name);
  return found == keyword.end() ? nullptr : &*found;
}

std::string Object::repr() const { return text("<", typeName(), ">"); }
Result<Value> Object::attribute(Context &context, const std::string &name) {
  std::string known = joined(members(), "`, `");
  return context.fail("no-attribute", Message("`{type}` has no attribute `{attribute}`{}", typeName(), name,
                                              known.empty() ? std::string() : text("; it has `", known, "`")));
}
Result<void> Object::setAttribute(Context &context, const std::string &name, const Arg &) {
  return context.fail("type", Message("attribute `{attribute}` of `{type}` cannot be assigned to", name, typeName()));
}
Result<Value> Object::getItem(Context &context, const Arg &) {
  return context.fail("type", Message("`{type}` cannot be indexed", typeName()));
}
Result<void> Object::setItem(Context &context, const Arg &, const Arg &) {
  return context.fail("type", Message("`{type}` has no items to assign to", typeName()));
}
Result<Value> Object::unary(Context &context, UnaryOp op) {
  if (op == UnaryOp::Not) {
    auto holds = truth(context);
    if (!holds)
      return std::unexpected(std::move(holds.error()));
    return Value(!*holds);
  }
  return context.fail("type", Message("unary `{operator}` does not apply to `{type}`", spelling(op), typeName()));
}
Result<std::optional<Value>> Object::binary(Context &, BinaryOp, const Arg &, bool) { return std::nullopt; }
Result<std::optional<Value>> Object::compare(Context &, CompareOp, const Arg &) { return std::nullopt; }
Result<Value> Object::call(Context &context, const Arguments &) {
  return context.fail("type", Message("`{type}` cannot be called", typeName()));
}
Result<int64_t> Object::length(Context &context) {
  return context.fail("type", Message("`{type}` has no length", typeName()));
}
Result<std::vector<Value>> Object::iterate(Context &context) {
  return context.fail("type", Message("`{type}` cannot be iterated over", typeName()));
}
Result<Value> Object::enter(Context &context) {
  return context.fail("type", Message("`with` does not take a `{type}`", typeName()));
}
Result<void> Object::exit(Context &) { return {}; }

} // namespace lanescope::repl
