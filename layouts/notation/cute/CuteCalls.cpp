// CuteReader's names with arguments: swizzles, pointers, C++ types and calls, CuTe DSL's MLIR types.
#include "layouts/cute/SmemTiles.h"
#include "layouts/notation/cute/CuteReader.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <array>

namespace lanescope::layouts {

using cute::Engine;
using cute::IntTuple;
using cute::Leaf;
using cute::Parts;
using cute::Swizzle;
using cute::Tiler;
using Node = CuteReader::Node;

namespace {

bool oneOf(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

std::optional<Engine::Kind> spaceOf(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, Engine::Kind>, 5> kSpaces = {{{"gmem", Engine::Kind::Gmem},
                                                                                 {"smem", Engine::Kind::Smem},
                                                                                 {"rmem", Engine::Kind::Rmem},
                                                                                 {"tmem", Engine::Kind::Tmem},
                                                                                 {"generic", Engine::Kind::Generic}}};
  for (const auto &[space, kind] : kSpaces)
    if (name == space)
      return kind;
  return std::nullopt;
}

/// The bits of an MLIR element type, from its name: f16, bf16, i8, f8E4M3FN; 0 if the name has no number in it.
int bitsOf(std::string_view type) {
  size_t digit = type.find_first_of("0123456789");
  if (digit == std::string_view::npos)
    return 0;
  size_t end = type.find_first_not_of("0123456789", digit);
  std::optional<int> bits = parseInteger<int>(type.substr(digit, end == std::string_view::npos ? end : end - digit));
  return bits && *bits <= 128 ? *bits : 0;
}

constexpr std::string_view kPointers[] = {"gmem_", "smem_", "rmem_", "tmem_", "sparse", "ptr"};
bool isPointer(std::string_view name) {
  return std::ranges::any_of(kPointers, [&](std::string_view prefix) { return name.starts_with(prefix); });
}

} // namespace

/// True if the next text is a name longer than `_` or `_8`.
bool CuteReader::namedPiece() {
  uint32_t here = in_.offset();
  std::string_view name = in_.identifier();
  in_.rewind(here);
  return !name.empty() && name.find_first_not_of("_0123456789") != std::string_view::npos;
}

void CuteReader::eatBraces() {
  uint32_t here = in_.offset();
  if (in_.eat('{') && in_.eat('}'))
    return;
  in_.rewind(here);
}

Result<std::string> CuteReader::balanced(char close) {
  std::string inside, open;
  while (true) {
    char next = in_.peek();
    if (next == '\0')
      return in_.expected(text('`', open.empty() ? close : open.back(), '`'));
    if (open.empty() && next == close) {
      in_.eat(close);
      return inside;
    }
    if (next == '(' || next == '<')
      open += next == '(' ? ')' : '>';
    else if (!open.empty() && next == open.back())
      open.pop_back();
    in_.eat(next);
    inside += next;
  }
}

Result<Node> CuteReader::named() {
  in_.peek();
  uint32_t begin = in_.offset();
  std::string_view name = in_.identifier();
  while (oneOf(name, {"cute", "cutlass", "SM90", "SM100", "GMMA", "UMMA"}) && (in_.eat("::") || in_.eat('.')))
    name = in_.identifier();
  if (name == "tile_to_shape")
    return tileToShape(begin);
  if (name.starts_with("Layout_"))
    return smemAtom(name, begin);
  if (oneOf(name, {"Sw", "S", "Swizzle"}))
    return swizzle(begin);
  if (isPointer(name))
    return pointer(name, begin);
  if (name == "raw_ptr" || name == "tensor")
    return name == "tensor" ? mlirType(begin) : typedPointer(begin);
  if (name == "ArithTuple")
    return coordinateIterator(begin);
  if (oneOf(name, {"Layout", "make_layout", "ComposedLayout", "composition", "make_composed_layout"}))
    return layoutCall(name, begin);
  if (oneOf(name, {"Shape", "Stride", "Step", "Coord", "tuple", "Tuple", "ArithmeticTuple", "IntTuple", "Tile",
                   "make_shape", "make_stride", "make_tuple", "make_coord", "make_tile", "make_step"}))
    return tupleCall(name, begin);
  return leafCall(name, begin);
}

Result<std::vector<int64_t>> CuteReader::integers(std::string_view what) {
  char open = in_.peek() == '(' ? '(' : '<', close = open == '(' ? ')' : '>';
  std::vector<int64_t> out;
  Result<void> list = readList(in_, open, close, what, [&]() -> Result<void> {
    Result<int64_t> value = in_.integer("an integer");
    if (!value)
      return std::unexpected(std::move(value.error()));
    out.push_back(*value);
    return {};
  });
  if (!list)
    return std::unexpected(std::move(list.error()));
  return out;
}

Result<Node> CuteReader::swizzle(uint32_t begin) {
  Result<std::vector<int64_t>> values = integers("the swizzle");
  if (!values)
    return std::unexpected(std::move(values.error()));
  if (values->size() != 3)
    return in_.fail(begin, Message("expected the three numbers B, M, S of a swizzle, found {count}", values->size()));
  Result<Swizzle> swizzle = Swizzle::make((*values)[0], (*values)[1], (*values)[2]);
  if (!swizzle)
    return lanescope::at(in_.spanFrom(begin), std::move(swizzle.error()));
  eatBraces();
  // A pointer that swizzles its address: `Sw<3,4,3>_smem_ptr[16b](…)`.
  uint32_t here = in_.offset();
  std::string_view behind = in_.identifier();
  if (behind.starts_with('_') && isPointer(behind.substr(1))) {
    Result<Node> engine = pointer(behind.substr(1), here);
    if (!engine)
      return engine;
    Parts parts{.outer = *swizzle, .engine = std::get<Engine>(engine->value), .swizzlesAddress = true};
    return at(std::move(parts), begin);
  }
  in_.rewind(here);
  return at(*swizzle, begin);
}

/// Reads `smem_ptr[16b](unset)`, `smem_sparse<2>_ptr[8b](0x7f)`, `tmem_[32b](0x0000.0000)`, `smem_ptr_flag_bits<16>{}`,
/// `ptr<f16, smem>`.
Result<Node> CuteReader::pointer(std::string_view name, uint32_t begin) {
  if (name == "ptr" && in_.peek() == '<') // MLIR's pointer
    return typedPointer(begin);
  Engine engine;
  if (name.size() > 4)
    engine.kind = spaceOf(name.substr(0, 4)).value_or(Engine::Kind::Generic);
  if (name.ends_with("_flag") || name.ends_with("_flag_bits")) {
    engine.bits = 1;
    if (in_.peek() == '<') {
      Result<std::vector<int64_t>> bits = integers("the pointer's width");
      if (!bits)
        return std::unexpected(std::move(bits.error()));
      if (bits->size() != 1 || (*bits)[0] < 1 || (*bits)[0] > 1024)
        return in_.fail(begin, "expected the width of an element in bits, as `smem_ptr_flag_bits<16>`");
      engine.bits = static_cast<int>((*bits)[0]);
    }
    eatBraces();
    return at(engine, begin);
  }
  if (name.ends_with("sparse") && in_.peek() == '<') {
    Result<std::vector<int64_t>> sparsity = integers("the sparsity");
    if (!sparsity)
      return std::unexpected(std::move(sparsity.error()));
    if (sparsity->size() != 1 || (*sparsity)[0] < 1 || (*sparsity)[0] > 1024)
      return in_.fail(begin, "expected how many elements share one place, as `smem_sparse<2>_ptr[8b](unset)`");
    engine.sparsity = static_cast<int>((*sparsity)[0]);
    if (std::string_view rest = in_.identifier(); rest != "_ptr")
      return in_.expected("`_ptr`");
  } else if (!name.ends_with("ptr") && name != "tmem_") {
    in_.rewind(begin);
    return in_.expected("a pointer such as `smem_ptr[16b](unset)`");
  }
  if (Result<void> open = in_.expect('[', "the pointer"); !open)
    return std::unexpected(std::move(open.error()));
  in_.peek();
  uint32_t number = in_.offset();
  Result<int64_t> bits = in_.integer("the width of an element in bits");
  if (!bits)
    return std::unexpected(std::move(bits.error()));
  if (*bits < 0 || *bits > 1024)
    return in_.fail(number, "elements have up to 1024 bits");
  if (!in_.eat('b'))
    return in_.expected("`b`, for bits");
  if (Result<void> close = in_.expect(']', "the pointer"); !close)
    return std::unexpected(std::move(close.error()));
  if (Result<void> open = in_.expect('(', "the pointer"); !open)
    return std::unexpected(std::move(open.error()));
  Result<std::string> address = balanced(')'); // the address has no influence on the layout
  if (!address)
    return std::unexpected(std::move(address.error()));
  engine.bits = static_cast<int>(*bits);
  return at(engine, begin);
}

/// Reads `ptr<f16, smem, align<128>, S<3,4,3>>` and `raw_ptr(0x7f00: f16, smem, align<128>)`.
Result<Node> CuteReader::typedPointer(uint32_t begin) {
  bool raw = in_.peek() == '(';
  if (!in_.eat(raw ? '(' : '<'))
    return in_.expected("`<` or `(` after the pointer");
  Engine engine;
  std::optional<Swizzle> swizzled;
  char close = raw ? ')' : '>';
  bool first = true;
  while (!in_.eat(close)) {
    uint32_t here = in_.offset();
    std::string_view word = in_.identifier();
    if (word.empty()) { // the text starts with the address
      if (!raw || !first)
        return in_.expected("a type, a memory or `align<n>`");
      while (in_.peek() != ':' && in_.peek() != ')' && in_.peek() != '\0')
        in_.eat(in_.peek());
      if (Result<void> colon = in_.expect(':', "the pointer"); !colon)
        return std::unexpected(std::move(colon.error()));
      first = false;
      continue;
    }
    if (word == "S") {
      Result<Node> node = swizzle(here);
      if (!node)
        return node;
      if (const auto *found = std::get_if<Swizzle>(&node->value))
        swizzled = *found;
    } else if (auto space = spaceOf(word)) {
      engine.kind = *space;
    } else if (word == "align") {
      if (Result<std::vector<int64_t>> bytes = integers("the alignment"); !bytes)
        return std::unexpected(std::move(bytes.error()));
    } else {
      engine.bits = bitsOf(word);
    }
    first = false;
    if (!in_.eat(',') && in_.peek() != close)
      return in_.expected(text("`,` or `", close, "` in the pointer"));
  }
  if (!swizzled)
    return at(engine, begin);
  return at(Parts{.outer = *swizzled, .engine = engine, .swizzlesAddress = true}, begin);
}

/// Reads `ArithTuple(_0,_0)`, the engine of a tensor of coordinates.
Result<Node> CuteReader::coordinateIterator(uint32_t begin) {
  Result<IntTuple> start = tuple("where the coordinates start");
  if (!start)
    return std::unexpected(std::move(start.error()));
  if (std::ranges::any_of(leavesOf(*start),
                          [](const Leaf &leaf) { return leaf.kind != Leaf::Kind::Int || leaf.value; }))
    return in_.fail(begin, "coordinates that start elsewhere than at 0 are not supported");
  return at(std::monostate(), begin);
}

/// Reads `Layout<Shape<…>,Stride<…>>{}`, `make_layout((4,8), stride=(8,1))`, `composition(Swizzle<3,4,3>{},
/// Layout<…>{})`.
Result<Node> CuteReader::layoutCall(std::string_view name, uint32_t begin) {
  char open = in_.peek() == '<' ? '<' : '(', close = open == '<' ? '>' : ')';
  std::vector<Node> args;
  std::optional<Node> swizzle, offset;
  std::optional<bool> rowMajor; // true for LayoutRight, false for LayoutLeft
  Result<void> list = readList(in_, open, close, text("the arguments of `", name, '`'), [&]() -> Result<void> {
    in_.peek();
    uint32_t here = in_.offset();
    std::string_view keyword = in_.identifier();
    if (keyword.empty() || !in_.eat('=')) {
      keyword = {};
      in_.rewind(here);
    } else if (!oneOf(keyword, {"shape", "stride", "swizzle", "preoffset", "offset", "outer", "inner"})) {
      in_.rewind(here);
      return in_.expected("`shape`, `stride`, `swizzle`, `outer`, `inner`, or `preoffset`");
    }
    if (std::optional<bool> order = compactOrder()) {
      rowMajor = order;
      return {};
    }
    Result<Node> value = chain();
    if (!value)
      return std::unexpected(std::move(value.error()));
    if (keyword == "swizzle")
      swizzle = *std::move(value);
    else if (keyword == "preoffset" || keyword == "offset")
      offset = *std::move(value);
    else
      args.push_back(*std::move(value));
    return {};
  });
  if (!list)
    return std::unexpected(std::move(list.error()));
  eatBraces();
  std::vector<Node> chain;
  if (name == "Layout" || name == "make_layout") {
    if (args.empty())
      return in_.fail(begin, Message("`{name}` needs a shape", name));
    Result<cute::Layout> layout;
    bool shapes = std::ranges::all_of(args, [](const Node &arg) { return arg.tuple() != nullptr; });
    if (shapes && rowMajor && args.size() == 1) {
      if (Result<void> sizes = checkSizes(args[0]); !sizes)
        return std::unexpected(std::move(sizes.error()));
      layout = *rowMajor ? cute::rowMajor(*args[0].tuple()) : cute::Layout::compact(*args[0].tuple());
    } else if (shapes && args.size() <= 2) {
      layout = args.size() == 1 ? toPlain(args[0]) : toPlain(args[0], args[1]);
    } else { // layouts side by side
      std::vector<cute::Layout> modes;
      for (const Node &arg : args) {
        if (!std::holds_alternative<cute::Layout>(arg.value))
          return failAt(arg,
                        Message("expected {} in `{name}`", shapes ? "at most a shape and strides" : "a layout", name));
        modes.push_back(std::get<cute::Layout>(arg.value));
      }
      cute::Layout joined = makeLayout(modes);
      layout = cute::Layout::make(std::move(joined.shape), std::move(joined.stride));
    }
    if (!layout)
      return lanescope::at(in_.spanFrom(begin), std::move(layout.error()));
    if (!swizzle)
      return at(*std::move(layout), begin);
    chain.push_back(*std::move(swizzle));
    chain.push_back(at(*std::move(layout), begin));
    return assemble(std::move(chain));
  }
  if (args.size() < 2 || args.size() > 3 || (args.size() == 3 && offset))
    return in_.fail(begin, Message("`{name}` needs an outer layout, perhaps an offset, and an inner layout", name));
  const auto *outer = std::get_if<cute::Layout>(&args[0].value), *inner = std::get_if<cute::Layout>(&args[1].value);
  if (name == "composition" && args.size() == 2 && outer && inner) {
    Result<cute::Layout> composed = composition(*outer, *inner);
    if (!composed)
      return lanescope::at(in_.spanFrom(begin), std::move(composed.error()));
    return at(*std::move(composed), begin);
  }
  if (offset)
    args.insert(args.begin() + 1, *std::move(offset));
  return assemble(std::move(args));
}

/// Reads `Shape<_4,_8>`, `make_stride(8, 1)`, `Tile<Layout<…>,_8>`: a tuple, or a tile if it contains a layout.
Result<Node> CuteReader::tupleCall(std::string_view name, uint32_t begin) {
  char open = in_.peek() == '<' ? '<' : '(', close = open == '<' ? '>' : ')';
  std::vector<Node> items;
  Result<void> list = readList(in_, open, close, text("the arguments of `", name, '`'), [&]() -> Result<void> {
    Result<Node> item = chain();
    if (!item)
      return std::unexpected(std::move(item.error()));
    items.push_back(*std::move(item));
    return {};
  });
  if (!list)
    return std::unexpected(std::move(list.error()));
  eatBraces();
  if (!oneOf(name, {"Tile", "make_tile"}) &&
      std::ranges::all_of(items, [](const Node &item) { return item.tuple() != nullptr; })) {
    std::vector<IntTuple> tuples;
    for (const Node &item : items)
      tuples.push_back(*item.tuple());
    return at(IntTuple::of(std::move(tuples)), begin, std::move(items));
  }
  std::vector<Tiler> modes;
  for (Node &item : items) {
    Result<Tiler> mode = toTile(std::move(item));
    if (!mode)
      return std::unexpected(std::move(mode.error()));
    modes.push_back(*std::move(mode));
  }
  return at(Tiler::of(std::move(modes)), begin);
}

/// Reads `Int<8>{}`, `C<8>`, `int`, `Underscore`, `ScaledBasis<_1,0>`, `E<0>`.
Result<Node> CuteReader::leafCall(std::string_view name, uint32_t begin) {
  if (oneOf(name, {"int", "int32_t", "uint32_t", "int64_t", "uint64_t", "size_t", "long"})) {
    eatBraces();
    bool wide = !oneOf(name, {"int", "int32_t", "uint32_t"});
    return at(IntTuple(Leaf{.kind = Leaf::Kind::Unknown, .width = static_cast<uint8_t>(wide ? 64 : 0), .value = 1}),
              begin);
  }
  if (oneOf(name, {"Underscore", "None"})) {
    eatBraces();
    return at(IntTuple::whole(), begin);
  }
  if (oneOf(name, {"Int", "C", "constant", "integral_constant"})) {
    if (Result<void> open = in_.expect('<', text('`', name, '`')); !open)
      return std::unexpected(std::move(open.error()));
    if (name.size() > 3) { // constant<int,4>
      in_.identifier();
      if (Result<void> comma = in_.expect(',', text('`', name, '`')); !comma)
        return std::unexpected(std::move(comma.error()));
    }
    Result<int64_t> value = in_.integer("an integer");
    if (!value)
      return std::unexpected(std::move(value.error()));
    if (*value > cute::kMaxInt || *value < -cute::kMaxInt)
      return in_.fail(begin, "the number is beyond the supported 2^60");
    if (Result<void> close = in_.expect('>', "the integer"); !close)
      return std::unexpected(std::move(close.error()));
    eatBraces();
    return at(IntTuple(*value, true), begin);
  }
  if (name == "E" || name == "ScaledBasis") {
    Leaf leaf{.isStatic = true, .value = 1};
    if (Result<void> open = in_.expect('<', "the basis vector"); !open)
      return std::unexpected(std::move(open.error()));
    if (name == "ScaledBasis") {
      Result<Node> scale = primary();
      if (!scale)
        return scale;
      if (!scale->tuple() || scale->tuple()->isTuple || scale->tuple()->leaf.kind == Leaf::Kind::Whole)
        return failAt(*scale, "expected the integer that scales the basis vector");
      leaf = scale->tuple()->leaf;
      in_.eat(',');
    }
    while (!in_.eat('>')) {
      Result<int64_t> mode = in_.integer("the number of a mode");
      if (!mode)
        return std::unexpected(std::move(mode.error()));
      if (*mode < 0 || *mode > 255 || leaf.basis.size() >= static_cast<size_t>(cute::kMaxDepth))
        return in_.fail(begin, "a basis vector's modes count from 0 to 255");
      leaf.basis.push_back(static_cast<int>(*mode));
      if (!in_.eat(',') && in_.peek() != '>')
        return in_.expected("`,` or `>` in the basis vector");
    }
    eatBraces();
    return at(IntTuple(std::move(leaf)), begin);
  }
  in_.rewind(begin);
  return in_.expected("a layout, a swizzle or a pointer of CuTe");
}

/// Reads `!cute.layout<"(4,8):(1,4)">` and similar types, and `tensor<ptr<f32, generic> o (4,8):(1,4)>`.
Result<Node> CuteReader::mlirType(uint32_t begin) {
  std::string_view kind = "tensor";
  if (in_.eat('!')) {
    in_.peek();
    uint32_t word = in_.offset();
    if (in_.identifier() != "cute" || !in_.eat('.')) {
      in_.rewind(word);
      return in_.expected("`cute.` and a type such as `layout`");
    }
    in_.peek();
    word = in_.offset();
    kind = in_.identifier();
    if (!oneOf(kind, {"layout", "composed_layout", "swizzle", "tile", "shape", "memref"})) {
      if (oneOf(kind, {"coord", "stride", "int_tuple", "ptr"}))
        return in_.fail(begin, Message("`!cute.{}` is not the type of a layout", kind));
      in_.rewind(word);
      return in_.expected("`layout`, `composed_layout`, `swizzle`, `tile`, `shape` or `memref`");
    }
  }
  if (Result<void> open = in_.expect('<', "the type"); !open)
    return std::unexpected(std::move(open.error()));
  std::vector<Node> terms;
  if (kind == "memref") { // a memref type has the type of its pointer, then the layout in quotes
    Engine engine;
    std::optional<Swizzle> swizzled;
    while (in_.peek() != '"') {
      in_.peek();
      uint32_t here = in_.offset();
      std::string_view word = in_.identifier();
      if (word == "S") {
        Result<Node> node = swizzle(here);
        if (!node)
          return node;
        if (const auto *found = std::get_if<Swizzle>(&node->value))
          swizzled = *found;
      } else if (auto space = spaceOf(word)) {
        engine.kind = *space;
      } else if (word == "align") {
        if (Result<std::vector<int64_t>> bytes = integers("the alignment"); !bytes)
          return std::unexpected(std::move(bytes.error()));
      } else if (!word.empty()) {
        engine.bits = bitsOf(word);
      } else {
        return in_.expected("the layout in quotes");
      }
      in_.eat(',');
    }
    if (swizzled)
      terms.push_back(at(Parts{.outer = *swizzled, .engine = engine, .swizzlesAddress = true}, begin));
    else
      terms.push_back(at(engine, begin));
  }
  bool quoted = in_.eat('"');
  if (!quoted && kind != "tensor")
    return in_.expected("`\"`");
  Result<Node> inside = chain();
  if (!inside)
    return inside;
  if (quoted)
    if (Result<void> close = in_.expect('"', "the type"); !close)
      return std::unexpected(std::move(close.error()));
  if (Result<void> close = in_.expect('>', "the type"); !close)
    return std::unexpected(std::move(close.error()));
  if (kind == "memref") {
    terms.push_back(*std::move(inside));
    return assemble(std::move(terms));
  }
  return inside;
}

} // namespace lanescope::layouts
