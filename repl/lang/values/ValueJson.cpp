// Values as JSON.
#include "repl/lang/values/ValueJson.h"
#include "layouts/support/Try.h"
#include "repl/lang/values/ArrayOps.h"
#include "repl/lang/values/Builtin.h"

#include "layouts/support/Text.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace lanescope::repl {
namespace {

constexpr int kMaxJsonDepth = 100;
constexpr size_t kMaxJsonBytes = size_t{1} << 30;

void writeString(const std::string &s, std::string &out) {
  out += nlohmann::json(s).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}
/// JSON has no inf and nan, so they become strings.
void writeNumber(double x, std::string &out) { out += std::isfinite(x) ? floatText(x) : "\"" + floatText(x) + "\""; }

void writeArray(const Array &array, size_t dim, int64_t offset, std::string &out) {
  if (dim == array.shape.size()) {
    Value element = elementOf(array, offset);
    if (const double *x = element.asFloat())
      writeNumber(*x, out);
    else
      out += element.asBool()            ? (*element.asBool() ? "true" : "false")
             : array.dtype == Dtype::U64 ? text(static_cast<uint64_t>(*element.asInt()))
                                         : text(*element.asInt());
    return;
  }
  int64_t stride = layouts::contiguousStrides(array.shape)[dim];
  out += '[';
  for (int64_t i = 0; i < array.shape[dim]; ++i) {
    if (i > 0)
      out += ',';
    writeArray(array, dim + 1, offset + i * stride, out);
  }
  out += ']';
}

Result<void> writeJson(const Value &value, int depth, std::string &out) {
  if (depth > kMaxJsonDepth || out.size() > kMaxJsonBytes)
    return error("json", "the value nests too deep or is too large for JSON");
  auto sequence = [&](const std::vector<Value> &items) -> Result<void> {
    out += '[';
    for (size_t i = 0; i < items.size(); ++i) {
      if (i > 0)
        out += ',';
      LANESCOPE_CHECK(writeJson(items[i], depth + 1, out));
    }
    out += ']';
    return {};
  };
  if (value.isNone()) {
    out += "null";
  } else if (const bool *b = value.asBool()) {
    out += *b ? "true" : "false";
  } else if (const int64_t *n = value.asInt()) {
    out += text(*n);
  } else if (const double *x = value.asFloat()) {
    writeNumber(*x, out);
  } else if (const std::string *s = value.asStr()) {
    writeString(*s, out);
  } else if (const auto *tuple = value.asTuple()) {
    return sequence(*tuple);
  } else if (const ListData *list = value.asList()) {
    return sequence(list->items);
  } else if (const DictData *dict = value.asDict()) {
    out += '{';
    for (size_t i = 0; i < dict->size(); ++i) {
      const DictData::Item &item = dict->items()[i];
      out += i > 0 ? "," : "";
      writeString(str(item.key), out);
      out += ':';
      LANESCOPE_CHECK(writeJson(item.value, depth + 1, out));
    }
    out += '}';
  } else if (const Array *array = value.asArray()) {
    if (array->size() > 0 || array->shape.size() == 1)
      writeArray(*array, 0, 0, out);
    else
      out += "[]";
  } else if (Object *object = value.asObject(); object && object->json()) {
    out += *object->json();
  } else {
    writeString(repr(value), out);
  }
  return {};
}

} // namespace

Result<std::string> toJson(const Value &value) {
  std::string out;
  LANESCOPE_CHECK(writeJson(value, 0, out));
  return out;
}

} // namespace lanescope::repl
