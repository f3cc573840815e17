#include "layouts/notation/triton/Gluon.h"

#include "layouts/notation/text/PythonCall.h"
#include "layouts/notation/triton/TritonAttributes.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <array>

namespace lanescope::layouts {

namespace {

constexpr int kMaxGluonDepth = 12;

/// A constructor: Triton's attribute, and for each parameter Gluon's name and Triton's key.
struct Constructor {
  std::string_view name, attribute;
  size_t required;
  std::vector<std::pair<std::string_view, std::string_view>> parameters;
};

const std::array<Constructor, 11> kConstructors = {{
    {"BlockedLayout",
     "blocked",
     4,
     {{"size_per_thread", "sizePerThread"},
      {"threads_per_warp", "threadsPerWarp"},
      {"warps_per_cta", "warpsPerCTA"},
      {"order", "order"},
      {"cga_layout", "CGALayout"},
      {"ctas_per_cga", "CTAsPerCGA"},
      {"cta_split_num", "CTASplitNum"},
      {"cta_order", "CTAOrder"}}},
    {"SliceLayout", "slice", 2, {{"dim", "dim"}, {"parent", "parent"}}},
    {"DotOperandLayout", "dot_op", 3, {{"operand_index", "opIdx"}, {"parent", "parent"}, {"k_width", "kWidth"}}},
    {"NVMMADistributedLayout",
     "nvidia_mma",
     3,
     {{"version", "version"},
      {"warps_per_cta", "warpsPerCTA"},
      {"instr_shape", "instrShape"},
      {"cga_layout", "CGALayout"},
      {"ctas_per_cga", "CTAsPerCGA"},
      {"cta_split_num", "CTASplitNum"},
      {"cta_order", "CTAOrder"}}},
    {"NVMMASharedLayout",
     "nvmma_shared",
     2,
     {{"swizzle_byte_width", "swizzlingByteWidth"},
      {"element_bitwidth", "elementBitWidth"},
      {"rank", "rank"},
      {"transposed", "transposed"},
      {"fp4_padded", "fp4Padded"},
      {"cga_layout", "CGALayout"},
      {"ctas_per_cga", "CTAsPerCGA"},
      {"cta_split_num", "CTASplitNum"},
      {"cta_order", "CTAOrder"}}},
    {"SwizzledSharedLayout",
     "swizzled_shared",
     4,
     {{"vec", "vec"},
      {"per_phase", "perPhase"},
      {"max_phase", "maxPhase"},
      {"order", "order"},
      {"cga_layout", "CGALayout"},
      {"ctas_per_cga", "CTAsPerCGA"},
      {"cta_split_num", "CTASplitNum"},
      {"cta_order", "CTAOrder"}}},
    {"DistributedLinearLayout",
     "linear",
     5,
     {{"reg_bases", "register"},
      {"lane_bases", "lane"},
      {"warp_bases", "warp"},
      {"block_bases", "block"},
      {"shape", "shape"}}},
    {"SharedLinearLayout",
     "shared_linear",
     1,
     {{"offset_bases", "offset"}, {"block_bases", "block"}, {"alignment", "alignment"}}},
    {"PaddedSharedLayout",
     "padded_shared",
     4,
     {{"interval_padding_pairs", "intervals"},
      {"offset_bases", "offset"},
      {"cga_layout", "block"},
      {"shape", "shape"}}},
    {"TensorMemoryLayout",
     "tensor_memory_encoding",
     2,
     {{"block", "block"},
      {"col_stride", "colStride"},
      {"cga_layout", "CGALayout"},
      {"two_ctas", "twoCTAs"},
      {"fp4_padded", "fp4Padded"}}},
    {"TensorMemoryScalesLayout", "tensor_memory_scales_encoding", 0, {{"cga_layout", "CGALayout"}}},
}};

const Constructor *findConstructor(std::string_view name) {
  auto found = std::ranges::find(kConstructors, name, &Constructor::name);
  return found == kConstructors.end() ? nullptr : &*found;
}

TritonValue integerValue(Span span, int64_t value) {
  TritonValue out;
  out.span = std::move(span);
  out.integer = value;
  return out;
}

class GluonReader {
public:
  GluonReader(Scanner &in, Diagnostics *remarks) : in(in), reader_(in, remarks) {}

