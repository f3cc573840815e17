#include "core/data/JsonFields.h"

#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::core {

JsonFields::JsonFields(SourceRef source, const Json &object, std::string what, std::string kind)
    : source_(std::move(source)), object_(object), what_(std::move(what)), kind_(std::move(kind)) {
  if (!object_.is(Json::Kind::Object))
    problem(object_, text("expected ", what_, " as a JSON object"));
}

void JsonFields::problem(const Json &where, std::string message) {
  problems_.push_back({Severity::Error, kind_, where.span(source_), std::move(message), {}});
}

const Json *JsonFields::member(std::string_view name, Json::Kind kind, std::string_view kindName) {
  if (!object_.is(Json::Kind::Object))
    return nullptr;
  const Json *found = object_.find(name);
  if (!found) {
    problem(object_, text(what_, " needs `", name, "`, ", kindName));
    return nullptr;
  }
  if (found->is(kind))
    return found;
  problem(*found, text("`", name, "` of ", what_, " must be ", kindName));
  return nullptr;
}

int64_t JsonFields::integer(std::string_view name, int64_t least, int64_t most) {
  const Json *found = member(name, Json::Kind::Integer, "an integer");
  if (!found)
    return least;
  if (found->unsignedInteger || found->integer < least || found->integer > most) {
    problem(*found, text("`", name, "` of ", what_, " must lie in [", least, ", ", most, "]"));
    return least;
  }
  return found->integer;
}

std::string JsonFields::string(std::string_view name) {
  const Json *found = member(name, Json::Kind::String, "a string");
  return found ? found->string : "";
}

Dtype JsonFields::dtype(std::string_view name) {
  const Json *found = member(name, Json::Kind::String, "the name of an element type");
  if (!found)
    return Dtype::F32;
  std::optional<Dtype> dtype = layouts::dtypeNamed(found->string);
  if (!dtype)
    problem(*found, text("`", found->string, "` is no element type; they are ", [] {
      std::string names;
      for (Dtype each : layouts::allDtypes())
        names += text(names.empty() ? "" : ", ", layouts::name(each));
      return names;
    }()));
  return dtype.value_or(Dtype::F32);
}

Shape JsonFields::integers(std::string_view name, int64_t least, int64_t most, int count) {
  const Json *found = member(name, Json::Kind::Array, "a list of integers");
  if (!found)
    return Shape(static_cast<size_t>(std::max(count, 0)), least);
  Shape out;
  for (const Json &item : found->items) {
    if (!item.is(Json::Kind::Integer) || item.unsignedInteger || item.integer < least || item.integer > most) {
      problem(item, text("each entry of `", name, "` of ", what_, " must be an integer in [", least, ", ", most, "]"));
      out.push_back(least);
    } else {
      out.push_back(item.integer);
    }
  }
  if (count >= 0 && out.size() != static_cast<size_t>(count)) {
    problem(*found, text("`", name, "` of ", what_, " has ", out.size(), " entries where ", count, " are wanted"));
    out.resize(static_cast<size_t>(count), least);
  }
  return out;
}

std::array<int64_t, 3> JsonFields::sizes(std::string_view name, int64_t least, int64_t most) {
  std::array<int64_t, 3> out{1, 1, 1};
  const Json *found = object_.find(name);
  if (found && found->is(Json::Kind::Integer)) {
    out[0] = integer(name, least, most);
    return out;
  }
  Shape listed = integers(name, least, most);
  if (found && found->is(Json::Kind::Array) && (listed.empty() || listed.size() > out.size()))
    problem(*found,
            text("`", name, "` of ", what_, " has ", listed.size(), " entries where 1 to 3 are wanted: x, y, z"));
  std::copy_n(listed.begin(), std::min(listed.size(), out.size()), out.begin());
  return out;
}

void JsonFields::only(std::initializer_list<std::string_view> names) {
  for (const auto &[name, value] : object_.members)
    if (std::ranges::find(names, std::string_view(name)) == names.end())
      problem(value, text(what_, " has no `", name, "`; it may have `", joined(names, "`, `"), "`"));
}

} // namespace lanescope::core
