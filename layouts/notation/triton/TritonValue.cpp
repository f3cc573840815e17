#include "layouts/notation/triton/TritonValue.h"

#include "layouts/support/Nearest.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <limits>

namespace lanescope::layouts {

namespace {

constexpr int kMaxDepth = 12;

std::string_view kindName(TritonValue::Kind kind) {
  switch (kind) {
  case TritonValue::Kind::Integer: return "an integer";
  case TritonValue::Kind::Boolean: return "a boolean";
  case TritonValue::Kind::Name: return "a name";
  case TritonValue::Kind::List: return "a list";
  case TritonValue::Kind::Dictionary: return "a dictionary";
  case TritonValue::Kind::Encoding: return "a layout";
  }
  return "";
}

std::unexpected<Diagnostics> wrongKind(const TritonValue &value, std::string_view what, std::string_view expected) {
  return error("triton-value", value.span, Message("`{}` is {}, not {type}", what, expected, kindName(value.kind)));
}

} // namespace

Result<Shape> integersOf(const TritonValue &value, std::string_view what) {
  if (value.kind != TritonValue::Kind::List)
    return wrongKind(value, what, "a list of integers");
  Shape sizes;
  for (const TritonValue &item : value.items) {
    if (item.kind != TritonValue::Kind::Integer)
      return wrongKind(item, what, "a list of integers");
    if (item.integer < 0 || item.integer > std::numeric_limits<int32_t>::max())
      return error("triton-value", item.span, Message("`{}` takes integers from 0 to 2147483647", what));
    sizes.push_back(item.integer);
  }
  return sizes;
}

Result<std::vector<LinearLayout::Basis>> basesOf(const TritonValue &value, std::string_view what) {
  if (value.kind != TritonValue::Kind::List)
    return wrongKind(value, what, "a list of bases such as [[0, 1], [0, 2]]");
  std::vector<LinearLayout::Basis> bases;
  for (const TritonValue &item : value.items) {
    Result<Shape> basis = integersOf(item, what);
    if (!basis)
      return std::unexpected(std::move(basis.error()));
    if (!bases.empty() && bases.front().size() != basis->size())
      return error("triton-value", item.span,
                   Message("a basis of `{}` has {count} coordinates; the first one has {other_count}", what,
                           basis->size(), bases.front().size()));
    bases.emplace_back(basis->begin(), basis->end());
  }
  return bases;
}

void TritonReader::remark(Span span, std::string message) {
  if (!remarks_)
    return;
  for (const Diagnostic &known : *remarks_)
    if (known.span.begin == span.begin && known.span.end == span.end && known.message == message)
      return; // the remark exists already, because the alias was read at an earlier use
  remarks_->push_back({Severity::Note, "triton-spelling", std::move(span), std::move(message), {}});
}

Result<TritonValue> TritonReader::value() {
  if (++depth_ > kMaxDepth) {
    --depth_;
    return in.expected(text("at most ", kMaxDepth, " levels of brackets"));
  }
  Result<TritonValue> result = [&]() -> Result<TritonValue> {
    TritonValue value;
    char next = in.peek();
    uint32_t begin = in.offset();
    if (next == '[') {
      value.kind = TritonValue::Kind::List;
      Result<void> read = readList(in, '[', ']', "a list", [&]() -> Result<void> {
        Result<TritonValue> item = this->value();
        if (!item)
          return std::unexpected(std::move(item.error()));
        if (item->kind == TritonValue::Kind::Name && in.peek() == '=') { // `[1, 1, instrShape = …`
          in.rewind(item->span.begin);
          return in.expected(text("`]` before the key `", item->name, '`'));
        }
        value.items.push_back(*std::move(item));
        return {};
      });
      if (!read)
        return std::unexpected(std::move(read.error()));
    } else if (next == '{') {
      return dictionary();
    } else if (next == '#') {
      Result<TritonEncoding> read = encoding();
      if (!read)
        return std::unexpected(std::move(read.error()));
      value.kind = TritonValue::Kind::Encoding;
      value.encoding = TritonEncoding::share(*std::move(read));
    } else if (next == '-' || next == '+' || (next >= '0' && next <= '9')) {
      Result<int64_t> number = in.integer("a value");
      if (!number)
        return std::unexpected(std::move(number.error()));
      value.integer = *number;
      uint32_t end = in.offset();
      if (in.eat(':') && in.identifier().empty()) // `32 : i32`; a padding's `32:+8` is read elsewhere
        in.rewind(end);
    } else {
      std::string_view word = in.identifier();
      if (word.empty())
        return in.expected("a value");
      value.kind = word == "true" || word == "false" ? TritonValue::Kind::Boolean : TritonValue::Kind::Name;
      value.integer = word == "true";
      value.name = word;
    }
    value.span = in.spanFrom(begin);
    return value;
  }();
  --depth_;
  return result;
}

Result<TritonEntry> TritonReader::entry() {
  in.peek();
  uint32_t begin = in.offset();
  TritonEntry entry;
  entry.key = in.identifier();
  if (entry.key.empty())
    return in.expected("a key");
  entry.keySpan = in.spanFrom(begin);
  if (Result<void> equals = in.expect('=', text("`", entry.key, " = …`")); !equals)
    return std::unexpected(std::move(equals.error()));
  Result<TritonValue> read = value();
  if (!read)
    return std::unexpected(std::move(read.error()));
  entry.value = *std::move(read);
  return entry;
}

Result<TritonValue> TritonReader::dictionary() {
  TritonValue value;
  value.kind = TritonValue::Kind::Dictionary;
  in.peek();
  uint32_t begin = in.offset();
  Result<void> read = readList(in, '{', '}', "a dictionary", [&]() -> Result<void> {
    Result<TritonEntry> entry = this->entry();
    if (!entry)
      return std::unexpected(std::move(entry.error()));
    for (const TritonEntry &known : value.entries)
      if (known.key == entry->key)
        return error("triton-value", entry->keySpan, Message("`{key}` is given twice", entry->key));
    value.entries.push_back(*std::move(entry));
    return {};
  });
  if (!read)
    return std::unexpected(std::move(read.error()));
  value.span = in.spanFrom(begin);
  return value;
}

bool TritonFields::has(std::string_view key) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](const TritonEntry &entry) { return entry.key == key; });
}

