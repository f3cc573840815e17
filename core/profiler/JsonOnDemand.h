// The part of simdjson's `ondemand` interface that ChromeEvents uses, for WebAssembly: Debian has simdjson's library
// for processors only. It scans bytes one by one, and reads the same values and finds the same errors.
//
//   ondemand::parser parser;  ondemand::document document;  ondemand::array events;
//   parser.iterate(buffer, size, capacity).get(document);  document.get_array().get(events);
//   for (auto item : events) …
//
// Texts stay valid until the parser reads another document.
#pragma once

#include "core/profiler/JsonScan.h"

#include <cstdint>
#include <deque>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace lanescope::core::plain {

enum error_code { SUCCESS, FAILED };
inline constexpr size_t SIMDJSON_PADDING = 0;

/// A value, or the fact that there is none.
template <typename T> class simdjson_result {
public:
  simdjson_result() = default;
  simdjson_result(T value) : value_(std::move(value)) {}
  error_code get(T &into) && {
    if (value_)
      into = *std::move(value_);
    return value_ ? SUCCESS : FAILED;
  }
  bool failed() const { return !value_; }

private:
  std::optional<T> value_;
};

class padded_string {
public:
  explicit padded_string(std::string_view text) : text_(text) {}
  const std::string &text() const { return text_; }

private:
  std::string text_;
};

namespace ondemand {

/// A document's text, and the texts of its strings with escapes.
struct Text {
  std::string_view all;
  std::deque<std::string> *unescaped = nullptr;
};

/// The text without its escapes; nothing if an escape is wrong.
std::optional<std::string> unescape(std::string_view written);
/// False for texts with invalid UTF-8, with a string that does not end, or with a control character in a string.
bool hasWholeStrings(std::string_view text);

class object;
class array;

class value {
public:
  value() = default;
  value(Text text, size_t begin, size_t end) : text_(text), begin_(begin), end_(end) {}

  std::string_view raw_json_token() const {
    std::string_view whole = text_.all.substr(begin_, end_ - begin_);
    return whole.starts_with('{') || whole.starts_with('[') ? whole.substr(0, 1) : whole;
  }
  simdjson_result<std::string_view> get_string() const;
  simdjson_result<int64_t> get_int64() const;
  simdjson_result<bool> get_bool() const;
  simdjson_result<object> get_object() const;
  simdjson_result<array> get_array() const;

private:
  Text text_;
  size_t begin_ = 0, end_ = 0;
};

struct raw_json_string {
  const char *at = nullptr;
  const char *raw() const { return at; }
};

class field {
public:
  field() = default;
  field(const char *key, ondemand::value value) : key_{key}, value_(value) {}
  raw_json_string key() const { return key_; }
  ondemand::value value() const { return value_; }

private:
  raw_json_string key_;
  ondemand::value value_;
};

/// The elements of an array or the fields of an object. An element that cannot be read is the last one. In an array, it
/// is a value at its place if some text is there, and reading that value fails.
template <typename Element> class elements {
public:
  elements() = default;
  /// `begin`: the place after the bracket. `after`, if given, receives the place after the closing one.
  elements(Text text, size_t begin, size_t *after = nullptr) : text_(text), begin_(begin), after_(after) {}

  class iterator {
  public:
    iterator(const elements &of) : of_(of), at_(of.begin_) { read(true); }
    bool operator!=(std::default_sentinel_t) const { return !done_; }
    simdjson_result<Element> operator*() const { return found_; }
    void operator++() {
      if (found_.failed())
        done_ = true;
      else
        read(false);
    }

  private:
    void read(bool first);
    simdjson_result<Element> element();

    elements of_;
    size_t at_;
    bool done_ = false;
    simdjson_result<Element> found_;
  };
  iterator begin() const { return iterator(*this); }
  std::default_sentinel_t end() const { return {}; }

private:
  Text text_;
  size_t begin_ = 0;
  size_t *after_ = nullptr;
};

class object : public elements<field> {
public:
  using elements::elements;
};
class array : public elements<value> {
public:
  using elements::elements;
};

class document {
public:
  document() = default;
  explicit document(Text text) : text_(text), at_(skipJsonSpace(text.all, 0)) {}
  simdjson_result<array> get_array();
  simdjson_result<object> get_object();
  /// The place after the value that was read. Fails at the end of the text.
  simdjson_result<const char *> current_location() const {
    size_t next = skipJsonSpace(text_.all, at_);
    return next < text_.all.size() ? simdjson_result<const char *>(text_.all.data() + next)
                                   : simdjson_result<const char *>();
  }

private:
  Text text_;
  size_t at_ = 0;
};

class parser {
public:
  simdjson_result<document> iterate(const char *text, size_t size, size_t) {
    unescaped_.clear();
    std::string_view all(text, size);
    return hasWholeStrings(all) ? simdjson_result<document>(document({all, &unescaped_})) : simdjson_result<document>();
  }
  simdjson_result<document> iterate(const padded_string &text) {
    return iterate(text.text().data(), text.text().size(), 0);
  }

private:
  std::deque<std::string> unescaped_;
};

} // namespace ondemand
} // namespace lanescope::core::plain
