#include "repl/lang/values/Value.h"

#include "layouts/support/Text.h"
#include "repl/lang/values/Builtin.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace lanescope::repl {

namespace {
// Structures deeper or larger than this compare as different, and are not hashable: a shared structure can stand for
// exponentially many parts.
constexpr int kMaxDepth = 200;
constexpr int64_t kMaxParts = 50'000'000;
constexpr size_t kMaxKeyBytes = 1 << 20;
} // namespace

// --- construction ----------------------------------------------------------------------------------------------------

Value::Value(core::Array array) : storage_(std::make_shared<ArrayData>(ArrayData{std::move(array), 0})) {}

Value Value::ellipsis() {
  Value value;
  value.storage_ = EllipsisTag{};
  return value;
}
Value Value::tuple(std::vector<Value> items) {
  Value value;
  auto data = std::make_shared<TupleData>();
  data->items = std::move(items);
  value.storage_ = std::shared_ptr<const TupleData>(std::move(data));
  return value;
}
Value Value::list(std::vector<Value> items) {
  Value value;
  auto data = std::make_shared<ListData>();
  data->items = std::move(items);
  value.storage_ = std::move(data);
  return value;
}
Value Value::dict(DictData items) {
  Value value;
  value.storage_ = std::make_shared<DictData>(std::move(items));
  return value;
}
Value Value::dict(std::vector<std::pair<std::string, Value>> items) {
  DictData data;
  for (auto &[key, value] : items)
    data.set(Value(std::move(key)), std::move(value));
  return dict(std::move(data));
}
Value Value::slice(Value start, Value stop, Value step) {
  Value value;
  auto data = std::make_shared<SliceData>();
  data->start = std::move(start);
  data->stop = std::move(stop);
  data->step = std::move(step);
  value.storage_ = std::shared_ptr<const SliceData>(std::move(data));
  return value;
}
Value Value::range(Value start, Value stop, Value step, bool unrolled, int64_t atOnce) {
  Value value;
  value.storage_ = std::make_shared<const RangeData>(
      RangeData{std::move(start), std::move(stop), std::move(step), unrolled, atOnce});
  return value;
}
Value Value::shape(const layouts::Shape &shape) { return tuple(std::vector<Value>(shape.begin(), shape.end())); }

// --- access ----------------------------------------------------------------------------------------------------------

const std::vector<Value> *Value::asTuple() const {
  const auto *data = pointee<const TupleData>();
  return data ? &data->items : nullptr;
}
const core::Array *Value::asArray() const {
  const ArrayData *data = asArrayData();
  return data ? &data->array : nullptr;
}
std::shared_ptr<const Function> Value::functionRef() const {
  const auto *ref = std::get_if<std::shared_ptr<const Function>>(&storage_);
  return ref ? *ref : nullptr;
}
std::shared_ptr<Object> Value::objectRef() const {
  const auto *ref = std::get_if<std::shared_ptr<Object>>(&storage_);
  return ref ? *ref : nullptr;
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
  return kNames[storage_.index()];
}

bool Value::uniquelyHeld() const {
  auto unique = [&](const auto *ref) { return ref && ref->use_count() == 1; };
  return unique(std::get_if<std::shared_ptr<ListData>>(&storage_)) ||
         unique(std::get_if<std::shared_ptr<DictData>>(&storage_)) ||
         unique(std::get_if<std::shared_ptr<ArrayData>>(&storage_));
}

bool Value::identical(const Value &other) const {
  if (storage_.index() != other.storage_.index())
    return false;
  return std::visit(
      [&](const auto &mine) {
        using T = std::decay_t<decltype(mine)>;
        if constexpr (std::is_same_v<T, std::monostate> || std::is_same_v<T, EllipsisTag>)
          return true;
        else if constexpr (std::is_same_v<T, std::shared_ptr<const std::string>>)
          return *mine == *std::get<T>(other.storage_);
        else
          return mine == std::get<T>(other.storage_);
      },
      storage_);
}

// --- equality and hashing --------------------------------------------------------------------------------------------

