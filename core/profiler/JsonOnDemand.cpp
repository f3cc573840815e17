#include "core/profiler/JsonOnDemand.h"

#include "layouts/support/Utf8.h"

#include <charconv>
#include <type_traits>

namespace lanescope::core::plain::ondemand {

namespace {

constexpr size_t kNone = std::string_view::npos;

std::optional<uint32_t> hexDigits(std::string_view text, size_t at) {
  uint32_t code = 0;
  if (at + 4 > text.size())
    return std::nullopt;
  auto [end, problem] = std::from_chars(text.data() + at, text.data() + at + 4, code, 16);
  return problem == std::errc() && end == text.data() + at + 4 ? std::optional(code) : std::nullopt;
}

/// Reads the digits of `\uXXXX`, which begin at `at`. If they are the first half of a surrogate pair, it also reads the
/// second half. Afterwards `at` is at the last digit.
std::optional<char32_t> codePoint(std::string_view text, size_t &at) {
  std::optional<uint32_t> code = hexDigits(text, at);
  if (!code || (*code >= 0xDC00 && *code < 0xE000))
    return std::nullopt;
  at += 3;
  if (*code < 0xD800 || *code >= 0xE000)
    return *code;
  if (text.substr(at + 1, 2) != "\\u")
    return std::nullopt;
  std::optional<uint32_t> low = hexDigits(text, at + 3);
  if (!low || *low < 0xDC00 || *low >= 0xE000)
    return std::nullopt;
  at += 6;
  return 0x10000 + ((*code - 0xD800) << 10) + (*low - 0xDC00);
}

} // namespace

std::optional<std::string> unescape(std::string_view written) {
  constexpr std::string_view kEscapes = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
  std::string out;
  out.reserve(written.size());
  for (size_t at = 0; at < written.size(); ++at) {
    if (written[at] != '\\') {
      out += written[at];
      continue;
    }
    if (++at == written.size())
      return std::nullopt;
    if (size_t which = kEscapes.find(written[at]); which != kNone) {
      out += kMeanings[which];
      continue;
    }
    std::optional<char32_t> code = written[at] == 'u' ? codePoint(written, ++at) : std::nullopt;
    if (!code)
      return std::nullopt;
    appendCharacter(out, *code);
  }
  return out;
}

bool hasWholeStrings(std::string_view text) {
  bool within = false;
  for (size_t at = 0; at < text.size(); ++at) {
    auto c = static_cast<unsigned char>(text[at]);
    if (c == '"')
      within = !within;
    else if (within && c == '\\')
      ++at;
    else if (within && c < 0x20)
      return false;
    else if (c >= 0x80) {
      size_t length = characterLength(text.substr(at));
      if (length == 0)
        return false;
      at += length - 1;
    }
  }
  return !within;
}

simdjson_result<std::string_view> value::get_string() const {
  std::string_view token = raw_json_token();
  if (token.size() < 2 || !token.starts_with('"'))
    return {};
  token = token.substr(1, token.size() - 2);
  if (token.find('\\') == kNone)
    return token;
  std::optional<std::string> meant = unescape(token);
  if (!meant)
    return {};
  return std::string_view(text_.unescaped->emplace_back(*std::move(meant)));
}

simdjson_result<int64_t> value::get_int64() const {
  std::string_view token = raw_json_token(), digits = token.substr(token.starts_with('-'));
  bool leadingZero = digits.size() > 1 && digits[0] == '0';
  int64_t number = 0;
  auto [end, problem] = std::from_chars(token.data(), token.data() + token.size(), number);
  return problem == std::errc() && end == token.data() + token.size() && !leadingZero ? simdjson_result<int64_t>(number)
                                                                                      : simdjson_result<int64_t>();
}

simdjson_result<bool> value::get_bool() const {
  std::string_view token = raw_json_token();
  return token == "true" || token == "false" ? simdjson_result<bool>(token == "true") : simdjson_result<bool>();
}

simdjson_result<object> value::get_object() const {
  return text_.all[begin_] == '{' ? simdjson_result<object>(object(text_, begin_ + 1)) : simdjson_result<object>();
}
simdjson_result<array> value::get_array() const {
  return text_.all[begin_] == '[' ? simdjson_result<array>(array(text_, begin_ + 1)) : simdjson_result<array>();
}

simdjson_result<array> document::get_array() {
  size_t last = text_.all.find_last_not_of(" \t\r\n");
  bool closed = last != kNone && text_.all[last] == ']';
  return closed && text_.all.substr(at_).starts_with('[') ? simdjson_result<array>(array(text_, at_ + 1, &at_))
                                                          : simdjson_result<array>();
}
simdjson_result<object> document::get_object() {
  return text_.all.substr(at_).starts_with('{') ? simdjson_result<object>(object(text_, at_ + 1, &at_))
                                                : simdjson_result<object>();
}

template <typename Element> void elements<Element>::iterator::read(bool first) {
  constexpr char kClose = std::is_same_v<Element, field> ? '}' : ']';
  std::string_view all = of_.text_.all;
  if (at_ == kNone) { // after an element that does not end
    found_ = {};
    return;
  }
  at_ = skipJsonSpace(all, at_);
  if (at_ < all.size() && all[at_] == kClose) {
    if (of_.after_)
      *of_.after_ = at_ + 1;
    done_ = true;
    return;
  }
  if (!first && (at_ == all.size() || all[at_] != ',')) {
    found_ = {};
    return;
  }
  if (!first)
    at_ = skipJsonSpace(all, at_ + 1);
  found_ = element();
}

template <> simdjson_result<value> elements<value>::iterator::element() {
  size_t begin = at_;
  if (begin == of_.text_.all.size())
    return {};
  at_ = skipJsonValue(of_.text_.all, begin);
  // As in simdjson, an element that is not JSON has a place: ChromeEvents reads on from there.
  return value(of_.text_, begin, at_ == kNone ? begin + 1 : at_);
}

template <> simdjson_result<field> elements<field>::iterator::element() {
  std::string_view all = of_.text_.all;
  size_t key = at_, colon = key < all.size() && all[key] == '"' ? skipJsonValue(all, key) : kNone;
  if (colon == kNone)
    return {};
  colon = skipJsonSpace(all, colon);
  if (colon == all.size() || all[colon] != ':')
    return {};
  size_t begin = skipJsonSpace(all, colon + 1);
  at_ = skipJsonValue(all, begin);
  return at_ == kNone ? simdjson_result<field>()
                      : simdjson_result<field>(field(all.data() + key + 1, value(of_.text_, begin, at_)));
}

template class elements<value>;
template class elements<field>;

} // namespace lanescope::core::plain::ondemand
