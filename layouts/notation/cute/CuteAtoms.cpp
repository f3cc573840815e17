#include "layouts/notation/cute/CuteAtoms.h"

#include "layouts/cute/AtomNames.h"
#include "layouts/notation/cute/Cute.h"
#include "layouts/notation/cute/CutePieces.h"
#include "layouts/notation/cute/CuteReader.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <array>

namespace lanescope::layouts {

using cute::CopyAtom;
using cute::CuteLayout;
using cute::IntTuple;
using cute::MmaAtom;
using cute::TiledMma;
using cute::Tiler;

namespace {

constexpr std::array<std::pair<TiledMma::Operand, const char *>, 3> kOperands = {
    {{TiledMma::A, "LayoutA_TV"}, {TiledMma::B, "LayoutB_TV"}, {TiledMma::C, "LayoutC_TV"}}};
constexpr std::string_view kCalls[] = {
    "make_tiled_mma",    "TiledMMA",          "make_tiled_copy", "make_tiled_copy_A", "make_tiled_copy_B",
    "make_tiled_copy_C", "make_tiled_copy_S", "Copy_Atom",       "MMA_Atom",          "MMA_Traits",
    "Copy_Traits",       "make_mma_atom",     "make_copy_atom"};

Shape tileOf(const std::array<int64_t, 3> &mnk, TiledMma::Operand operand) {
  return {mnk[operand == TiledMma::B ? 1 : 0], mnk[operand == TiledMma::C ? 1 : 2]};
}

/// The shape (threads, bits or values) of the data that an atom moves.
Shape movedBy(const CopyAtom &atom) {
  int64_t most = 1;
  for (const cute::Layout *side : {&atom.source, &atom.destination, &atom.reference})
    most = std::max(most, cosizeOf(*side));
  return {most};
}

Result<void> append(CuteOperands &out, std::string label, cute::Layout layout, Shape tile,
                    const std::optional<cute::Layout> &threadIds) {
  Result<CuteLayout> operand = operandLayout(label, std::move(layout), std::move(tile), threadIds);
  if (!operand)
    return std::unexpected(std::move(operand.error()));
  out.emplace_back(std::move(label), *std::move(operand));
  return {};
}

/// Reads names, template arguments and calls, piece by piece.
class AtomReader {
public:
  explicit AtomReader(Scanner &in) : in_(in) {}

  Result<CuteOperands> operands() {
    in_.peek();
    uint32_t begin = in_.offset();
    std::string call = callName();
    in_.rewind(begin);
    if (call == "make_tiled_mma" || call == "TiledMMA") {
      Result<Mma> mma = tiledMma();
      return mma ? located(in_, begin, operandsOf(mma->tiled, mma->atom.threads))
                 : std::unexpected(std::move(mma.error()));
    }
    if (call.starts_with("make_tiled_copy"))
      return tiledCopy();
    std::string written = name();
    if (cute::looksLikeMmaAtom(written)) {
      Result<MmaAtom> atom = located(in_, begin, cute::mmaAtom(written));
      return atom ? located(in_, begin, operandsOf(*atom)) : std::unexpected(std::move(atom.error()));
    }
    Result<CopyAtom> atom = located(in_, begin, readCopyAtom(written));
    return atom ? located(in_, begin, operandsOf(*atom)) : std::unexpected(std::move(atom.error()));
  }

private:
  struct Mma {
    MmaAtom atom;
    TiledMma tiled;
  };

  /// Reads the identifier at the head, after its namespaces.
  std::string callName() {
    std::string last;
    do
      last = std::string(in_.identifier());
    while (!last.empty() && (in_.eat("::") || in_.eat('.')));
    return last;
  }

  /// Reads `SM90::GMMA::MMA_64x8x16_F16F16F16_SS<GMMA::Major::K, GMMA::Major::K>{}` as it is written.
  std::string name() {
    in_.peek();
    uint32_t begin = in_.offset();
    std::string called = callName();
    // CuTe DSL writes an atom's arguments as those of a call.
    bool ofDsl = called.ends_with("Op") || called.starts_with("make_");
    if (char open = in_.peek(); open == '<' || (open == '(' && ofDsl)) {
      int depth = 0;
      do {
        char next = in_.peek();
        depth += next == '<' || next == '(' ? 1 : next == '>' || next == ')' ? -1 : 0;
        in_.eat(next);
      } while (depth > 0 && !in_.atEnd());
    }
    std::string text = written(begin);
    eatBraces();
    return text;
  }

  std::string written(uint32_t begin) {
    Span span = in_.spanFrom(begin);
    return span.source->text().substr(span.begin, span.end - span.begin);
  }

  /// Skips the `{}` or `()` that makes a value of a type.
  void eatBraces() {
    uint32_t here = in_.offset();
    if ((in_.eat('{') && in_.eat('}')))
      return;
    in_.rewind(here);
    if ((in_.eat('(') && in_.eat(')')))
      return;
    in_.rewind(here);
  }

