// A request of the web page, and its answer. Both are JSON.
//
//   answered(R"({"do": "zoom", "factor": 2})", [&](const Asked &asked) { … asked.number("factor") … })
#pragma once

#include "core/data/Json.h"

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace lanescope::viz {

/// A request's members. Requests also come from links, so a member of the wrong kind is as good as missing.
class Asked {
public:
  explicit Asked(const core::Json &object) : object_(object) {}

  std::string text(std::string_view name, std::string_view otherwise = {}) const;
  /// Always finite.
  double number(std::string_view name, double otherwise = 0) const;
  bool truth(std::string_view name) const;
  /// Null if the member is no object.
  const core::Json *object(std::string_view name) const;
  const core::Json *find(std::string_view name) const { return object_.find(name); }

private:
  const core::Json &object_;
};

/// The answer to a request. An error becomes {"error": {"kind", "message", "text"}}.
std::string answered(std::string_view request, const std::function<Result<std::string>(const Asked &)> &answer);
nlohmann::json problemJson(const Diagnostic &problem);
/// One line of JSON. Bytes that are not UTF-8 are replaced.
std::string written(const nlohmann::json &value);

} // namespace lanescope::viz
