#include "repl/kernel/launch/TunedFile.h"

#include "core/data/Files.h"
#include "core/data/Json.h"
#include "layouts/support/Try.h"
#include "repl/lang/values/ValueJson.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace lanescope::repl {

namespace {

namespace fs = std::filesystem;
using core::Json;

constexpr int64_t kFormat = 1;

std::optional<Value> scalarOf(const Json &json) {
  switch (json.kind) {
  case Json::Kind::Null: return Value();
  case Json::Kind::Bool: return Value(json.boolean);
  case Json::Kind::Integer: return Value(json.integer);
  case Json::Kind::Number: return Value(json.number);
  case Json::Kind::String: return Value(json.string);
  default: return std::nullopt;
  }
}

std::optional<TunedEntry> entryOf(const Json &json) {
  const Json *kernel = json.find("kernel"), *gpu = json.find("gpu"), *sizes = json.find("sizes"),
             *time = json.find("time_us"), *configuration = json.find("configuration");
  if (!kernel || !gpu || !sizes || !time || !configuration || !kernel->is(Json::Kind::String) ||
      !gpu->is(Json::Kind::String) || !sizes->is(Json::Kind::Array) || !configuration->is(Json::Kind::Object))
    return std::nullopt;
  TunedEntry entry{
      .kernel = kernel->string, .gpu = gpu->string, .sizes = {}, .timeUs = time->number, .configuration = {}};
  for (const Json &size : sizes->items) {
    if (!size.is(Json::Kind::Integer))
      return std::nullopt;
    entry.sizes.push_back(size.integer);
  }
  std::vector<std::pair<std::string, Value>> items;
  for (const core::JsonMember &member : configuration->members) {
    auto value = scalarOf(member.value);
    if (!value)
      return std::nullopt;
    items.emplace_back(member.name, *std::move(value));
  }
  entry.configuration = Value::dict(std::move(items));
  return entry;
}

} // namespace

bool canRemember(const Value &configuration) {
  const DictData *dict = configuration.asDict();
  return dict && std::ranges::all_of(dict->items(), [](const DictData::Item &item) {
           const Value &value = item.value;
           return item.key.asStr() && (value.isNone() || value.asStr() || value.asBool() || value.asInt() ||
                                       (value.asFloat() && std::isfinite(*value.asFloat())));
         });
}

std::vector<TunedEntry> readTuned(const fs::path &file) {
  std::error_code ignored;
  if (file.empty() || !fs::is_regular_file(file, ignored))
    return {};
  auto source = core::readSource(file, core::FileRole::Json);
  if (!source)
    return {};
  auto root = core::parseJson(*source);
  if (!root)
    return {};
  const Json *format = root->find("format"), *entries = root->find("entries");
  if (!format || format->integer != kFormat || !entries)
    return {};
  std::vector<TunedEntry> out;
  for (const Json &json : entries->items)
    if (auto entry = entryOf(json))
      out.push_back(*std::move(entry));
  return out;
}

Result<void> rememberTuned(const fs::path &file, TunedEntry entry) {
  std::error_code ignored;
  // Writing to a pipe would block until it has a reader.
  if (fs::exists(file, ignored) && !fs::is_regular_file(file, ignored))
    return error("unwritable-file", Message("`{path}` is no file, so nothing is remembered there", file.string()));
  std::vector<TunedEntry> entries = readTuned(file);
  std::erase_if(entries, [&](const TunedEntry &old) {
    return old.kernel == entry.kernel && old.gpu == entry.gpu && old.sizes == entry.sizes;
  });
  entries.push_back(std::move(entry));
  std::vector<Value> list;
  for (const TunedEntry &each : entries) {
    std::vector<Value> sizes(each.sizes.begin(), each.sizes.end());
    list.push_back(Value::dict({{"kernel", Value(each.kernel)},
                                {"gpu", Value(each.gpu)},
                                {"sizes", Value::list(std::move(sizes))},
                                {"time_us", Value(each.timeUs)},
                                {"configuration", each.configuration}}));
  }
  std::string words =
      LANESCOPE_TRY(toJson(Value::dict({{"format", Value(kFormat)}, {"entries", Value::list(std::move(list))}})));
  fs::create_directories(file.parent_path(), ignored);
  return core::writeFile(file, words + "\n");
}

double sizeDistance(const std::vector<int64_t> &a, const std::vector<int64_t> &b) {
  if (a.size() != b.size())
    return std::numeric_limits<double>::infinity();
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i)
    sum += a[i] == b[i] ? 0
           : a[i] > 0 && b[i] > 0
               ? std::abs(std::log2(static_cast<double>(a[i])) - std::log2(static_cast<double>(b[i])))
               : std::numeric_limits<double>::infinity();
  return sum;
}

} // namespace lanescope::repl
