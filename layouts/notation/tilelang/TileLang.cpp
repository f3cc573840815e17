#include "layouts/notation/tilelang/TileLang.h"

#include "layouts/AddressMap.h"
#include "layouts/DigitMap.h"
#include "layouts/Digits.h"
#include "layouts/ElementMap.h"
#include "layouts/notation/text/PythonCall.h"
#include "layouts/notation/tilelang/IndexExpression.h"

#include <memory>

namespace lanescope::layouts {

namespace {

/// The most expression nodes that are evaluated for one map.
constexpr int64_t kMaxWork = int64_t(1) << 28;

struct Parts {
  bool fragment = false;
  Shape input, output;
  int64_t replicate = 1;
  std::optional<int64_t> threads; // as printed; otherwise as many as the expression can yield
  std::optional<IndexExpression> thread;
  std::vector<IndexExpression> index;
};

class TileLangLayout : public ForeignLayout {
public:
  explicit TileLangLayout(Parts parts) : parts_(std::move(parts)) {}

  std::string_view language() const override { return "tilelang"; }
  std::vector<Memory> memories() const override { return {parts_.fragment ? Memory::Registers : Memory::Shared}; }
  std::optional<Shape> shape() const override { return parts_.input; }
  std::string text() const override;
  Result<ElementMap> elementMap(const Shape &shape) const override;
  Result<AddressMap> addressMap(const Shape &shape, int bitwidth) const override;
  Result<std::vector<ExplainStep>> explain(const Shape &shape, const Shape &index) const override;

private:
  Result<void> checkShape(const Shape &shape) const;
  /// The register or offset of an index, row-major over the output shape.
  Result<int64_t> outputIndex(const Shape &index, std::vector<int64_t> &scratch) const;
  /// Builds the map from digits. This works if every expression is a sum over the indices and each index adds multiples
  /// of its digits. Returns nothing for other expressions, and if an element is out of range: the caller then evaluates
  /// each element.
  std::optional<Result<ElementMap>> mapByDigits() const;

