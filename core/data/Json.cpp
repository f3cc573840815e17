// nlohmann's event interface does the parsing. The code here turns its events into a tree whose values know their
// places. (simdjson would be faster, but the worker must run on machines with few packages, and this needs no library.)
#include "core/data/Json.h"

#include "core/data/ProcessMemory.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace lanescope::core {

namespace {

constexpr size_t kMaxDepth = 64;

/// An iterator over the text that records how far the parser has read, because the parser does not report it.
class CountingIterator {
public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char *;
  using reference = const char &;

  CountingIterator(const char *at, const char **furthest) : at_(at), furthest_(furthest) {}
  const char &operator*() const { return *at_; }
  CountingIterator &operator++() {
    *furthest_ = ++at_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator old = *this;
    ++*this;
    return old;
  }
  bool operator==(const CountingIterator &other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator &other) const { return at_ != other.at_; }

private:
  const char *at_;
  const char **furthest_;
};

class TreeBuilder : public nlohmann::json_sax<nlohmann::json> {
public:
  explicit TreeBuilder(const SourceRef &source) : source_(source), text_(source->text()), furthest_(text_.data()) {}

  Result<Json> build() {
    const char *begin = text_.data(), *end = begin + text_.size();
    nlohmann::json::sax_parse(CountingIterator(begin, &furthest_), CountingIterator(end, &furthest_), this);
    if (!problems_.empty())
      return std::unexpected(std::move(problems_));
    return std::move(root_);
  }

  // The events; each returns true to continue.
  bool null() override { return scalar(Json::Kind::Null); }
  bool boolean(bool value) override {
    bool good = scalar(Json::Kind::Bool);
    last_->boolean = value;
    return good;
  }
  bool number_integer(number_integer_t value) override { return integer(value, static_cast<double>(value), false); }
  bool number_unsigned(number_unsigned_t value) override {
    return integer(static_cast<int64_t>(value), static_cast<double>(value), value > INT64_MAX);
  }
  bool number_float(number_float_t value, const string_t &) override {
    bool good = scalar(Json::Kind::Number);
    last_->number = value;
    return good;
  }
  bool string(string_t &value) override {
    bool good = scalar(Json::Kind::String);
    last_->string = std::move(value);
    return good;
  }
  bool binary(binary_t &) override { return false; } // has no text form
  bool start_object(std::size_t) override { return open(Json::Kind::Object); }
  bool start_array(std::size_t) override { return open(Json::Kind::Array); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t &value) override {
    key_ = std::move(value);
    previousEnd_ = readTo();
    return true;
  }
  bool parse_error(std::size_t, const std::string &, const nlohmann::detail::exception &problem) override {
    // nlohmann's text is "[json.exception…] parse error at line 1, column 5: syntax error while …". Our own message has
    // the place, so the rest of this text is enough.
    std::string_view message = problem.what();
    if (size_t at = message.find(": "); at != std::string_view::npos)
      message.remove_prefix(at + 2);
    uint32_t where = std::min(readTo(), static_cast<uint32_t>(text_.size()));
    where -= where > 0;
    // Python writes numbers without a JSON form as NaN, Infinity and -Infinity.
    std::string_view all = text_, rest = all.substr(where);
    bool named = rest.starts_with("Infinity") || rest.starts_with("NaN") ||
                 (where > 0 && all.substr(where - 1).starts_with("-Infinity"));
    refuse(where, named ? text("JSON has no such number; where one is allowed, write \"inf\", \"-inf\" or \"nan\"")
                        : text("this is not JSON: ", message));
    return false;
  }

private:
  uint32_t readTo() const { return static_cast<uint32_t>(furthest_ - text_.data()); }

  bool refuse(uint32_t where, std::string message) {
    problems_ = error("json", {source_, where, where + 1}, std::move(message)).error();
    return false;
  }

  /// Adds a value at the present place in the text; `last_` points at it.
  bool add(Json::Kind kind) {
    if (open_.empty())
      last_ = &root_;
    else if (open_.back()->is(Json::Kind::Array))
      last_ = &open_.back()->items.emplace_back();
    else
      last_ = &open_.back()->members.emplace_back(JsonMember{std::move(key_), {}}).value;
    last_->kind = kind;
    // The token begins after the separators that follow the previous token.
    size_t begin = text_.find_first_not_of(" \t\r\n,:", previousEnd_);
    uint32_t end = readTo();
    last_->begin = static_cast<uint32_t>(std::min<size_t>(begin, end));
    // To find the end of a number, the parser reads one byte further.
    bool isNumber = kind == Json::Kind::Integer || kind == Json::Kind::Number;
    while (isNumber && end > last_->begin + 1 &&
           std::string_view("0123456789").find(text_[end - 1]) == std::string_view::npos)
      --end;
    last_->end = std::max(end, last_->begin + 1);
    previousEnd_ = last_->end;
    return true;
  }

  bool scalar(Json::Kind kind) { return add(kind); }
  bool integer(int64_t value, double number, bool isUnsigned) {
    bool good = scalar(Json::Kind::Integer);
    last_->integer = value;
    last_->number = number;
    last_->unsignedInteger = isUnsigned;
    return good;
  }

  // Pointers to the open values stay valid, because nothing is added to a container around an open one.
  bool open(Json::Kind kind) {
    add(kind);
    if (open_.size() == kMaxDepth)
      return refuse(last_->begin, text("the nesting is deeper than ", kMaxDepth));
    open_.push_back(last_);
    return true;
  }
  bool close() {
    open_.pop_back();
    previousEnd_ = readTo();
    return true;
  }

  SourceRef source_;
  const std::string &text_;
  const char *furthest_;
  Json root_;
  Json *last_ = nullptr;
  std::vector<Json *> open_; // outermost first
  std::string key_;
  uint32_t previousEnd_ = 0;
  Diagnostics problems_;
};

} // namespace

const Json *Json::find(std::string_view name) const {
  for (auto member = members.rbegin(); member != members.rend(); ++member)
    if (member->name == name)
      return &member->value;
  return nullptr;
}

Result<Json> parseJson(const SourceRef &source) {
#ifndef __wasi__                    // a browser limits the memory of a page itself
  constexpr uint64_t kPerByte = 64; // an array of digits
  if (Result<void> room = reserveParsed(source, kPerByte); !room)
    return std::unexpected(std::move(room.error()));
#endif
  return TreeBuilder(source).build();
}

std::optional<double> numberNamed(std::string_view text) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (double number : {kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN()})
    if (text == nameOfNumber(number))
      return number;
  return std::nullopt;
}

std::string_view nameOfNumber(double number) {
  return std::isnan(number) ? "nan" : !std::isinf(number) ? "" : number > 0 ? "inf" : "-inf";
}

} // namespace lanescope::core
