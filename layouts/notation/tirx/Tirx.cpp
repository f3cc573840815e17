#include "layouts/notation/tirx/Tirx.h"

#include "layouts/notation/text/PythonCall.h"
#include "layouts/tirx/TirxLayout.h"

#include <memory>

namespace lanescope::layouts {

namespace {

using tirx::Axis;
using tirx::Iter;
using tirx::SwizzleSpec;
using tirx::TileSpec;

struct Term {
  int64_t value = 1;
  Axis axis = Axis::M;
};

/// The parts of a pasted text: a tile, a swizzle, or both.
struct Parsed {
  std::optional<TileSpec> tile;
  std::optional<SwizzleSpec> swizzle;
};

class Reader {
public:
  explicit Reader(Scanner &in) : in_(in) {}

  Result<Parsed> layout() {
    if (++depth_ > kMaxDepth)
      return in_.expected("a layout that nests less deeply");
    uint32_t begin = position();
    std::string_view name = dottedName();
    Result<Parsed> out = in_.expected("a layout");
    if (name == "ComposeLayout")
      out = composed(begin);
    else if (name == "SwizzleLayout")
      out = swizzleOnly();
    else if (name == "TileLayout" && in_.peek() == '.')
      out = fromIters();
    else if (name == "TileLayout")
      out = wrapped();
    else {
      in_.rewind(begin);
      out = sum();
    }
    --depth_;
    return out;
  }

private:
  static constexpr int kMaxDepth = 16;

  uint32_t position() {
    in_.peek();
    return in_.offset();
  }
  /// Reads the last part of `a.b.S`; stops before `TileLayout.from_iters`.
  std::string_view dottedName() {
    std::string_view name = in_.identifier();
    while (!name.empty() && name != "TileLayout" && in_.eat('.'))
      name = in_.identifier();
    return name;
  }

  Result<Parsed> wrapped() {
    if (Result<void> opened = in_.expect('(', "`TileLayout`"); !opened)
      return std::unexpected(std::move(opened.error()));
    Result<Parsed> inside = layout();
    if (inside)
      if (Result<void> closed = in_.expect(')', "`TileLayout`"); !closed)
        return std::unexpected(std::move(closed.error()));
    return inside;
  }

  Result<Parsed> fromIters() {
    if (!in_.eat('.') || in_.identifier() != "from_iters")
      return in_.expected("`from_iters`");
    TileSpec tile;
    static const std::vector<std::string_view> names = {"shard", "replica", "offset"};
    std::vector<bool> given;
    Result<void> read = readArguments(in_, "from_iters", names, given, [&](size_t index) -> Result<void> {
      return index == 2 ? offsets(tile) : iters(index == 0 ? tile.shard : tile.replica);
    });
    if (!read)
      return std::unexpected(std::move(read.error()));
    return Parsed{std::move(tile), std::nullopt};
  }
  /// Reads `{"laneid": 1}`.
  Result<void> offsets(TileSpec &tile) {
    return readList(in_, '{', '}', "the offsets", [&]() -> Result<void> {
      Result<Axis> axis = in_.peek() == '"' || in_.peek() == '\'' ? quotedAxis() : this->axis();
      if (!axis)
        return std::unexpected(std::move(axis.error()));
      if (Result<void> colon = in_.expect(':', "the offsets"); !colon)
        return colon;
      Result<int64_t> value = in_.integer("an integer");
      if (!value)
        return std::unexpected(std::move(value.error()));
      tile.offset[*axis] = *value;
      return {};
    });
  }
  /// Reads `[Iter(8, 4, "laneid")]`.
  Result<void> iters(std::vector<Iter> &out) {
    char open = in_.peek();
    return readList(in_, open == '(' ? '(' : '[', open == '(' ? ')' : ']', "a list of `Iter`", [&]() -> Result<void> {
      uint32_t begin = position();
      if (dottedName() != "Iter") {
        in_.rewind(begin);
        return in_.expected("`Iter(extent, stride, axis)`");
      }
      static const std::vector<std::string_view> names = {"extent", "stride", "axis"};
      Iter iter;
      std::vector<bool> given;
      Result<void> read = readArguments(in_, "Iter", names, given, [&](size_t index) -> Result<void> {
        if (index < 2)
          return store(in_.integer("an integer"), index == 0 ? iter.extent : iter.stride);
        return store(in_.peek() == '"' || in_.peek() == '\'' ? quotedAxis() : axis(), iter.axis);
      });
      if (!read)
        return read;
      if (Result<void> all = checkGiven(in_, begin, "Iter", names, given, 3); !all)
        return all;
      out.push_back(iter);
      return {};
    });
  }

