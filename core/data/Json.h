// JSON with places: every value knows where in its text it stands, so that an error about its meaning can point at it.
//
//   Result<Json> root = parseJson(source);
//   const Json *grid = root->find("grid");
//   return error("launch", grid->span(source), "`grid` needs three sizes");
//
// For small files that people write (launch descriptions, packages' meta data, headers of the worker's messages). Large
// traces have a reader of their own, which builds no tree.
#pragma once

#include "layouts/support/Diagnostic.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::core {

struct JsonMember;

struct Json {
  enum class Kind { Null, Bool, Integer, Number, String, Array, Object };
  Kind kind = Kind::Null;
  bool boolean = false;
  bool unsignedInteger = false; // an Integer above the largest i64: `integer` holds its bits
  int64_t integer = 0;
  double number = 0; // set for integers as well
  std::string string;
  std::vector<Json> items;
  std::vector<JsonMember> members; // in the text's order
  uint32_t begin = 0, end = 0;     // the first token's bytes

  bool is(Kind wanted) const { return kind == wanted; }
  /// The member of that name, the last one if there are several; null if there is none or this is no object.
  const Json *find(std::string_view name) const;
  Span span(const SourceRef &source) const { return {source, begin, end}; }
};

struct JsonMember {
  std::string name;
  Json value;
};

/// Errors: kind "json", at the place.
Result<Json> parseJson(const SourceRef &source);

/// What JSON has no form for, written as text: "inf", "-inf", "nan". Nothing of any other text.
std::optional<double> numberNamed(std::string_view text);
/// Its text; empty for what JSON can say.
std::string_view nameOfNumber(double number);

} // namespace lanescope::core
