#include "repl/lang/layouts/LayoutArguments.h"

#include "layouts/DefaultArray.h"
#include "layouts/notation/mosaic/MosaicShared.h"
#include "layouts/notation/Notation.h"
#include "layouts/support/Text.h"
#include "repl/lang/values/LayoutObjects.h"
#include "layouts/support/Try.h"

#include <algorithm>
#include <memory>

namespace lanescope::repl {

using layouts::Layout;
using layouts::Memory;
using layouts::Shape;

namespace {

/// Where each character of a string literal's value is written, one more for its end; nothing for what is no literal,
/// or has an escape that is not followed here. `whole`: the literal is all of the span, not only its beginning.
std::optional<std::vector<uint32_t>> placesInLiteral(const Span &argument, const std::string &written, bool whole) {
  std::string_view all = std::string_view(argument.source->text()).substr(0, argument.end);
  std::vector<uint32_t> places;
  uint32_t at = argument.begin;
  auto opens = [&] {
    size_t quote = at < all.size() && (all[at] == 'r' || all[at] == 'R') ? at + 1 : at;
    return quote < all.size() && (all[quote] == '"' || all[quote] == '\'');
  };
  auto blank = [&] {
    return at < all.size() && (all[at] == ' ' || all[at] == '\t' || all[at] == '\n' || all[at] == '\\');
  };
  while (at < all.size()) { // literals side by side are one
    bool raw = all[at] == 'r' || all[at] == 'R';
    at += raw;
    if (at >= all.size() || (all[at] != '"' && all[at] != '\''))
      return std::nullopt;
    std::string quote(1, all[at]);
    if (all.substr(at).starts_with(quote + quote + quote))
      quote += quote + quote;
    at += static_cast<uint32_t>(quote.size());
    while (at < all.size() && !all.substr(at).starts_with(quote)) {
      uint32_t begin = at++;
      if (all[begin] == '\\' && !raw) {
        char escaped = at < all.size() ? all[at++] : '\0';
        if (escaped == '\n') // the line goes on
          continue;
        constexpr std::string_view kNamed = "ntr\\'\"", kValues = "\n\t\r\\'\"";
        size_t known = kNamed.find(escaped);
        if (known == std::string_view::npos || places.size() >= written.size() ||
            written[places.size()] != kValues[known])
          return std::nullopt;
      } else if (places.size() >= written.size() || written[places.size()] != all[begin]) {
        return std::nullopt;
      }
      places.push_back(begin);
    }
    if (at >= all.size())
      return std::nullopt;
    places.push_back(at); // the end, until another literal goes on
    at += static_cast<uint32_t>(quote.size());
    while (blank())
      ++at;
    if (at < all.size() && !whole && !opens())
      break;
    if (at < all.size())
      places.pop_back();
  }
  if (places.size() != written.size() + 1)
    return std::nullopt;
  return places;
}

/// The same of the argument itself, or of the first literal in it that says so (an item of a tuple, say).
std::optional<std::vector<uint32_t>> placesOf(const Span &argument, const std::string &written) {
  if (!argument.source)
    return std::nullopt;
  if (auto places = placesInLiteral(argument, written, true))
    return places;
  const std::string &all = argument.source->text();
  for (uint32_t at = argument.begin; at < argument.end && at < all.size(); ++at)
    if (all[at] == '"' || all[at] == '\'')
      if (auto places = placesInLiteral({argument.source, at, argument.end}, written, false))
        return places;
  return std::nullopt;
}

} // namespace

Diagnostics inSnippet(Diagnostics errors, const Span &argument, const std::string &written) {
  std::optional<std::vector<uint32_t>> places = placesOf(argument, written);
  auto moved = [&](const Span &span) {
    size_t last = written.size();
    return Span{argument.source, (*places)[std::min<size_t>(span.begin, last)],
                (*places)[std::min<size_t>(span.end, last)]};
  };
  for (Diagnostic &diagnostic : errors) {
    for (Note &note : diagnostic.notes)
      note.span = places && note.span.source ? moved(note.span) : argument;
    if (places && diagnostic.span.source) {
      diagnostic.span = moved(diagnostic.span);
      continue;
    }
    if (diagnostic.span.source)
      diagnostic.message += text(" (at character ", diagnostic.span.begin + 1, " of the text)");
    diagnostic.span = argument;
  }
  return errors;
}

Result<Layout> layoutArgument(const BoundArguments &args, size_t index) {
  const Value &value = args[index].value;
  if (const Layout *layout = value.asLayout())
    return *layout;
  if (const std::string *written = value.asStr()) {
    auto layout = layouts::parseLayout(Source::make("<layout>", *written));
    if (!layout)
      return std::unexpected(inSnippet(std::move(layout.error()), args[index].span, *written));
    return layout;
  }
  if (const auto *memory = value.as<SmemMapObject>())
    return Layout(layouts::Foreign(std::make_shared<layouts::MosaicShared>(
        memory->map.tiling(), memory->map.swizzle(), memory->map.transpose(), memory->map.shape(), memory->dtype)));
  return args.wrongType(index, "a layout such as `WGMMA`, a layout's text or a smem_map");
}

Result<std::optional<Memory>> memoryArgument(const BoundArguments &args, size_t index) {
  if (!args.has(index) || args[index].value.isNone())
    return std::nullopt;
  std::string name = LANESCOPE_TRY(args.text(index));
  if (name == "registers")
    return Memory::Registers;
  if (name == "shared" || name == "smem")
    return Memory::Shared;
  if (name == "tmem")
    return Memory::Tmem;
  return args.wrongValue(index, text("`", name, "` is not a memory; \"registers\", \"shared\" and \"tmem\" are"));
}

Result<LayoutArguments> layoutArguments(const BoundArguments &args, size_t layout, size_t shape, size_t dtype,
                                        std::optional<size_t> memory) {
  LayoutArguments out{LANESCOPE_TRY(layoutArgument(args, layout)), {}, layouts::Dtype::F32, std::nullopt};
  if (args.has(shape) && !args[shape].value.isNone())
    out.shape = LANESCOPE_TRY(args.shape(shape));
  else if (auto own = layouts::ownShape(out.layout))
    out.shape = *own;
  else
    return error("arguments", args[layout].span,
                 text("`", args.function, "` needs the shape of the array: the layout does not say one"));
  out.dtype = layouts::defaultDtype(out.layout);
  if (args.has(dtype) && !args[dtype].value.isNone())
    out.dtype = LANESCOPE_TRY(args.dtype(dtype));
  if (memory)
    out.memory = LANESCOPE_TRY(memoryArgument(args, *memory));
  return out;
}

Result<layouts::Placement> placementOf(const BoundArguments &args, size_t shapeIndex, const LayoutArguments &given) {
  std::vector<Memory> memories = {given.memory.value_or(layouts::memoryOf(given.layout))};
  if (const auto *foreign = std::get_if<layouts::Foreign>(&given.layout); foreign && !given.memory)
    memories = (*foreign)->memories();
  if (memories.empty())
    memories = {Memory::Registers};
  Diagnostics failure;
  for (Memory memory : memories) {
    auto placed = layouts::placement(given.layout, given.shape, layouts::bitwidth(given.dtype), memory);
    if (placed)
      return placed;
    if (failure.empty())
      failure = std::move(placed.error());
  }
  return at(args.has(shapeIndex) ? args[shapeIndex].span : args.call, std::move(failure));
}

Value coordinates(int64_t element, const Shape &shape) { return Value::shape(layouts::unravelIndex(element, shape)); }

Result<Shape> indexArgument(const BoundArguments &args, size_t index, const Shape &shape) {
  auto given = LANESCOPE_TRY(args.integers(index));
  if (given.size() != shape.size())
    return args.wrongValue(index, text("an index of ", given.size(), given.size() == 1 ? " part" : " parts",
                                       " into an array of rank ", shape.size()));
  for (size_t d = 0; d < shape.size(); ++d)
    if (given[d] < 0 || given[d] >= shape[d])
      return args.wrongValue(index, text(given[d], " is outside dimension ", d, " of size ", shape[d]));
  return given;
}

} // namespace lanescope::repl