  Result<Parsed> composed(uint32_t begin) {
    // The arguments are three numbers and a tile, or (older) a SwizzleLayout and a tile.
    static const std::vector<std::string_view> numbered = {"per_element", "swizzle_len", "atom_len", "tile_layout",
                                                           "swizzle_inner"};
    static const std::vector<std::string_view> nested = {"layout_A", "layout_B"};
    uint32_t arguments = position();
    bool older = in_.eat('(') && (in_.eat("layout_A") || dottedName() == "SwizzleLayout");
    in_.rewind(arguments);
    Parsed swizzle, tile;
    SwizzleSpec numbers;
    std::vector<bool> given;
    const auto &names = older ? nested : numbered;
    Result<void> read = readArguments(in_, "ComposeLayout", names, given, [&](size_t index) -> Result<void> {
      if (older)
        return store(layout(), index == 0 ? swizzle : tile);
      if (index == 3)
        return store(layout(), tile);
      return swizzleField(index == 4 ? 3 : index, numbers);
    });
    if (!read)
      return std::unexpected(std::move(read.error()));
    if (Result<void> all = checkGiven(in_, begin, "ComposeLayout", names, given, older ? 2 : 4); !all)
      return std::unexpected(std::move(all.error()));
    if (older && (!swizzle.swizzle || swizzle.tile))
      return in_.fail(begin, "the first part of `ComposeLayout` is a `SwizzleLayout`");
    if (!tile.tile || tile.swizzle)
      return in_.fail(begin, "the last part of `ComposeLayout` is a `TileLayout`");
    return Parsed{std::move(tile.tile), older ? swizzle.swizzle : numbers};
  }

  Result<Parsed> swizzleOnly() {
    static const std::vector<std::string_view> names = {"per_element", "swizzle_len", "atom_len", "swizzle_inner"};
    SwizzleSpec numbers;
    uint32_t begin = position();
    std::vector<bool> given;
    Result<void> read =
        readArguments(in_, "SwizzleLayout", names, given, [&](size_t index) { return swizzleField(index, numbers); });
    if (!read)
      return std::unexpected(std::move(read.error()));
    if (Result<void> all = checkGiven(in_, begin, "SwizzleLayout", names, given, 3); !all)
      return std::unexpected(std::move(all.error()));
    return Parsed{std::nullopt, numbers};
  }

  Result<void> swizzleField(size_t index, SwizzleSpec &numbers) {
    switch (index) {
    case 0: return store(in_.integer("an integer"), numbers.perElement);
    case 1: return store(in_.integer("an integer"), numbers.swizzleLen);
    case 2: return store(in_.integer("an integer"), numbers.atomLen);
    default: break;
    }
    uint32_t begin = position();
    std::string_view word = in_.identifier();
    if (word != "True" && word != "False") {
      in_.rewind(begin);
      return in_.expected("`True` or `False`");
    }
    numbers.inner = word == "True";
    return {};
  }

  Result<Parsed> sum() {
    TileSpec tile;
    bool sharded = false, replicated = false;
    do {
      uint32_t begin = position();
      std::string_view name = dottedName();
      if ((name == "S" || name == "R") && in_.peek() == '[') {
        bool &seen = name == "S" ? sharded : replicated;
        if (seen)
          return in_.fail(begin, Message("a layout has one `{}[…]`", name));
        seen = true;
        if (Result<void> read = spec(name == "S" ? tile.shard : tile.replica); !read)
          return std::unexpected(std::move(read.error()));
        continue;
      }
      in_.rewind(begin);
      if (Result<void> read = offsetTerms(tile); !read)
        return std::unexpected(std::move(read.error()));
    } while (in_.eat('+'));
    if (!sharded)
      return in_.expected("`S[…]`");
    return Parsed{std::move(tile), std::nullopt};
  }

  /// Reads `5@warpid`, `64`, or several of them in parentheses.
  Result<void> offsetTerms(TileSpec &tile) {
    bool parenthesised = in_.eat('(');
    do {
      uint32_t begin = position();
      if (char c = in_.peek(); c != '-' && (c < '0' || c > '9'))
        return in_.expected("`S[…]`, `R[…]` or an offset such as `5@warpid`");
      Result<Term> next = term();
      if (!next)
        return std::unexpected(std::move(next.error()));
      int64_t &sum = tile.offset[next->axis];
      if (next->value < 0 || next->value > INT32_MAX || sum > INT32_MAX)
        return in_.fail(begin, "an offset is between 0 and 2^31 - 1");
      sum += next->value;
    } while (parenthesised && in_.eat('+'));
    return parenthesised ? in_.expect(')', "the offset") : Result<void>();
  }

