#include "viz/host/FieldText.h"

#include "layouts/support/Text.h"
#include "layouts/support/Words.h"

namespace lanescope::viz {

namespace {
bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

} // namespace

Result<layouts::Shape> parseShapeField(std::string_view field, std::string_view input) {
  SourceRef source = Source::make(std::string(field), std::string(input));
  const std::string &all = source->text();
  auto fail = [&](size_t begin, size_t end, Message message) {
    return error("bad-shape", Span{source, uint32_t(begin), uint32_t(end)}, std::move(message));
  };
  layouts::Shape shape;
  size_t i = 0;
  auto skipBlanks = [&] {
    while (i < all.size() && isBlank(all[i]))
      ++i;
  };
  skipBlanks();
  bool bracket = i < all.size() && (all[i] == '(' || all[i] == '[');
  char closing = bracket ? (all[i] == '(' ? ')' : ']') : '\0';
  i += bracket;
  while (true) {
    skipBlanks();
    if (i == all.size() || (bracket && all[i] == closing))
      break;
    size_t begin = i;
    while (i < all.size() && all[i] >= '0' && all[i] <= '9')
      ++i;
    if (i == begin)
      return fail(i, i + 1, Message("expected a size, as in `64x64`, but found `{}`", all.substr(i, 1)));
    auto size = parseInteger<int64_t>(std::string_view(all).substr(begin, i - begin));
    if (!size || *size < 1)
      return fail(begin, i, Message("`{}` is not a size: sizes are 1 or more", all.substr(begin, i - begin)));
    shape.push_back(*size);
    skipBlanks();
    if (i < all.size() && (all[i] == 'x' || all[i] == 'X' || all[i] == ',' || all[i] == '*'))
      ++i;
    else if (i < all.size() && !(bracket && all[i] == closing))
      return fail(i, i + 1, Message("expected `x` or `,` between sizes, but found `{}`", all.substr(i, 1)));
  }
  if (bracket) {
    if (i == all.size())
      return fail(i, i, Message("expected a closing `{}`", closing));
    ++i;
    skipBlanks();
    if (i != all.size())
      return fail(i, all.size(), Message("unexpected text after the {}", field));
  }
  if (shape.empty())
    return fail(0, all.size(), Message("expected a {} such as `64x64`", field));
  return shape;
}

Result<layouts::Shape> parseTilingField(std::string_view field, std::string_view input) {
  std::string_view bare = trimmed(input);
  if (bare.empty() || bare == "none" || bare == "None" || bare == "()")
    return layouts::Shape();
  return parseShapeField(field, input);
}

std::string shapeFieldText(const layouts::Shape &shape) { return joined(shape, "x"); }

Result<layouts::Dtype> parseDtypeField(std::string_view input) {
  std::string_view bare = trimmed(input);
  if (auto dtype = layouts::dtypeNamed(bare))
    return *dtype;
  std::string known;
  for (layouts::Dtype dtype : layouts::allDtypes())
    known += text(known.empty() ? "" : ", ", layouts::name(dtype));
  SourceRef source = Source::make("dtype", std::string(input));
  return error("unknown-dtype", Span{source, 0, uint32_t(input.size())},
               Message("`{}` is not an element type; there are {}", bare, known));
}

Result<int> parseSwizzleField(std::string_view input) {
  std::string_view bare = trimmed(input);
  if (bare.empty() || bare == "none" || bare == "None" || bare == "0" || bare == "16")
    return 0;
  if (bare == "32" || bare == "64" || bare == "128")
    return *parseInteger<int>(bare);
  SourceRef source = Source::make("swizzle", std::string(input));
  return error("swizzle", Span{source, 0, uint32_t(input.size())},
               Message("`{}` is not a swizzle; there are none, 32, 64 and 128 (bytes)", bare));
}

} // namespace lanescope::viz