  /// Reads the bracket that opens after a call's or a template's name.
  Result<char> open(std::string_view what) {
    char next = in_.peek();
    if (next != '(' && next != '<')
      return in_.expected(text("`(` and the parts of `", what, '`'));
    in_.eat(next);
    return next == '(' ? ')' : '>';
  }

  Result<void> close(char bracket, std::string_view what) {
    in_.eat(',');
    if (Result<void> closed = in_.expect(bracket, text('`', what, '`')); !closed)
      return closed;
    eatBraces();
    return {};
  }

  Result<MmaAtom> mmaAtomHere() {
    in_.peek();
    uint32_t begin = in_.offset();
    std::string written = name();
    if (!cute::looksLikeMmaAtom(written)) {
      in_.rewind(begin);
      return in_.expected("an instruction such as `SM80_16x8x16_F32F16F16F32_TN`");
    }
    return located(in_, begin, cute::mmaAtom(written));
  }

  /// Reads an optional layout argument.
  Result<std::optional<cute::Layout>> layoutArgument() {
    if (!in_.eat(','))
      return std::nullopt;
    char next = in_.peek();
    if (next == ')' || next == '>')
      return std::nullopt;
    Result<cute::Layout> layout = CuteReader(in_).plain();
    if (!layout)
      return std::unexpected(std::move(layout.error()));
    return std::optional(*std::move(layout));
  }

  Result<Mma> tiledMma() {
    in_.peek();
    uint32_t begin = in_.offset();
    std::string call = callName();
    Result<char> bracket = open(call);
    if (!bracket)
      return std::unexpected(std::move(bracket.error()));
    Result<MmaAtom> atom = mmaAtomHere();
    if (!atom)
      return std::unexpected(std::move(atom.error()));
    Result<std::optional<cute::Layout>> atoms = layoutArgument();
    if (!atoms)
      return std::unexpected(std::move(atoms.error()));
    Tiler permutation;
    if (*atoms && in_.eat(',') && in_.peek() != *bracket) {
      Result<Tiler> tile = CuteReader(in_).tile();
      if (!tile)
        return std::unexpected(std::move(tile.error()));
      permutation = *std::move(tile);
    }
    if (Result<void> closed = close(*bracket, call); !closed)
      return std::unexpected(std::move(closed.error()));
    cute::Layout one{IntTuple(1, true), IntTuple(0, true)};
    Result<TiledMma> tiled = located(in_, begin, cute::tiledMma(*atom, atoms->value_or(one), permutation));
    if (!tiled)
      return std::unexpected(std::move(tiled.error()));
    return Mma{*std::move(atom), *std::move(tiled)};
  }

  Result<CuteOperands> tiledCopy() {
    in_.peek();
    uint32_t begin = in_.offset();
    std::string call = callName();
    Result<char> bracket = open(call);
    if (!bracket)
      return std::unexpected(std::move(bracket.error()));
    in_.peek();
    uint32_t atomAt = in_.offset();
    Result<CopyAtom> atom = located(in_, atomAt, readCopyAtom(name()));
    if (!atom)
      return std::unexpected(std::move(atom.error()));
    Result<cute::TiledCopy> copy = call == "make_tiled_copy" ? ofLayouts(*atom) : ofMma(*atom, call.back());
    if (!copy)
      return located(in_, begin, Result<CuteOperands>(std::unexpected(std::move(copy.error()))));
    if (Result<void> closed = close(*bracket, call); !closed)
      return std::unexpected(std::move(closed.error()));
    return located(in_, begin, operandsOf(*copy));
  }

  Result<cute::TiledCopy> ofLayouts(const CopyAtom &atom) {
    std::array<cute::Layout, 2> sides = {cute::Layout{IntTuple(1, true), IntTuple(0, true)},
                                         cute::Layout{IntTuple(1, true), IntTuple(0, true)}};
    for (cute::Layout &side : sides) {
      Result<std::optional<cute::Layout>> layout = layoutArgument();
      if (!layout)
        return std::unexpected(std::move(layout.error()));
      if (!*layout)
        break;
      side = **std::move(layout);
    }
    return cute::tiledCopy(atom, sides[0], sides[1]);
  }

  Result<cute::TiledCopy> ofMma(const CopyAtom &atom, char operand) {
    if (Result<void> comma = in_.expect(',', "the copy of a tiled MMA's operand"); !comma)
      return std::unexpected(std::move(comma.error()));
    Result<Mma> mma = tiledMma();
    if (!mma)
      return std::unexpected(std::move(mma.error()));
    Result<TiledMma::Tile> tile = mma->tiled.operand(operand == 'A'   ? TiledMma::A
                                                     : operand == 'B' ? TiledMma::B
                                                                      : TiledMma::C);
    if (!tile)
      return std::unexpected(std::move(tile.error()));
    return cute::tiledCopyOf(atom, tile->layout, Shape(tile->tile.begin(), tile->tile.end()));
  }

