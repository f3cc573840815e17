// Typed reading of a Json object's members. Every mismatch is an error that points at the value.
//
//   JsonFields fields(source, object, "a tensor map", "launch");
//   int64_t rank = fields.integer("rank", 1, 5).value_or(1);
//   if (fields.failed()) return fields.failure();
#pragma once

#include "core/data/Array.h"
#include "core/data/Json.h"

#include <array>
#include <initializer_list>

namespace lanescope::core {

class JsonFields {
public:
  /// `what` describes the object in messages ("a buffer"), `kind` is the diagnostics' kind.
  JsonFields(SourceRef source, const Json &object, std::string what, std::string kind);

  bool has(std::string_view name) const { return object_.find(name) != nullptr; }
  /// Each function reads a required member. After an error it returns a default value, and `failed` returns true.
  const Json *member(std::string_view name, Json::Kind kind, std::string_view kindName);
  int64_t integer(std::string_view name, int64_t least, int64_t most);
  std::string string(std::string_view name);
  Dtype dtype(std::string_view name);
  /// A list of integers in [least, most], with `count` entries unless `count` is negative.
  Shape integers(std::string_view name, int64_t least, int64_t most, int count = -1);
  /// A list of one to three integers in [least, most], or a single integer. Missing sizes are 1: (x, y, z) of a grid or
  /// a block.
  std::array<int64_t, 3> sizes(std::string_view name, int64_t least, int64_t most);
  /// An error if the object has members other than these, so that a misspelt one is noticed.
  void only(std::initializer_list<std::string_view> names);

  void problem(const Json &where, std::string message);
  bool failed() const { return hasErrors(problems_); }
  std::unexpected<Diagnostics> failure() { return std::unexpected(std::move(problems_)); }
  Diagnostics take() { return std::move(problems_); }

private:
  SourceRef source_;
  const Json &object_;
  std::string what_, kind_;
  Diagnostics problems_;
};

} // namespace lanescope::core
