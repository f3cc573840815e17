#include "core/data/ParametersJson.h"

namespace lanescope::core {

std::vector<MessageParameter> readParameters(const Json &object) {
  std::vector<MessageParameter> out;
  const Json *found = object.find("parameters");
  if (!found)
    return out;
  for (const JsonMember &member : found->members)
    if (member.value.is(Json::Kind::String))
      out.push_back({member.name, member.value.string});
    else if (member.value.is(Json::Kind::Integer) && !member.value.unsignedInteger)
      out.push_back({member.name, member.value.integer});
  return out;
}

} // namespace lanescope::core