namespace {

bool equalWithin(const Value &a, const Value &b, int depth, int64_t &budget);

bool equalItems(const std::vector<Value> &a, const std::vector<Value> &b, int depth, int64_t &budget) {
  if (a.size() != b.size())
    return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (!equalWithin(a[i], b[i], depth, budget))
      return false;
  return true;
}

bool equalWithin(const Value &a, const Value &b, int depth, int64_t &budget) {
  if (depth > kMaxDepth || --budget < 0)
    return false;
  auto m = a.integer(), n = b.integer();
  if (m && n)
    return *m == *n;
  if (auto x = a.number())
    if (auto y = b.number())
      return *x == *y;
  if (a.identical(b))
    return true;
  if (const auto *items = a.asTuple())
    return b.asTuple() && equalItems(*items, *b.asTuple(), depth + 1, budget);
  if (const ListData *list = a.asList())
    return b.asList() && equalItems(list->items, b.asList()->items, depth + 1, budget);
  if (const DictData *dict = a.asDict()) {
    const DictData *other = b.asDict();
    if (!other || other->size() != dict->size())
      return false;
    return std::ranges::all_of(dict->items(), [&](const DictData::Item &item) {
      const Value *value = other->find(item.key);
      return value && equalWithin(item.value, *value, depth + 1, budget);
    });
  }
  if (const Layout *layout = a.asLayout())
    return b.asLayout() && *layout == *b.asLayout();
  if (const core::Array *array = a.asArray()) {
    const core::Array *other = b.asArray();
    return other && other->dtype == array->dtype && other->shape == array->shape && other->bytes == array->bytes;
  }
  if (const SliceData *slice = a.asSlice()) {
    const SliceData *other = b.asSlice();
    return other && equalWithin(slice->start, other->start, depth + 1, budget) &&
           equalWithin(slice->stop, other->stop, depth + 1, budget) &&
           equalWithin(slice->step, other->step, depth + 1, budget);
  }
  if (const RangeData *range = a.asRange()) {
    const RangeData *other = b.asRange();
    return other && equalWithin(range->start, other->start, depth + 1, budget) &&
           equalWithin(range->stop, other->stop, depth + 1, budget) &&
           equalWithin(range->step, other->step, depth + 1, budget);
  }
  if (const Object *object = a.asObject())
    return b.asObject() && !object->key().empty() && object->key() == b.asObject()->key();
  return false;
}

bool appendKey(const Value &value, int depth, std::string &out) {
  if (depth > kMaxDepth || out.size() > kMaxKeyBytes)
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

bool equal(const Value &a, const Value &b) {
  int64_t budget = kMaxParts;
  return equalWithin(a, b, 0, budget);
}

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
  // In 128 bits: the distance of two 64-bit numbers needs 65.
  __extension__ using Wide = __int128;
  Wide distance = static_cast<Wide>(*last) - *first;
  Wide steps = *by > 0 ? (distance + *by - 1) / *by : (distance + *by + 1) / *by;
  return static_cast<int64_t>(std::clamp<Wide>(steps, 0, INT64_MAX));
}

// --- destruction -----------------------------------------------------------------------------------------------------

/// Takes the parts of what only `values` hold until nothing nested is left to destroy.
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
    if (auto *tuple = std::get_if<std::shared_ptr<const TupleData>>(&value.storage_)) {
      if (tuple->use_count() == 1)
        std::ranges::move(const_cast<TupleData &>(**tuple).items, std::back_inserter(values)),
            const_cast<TupleData &>(**tuple).items.clear();
    } else if (auto *list = std::get_if<std::shared_ptr<ListData>>(&value.storage_)) {
      if (list->use_count() == 1) {
        std::ranges::move((*list)->items, std::back_inserter(values));
        (*list)->items.clear();
      }
    } else if (auto *dict = std::get_if<std::shared_ptr<DictData>>(&value.storage_)) {
      if (dict->use_count() == 1)
        for (DictData::Item &item : (*dict)->takeItems()) {
          values.push_back(std::move(item.key));
          values.push_back(std::move(item.value));
        }
    } else if (auto *slice = std::get_if<std::shared_ptr<const SliceData>>(&value.storage_)) {
      if (slice->use_count() == 1) {
        auto &parts = const_cast<SliceData &>(**slice);
        for (Value *part : {&parts.start, &parts.stop, &parts.step})
          values.push_back(std::exchange(*part, Value()));
      }
    } else if (auto *function = std::get_if<std::shared_ptr<const Function>>(&value.storage_)) {
      if (function->use_count() == 1) {
        auto &parts = const_cast<Function &>(**function);
        for (auto &fallback : parts.defaults)
          if (fallback)
            values.push_back(std::move(*fallback));
        parts.defaults.clear();
        takeScope(std::exchange(parts.closure, nullptr));
      }
    } else if (auto *builtin = std::get_if<std::shared_ptr<const BuiltinValue>>(&value.storage_)) {
      if (builtin->use_count() == 1 && (*builtin)->self) {
        values.push_back(std::move(*const_cast<BuiltinValue &>(**builtin).self));
        const_cast<BuiltinValue &>(**builtin).self.reset();
      }
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
  return context.fail("no-attribute", text("`", typeName(), "` has no attribute `", name, "`",
                                           known.empty() ? std::string() : text("; it has `", known, "`")));
}
Result<void> Object::setAttribute(Context &context, const std::string &name, const Arg &) {
  return context.fail("type", text("attribute `", name, "` of `", typeName(), "` cannot be assigned to"));
}
Result<Value> Object::getItem(Context &context, const Arg &) {
  return context.fail("type", text("`", typeName(), "` cannot be indexed"));
}
Result<void> Object::setItem(Context &context, const Arg &, const Arg &) {
  return context.fail("type", text("`", typeName(), "` has no items to assign to"));
}
Result<Value> Object::unary(Context &context, UnaryOp op) {
  if (op == UnaryOp::Not) {
    auto holds = truth(context);
    if (!holds)
      return std::unexpected(std::move(holds.error()));
    return Value(!*holds);
  }
  return context.fail("type", text("unary `", spelling(op), "` does not apply to `", typeName(), "`"));
}
Result<std::optional<Value>> Object::binary(Context &, BinaryOp, const Arg &, bool) { return std::nullopt; }
Result<std::optional<Value>> Object::compare(Context &, CompareOp, const Arg &) { return std::nullopt; }
Result<Value> Object::call(Context &context, const Arguments &) {
  return context.fail("type", text("`", typeName(), "` cannot be called"));
}
Result<int64_t> Object::length(Context &context) {
  return context.fail("type", text("`", typeName(), "` has no length"));
}
Result<std::vector<Value>> Object::iterate(Context &context) {
  return context.fail("type", text("`", typeName(), "` cannot be iterated over"));
}
Result<Value> Object::enter(Context &context) {
  return context.fail("type", text("`with` does not take a `", typeName(), "`"));
}
Result<void> Object::exit(Context &) { return {}; }

} // namespace lanescope::repl