  Scanner &in_;
};

} // namespace

bool looksLikeAtom(std::string_view written) {
  Scanner in(Source::make("cute", std::string(written.substr(0, 512))));
  std::string last;
  do
    last = std::string(in.identifier());
  while (!last.empty() && (in.eat("::") || in.eat('.')));
  if (last.empty())
    return false;
  char next = in.peek();
  if (std::ranges::find(kCalls, last) != std::end(kCalls)) // a printout begins with `MMA_Atom` too
    return next == '<' || next == '(';
  std::string_view head = written.substr(0, std::min<size_t>(written.find_first_of("<{( \t\r\n"), written.size()));
  return cute::looksLikeMmaAtom(head) || cute::looksLikeCopyAtom(head);
}

Result<CuteOperands> readAtom(Scanner &in) { return AtomReader(in).operands(); }

/// CuTe DSL's `make_copy_atom(op, dtype, num_bits_per_copy=128)`.
static Result<CopyAtom> copyAtomOfDsl(const cute::AtomName &call) {
  std::string op, type, width;
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    const std::string &argument = call.arguments[i];
    constexpr std::string_view kWidth = "num_bits_per_copy";
    size_t equals = argument.find('='), open = argument.find('(');
    if (equals == std::string::npos || open < equals) // an argument by position
      (i == 0 ? op : i == 1 ? type : width) = argument;
    else if (argument.starts_with(kWidth))
      width = argument.substr(argument.find_first_not_of(' ', equals + 1));
  }
  std::optional<int> bits = cute::bitsOfType(type);
  if (op.empty() || !bits)
    return error("cute-atom", "`make_copy_atom` needs an operation and a type, as `make_copy_atom(CopyUniversalOp(), "
                              "Float16, num_bits_per_copy=128)`");
  Result<CopyAtom> atom = cute::copyAtom(width.empty() ? op : text(cute::atomName(op).name, '<', width, '>'));
  return atom ? atom->as(*bits) : atom;
}

Result<CopyAtom> readCopyAtom(std::string_view written) {
  cute::AtomName name = cute::atomName(written);
  if (name.name == "make_copy_atom")
    return copyAtomOfDsl(name);
  if (name.name != "Copy_Atom")
    return cute::copyAtom(written);
  if (name.arguments.empty())
    return error("cute-atom", "`Copy_Atom` needs an instruction and a type, as `Copy_Atom<SM75_U32x4_LDSM_N, half_t>`");
  Result<CopyAtom> atom = cute::copyAtom(name.arguments[0]);
  if (!atom || name.arguments.size() < 2)
    return atom;
  std::optional<int> bits = cute::bitsOfType(name.arguments[1]);
  if (!bits)
    return error("cute-atom", Message("`{}` is no type whose bits are known", name.arguments[1].substr(0, 60)));
  return atom->as(*bits);
}

Result<CuteOperands> operandsOf(const MmaAtom &atom) {
  CuteOperands out;
  for (auto [operand, label] : kOperands)
    if (Result<void> added = append(out, label, atom.operand[operand], tileOf(atom.shape, operand), atom.threads);
        !added)
      return std::unexpected(std::move(added.error()));
  return out;
}

Result<CuteOperands> operandsOf(const CopyAtom &atom) {
  CuteOperands out;
  Shape moved = movedBy(atom);
  for (auto [label, side] : {std::pair("ValLayoutSrc", &atom.source),
                             {"ValLayoutDst", &atom.destination},
                             {"ValLayoutRef", &atom.reference}})
    if (Result<void> added = append(out, label, *side, moved, atom.threads); !added)
      return std::unexpected(std::move(added.error()));
  return out;
}

Result<CuteOperands> operandsOf(const TiledMma &mma, const cute::Layout &threadIds) {
  CuteOperands out;
  for (auto [operand, label] : kOperands) {
    Result<TiledMma::Tile> tile = mma.operand(operand);
    if (!tile)
      return std::unexpected(std::move(tile.error()));
    Shape sizes(tile->tile.begin(), tile->tile.end());
    if (Result<void> added = append(out, label, tile->layout, std::move(sizes), std::nullopt); !added)
      return std::unexpected(std::move(added.error()));
  }
  for (auto [operand, label] : kOperands)
    if (Result<void> added = append(out, text("Atom", label), mma.atom[operand], tileOf(mma.shape, operand), threadIds);
        !added)
      return std::unexpected(std::move(added.error()));
  return out;
}

Result<CuteOperands> operandsOf(const cute::TiledCopy &copy) {
  CuteOperands out;
  Result<Shape> tile = copy.tile();
  if (!tile)
    return std::unexpected(std::move(tile.error()));
  Result<cute::Layout> source = copy.sourceLayout(), destination = copy.destinationLayout();
  if (!source || !destination)
    return std::unexpected(std::move(source ? destination.error() : source.error()));
  for (auto [label, layout] :
       {std::pair("TiledLayout_TV", &copy.layout), {"LayoutS_TV", &*source}, {"LayoutD_TV", &*destination}})
    if (Result<void> added = append(out, label, *layout, *tile, std::nullopt); !added)
      return std::unexpected(std::move(added.error()));
  Result<CuteOperands> atom = operandsOf(copy.atom);
  if (!atom)
    return atom;
  out.insert(out.end(), atom->begin(), atom->end());
  return out;
}

} // namespace lanescope::layouts
