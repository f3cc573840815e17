// The parameters of a diagnostic as a JSON object, `{"name": "x", "index": 3}`: a text as a string, an integer as a
// number.
#pragma once

#include "core/data/Json.h"

namespace lanescope::core {

/// The object in the caller's JSON type, which has nlohmann's interface.
template <class Object> Object parametersJson(const std::vector<MessageParameter> &parameters) {
  Object out = Object::object();
  for (const MessageParameter &each : parameters)
    std::visit([&](const auto &value) { out[each.name] = value; }, each.value);
  return out;
}

/// Writes the object into the field "parameters", unless there are none.
template <class Object> void addParameters(Object &into, const std::vector<MessageParameter> &parameters) {
  if (!parameters.empty())
    into["parameters"] = parametersJson<Object>(parameters);
}

/// Reads the field "parameters" of an object. A member of another type than addParameters writes is left out.
std::vector<MessageParameter> readParameters(const Json &object);

} // namespace lanescope::core
