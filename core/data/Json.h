// JSON with places: every value knows its place in the text, so that an error about its meaning can point at it.
//
//   Result<Json> root = parseJson(source);
//   const Json *grid = root->find("grid");
//   return error("launch", grid->span(source), "`grid` needs three sizes");
//
// For small files that people write (launch descriptions, packages' metadata, headers of the worker's messages). Large
// traces have their own reader, which builds no tree.
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
  uint32_t begin = 0, end = 0;     // the bytes of the value's first token

  bool is(Kind wanted) const { return kind == wanted; }
  /// The member of that name, the last one if there are several; null if there is none or this is not an object.
  const Json *find(std::string_view name) const;
  Span span(const SourceRef &source) const { return {source, begin, end}; }
};

struct JsonMember {
  std::string name;
  Json value;
};

/// Errors: kind "json", with the place.
Result<Json> parseJson(const SourceRef &source);

/// The value of "inf", "-inf" or "nan", which JSON cannot write as numbers; nothing for other texts.
std::optional<double> numberNamed(std::string_view text);
/// The text for an infinity or NaN; empty for a number that JSON can write.
std::string_view nameOfNumber(double number);

} // namespace lanescope::core