  Parts parts_;
};

std::string TileLangLayout::text() const {
  std::string index;
  for (const IndexExpression &expression : parts_.index)
    index += (index.empty() ? "" : ", ") + expression.text();
  std::string head = listText(parts_.input) + " -> " + listText(parts_.output);
  if (!parts_.fragment) {
    std::string variables;
    for (size_t dim = 0; dim < parts_.input.size(); ++dim)
      variables += (variables.empty() ? "" : ", ") + placeholder(dim);
    return lanescope::text("Layout(", head, ", transform: [", variables, "] -> [", index, "])");
  }
  return lanescope::text("Fragment(", head, ", replicate: ", parts_.replicate,
                         parts_.threads ? lanescope::text(", thread: ", *parts_.threads) : std::string(),
                         ", forward_thread: ", parts_.thread->text(), ", forward_index: [", index, "])");
}

Result<void> TileLangLayout::checkShape(const Shape &shape) const {
  if (shape != parts_.input)
    return error("layout-shape", Message("the layout is for shape {shape}, not {other_shape}", tupleText(parts_.input),
                                         tupleText(shape)));
  int64_t nodes = parts_.thread ? static_cast<int64_t>(parts_.thread->size()) : 0;
  for (const IndexExpression &expression : parts_.index)
    nodes += static_cast<int64_t>(expression.size());
  if (saturatingMultiply(saturatingMultiply(elementCount(shape), parts_.replicate), nodes) > kMaxWork)
    return error("too-large",
                 Message("an array of {elements} elements with {} operations each is too large to evaluate",
                         elementCount(shape), nodes));
  return {};
}

Result<int64_t> TileLangLayout::outputIndex(const Shape &index, std::vector<int64_t> &scratch) const {
  int64_t out = 0;
  for (size_t d = 0; d < parts_.index.size(); ++d) {
    std::optional<int64_t> part = parts_.index[d].evaluate(index, 0, scratch);
    if (!part || *part < 0 || *part >= parts_.output[d])
      return error("layout-range",
                   Message("the index expression `{name}` has {} at {coordinates}; the output has size {size}",
                           parts_.index[d].text(), part ? lanescope::text("the value ", *part) : "no value",
                           tupleText(index), parts_.output[d]));
    out = out * parts_.output[d] + *part;
  }
  return out;
}

Result<std::vector<ExplainStep>> TileLangLayout::explain(const Shape &shape, const Shape &index) const {
  if (Result<void> good = checkShape(shape); !good)
    return std::unexpected(std::move(good.error()));
  std::vector<int64_t> scratch;
  Result<int64_t> place = outputIndex(index, scratch);
  if (!place)
    return std::unexpected(std::move(place.error()));
  std::vector<ExplainStep> steps;
  std::string given;
  for (size_t d = 0; d < index.size(); ++d)
    given += lanescope::text(d > 0 ? ", " : "", placeholder(d), " = ", index[d]);
  steps.push_back({"indices", given, tupleText(index)});
  if (parts_.thread)
    if (std::optional<int64_t> thread = parts_.thread->evaluate(index, 0, scratch))
      steps.push_back(
          {"thread",
           parts_.thread->text() +
               (parts_.replicate > 1 ? lanescope::text("; the first of ", parts_.replicate, " copies") : ""),
           lanescope::text(*thread)});
  for (size_t d = 0; d < parts_.index.size(); ++d)
    steps.push_back({lanescope::text("output dimension ", d), parts_.index[d].text(),
                     lanescope::text(*parts_.index[d].evaluate(index, 0, scratch))}); // outputIndex found it in range
  steps.push_back({parts_.fragment ? "register" : "element offset",
                   lanescope::text("row-major in ", tupleText(parts_.output)), lanescope::text(*place)});
  return steps;
}

std::optional<Result<ElementMap>> TileLangLayout::mapByDigits() const {
  constexpr int64_t kLarge = int64_t(1) << 40; // far from an overflow, and beyond any map
  const Shape &shape = parts_.input;
  int64_t values = elementCount(parts_.output), count = elementCount(shape);
  if (count == 0 || count > kMaxMapEntries || parts_.replicate > kMaxMapEntries || values > kMaxMapEntries)
    return std::nullopt;
  std::vector<const IndexExpression *> expressions = {&*parts_.thread};
  // The factor of each value in the slot number.
  Shape weights = {values}, limits = {parts_.threads.value_or(kMaxMapEntries)};
  for (size_t d = 0; d < parts_.index.size(); ++d) {
    expressions.push_back(&parts_.index[d]);
    weights.push_back(contiguousStrides(parts_.output)[d]);
    limits.push_back(parts_.output[d]);
  }
  SparseDigits digits;
  Shape strides = contiguousStrides(shape), most(expressions.size());
  std::vector<int64_t> scratch;
  std::vector<std::vector<int32_t>> added(shape.size() + 1); // added to the slot by each index and by the copy
  for (size_t dim = 0; dim <= shape.size(); ++dim)
    added[dim].resize(static_cast<size_t>(dim < shape.size() ? shape[dim] : parts_.replicate));
  for (size_t e = 0; e < expressions.size(); ++e) {
    if (!expressions[e]->isSeparable())
      return std::nullopt;
    Shape index(shape.size(), 0);
    std::optional<int64_t> start = expressions[e]->evaluate(index, 0, scratch);
    if (!start || *start < 0)
      return std::nullopt;
    most[e] = *start;
    digits.firstSlot += std::min(*start, kLarge) * weights[e];
    for (size_t dim = 0; dim <= shape.size(); ++dim) {
      int64_t reach = 0;
      for (size_t i = 0; i < added[dim].size(); ++i) {
        bool copies = dim == shape.size();
        if (!copies)
          index[dim] = static_cast<int64_t>(i);
        auto at = expressions[e]->evaluate(index, copies && e == 0 ? static_cast<int64_t>(i) : 0, scratch);
        if (!at || *at < *start || *at - *start >= limits[e])
          return std::nullopt;
        reach = std::max(reach, *at - *start);
        if (added[dim][i] + (*at - *start) * weights[e] > kMaxMapEntries)
          return std::nullopt;
        added[dim][i] += static_cast<int32_t>((*at - *start) * weights[e]);
      }
      if (dim < shape.size())
        index[dim] = 0;
      most[e] += reach;
    }
    if (most[e] >= limits[e])
      return std::nullopt;
  }
  int64_t threads = std::max(parts_.threads.value_or(1), most[0] + 1);
  digits.slots = saturatingMultiply(threads, values);
  if (digits.slots > kMaxMapEntries)
    return std::nullopt;
  for (size_t dim = 0; dim <= shape.size(); ++dim) {
    std::optional<DigitTable> table = digitTableOf(added[dim]);
    if (!table)
      return std::nullopt;
    for (const Digit &digit : table->digits)
      digits.digits.push_back({digit.size, dim < shape.size() ? digit.slot * strides[dim] : 0, digit.element});
  }
  if (!digits.arrange())
    return std::nullopt;
  return ElementMap::fromDigits(Foreign(std::make_shared<TileLangLayout>(*this)), shape, static_cast<int>(threads),
                                static_cast<int>(values), std::move(digits), parts_.replicate);
}

Result<ElementMap> TileLangLayout::elementMap(const Shape &shape) const {
  if (!parts_.fragment)
    return ForeignLayout::elementMap(shape);
  if (Result<void> fits = checkShape(shape); !fits)
    return std::unexpected(std::move(fits.error()));
  if (std::optional<Result<ElementMap>> quick = mapByDigits())
    return *std::move(quick);
  int64_t values = elementCount(parts_.output), count = elementCount(shape), threads = parts_.threads.value_or(1);
  std::vector<int64_t> scratch, owners;
  std::vector<int64_t> registers;
  for (int64_t element = 0; element < count; ++element) {
    Shape index = unravelIndex(element, shape);
    Result<int64_t> value = outputIndex(index, scratch);
    if (!value)
      return std::unexpected(std::move(value.error()));
    registers.push_back(*value);
    for (int64_t replica = 0; replica < parts_.replicate; ++replica) {
      std::optional<int64_t> thread = parts_.thread->evaluate(index, replica, scratch);
      if (!thread || *thread < 0 || (parts_.threads && *thread >= *parts_.threads) || *thread >= kMaxMapEntries)
        return error("layout-range",
                     Message("the thread expression `{name}` has {} at {coordinates}", parts_.thread->text(),
                             thread ? lanescope::text("the value ", *thread) : "no value", tupleText(index)));
      threads = std::max(threads, *thread + 1);
      owners.push_back(*thread);
    }
  }
  if (saturatingMultiply(threads, values) > kMaxMapEntries)
    return error("too-large", Message("the fragment takes {threads} threads of {values} values", threads, values));
  std::vector<int32_t> table(static_cast<size_t>(threads * values), -1);
  for (size_t i = 0; i < owners.size(); ++i) {
    size_t element = i / static_cast<size_t>(parts_.replicate);
    int32_t &entry = table[static_cast<size_t>(owners[i] * values + registers[element])];
    if (entry >= 0 && entry != static_cast<int32_t>(element))
      return error("layout-overlap",
                   Message("elements {coordinates} and {} are in one register", tupleText(unravelIndex(entry, shape)),
                           tupleText(unravelIndex(static_cast<int64_t>(element), shape))));
    entry = static_cast<int32_t>(element);
  }
  return ElementMap::fromTable(Foreign(std::make_shared<TileLangLayout>(*this)), shape, static_cast<int>(threads),
                               static_cast<int>(values), 1, std::move(table));
}

Result<AddressMap> TileLangLayout::addressMap(const Shape &shape, int bitwidth) const {
  if (parts_.fragment)
    return ForeignLayout::addressMap(shape, bitwidth);
  if (Result<void> fits = checkShape(shape); !fits)
    return std::unexpected(std::move(fits.error()));
  std::vector<int32_t> offsets;
  std::vector<int64_t> scratch;
  for (int64_t element = 0, count = elementCount(shape); element < count; ++element) {
    Result<int64_t> offset = outputIndex(unravelIndex(element, shape), scratch);
    if (!offset)
      return std::unexpected(std::move(offset.error()));
    offsets.push_back(static_cast<int32_t>(*offset));
  }
  return AddressMap::make(text(), shape, bitwidth, std::move(offsets));
}

Result<Shape> sizes(Scanner &in, std::string_view what) {
  in.peek();
  uint32_t begin = in.offset();
  Result<Shape> out = readIntegers(in, what);
  if (!out)
    return out;
  int64_t count = 1;
  for (int64_t size : *out) {
    if (size < 1)
      return in.fail(begin, Message("sizes are positive, not {size}", size));
    count = saturatingMultiply(count, size);
  }
  if (count > kMaxMapEntries)
    return in.fail(begin, Message("shape {shape} has more than {limit} elements", listText(*out), kMaxMapEntries));
  if (out->size() > 16)
    return in.fail(begin, "at most 16 dimensions are supported");
  return out;
}

Result<void> arrow(Scanner &in) {
  if (!in.eat("->"))
    return in.expected("`->`");
  return {};
}

Result<std::vector<IndexExpression>> expressions(Scanner &in, size_t dims) {
  std::vector<IndexExpression> out;
  char open = in.peek();
  if (open != '[' && open != '(')
    return in.expected("a list of index expressions");
  Result<void> read = readList(in, open, open == '[' ? ']' : ')', "the index expressions", [&]() -> Result<void> {
    Result<IndexExpression> expression = IndexExpression::parse(in, dims);
    if (!expression)
      return std::unexpected(std::move(expression.error()));
    out.push_back(*std::move(expression));
    return {};
  });
  if (!read)
    return std::unexpected(std::move(read.error()));
  return out;
}

/// Reads a `key: value` after the shapes.
Result<void> field(Scanner &in, Parts &parts) {
  in.peek();
  uint32_t begin = in.offset();
  std::string_view key = in.identifier();
  if (Result<void> colon = in.expect(':', "a field"); !colon)
    return colon;
  size_t dims = parts.input.size();
  if (key == "transform" && !parts.fragment) {
    char open = in.peek();
    Result<void> names =
        readList(in, open == '(' ? '(' : '[', open == '(' ? ')' : ']', "the indices", [&]() -> Result<void> {
          return in.identifier().empty() ? Result<void>(in.expected("an index such as `_i`")) : Result<void>();
        });
    if (names)
      names = arrow(in);
    return names ? store(expressions(in, dims), parts.index) : names;
  }
  if (parts.fragment && key == "replicate") {
    if (Result<void> read = store(in.integer("a number of copies"), parts.replicate); !read)
      return read;
    if (parts.replicate < 1 || parts.replicate > (1 << 20))
      return in.fail(begin, Message("a number of copies is between 1 and 2^20, not {}", parts.replicate));
    return {};
  }
  if (parts.fragment && (key == "thread" || key == "forward_thread")) {
    // In `thread:`, the text has the number of threads, or in older versions the expression.
    Result<IndexExpression> expression = IndexExpression::parse(in, dims);
    if (!expression)
      return std::unexpected(std::move(expression.error()));
    std::optional<int64_t> number = parseInteger<int64_t>(expression->text());
    if (key == "thread" && number) {
      if (*number < 1 || *number > (1 << 20))
        return in.fail(begin, Message("a number of threads is between 1 and 2^20, not {}", *number));
      parts.threads = number;
    } else {
      parts.thread = *std::move(expression);
    }
    return {};
  }
  if (parts.fragment && (key == "forward_index" || key == "index"))
    return store(expressions(in, dims), parts.index);
  if (parts.fragment && key == "thread_range") {
    // this field gives the threads of the block that run the fragment; it affects no place
    for (int open = 0; !in.atEnd() && (open > 0 || (in.peek() != ')' && in.peek() != ','));) {
      char c = in.peek();
      open += (c == '(') - (c == ')');
      in.eat(c);
    }
    return {};
  }
  return in.fail(begin, Message("`{key}` is not a field of {}", key, parts.fragment ? "`Fragment`" : "`Layout`"));
}

} // namespace

bool looksLikeTileLang(std::string_view text) {
  Scanner in(Source::make("", std::string(text.substr(0, 1024))));
  std::string_view name = in.identifier();
  if ((name != "Fragment" && name != "Layout") || in.peek() != '(')
    return false;
  return name == "Fragment" ||
         (text.find("->") != std::string_view::npos && text.find("transform") != std::string_view::npos);
}

Result<Layout> parseTileLang(Scanner &in, Diagnostics *) {
  in.peek();
  uint32_t begin = in.offset();
  std::string_view name = in.identifier();
  if (name != "Fragment" && name != "Layout") {
    in.rewind(begin);
    return in.expected("`Fragment` or `Layout`");
  }
  Parts parts;
  parts.fragment = name == "Fragment";
  Result<void> read = in.expect('(', name);
  if (read)
    read = store(sizes(in, "the input shape"), parts.input);
  if (read)
    read = arrow(in);
  if (read)
    read = store(sizes(in, "the output shape"), parts.output);
  while (read && in.eat(','))
    read = field(in, parts);
  if (read)
    read = in.expect(')', name);
  if (!read)
    return std::unexpected(std::move(read.error()));
  if (parts.fragment && !parts.thread)
    return in.fail(begin, "`Fragment` needs `forward_thread:`");
  if (parts.index.size() != parts.output.size())
    return in.fail(begin, Message("there are {count} index expressions for an output of rank {rank}",
                                  parts.index.size(), parts.output.size()));
  return Layout(Foreign(std::make_shared<TileLangLayout>(std::move(parts))));
}

} // namespace lanescope::layouts