Span TritonFields::spanOf(std::string_view key) const {
  for (const TritonEntry &entry : entries_)
    if (entry.key == key)
      return entry.keySpan;
  return place_;
}

const TritonValue *TritonFields::find(std::string_view key) {
  for (size_t i = 0; i < entries_.size(); ++i)
    if (entries_[i].key == key) {
      used_[i] = true;
      return &entries_[i].value;
    }
  return nullptr;
}

std::unexpected<Diagnostics> TritonFields::wrong(const TritonValue &value, std::string_view key,
                                                 std::string_view expected) const {
  return wrongKind(value, key, expected);
}

std::unexpected<Diagnostics> TritonFields::missing(std::string_view key) const {
  for (size_t i = 0; i < entries_.size(); ++i)
    // A likely misspelling. The distance is small, so that `versionMinor` does not count as one of `versionMajor`.
    if (!used_[i] && editDistance(entries_[i].key, key) <= 1)
      return error("triton-value", entries_[i].keySpan,
                   Message("`{}` has no key `{key}`; did you mean `{}`?", attribute_, entries_[i].key, key));
  return error("triton-value", place_, Message("`{}` lacks `{key}`", attribute_, key));
}

Result<int> TritonFields::integer(std::string_view key, std::optional<int> fallback) {
  const TritonValue *value = find(key);
  if (!value) {
    if (fallback)
      return *fallback;
    return missing(key);
  }
  if (value->kind != TritonValue::Kind::Integer)
    return wrong(*value, key, "an integer");
  if (value->integer < 0 || value->integer > (1 << 24))
    return error("triton-value", value->span, Message("`{key}` takes integers from 0 to {}", key, 1 << 24));
  return static_cast<int>(value->integer);
}

Result<bool> TritonFields::boolean(std::string_view key, bool fallback) {
  const TritonValue *value = find(key);
  if (!value)
    return fallback;
  if (value->kind != TritonValue::Kind::Boolean)
    return wrong(*value, key, "true or false");
  return value->integer != 0;
}

Result<Shape> TritonFields::list(std::string_view key, std::optional<Shape> fallback) {
  const TritonValue *value = find(key);
  if (value)
    return integersOf(*value, key);
  if (fallback)
    return *std::move(fallback);
  return missing(key);
}

Result<std::vector<LinearLayout::Basis>> TritonFields::bases(std::string_view key, bool required) {
  const TritonValue *value = find(key);
  if (value)
    return basesOf(*value, key);
  if (required)
    return missing(key);
  return std::vector<LinearLayout::Basis>{};
}

