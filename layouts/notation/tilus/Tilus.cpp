#include "layouts/notation/tilus/Tilus.h"

#include "layouts/notation/text/PythonCall.h"
#include "layouts/tilus/TilusLayout.h"

#include <array>
#include <memory>

namespace lanescope::layouts {

namespace {

using tilus::Registers;

constexpr std::array<std::string_view, 20> kFunctions = {
    "spatial",         "local",         "column_spatial", "column_local", "replicated",
    "product",         "compose",       "divide",         "reduce",       "permute",
    "reshape",         "squeeze",       "unsqueeze",      "flatten",      "auto_local_spatial",
    "register_layout", "shared_layout", "RegisterLayout", "SharedLayout", "TMemoryLayout"};

bool isFunction(std::string_view name) { return std::ranges::find(kFunctions, name) != kFunctions.end(); }

Result<int64_t> integer(Scanner &in) { return in.integer("an integer"); }

/// One argument of an expression function: a layout, an integer, a list of integers, or a truth value.
struct Argument {
  std::string_view keyword; // empty for a positional argument
  uint32_t begin = 0;
  std::optional<tilus::RegisterLayout> layout;
  std::optional<int64_t> number;
  std::optional<Shape> list;
  std::optional<bool> truth;
};

class Expressions {
public:
  explicit Expressions(Scanner &in) : in_(in) {}

  Registers expression() {
    if (++depth_ > kMaxDepth)
      return in_.expected("an expression that nests less deeply");
    Registers left = chain();
    while (left) {
      in_.peek();
      uint32_t begin = in_.offset();
      bool times = in_.eat('*');
      if (!times && !in_.eat('/'))
        break;
      Registers right = chain();
      if (!right)
        return right;
      left = located(in_, begin, times ? tilus::compose(*left, *right) : tilus::divide(*left, *right));
    }
    --depth_;
    return left;
  }

private:
  static constexpr int kMaxDepth = 64;

  Registers chain() {
    Registers out = primary();
    while (out && in_.eat('.')) {
      in_.peek();
      uint32_t begin = in_.offset();
      std::string_view name = in_.identifier();
      if (name == "reduce_to") {
        Result<std::vector<Argument>> arguments = readAll(name);
        if (!arguments)
          return std::unexpected(std::move(arguments.error()));
        Result<Shape> shape = integers(*arguments, 0, begin, name, "shape");
        if (!shape)
          return std::unexpected(std::move(shape.error()));
        out = located(in_, begin, tilus::reduceTo(*out, *shape));
        continue;
      }
      if (name != "spatial" && name != "local" && name != "column_spatial" && name != "column_local") {
        in_.rewind(begin);
        return in_.expected("`spatial`, `local`, `column_spatial`, `column_local` or `reduce_to`");
      }
      Registers next = call(name, begin);
      if (!next)
        return next;
      out = located(in_, begin, tilus::compose(*out, *next));
    }
    return out;
  }

  Registers primary() {
    if (in_.eat('(')) {
      Registers out = expression();
      if (out)
        if (Result<void> closed = in_.expect(')', "the expression"); !closed)
          return std::unexpected(std::move(closed.error()));
      return out;
    }
    in_.peek();
    uint32_t begin = in_.offset();
    std::string_view name = in_.identifier();
    // Module prefixes: `tilus.ir.layout.spatial(…)`.
    while (!name.empty() && !isFunction(name) && in_.peek() == '.') {
      in_.eat('.');
      in_.peek();
      begin = in_.offset();
      name = in_.identifier();
    }
    if (name.empty())
      return in_.expected("a layout function such as `spatial` or `local`");
    if (!isFunction(name) || name == "SharedLayout" || name == "shared_layout" || name == "TMemoryLayout")
      return in_.fail(begin, Message("`{name}` is not one of Tilus's register layout functions: spatial, local, "
                                     "column_spatial, column_local, replicated, compose, divide, reduce, …",
                                     name));
    return call(name, begin);
  }

