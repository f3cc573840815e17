#include "core/Json.h"

#include "layouts/support/Text.h"

#include <algorithm>
#include <simdjson.h>

namespace lanescope::core {

namespace {

namespace od = simdjson::ondemand;

constexpr int kMaxDepth = 64;

class TreeBuilder {
public:
  explicit TreeBuilder(const SourceRef &source) : source_(source), padded_(source->text()) {}

  Result<Json> build() {
    od::parser parser;
    od::document document;
    if (auto problem = parser.iterate(padded_).get(document))
      return fail(problem, 0);
    od::value root;
    // A lone scalar is no file of ours; `get_value` refuses it, and so does an empty text.
    if (document.get_value().get(root))
      return error("json", {source_, 0, 1}, "expected a JSON object or array");
    Json json;
    if (!value(root, json, 0))
      return std::unexpected(std::move(problems_));
    const char *rest;
    if (document.current_location().get(rest) == simdjson::SUCCESS)
      last_ = offset(rest), refuse(simdjson::TRAILING_CONTENT);
    if (!problems_.empty())
      return std::unexpected(std::move(problems_));
    return json;
  }

private:
  std::unexpected<Diagnostics> fail(simdjson::error_code problem, uint32_t where) {
    return error("json", {source_, where, where + 1}, text("this is not JSON: ", describe(problem)));
  }
  static std::string describe(simdjson::error_code problem) {
    std::string message = simdjson::error_message(problem);
    if (!message.empty() && message.back() == '.')
      message.pop_back();
    if (!message.empty() && message[0] >= 'A' && message[0] <= 'Z' && !(message[1] >= 'A' && message[1] <= 'Z'))
      message[0] = static_cast<char>(message[0] - 'A' + 'a');
    return message;
  }
  uint32_t offset(const char *place) const {
    return static_cast<uint32_t>(std::min<size_t>(place - padded_.data(), source_->text().size()));
  }
  bool refuse(simdjson::error_code problem) {
    problems_ = fail(problem, last_).error();
    return false;
  }

  bool value(od::value &from, Json &to, int depth) {
    if (depth > kMaxDepth) {
      problems_ = error("json", {source_, last_, last_ + 1}, text("the nesting is deeper than ", kMaxDepth)).error();
      return false;
    }
    std::string_view token = from.raw_json_token();
    to.begin = last_ = offset(token.data());
    while (!token.empty() &&
           (token.back() == ' ' || token.back() == '\n' || token.back() == '\r' || token.back() == '\t'))
      token.remove_suffix(1);
    to.end = to.begin + std::max<uint32_t>(1, static_cast<uint32_t>(token.size()));
    od::json_type type;
    if (auto problem = from.type().get(type))
      return refuse(problem);
    switch (type) {
    case od::json_type::object: return object(from, to, depth);
    case od::json_type::array: return array(from, to, depth);
    case od::json_type::string: {
      to.kind = Json::Kind::String;
      std::string_view string;
      if (auto problem = from.get_string().get(string))
        return refuse(problem);
      to.string = string;
      return true;
    }
    case od::json_type::number: return number(from, to);
    case od::json_type::boolean: {
      to.kind = Json::Kind::Bool;
      auto problem = from.get_bool().get(to.boolean);
      return problem ? refuse(problem) : true;
    }
    case od::json_type::null:
      if (bool isNull = false; from.is_null().get(isNull) || !isNull)
        return refuse(simdjson::N_ATOM_ERROR);
      return true;
    }
    return refuse(simdjson::TAPE_ERROR);
  }

  bool number(od::value &from, Json &to) {
    od::number number;
    if (auto problem = from.get_number().get(number))
      return refuse(problem);
    to.kind = number.is_int64() || number.is_uint64() ? Json::Kind::Integer : Json::Kind::Number;
    to.number = number.as_double();
    if (number.is_int64()) {
      to.integer = number.get_int64();
    } else if (number.is_uint64()) {
      to.integer = static_cast<int64_t>(number.get_uint64());
      to.unsignedInteger = true;
    }
    return true;
  }

  bool array(od::value &from, Json &to, int depth) {
    to.kind = Json::Kind::Array;
    od::array items;
    if (auto problem = from.get_array().get(items))
      return refuse(problem);
    for (auto item : items) {
      od::value element;
      if (auto problem = item.get(element))
        return refuse(problem);
      if (!value(element, to.items.emplace_back(), depth + 1))
        return false;
    }
    return true;
  }

  bool object(od::value &from, Json &to, int depth) {
    to.kind = Json::Kind::Object;
    od::object members;
    if (auto problem = from.get_object().get(members))
      return refuse(problem);
    for (auto entry : members) {
      od::field field;
      if (auto problem = std::move(entry).get(field))
        return refuse(problem);
      std::string_view key;
      if (auto problem = field.unescaped_key().get(key))
        return refuse(problem);
      to.members.push_back({std::string(key), Json{}});
      if (!value(field.value(), to.members.back().value, depth + 1))
        return false;
    }
    return true;
  }

  SourceRef source_;
  simdjson::padded_string padded_;
  Diagnostics problems_;
  uint32_t last_ = 0; // where the last value that was looked at begins
};

} // namespace

const Json *Json::find(std::string_view name) const {
  for (auto member = members.rbegin(); member != members.rend(); ++member)
    if (member->name == name)
      return &member->value;
  return nullptr;
}

Result<Json> parseJson(const SourceRef &source) { return TreeBuilder(source).build(); }

} // namespace lanescope::core