  Result<TritonEncoding> layout() {
    in.peek();
    uint32_t begin = in.offset();
    std::string_view name = in.identifier();
    while (!name.empty() && in.eat('.')) // the name so far was a module prefix
      name = in.identifier();
    const Constructor *constructor = findConstructor(name);
    if (!constructor) {
      std::string known;
      for (const Constructor &each : kConstructors)
        known += text(known.empty() ? "" : ", ", '`', each.name, '`');
      if (name.empty())
        return in.expected("a layout of Gluon's");
      return in.fail(begin, Message("`{name}` is no layout of Gluon's; these are: {}", name, known));
    }
    std::vector<std::string_view> names;
    for (const auto &parameter : constructor->parameters)
      names.push_back(parameter.first);
    std::vector<TritonEntry> entries;
    std::vector<bool> given;
    Result<void> read = readArguments(in, name, names, given, [&](size_t index) -> Result<void> {
      in.peek();
      uint32_t valueBegin = in.offset();
      Result<std::optional<TritonValue>> value = this->value();
      if (!value)
        return std::unexpected(std::move(value.error()));
      if (!*value)
        return {};
      TritonEntry entry;
      entry.key = constructor->parameters[index].second;
      entry.keySpan = in.spanFrom(valueBegin);
      entry.value = **std::move(value);
      entries.push_back(std::move(entry));
      return {};
    });
    if (!read)
      return std::unexpected(std::move(read.error()));
    if (Result<void> enough = checkGiven(in, begin, name, names, given, constructor->required); !enough)
      return std::unexpected(std::move(enough.error()));
    return build(*constructor, in.spanFrom(begin), std::move(entries));
  }

private:
  /// An int, a bool, a list or a layout; nothing for None.
  Result<std::optional<TritonValue>> value() {
    if (++depth_ > kMaxGluonDepth) {
      --depth_;
      return in.expected("fewer brackets");
    }
    Result<std::optional<TritonValue>> out = readValue();
    --depth_;
    return out;
  }

  Result<std::optional<TritonValue>> readValue() {
    TritonValue value;
    char next = in.peek();
    uint32_t begin = in.offset();
    if (next == '[' || next == '(') {
      value.kind = TritonValue::Kind::List;
      Result<void> read = readList(in, next, next == '[' ? ']' : ')', "a list", [&]() -> Result<void> {
        Result<std::optional<TritonValue>> item = this->value();
        if (!item)
          return std::unexpected(std::move(item.error()));
        if (!*item)
          return in.expected("a value that is not None");
        value.items.push_back(**std::move(item));
        return {};
      });
      if (!read)
        return std::unexpected(std::move(read.error()));
    } else if (next == '-' || next == '+' || (next >= '0' && next <= '9')) {
      Result<int64_t> number = in.integer("an integer");
      if (!number)
        return std::unexpected(std::move(number.error()));
      value.integer = *number;
    } else {
      std::string_view word = in.identifier();
      if (word == "None")
        return std::nullopt;
      if (word == "True" || word == "False") {
        value.kind = TritonValue::Kind::Boolean;
        value.integer = word == "True";
      } else {
        in.rewind(begin);
        if (word.empty())
          return in.expected("an int, a list, True, False, None or a layout");
        Result<TritonEncoding> parent = layout();
        if (!parent)
          return std::unexpected(std::move(parent.error()));
        value.kind = TritonValue::Kind::Encoding;
        value.encoding = TritonEncoding::share(*std::move(parent));
      }
    }
    value.span = in.spanFrom(begin);
    return value;
  }

  static std::optional<TritonEntry> take(std::vector<TritonEntry> &entries, std::string_view key) {
    auto found = std::ranges::find(entries, key, &TritonEntry::key);
    if (found == entries.end())
      return std::nullopt;
    TritonEntry entry = std::move(*found);
    entries.erase(found);
    return entry;
  }