  Result<Argument> argument() {
    Argument out;
    in_.peek();
    out.begin = in_.offset();
    std::string_view word = in_.identifier();
    if (!word.empty() && in_.eat('=')) {
      out.keyword = word;
      in_.peek();
      out.begin = in_.offset();
      word = in_.identifier();
    }
    if (word == "True" || word == "False") {
      out.truth = word == "True";
      return out;
    }
    in_.rewind(out.begin);
    char c = in_.peek();
    if (c == '[') {
      Result<Shape> list = readIntegers(in_, "a list of integers");
      if (!list)
        return std::unexpected(std::move(list.error()));
      out.list = *std::move(list);
    } else if (c == '-' || (c >= '0' && c <= '9')) {
      Result<int64_t> number = integer(in_);
      if (!number)
        return std::unexpected(std::move(number.error()));
      out.number = *number;
    } else {
      Registers layout = expression();
      if (!layout)
        return std::unexpected(std::move(layout.error()));
      out.layout = *std::move(layout);
    }
    return out;
  }

  Result<std::vector<Argument>> readAll(std::string_view name) {
    std::vector<Argument> out;
    Result<void> read = readList(in_, '(', ')', text("the arguments of `", name, '`'), [&]() -> Result<void> {
      Result<Argument> next = argument();
      if (!next)
        return std::unexpected(std::move(next.error()));
      if (next->keyword.empty() && !out.empty() && !out.back().keyword.empty())
        return in_.fail(next->begin, "a positional argument follows keyword arguments");
      out.push_back(*std::move(next));
      return {};
    });
    if (!read)
      return std::unexpected(std::move(read.error()));
    return out;
  }

  /// The positional argument `index`, or the one named `keyword`; null if there is none.
  static const Argument *find(const std::vector<Argument> &arguments, size_t index, std::string_view keyword) {
    for (const Argument &argument : arguments)
      if (!keyword.empty() && argument.keyword == keyword)
        return &argument;
    return index < arguments.size() && arguments[index].keyword.empty() ? &arguments[index] : nullptr;
  }
  std::unexpected<Diagnostics> lacks(uint32_t begin, std::string_view name, std::string_view what) {
    return in_.fail(begin, Message("`{name}` needs {}", name, what));
  }
  /// Returns a list argument; also accepts a run of integers from `index` on (`reduce_to(3, 4)`).
  Result<Shape> integers(const std::vector<Argument> &arguments, size_t index, uint32_t begin, std::string_view name,
                         std::string_view keyword) {
    const Argument *argument = find(arguments, index, keyword);
    if (argument && argument->list)
      return *argument->list;
    if (argument && argument->number)
      return trailing(arguments, index, name);
    return lacks(begin, name, text("`", keyword, "`, a list of integers"));
  }
  /// Returns all positional arguments from `index` on as integers.
  Result<Shape> trailing(const std::vector<Argument> &arguments, size_t index, std::string_view name) {
    Shape out;
    for (size_t i = index; i < arguments.size() && arguments[i].keyword.empty(); ++i) {
      if (!arguments[i].number)
        return in_.fail(arguments[i].begin, Message("the sizes of `{name}` are integers", name));
      out.push_back(*arguments[i].number);
    }
    return out;
  }
  Result<void> onlyKeywords(const std::vector<Argument> &arguments, std::string_view name,
                            std::initializer_list<std::string_view> known) {
    for (const Argument &argument : arguments)
      if (!argument.keyword.empty() && std::ranges::find(known, argument.keyword) == known.end())
        return in_.fail(argument.begin, Message("`{name}` has no argument `{argument}`", name, argument.keyword));
    return {};
  }

  Registers call(std::string_view name, uint32_t begin) {
    if (name == "RegisterLayout" || name == "register_layout")
      return registerLayout(name, begin);
    Result<std::vector<Argument>> arguments = readAll(name);
    if (!arguments)
      return std::unexpected(std::move(arguments.error()));
    Registers out = evaluate(name, begin, *arguments);
    return located(in_, begin, std::move(out));
  }

