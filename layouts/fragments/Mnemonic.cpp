#include "layouts/fragments/Mnemonic.h"

#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::layouts {

std::vector<std::string_view> words(std::string_view cell) {
  std::vector<std::string_view> out;
  while (!cell.empty()) {
    size_t end = std::min(cell.find(' '), cell.size());
    if (end > 0)
      out.push_back(cell.substr(0, end));
    cell.remove_prefix(std::min(end + 1, cell.size()));
  }
  return out;
}

bool hasWord(std::string_view cell, std::string_view word) {
  std::vector<std::string_view> all = words(cell);
  return std::ranges::find(all, word) != all.end();
}

int typeBits(std::string_view type) {
  std::optional<MatrixType> known = matrixTypeNamed(type);
  return known ? bitsOf(*known) : 0;
}

std::string alternatives(const std::vector<std::string> &words) {
  std::string out;
  for (size_t i = 0; i < words.size(); ++i)
    out += text(i == 0 ? "" : i + 1 == words.size() ? " or " : ", ", '`', words[i], '`');
  return out;
}

std::string alternatives(std::string_view cell) {
  std::vector<std::string> all;
  for (std::string_view word : words(cell))
    all.emplace_back(word);
  return alternatives(all);
}

Mnemonic::Mnemonic(std::string_view name, Span span) : name_(name), span_(std::move(span)) {
  if (name.size() > kMaxName) {
    fail(name, Message("the name of an instruction has at most {limit} characters, this one has {count}", kMaxName,
                       name.size()));
    return;
  }
  for (size_t begin = 0; begin <= name.size();) {
    size_t end = std::min(name.find('.', begin), name.size());
    // PTX also writes `mma .sp`, with a blank. An empty part can only be a typing error.
    parts_.push_back({name.substr(begin, end - begin)});
    if (parts_.size() > kMaxParts) {
      fail(name, Message("the name of an instruction has at most {limit} parts", kMaxParts));
      return;
    }
    begin = end + 1;
  }
}

bool Mnemonic::begin(std::string_view part) {
  if (parts_.empty() || parts_.front().text != part)
    return false;
  parts_.front().taken = true;
  return true;
}

bool Mnemonic::eat(std::string_view part) {
  for (Part &candidate : parts_)
    if (!candidate.taken && candidate.text == part) {
      candidate.taken = true;
      return true;
    }
  return false;
}

std::string_view Mnemonic::eatOneOf(std::string_view cell) {
  for (Part &part : parts_)
    if (!part.taken && hasWord(cell, part.text)) {
      part.taken = true;
      return part.text;
    }
  return {};
}

std::string_view Mnemonic::qualifier(std::string_view name) {
  for (Part &part : parts_)
    if (!part.taken && part.text.size() > name.size() + 2 && part.text.starts_with(name) &&
        part.text.substr(name.size(), 2) == "::") {
      part.taken = true;
      return part.text.substr(name.size() + 2);
    }
  return {};
}

int64_t Mnemonic::number(std::string_view name, std::string_view allowed) {
  std::string_view given = qualifier(name);
  if (!given.empty() && !hasWord(allowed, given)) {
    fail(given, Message("`{name}` must be {} here, got `{}`", name, alternatives(allowed), given));
    return 0;
  }
  std::string_view chosen = given.empty() ? words(allowed).front() : given;
  return parseInteger<int64_t>(chosen).value_or(0);
}

std::optional<Mnk> Mnemonic::shape() {
  for (Part &part : parts_)
    if (!part.taken)
      if (std::optional<Mnk> shape = readShape(part.text)) {
        part.taken = true;
        return shape;
      }
  return std::nullopt;
}

std::vector<std::string_view> Mnemonic::types() {
  std::vector<std::string_view> out;
  for (Part &part : parts_)
    if (!part.taken && typeBits(part.text) > 0) {
      part.taken = true;
      out.push_back(part.text);
    }
  return out;
}

std::string_view Mnemonic::written(std::string_view part) const {
  for (const Part &candidate : parts_)
    if (candidate.text == part)
      return candidate.text;
  return name_;
}

void Mnemonic::fail(std::string_view part, Message message) {
  if (!errors_.empty())
    return;
  Span span = span_;
  bool inside = part.data() >= name_.data() && part.data() + part.size() <= name_.data() + name_.size();
  if (span.source && inside && span_.end - span_.begin == name_.size()) {
    span.begin = span_.begin + static_cast<uint32_t>(part.data() - name_.data());
    span.end = span.begin + static_cast<uint32_t>(part.size());
  }
  errors_ = error("instruction-name", std::move(span), std::move(message)).error();
}

void Mnemonic::lacking(std::string message) {
  if (lacking_.empty())
    lacking_ = std::move(message);
}

Diagnostics Mnemonic::finish(std::string_view known) {
  for (const Part &part : parts_) {
    if (part.taken || !errors_.empty())
      continue;
    if (part.text.empty()) {
      fail(name_, Message("`{name}` has an empty part; parts are separated by one `.`", name_));
      continue;
    }
    std::vector<std::string_view> candidates = words(known);
    for (MatrixType type : allMatrixTypes())
      candidates.push_back(ptxName(type));
    std::string_view near = nearest(part.text, candidates);
    fail(part.text, Message("`{}` does not belong in `{name}`{}", part.text, name_,
                            near.empty() ? text("; such names have ", alternatives(known)) : didYouMean(near)));
  }
  if (!lacking_.empty())
    fail(name_, std::move(lacking_));
  return std::move(errors_);
}

} // namespace lanescope::layouts