  /// Reads `[` extents [`:` strides] `]`.
  Result<void> spec(std::vector<Iter> &out) {
    if (Result<void> opened = in_.expect('[', "a layout"); !opened)
      return opened;
    Shape extents;
    if (in_.peek() == '(' || in_.peek() == '[') {
      if (Result<void> read = store(readIntegers(in_, "the extents"), extents); !read)
        return read;
    } else {
      do {
        Result<int64_t> extent = in_.integer("an extent");
        if (!extent)
          return std::unexpected(std::move(extent.error()));
        extents.push_back(*extent);
      } while (extents.size() < Scanner::kMaxListEntries && in_.eat(',') && in_.peek() != ']');
    }
    std::vector<Term> strides;
    if (in_.eat(':')) {
      uint32_t begin = position();
      if (in_.peek() == '(' && !pairAhead()) {
        Result<void> read = readList(in_, '(', ')', "the strides", [&]() -> Result<void> {
          strides.emplace_back();
          return store(term(), strides.back());
        });
        if (!read)
          return read;
      } else {
        strides.emplace_back();
        if (Result<void> read = store(term(), strides.back()); !read)
          return read;
      }
      if (strides.size() != extents.size())
        return in_.fail(begin,
                        Message("there are {count} extents and {other_count} strides", extents.size(), strides.size()));
    } else {
      for (int64_t stride : contiguousStrides(extents))
        strides.push_back({stride, Axis::M});
    }
    for (size_t i = 0; i < extents.size(); ++i)
      out.push_back({extents[i], strides[i].value, strides[i].axis});
    return in_.expect(']', "the layout");
  }

  /// True if the next text is `(4, "laneid")`, a stride written as a pair.
  bool pairAhead() {
    uint32_t begin = in_.offset();
    bool pair = in_.eat('(');
    if (pair && (in_.peek() == '-' || (in_.peek() >= '0' && in_.peek() <= '9')))
      pair = in_.integer("").has_value() && in_.eat(',') && (in_.peek() == '"' || in_.peek() == '\'');
    else
      pair = false;
    in_.rewind(begin);
    return pair;
  }

  /// Reads `4`, `4@laneid`, `4 @ Axis.laneid`, `laneid`, `"laneid"` or `(4, "laneid")`.
  Result<Term> term() {
    char c = in_.peek();
    Term out;
    if (c == '"' || c == '\'') {
      if (Result<void> read = store(quotedAxis(), out.axis); !read)
        return std::unexpected(std::move(read.error()));
      return out;
    }
    if (in_.eat('(')) {
      Result<void> read = store(in_.integer("a stride"), out.value);
      if (read)
        read = in_.expect(',', "a stride and its axis");
      if (read)
        read = store(in_.peek() == '"' || in_.peek() == '\'' ? quotedAxis() : axis(), out.axis);
      if (read)
        read = in_.expect(')', "a stride and its axis");
      if (!read)
        return std::unexpected(std::move(read.error()));
      return out;
    }
    if (c == '-' || (c >= '0' && c <= '9')) {
      if (Result<void> read = store(in_.integer("a stride"), out.value); !read)
        return std::unexpected(std::move(read.error()));
      if (in_.eat('@'))
        if (Result<void> read = store(axis(), out.axis); !read)
          return std::unexpected(std::move(read.error()));
      return out;
    }
    if (Result<void> read = store(axis(), out.axis); !read)
      return std::unexpected(std::move(read.error()));
    return out;
  }

  Result<Axis> axis() {
    uint32_t begin = position();
    std::string_view name = dottedName();
    if (name.empty()) {
      in_.rewind(begin);
      return in_.expected("an axis such as `laneid`");
    }
    if (std::optional<Axis> axis = tirx::axisNamed(name))
      return *axis;
    return in_.fail(begin, Message("there is no axis `{axis}`; the axes are {}", name, tirx::axisNames()));
  }
  Result<Axis> quotedAxis() {
    char quote = in_.peek();
    in_.eat(quote);
    Result<Axis> out = axis();
    if (out)
      if (Result<void> closed = in_.expect(quote, "the name of an axis"); !closed)
        return std::unexpected(std::move(closed.error()));
    return out;
  }

  Scanner &in_;
  int depth_ = 0;
};

} // namespace

bool looksLikeTirx(std::string_view text) {
  Scanner in(Source::make("", std::string(text.substr(0, 256))));
  // An offset may come first: `64 + S[…]`.
  while (in.peek() >= '0' && in.peek() <= '9') {
    (void)in.integer("");
    if (in.eat('@'))
      (void)in.identifier();
    if (!in.eat('+'))
      return false;
  }
  std::string_view name = in.identifier();
  while (!name.empty() && name != "TileLayout" && in.eat('.'))
    name = in.identifier();
  if (name == "S" || name == "R")
    return in.peek() == '[';
  if (name == "TileLayout")
    return in.peek() == '(' || in.peek() == '.';
  return (name == "ComposeLayout" || name == "SwizzleLayout") && in.peek() == '(';
}

Result<Layout> parseTirx(Scanner &in, Diagnostics *) {
  in.peek();
  uint32_t begin = in.offset();
  Result<Parsed> parsed = Reader(in).layout();
  if (!parsed)
    return std::unexpected(std::move(parsed.error()));
  Result<tirx::TirxLayout> layout =
      located(in, begin, tirx::TirxLayout::make(std::move(parsed->tile), parsed->swizzle));
  if (!layout)
    return std::unexpected(std::move(layout.error()));
  return Layout(Foreign(std::make_shared<tirx::TirxLayout>(*std::move(layout))));
}

} // namespace lanescope::layouts