  Registers evaluate(std::string_view name, uint32_t begin, const std::vector<Argument> &arguments) {
    if (name == "spatial" || name == "local" || name == "column_spatial" || name == "column_local" ||
        name == "replicated")
      return basic(name, begin, arguments);
    if (name == "auto_local_spatial") {
      const Argument *threads = find(arguments, 0, "num_threads");
      if (!threads || !threads->number)
        return lacks(begin, name, "a number of threads");
      Result<Shape> shape = integers(arguments, 1, begin, name, "shape");
      if (!shape)
        return std::unexpected(std::move(shape.error()));
      return tilus::autoLocalSpatial(*threads->number, *shape);
    }
    const Argument *first = find(arguments, 0, name == "compose" || name == "product" ? "outer" : "layout");
    if (!first || !first->layout)
      return lacks(begin, name, "a layout");
    if (name == "product" || name == "compose" || name == "divide") {
      Registers out = *first->layout;
      if (arguments.size() < 2)
        return lacks(begin, name, "two layouts");
      for (size_t i = 1; out && i < arguments.size(); ++i) {
        if (!arguments[i].layout)
          return in_.fail(arguments[i].begin, Message("the arguments of `{name}` are layouts", name));
        out = name == "divide" ? tilus::divide(*out, *arguments[i].layout) : tilus::compose(*out, *arguments[i].layout);
      }
      return out;
    }
    if (name == "flatten") {
      const Argument *start = find(arguments, 1, "start_dim"), *end = find(arguments, 2, "end_dim");
      return tilus::flatten(*first->layout, start && start->number ? *start->number : 0,
                            end && end->number ? *end->number : -1);
    }
    bool toShape = name == "reshape";
    Result<Shape> list = integers(arguments, 1, begin, name, toShape ? "shape" : "dims");
    if (!list)
      return std::unexpected(std::move(list.error()));
    if (toShape)
      return tilus::reshape(*first->layout, *list);
    if (name == "permute")
      return tilus::permute(*first->layout, *list);
    if (name == "squeeze")
      return tilus::squeeze(*first->layout, *list);
    if (name == "unsqueeze")
      return tilus::unsqueeze(*first->layout, *list);
    if (Result<void> known = onlyKeywords(arguments, name, {"layout", "dims", "keepdims"}); !known)
      return std::unexpected(std::move(known.error()));
    const Argument *keep = find(arguments, 2, "keepdims");
    return tilus::reduce(*first->layout, *list, keep && keep->truth.value_or(false));
  }

  Registers basic(std::string_view name, uint32_t begin, const std::vector<Argument> &arguments) {
    Result<Shape> shape = trailing(arguments, 0, name);
    if (!shape)
      return std::unexpected(std::move(shape.error()));
    for (const Argument &argument : arguments)
      if (argument.number && argument.keyword.empty() && *argument.number < 1)
        return in_.fail(argument.begin, Message("sizes are positive, not {}", *argument.number));
    if (name == "replicated") {
      const Argument *workers = find(arguments, arguments.size(), "num_workers");
      if (!workers || !workers->number)
        return lacks(begin, name, "`num_workers=n`");
      return tilus::replicated(*shape, *workers->number);
    }
    bool ranked = name == "spatial" || name == "local";
    if (Result<void> known = ranked ? onlyKeywords(arguments, name, {"ranks"}) : onlyKeywords(arguments, name, {});
        !known)
      return std::unexpected(std::move(known.error()));
    Shape ranks;
    if (const Argument *given = find(arguments, arguments.size(), "ranks")) {
      if (!given->list)
        return in_.fail(given->begin, "`ranks` is a list of integers");
      ranks = *given->list;
    }
    if (name == "spatial")
      return tilus::spatial(*shape, ranks);
    if (name == "local")
      return tilus::local(*shape, ranks);
    return name == "column_spatial" ? tilus::columnSpatial(*shape) : tilus::columnLocal(*shape);
  }

  Registers registerLayout(std::string_view name, uint32_t begin) {
    static const std::vector<std::string_view> names = {"shape", "mode_shape", "spatial_modes", "local_modes"};
    Shape fields[4];
    std::vector<bool> given;
    Result<void> read = readArguments(
        in_, name, names, given, [&](size_t i) { return store(readIntegers(in_, "a list of integers"), fields[i]); });
    if (!read)
      return std::unexpected(std::move(read.error()));
    if (Result<void> all = checkGiven(in_, begin, name, names, given, names.size()); !all)
      return std::unexpected(std::move(all.error()));
    return located(in_, begin, tilus::RegisterLayout::make(fields[0], fields[1], fields[2], fields[3]));
  }