  /// Splits a pair of integers into two keys.
  static Result<void> splitPair(std::vector<TritonEntry> &entries, std::string_view key, std::string_view first,
                                std::string_view second) {
    std::optional<TritonEntry> entry = take(entries, key);
    if (!entry)
      return {};
    Result<Shape> pair = integersOf(entry->value, key);
    if (!pair)
      return std::unexpected(std::move(pair.error()));
    if (pair->size() != 2)
      return error("triton-value", entry->value.span, Message("`{key}` has two entries", key));
    for (size_t i = 0; i < 2; ++i) {
      TritonEntry half;
      half.key = i == 0 ? first : second;
      half.keySpan = entry->keySpan;
      half.value = integerValue(entry->value.span, (*pair)[i]);
      entries.push_back(std::move(half));
    }
    return {};
  }

  Result<TritonEncoding> build(const Constructor &constructor, Span span, std::vector<TritonEntry> entries) {
    Result<void> split;
    if (constructor.attribute == "nvidia_mma")
      split = splitPair(entries, "version", "versionMajor", "versionMinor");
    if (constructor.attribute == "tensor_memory_encoding")
      split = splitPair(entries, "block", "blockM", "blockN");
    if (!split)
      return std::unexpected(std::move(split.error()));
    std::vector<std::pair<int64_t, int64_t>> intervals;
    if (std::optional<TritonEntry> pairs = take(entries, "intervals")) {
      Result<std::vector<LinearLayout::Basis>> read = basesOf(pairs->value, "interval_padding_pairs");
      if (!read)
        return std::unexpected(std::move(read.error()));
      for (const LinearLayout::Basis &pair : *read) {
        if (pair.size() != 2)
          return error("triton-value", pairs->value.span, "each of `interval_padding_pairs` is [interval, padding]");
        intervals.emplace_back(pair[0], pair[1]);
      }
    }
    std::optional<TritonEntry> shape = take(entries, "shape");
    if (constructor.attribute == "shared_linear" &&
        std::ranges::find(entries, "alignment", &TritonEntry::key) == entries.end()) {
      TritonEntry alignment;
      alignment.key = "alignment";
      alignment.keySpan = span;
      alignment.value = integerValue(span, 16);
      entries.push_back(std::move(alignment));
    }
    std::string_view attribute = constructor.attribute;
    TritonFields fields(reader_, constructor.name, span, entries);
    Result<TritonEncoding> encoding = buildTriton(*findTritonAttribute(attribute), attribute, fields, intervals);
    if (!encoding && attribute == "linear") { // Gluon has one class for both
      TritonFields again(reader_, constructor.name, span, entries);
      Result<TritonEncoding> generic =
          buildTriton(*findTritonAttribute("generic_linear"), "generic_linear", again, intervals);
      if (generic)
        encoding = std::move(generic);
    }
    if (!encoding || !shape)
      return encoding;
    Result<Shape> sizes = integersOf(shape->value, "shape");
    if (!sizes)
      return std::unexpected(std::move(sizes.error()));
    std::optional<Shape> own = TritonLayout(*encoding).shape();
    if (own && *own != *sizes)
      return error("triton-value", shape->value.span,
                   Message("the bases reach shape {shape}, not {other_shape}", tupleText(*own), tupleText(*sizes)));
    return encoding;
  }

  Scanner &in;
  TritonReader reader_;
  int depth_ = 0;
};

} // namespace

bool looksLikeGluon(std::string_view text) {
  size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos)
    return false;
  text.remove_prefix(begin);
  size_t open = text.find('(');
  if (open == std::string_view::npos)
    return false;
  std::string_view callee = text.substr(0, open);
  while (!callee.empty() && (callee.back() == ' ' || callee.back() == '\t'))
    callee.remove_suffix(1);
  size_t dot = callee.rfind('.');
  return findConstructor(dot == std::string_view::npos ? callee : callee.substr(dot + 1)) != nullptr;
}

Result<Layout> parseGluon(Scanner &in, Diagnostics *remarks) {
  Result<TritonEncoding> encoding = GluonReader(in, remarks).layout();
  if (!encoding)
    return std::unexpected(std::move(encoding.error()));
  return TritonLayout::make(*std::move(encoding));
}

} // namespace lanescope::layouts
