#include "layouts/notation/triton/Triton.h"

#include "layouts/notation/triton/TritonAttributes.h"
#include "layouts/support/Text.h"

namespace lanescope::layouts {

namespace {

constexpr int kMaxNesting = 16;
constexpr int kMaxResolved = 64; // aliases followed within one layout

/// Reads `128x64x`: the sizes up to the element type.
Result<Shape> dimensions(Scanner &in, bool toElement) {
  Shape shape;
  while (true) {
    char next = in.peek();
    if (next < '0' || next > '9') {
      if (toElement && !shape.empty())
        return shape;
      return in.expected(shape.empty() ? "a shape such as 128x64xf16" : "a size");
    }
    Result<int64_t> size = in.integer("a size");
    if (!size)
      return failure(size);
    if (shape.size() >= 16)
      return in.expected("at most 16 dimensions");
    shape.push_back(*size);
    if (!in.eat('x')) {
      if (!toElement)
        return shape;
      return in.expected("`x` and the next size or the element type");
    }
  }
}

Result<std::string> elementType(Scanner &in) {
  in.peek();
  uint32_t begin = in.offset();
  std::string name;
  if (in.eat("!tt.ptr<")) {
    std::string_view inner = in.identifier();
    name = text("!tt.ptr<", inner, '>');
    if (inner.empty())
      return in.expected("an element type");
    if (in.eat(',')) {
      Result<int64_t> space = in.integer("an address space");
      if (!space)
        return failure(space);
    }
    if (Result<void> closed = in.expect('>', "`!tt.ptr`"); !closed)
      return failure(closed);
  } else {
    name = in.identifier();
  }
  if (elementBits(name) == 0) {
    in.rewind(begin);
    return in.expected("an element type such as f16");
  }
  return name;
}

bool startsWithAny(std::string_view text, std::initializer_list<std::string_view> prefixes) {
  for (std::string_view prefix : prefixes)
    if (text.starts_with(prefix))
      return true;
  return false;
}

/// The layout of a type. Memory may have one more dimension than its layout: the buffers of a pipeline. The text of
/// both starts at `begin`.
Result<Layout> layoutOfType(Scanner &in, uint32_t begin, TritonEncoding encoding, TritonType type) {
  size_t rank = type.shape.size();
  if (rank != encoding.rank() && !(type.memdesc && rank == encoding.rank() + 1))
    return in.fail(begin, Message("the type has rank {rank} and its layout rank {other_rank}", rank, encoding.rank()));
  return TritonLayout::make(std::move(encoding), std::move(type));
}

/// triton-tensor-layout's options: a layout and a type, each in quotes.
Result<Layout> commandLine(TritonReader &reader) {
  Scanner &in = reader.in;
  in.peek();
  uint32_t begin = in.offset();
  std::optional<TritonEncoding> encoding;
  std::optional<TritonType> type;
  while (!in.atEnd()) {
    if (in.eat("-use-hw-view") || in.eat("--use-hw-view"))
      continue;
    bool isLayout = in.eat("-l");
    if (!isLayout && !in.eat("-t"))
      return in.expected("`-l \"layout\"` or `-t \"tensor<…>\"`");
    in.eat('=');
    char quote = in.peek();
    if (quote != '"' && quote != '\'')
      return in.expected("a quote");
    in.eat(quote);
    if (isLayout) {
      Result<TritonEncoding> read = reader.encoding();
      if (!read)
        return failure(read);
      encoding = *std::move(read);
    } else {
      if (!in.eat("tensor<"))
        return in.expected("`tensor<`");
      Result<Shape> shape = dimensions(in, true);
      if (!shape)
        return failure(shape);
      Result<std::string> element = elementType(in);
      if (!element)
        return failure(element);
      if (Result<void> closed = in.expect('>', "`tensor<…>`"); !closed)
        return failure(closed);
      int bits = elementBits(*element);
      type = TritonType{*std::move(shape), *std::move(element), bits};
    }
    if (Result<void> closed = in.expect(quote, "the option"); !closed)
      return failure(closed);
  }
  if (!encoding)
    return in.expected("`-l \"layout\"`");
  if (!type)
    return TritonLayout::make(*std::move(encoding), std::nullopt);
  type->memdesc = !encoding->isDistributed();
  return layoutOfType(in, begin, *std::move(encoding), *std::move(type));
}

} // namespace

Result<std::string> TritonReader::aliasName() {
  if (!in.eat('#'))
    return in.expected("`#`");
  std::string name(in.identifier());
  if (name.empty())
    return in.expected("a name after `#`");
  return name;
}

Result<TritonEncoding> TritonReader::encoding() {
  in.peek();
  uint32_t begin = in.offset();
  if (depth_ == 0)
    resolved_ = 0;
  if (++depth_ > kMaxNesting) {
    --depth_;
    return in.expected("fewer layouts inside layouts");
  }
  Result<TritonEncoding> result = [&]() -> Result<TritonEncoding> {
    for (std::string_view dialect : {"#ttg.", "#ttng.", "#triton_gpu.", "#triton_nvidia_gpu."})
      if (in.eat(dialect)) {
        if (dialect.starts_with("#triton_"))
          remark(in.spanFrom(begin),
                 text("`", dialect, "` is the older name of `", dialect == "#triton_gpu." ? "#ttg." : "#ttng.", '`'));
        return attribute(begin);
      }
    if (in.peek() != '#')
      return in.expected("a layout attribute such as `#ttg.blocked<{…}>`");
    Result<std::string> name = aliasName();
    if (!name)
      return failure(name);
    auto known = aliases_.find(*name);
    if (known == aliases_.end())
      return in.fail(
          begin, Message("`#{}` is not defined here; paste its line `#{} = #ttg.…` too, or write the whole attribute",
                         *name, *name));
    uint32_t end = in.offset();
    if (++resolved_ > kMaxResolved)
      return in.fail(begin, Message("the layout names aliases more than {limit} times", kMaxResolved));
    in.rewind(known->second);
    Result<TritonEncoding> read = encoding();
    in.rewind(end);
    return read;
  }();
  --depth_;
  return result;
}

Result<TritonEncoding> TritonReader::attribute(uint32_t begin) {
  uint32_t nameBegin = in.offset();
  std::string_view name = in.identifier();
  const TritonAttribute *kind = findTritonAttribute(name);
  if (!kind)
    return in.fail(nameBegin,
                   Message("`{name}` is no layout of Triton's; these are: {}", name, tritonAttributeNames()));
  if (Result<void> opened = in.expect('<', name); !opened)
    return failure(opened);
  std::vector<TritonEntry> entries;
  std::vector<std::pair<int64_t, int64_t>> intervals;
  if (kind->form == TritonForm::IntervalsThenDictionary) {
    Result<void> read = readList(in, '[', ']', "the paddings", [&]() -> Result<void> {
      Result<int64_t> interval = in.integer("an interval, as in `[32:+8]`");
      if (!interval)
        return failure(interval);
      if (!in.eat(':') || in.peek() != '+')
        return in.expected("`:+padding`, as in `[32:+8]`");
      in.eat('+');
      Result<int64_t> padding = in.integer("a padding");
      if (!padding)
        return failure(padding);
      intervals.emplace_back(*interval, *padding);
      return {};
    });
    if (!read)
      return failure(read);
  }
  if (kind->form == TritonForm::Parameters) {
    while (in.peek() != '>') {
      Result<TritonEntry> parameter = entry();
      if (!parameter)
        return failure(parameter);
      for (const TritonEntry &known : entries)
        if (known.key == parameter->key)
          return error("triton-value", parameter->keySpan, Message("`{key}` is given twice", parameter->key));
      entries.push_back(*std::move(parameter));
      if (!in.eat(','))
        break;
    }
  } else {
    if (in.peek() != '{')
      return in.expected(text("`{` and the keys of `", kind->name, '`'));
    Result<TritonValue> keys = dictionary();
    if (!keys)
      return failure(keys);
    entries = std::move(keys->entries);
  }
  if (kind->form == TritonForm::LinearThenAlignment) {
    for (const TritonEntry &known : entries)
      if (known.key == "alignment")
        return error("triton-value", known.keySpan,
                     "`alignment` stands after the braces: `<{offset = …}, alignment = n>`");
    if (Result<void> comma = in.expect(',', "`shared_linear<{…}, alignment = n>`"); !comma)
      return failure(comma);
    Result<TritonEntry> alignment = entry();
    if (!alignment)
      return failure(alignment);
    if (alignment->key != "alignment")
      return error("triton-value", alignment->keySpan, "expected `alignment = n`");
    entries.push_back(*std::move(alignment));
  }
  if (Result<void> closed = in.expect('>', name); !closed)
    return failure(closed);
  TritonFields fields(*this, kind->name, in.spanFrom(begin), std::move(entries));
  return buildTriton(*kind, name, fields, std::move(intervals));
}

Result<std::string> TritonReader::memorySpace() {
  uint32_t begin = in.offset();
  for (std::string_view dialect : {"#ttg.", "#ttng.", "#triton_gpu.", "#triton_nvidia_gpu."})
    if (in.eat(dialect)) {
      std::string_view name = in.identifier();
      if (name == "shared_memory" || name == "tensor_memory" || name == "shared_cluster_memory")
        return std::string(name);
      in.rewind(begin);
      return in.expected("a memory space such as `#ttg.shared_memory`");
    }
  Result<std::string> alias = aliasName(); // the encoding already determines the memory
  if (!alias)
    return failure(alias);
  return std::string();
}

Result<Layout> TritonReader::type() {
  in.peek();
  uint32_t begin = in.offset();
  TritonType type;
  type.memdesc = in.eat("!ttg.memdesc<") || in.eat("!tt.memdesc<") || in.eat("!triton_gpu.memdesc<");
  if (!type.memdesc && !in.eat("tensor<"))
    return in.expected("`tensor<…>` or `!ttg.memdesc<…>`");
  std::string_view what = type.memdesc ? "`!ttg.memdesc<…>`" : "`tensor<…>`";
  Result<Shape> shape = dimensions(in, true);
  if (!shape)
    return failure(shape);
  type.shape = *std::move(shape);
  Result<std::string> element = elementType(in);
  if (!element)
    return failure(element);
  type.element = *std::move(element);
  type.bitwidth = lanescope::layouts::elementBits(type.element);
  if (Result<void> comma = in.expect(',', text(what, ", before its layout")); !comma)
    return failure(comma);
  elementBits = type.bitwidth;
  uint32_t encodingBegin = (in.peek(), in.offset());
  Result<TritonEncoding> encoding = this->encoding();
  elementBits = 0;
  if (!encoding)
    return failure(encoding);
  if (type.memdesc == encoding->isDistributed())
    return in.fail(encodingBegin, type.memdesc ? "a memory descriptor takes a layout of shared or tensor memory"
                                               : "a tensor takes a layout of registers");
  while (type.memdesc && in.eat(',')) {
    char next = in.peek();
    if (next == '#') {
      if (Result<std::string> space = memorySpace(); !space)
        return failure(space);
      type.space = encoding->isShared() ? "#ttg.shared_memory" : "#ttng.tensor_memory";
    } else if (next >= '0' && next <= '9') {
      Result<Shape> allocation = dimensions(in, false);
      if (!allocation)
        return failure(allocation);
      bool fits = allocation->size() >= type.shape.size();
      for (size_t d = 0; fits && d < type.shape.size(); ++d)
        fits = (*allocation)[allocation->size() - type.shape.size() + d] >= type.shape[d];
      if (!fits)
        return in.fail(begin, Message("the allocation of shape {shape} is smaller than shape {other_shape}",
                                      tupleText(*allocation), tupleText(type.shape)));
      type.allocation = *std::move(allocation);
    } else if (in.eat("mutable")) {
      type.isMutable = true;
    } else {
      return in.expected("a memory space, `mutable` or the shape of the allocation");
    }
  }
  if (Result<void> closed = in.expect('>', what); !closed)
    return failure(closed);
  return layoutOfType(in, begin, *std::move(encoding), std::move(type));
}

Result<bool> TritonReader::define(std::string name) {
  in.peek();
  uint32_t begin = in.offset();
  for (std::string_view dialect : {"#ttg.", "#ttng.", "#triton_gpu.", "#triton_nvidia_gpu."})
    if (in.eat(dialect)) {
      std::string_view kind = in.identifier();
      if (kind == "shared_memory" || kind == "tensor_memory" || kind == "shared_cluster_memory")
        return false;
    }
  in.rewind(begin);
  Result<TritonEncoding> read = encoding();
  if (!read)
    return failure(read);
  alias(std::move(name), begin);
  return true;
}

bool looksLikeTriton(std::string_view text) {
  size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos)
    return false;
  text.remove_prefix(begin);
  if (startsWithAny(text, {"tensor<", "!ttg.memdesc<", "!tt.memdesc<", "!triton_gpu.memdesc<", "-l \"", "-t \"", "-l '",
                           "-t '", "-use-hw-view", "triton-tensor-layout"}))
    return true;
  if (!text.starts_with('#') || text.starts_with("#mosaic_gpu"))
    return false;
  char next = text.size() > 1 ? text[1] : '\0';
  return (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z') || next == '_';
}

Result<Layout> parseTriton(Scanner &in, Diagnostics *remarks) {
  TritonReader reader(in, remarks);
  if (in.eat("triton-tensor-layout") || in.peek() == '-')
    return commandLine(reader);
  struct Definition {
    std::string name;
    Span span;
    uint32_t value; // start of the alias's attribute
  };
  std::vector<Definition> defined;
  while (true) {
    if (in.peek() != '#')
      return reader.type();
    uint32_t begin = in.offset();
    Result<std::string> name = reader.aliasName();
    if (!name)
      return failure(name);
    if (!in.eat('=')) {
      in.rewind(begin);
      Result<TritonEncoding> encoding = reader.encoding();
      if (!encoding)
        return failure(encoding);
      return TritonLayout::make(*std::move(encoding));
    }
    uint32_t value = (in.peek(), in.offset());
    Result<bool> isLayout = reader.define(*name);
    if (!isLayout)
      return failure(isLayout);
    if (*isLayout)
      defined.push_back({*std::move(name), in.spanFrom(begin), value});
    if (!in.atEnd())
      continue;
    if (defined.empty())
      return in.expected("a layout");
    // The text only defines aliases: the last one is taken.
    if (defined.size() > 1)
      reader.remark(defined.back().span, text("`#", defined.back().name, "` is taken, the last of ", defined.size(),
                                              " definitions; write the name of another one below them"));
    uint32_t end = in.offset();
    in.rewind(defined.back().value);
    Result<TritonEncoding> encoding = reader.encoding();
    in.rewind(end);
    if (!encoding)
      return failure(encoding);
    return TritonLayout::make(*std::move(encoding));
  }
}

} // namespace lanescope::layouts