  Scanner &in_;
  int depth_ = 0;
};

/// Reads `Swizzle(base=B, bits=N, shift=S)` or `None`.
Result<std::optional<AffineSwizzle>> swizzle(Scanner &in) {
  in.peek();
  uint32_t begin = in.offset();
  std::string_view name = in.identifier();
  if (name == "None")
    return std::nullopt;
  if (name != "Swizzle") {
    in.rewind(begin);
    return in.expected("`Swizzle(base=…, bits=…, shift=…)` or `None`");
  }
  static const std::vector<std::string_view> names = {"base", "bits", "shift"};
  int64_t fields[3] = {};
  std::vector<bool> given;
  Result<void> read =
      readArguments(in, "Swizzle", names, given, [&](size_t i) { return store(integer(in), fields[i]); });
  if (!read)
    return std::unexpected(std::move(read.error()));
  if (Result<void> all = checkGiven(in, begin, "Swizzle", names, given, 3); !all)
    return std::unexpected(std::move(all.error()));
  AffineSwizzle out{.bits = fields[1], .base = fields[0], .shift = fields[2]};
  if (Result<void> fits = located(in, begin, checkAffineSwizzle(out)); !fits)
    return std::unexpected(std::move(fits.error()));
  return out;
}

Result<Layout> sharedLayout(Scanner &in, uint32_t begin, std::string_view callee) {
  static const std::vector<std::string_view> names = {"shape", "mode_shape", "mode_strides", "swizzle",
                                                      "optional_swizzle"};
  Shape fields[3];
  std::optional<AffineSwizzle> applied;
  std::vector<bool> given;
  Result<void> read = readArguments(in, callee, names, given, [&](size_t i) -> Result<void> {
    return i < 3 ? store(readIntegers(in, "a list of integers"), fields[i]) : store(swizzle(in), applied);
  });
  if (!read)
    return std::unexpected(std::move(read.error()));
  if (Result<void> all = checkGiven(in, begin, callee, names, given, 3); !all)
    return std::unexpected(std::move(all.error()));
  Result<tilus::SharedLayout> layout =
      located(in, begin, tilus::SharedLayout::make(fields[0], fields[1], fields[2], applied));
  if (!layout)
    return std::unexpected(std::move(layout.error()));
  return Layout(Foreign(std::make_shared<tilus::SharedLayout>(*std::move(layout))));
}

Result<Layout> tmemLayout(Scanner &in, uint32_t begin) {
  static const std::vector<std::string_view> names = {"shape", "lane_offset", "column_strides"};
  Shape shape, strides;
  int64_t offset = 0;
  std::vector<bool> given;
  Result<void> read = readArguments(in, "TMemoryLayout", names, given, [&](size_t i) -> Result<void> {
    if (i == 1)
      return store(integer(in), offset);
    return store(readIntegers(in, "a list of integers"), i == 0 ? shape : strides);
  });
  if (!read)
    return std::unexpected(std::move(read.error()));
  if (Result<void> all = checkGiven(in, begin, "TMemoryLayout", names, given, 3); !all)
    return std::unexpected(std::move(all.error()));
  Result<tilus::TmemLayout> layout = located(in, begin, tilus::TmemLayout::make(shape, offset, strides));
  if (!layout)
    return std::unexpected(std::move(layout.error()));
  return Layout(Foreign(std::make_shared<tilus::TmemLayout>(*std::move(layout))));
}

/// Skips module prefixes and reads the function's name. Only lower-case words are prefixes, because `WGMMA.reduce` is
/// JAX's notation.
std::string_view functionName(Scanner &in) {
  std::string_view name = in.identifier();
  while (!name.empty() && !isFunction(name) &&
         std::ranges::none_of(name, [](char c) { return c >= 'A' && c <= 'Z'; }) && in.eat('.'))
    name = in.identifier();
  return name;
}

} // namespace

bool looksLikeTilus(std::string_view text) {
  Scanner in(Source::make("", std::string(text.substr(0, 256))));
  while (in.eat('('))
    ;
  return isFunction(functionName(in)) && in.peek() == '(';
}

Result<Layout> parseTilus(Scanner &in, Diagnostics *) {
  in.peek();
  uint32_t begin = in.offset();
  std::string_view name = functionName(in);
  if (name == "SharedLayout" || name == "shared_layout")
    return sharedLayout(in, begin, name);
  if (name == "TMemoryLayout")
    return tmemLayout(in, begin);
  in.rewind(begin);
  Registers layout = Expressions(in).expression();
  if (!layout)
    return std::unexpected(std::move(layout.error()));
  return Layout(Foreign(std::make_shared<tilus::RegisterLayout>(*std::move(layout))));
}

} // namespace lanescope::layouts