Result<TritonParent> TritonFields::parent(std::string_view key) {
  const TritonValue *value = find(key);
  if (!value)
    return missing(key);
  if (value->kind != TritonValue::Kind::Encoding)
    return wrong(*value, key, "a layout");
  return value->encoding;
}

Result<CgaBases> TritonFields::cga(size_t rank) {
  if (!has("CTAsPerCGA") && !has("CTASplitNum") && !has("CTAOrder")) {
    Result<CgaBases> bases = this->bases("CGALayout", false);
    if (bases && !bases->empty() && bases->front().size() != rank)
      return fail("CGALayout", Message("`CGALayout` has bases of {count} coordinates; the layout has rank {rank}",
                                       bases->front().size(), rank));
    return bases;
  }
  if (has("CGALayout"))
    return fail("CGALayout", "`CGALayout` and the older `CTAsPerCGA`, `CTASplitNum`, `CTAOrder` exclude each other");
  Shape ones(rank, 1), order;
  for (size_t d = rank; d-- > 0;)
    order.push_back(static_cast<int64_t>(d));
  Result<Shape> ctas = list("CTAsPerCGA", ones);
  if (!ctas)
    return std::unexpected(std::move(ctas.error()));
  Result<Shape> split = list("CTASplitNum", ones);
  if (!split)
    return std::unexpected(std::move(split.error()));
  Result<Shape> ctaOrder = list("CTAOrder", order);
  if (!ctaOrder)
    return std::unexpected(std::move(ctaOrder.error()));
  std::string_view first = has("CTAsPerCGA") ? "CTAsPerCGA" : has("CTASplitNum") ? "CTASplitNum" : "CTAOrder";
  if (ctas->size() != rank)
    return fail("CTAsPerCGA",
                Message("`CTAsPerCGA` has {entries} entries; the layout has rank {rank}", ctas->size(), rank));
  Result<CgaBases> bases = cgaFromSplit(*ctas, *split, *ctaOrder);
  if (!bases)
    return at(spanOf(first), std::move(bases.error()));
  std::string shown;
  for (const LinearLayout::Basis &basis : *bases)
    shown += text(shown.empty() ? "" : ", ", '[', joined(basis, ", "), ']');
  remark(first, shown.empty() ? std::string("an older spelling of one block per cluster, which is left out today")
                              : text("an older spelling, read as `CGALayout = [", shown, "]`"));
  return bases;
}

Result<LinearLayout> TritonFields::linear(std::initializer_list<std::string_view> required,
                                          std::initializer_list<std::string_view> optional, size_t rank) {
  std::vector<LinearLayout::Input> inputs;
  auto take = [&](std::string_view key, bool needed) -> Result<void> {
    Result<std::vector<LinearLayout::Basis>> read = bases(key, needed);
    if (!read)
      return std::unexpected(std::move(read.error()));
    if (!read->empty()) {
      if (rank != 0 && read->front().size() != rank)
        return fail(key, Message("bases of `{key}` have {count} coordinates; others have {rank}", key,
                                 read->front().size(), rank));
      rank = read->front().size();
    }
    inputs.push_back({std::string(key), *std::move(read)});
    return {};
  };
  for (std::string_view key : required)
    if (Result<void> taken = take(key, true); !taken)
      return std::unexpected(std::move(taken.error()));
  for (std::string_view key : optional)
    if (Result<void> taken = take(key, false); !taken)
      return std::unexpected(std::move(taken.error()));
  if (rank == 0)
    return fail("", "the layout has no basis, so its rank is unknown");
  if (rank > 16)
    return fail("", Message("bases of {rank} coordinates are more than the 8 that are read", rank));
  Result<LinearLayout> layout = LinearLayout::fitting(std::move(inputs), standardNames(rank));
  if (!layout)
    return at(place_, std::move(layout.error()));
  return layout;
}

Result<void> TritonFields::finish(bool ignoreUnknown) {
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (used_[i])
      continue;
    if (!ignoreUnknown)
      return error("triton-value", entries_[i].keySpan,
                   Message("`{}` has no key `{key}`", attribute_, entries_[i].key));
    reader_.remark(entries_[i].keySpan,
                   text("`", attribute_, "` has no key `", entries_[i].key, "`; it counts for nothing, as in Triton"));
  }
  return {};
}

void TritonFields::remark(std::string_view key, std::string message) {
  reader_.remark(spanOf(key), std::move(message));
}

std::unexpected<Diagnostics> TritonFields::fail(std::string_view key, Message message) const {
  return error("triton-value", spanOf(key), std::move(message));
}

} // namespace lanescope::layouts
