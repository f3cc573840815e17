// Video instructions (PTX ISA 9.7.18): the scalar vadd, vsub, vabsdiff, vmin, vmax, vshl, vshr, vmad, vset, and the
// forms for two halves or four bytes (vadd2, vavrg4, vset4, …). All results are exact.
#include "core/gpu/emulator/instructions/Families.h"
#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/machine/Lanes.h"

#include <algorithm>
#include <bit>

namespace lanescope::core::emulator {

namespace {

enum class VideoOp : uint8_t { Add, Sub, AbsDiff, Min, Max, Average, ShiftLeft, ShiftRight, MulAdd, Set };
enum class Second : uint8_t { None, Add, Min, Max };
enum class Compare : uint8_t { Eq, Ne, Lt, Le, Gt, Ge };

/// The part of a register that a scalar instruction uses: all of it, byte 0 to 3, half 0 or 1.
enum class Part : uint8_t { Whole, B0, B1, B2, B3, H0, H1 };

struct VideoForm {
  VideoOp op : 4;
  Second second : 2;
  Compare compare : 3;
  uint8_t lanes : 3; // 1: scalar
  uint8_t signedA : 1, signedB : 1, signedD : 1, saturate : 1, wrap : 1, plusOne : 1;
  uint8_t negateProduct : 1, negateC : 1;
  uint8_t shift : 4;         // for vmad: 0, 7, 15
  uint8_t selectD : 4;       // scalar: a Part; otherwise the lanes to write
  uint16_t selectA, selectB; // scalar: a Part; otherwise 4 bits per lane: the element of {b, a}

  uint64_t pack() const { return std::bit_cast<uint64_t>(*this); }
  static VideoForm unpack(uint64_t bits) { return std::bit_cast<VideoForm>(bits); }
};
static_assert(sizeof(VideoForm) == sizeof(uint64_t));

int64_t extend(uint32_t value, uint32_t bits, bool isSigned) {
  uint64_t low = bits < 32 ? value & ((1u << bits) - 1) : value;
  if (isSigned && low >> (bits - 1) & 1)
    return static_cast<int64_t>(low) - (int64_t{1} << bits);
  return static_cast<int64_t>(low);
}

uint32_t bitsOf(Part part) { return part == Part::Whole ? 32 : part <= Part::B3 ? 8 : 16; }
uint32_t beginOf(Part part) {
  return part == Part::Whole ? 0
         : part <= Part::B3  ? 8 * (static_cast<uint32_t>(part) - 1)
                             : 16 * (static_cast<uint32_t>(part) - static_cast<uint32_t>(Part::H0));
}

int64_t partOf(uint32_t value, Part part, bool isSigned) {
  return extend(value >> beginOf(part), bitsOf(part), isSigned);
}

int64_t clampTo(int64_t value, uint32_t bits, bool isSigned) {
  int64_t least = isSigned ? -(int64_t{1} << (bits - 1)) : 0, most = (int64_t{1} << (isSigned ? bits - 1 : bits)) - 1;
  return std::clamp(value, least, most);
}

bool compares(Compare how, int64_t a, int64_t b) {
  switch (how) {
  case Compare::Eq: return a == b;
  case Compare::Ne: return a != b;
  case Compare::Lt: return a < b;
  case Compare::Le: return a <= b;
  case Compare::Gt: return a > b;
  default: return a >= b;
  }
}

int64_t apply(const VideoForm &form, int64_t a, int64_t b) {
  switch (form.op) {
  case VideoOp::Add: return a + b;
  case VideoOp::Sub: return a - b;
  case VideoOp::AbsDiff: return a > b ? a - b : b - a;
  case VideoOp::Min: return std::min(a, b);
  case VideoOp::Max: return std::max(a, b);
  case VideoOp::Average: return a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1;
  case VideoOp::ShiftLeft:
    return static_cast<int64_t>(static_cast<uint64_t>(a) << (form.wrap ? b & 31 : std::min<int64_t>(b, 32)));
  case VideoOp::ShiftRight: return a >> (form.wrap ? b & 31 : std::min<int64_t>(b, 32));
  default: return compares(form.compare, a, b);
  }
}

uint32_t multiplyAdd(const VideoForm &form, int64_t a, int64_t b, uint32_t c) {
  bool isSigned = form.signedA || form.signedB || form.negateProduct || form.negateC;
  auto product = static_cast<__int128>(a) * b;
  int low = form.plusOne || form.negateProduct || form.negateC;
  if (form.negateProduct && !form.plusOne)
    product = ~product;
  else if (form.negateC && !form.plusOne)
    c = ~c;
  __int128 sum = product + extend(c, 32, isSigned) + low;
  sum >>= form.shift;
  if (!form.saturate)
    return static_cast<uint32_t>(sum);
  __int128 least = isSigned ? INT32_MIN : 0, most = isSigned ? static_cast<__int128>(INT32_MAX) : UINT32_MAX;
  return static_cast<uint32_t>(std::clamp(sum, least, most));
}

uint32_t scalarVideo(const VideoForm &form, uint32_t a, uint32_t b, uint32_t c) {
  int64_t left = partOf(a, static_cast<Part>(form.selectA), form.signedA),
          right = partOf(b, static_cast<Part>(form.selectB), form.signedB);
  if (form.op == VideoOp::MulAdd)
    return multiplyAdd(form, left, right, c);
  int64_t value = apply(form, left, right);
  auto to = static_cast<Part>(form.selectD);
  if (form.saturate)
    value = clampTo(value, bitsOf(to), form.signedD);
  auto word = static_cast<uint32_t>(value);
  int64_t mine = extend(word, 32, form.signedD), other = extend(c, 32, form.signedD);
  switch (form.second) {
  case Second::Add: return word + c;
  case Second::Min: return mine < other ? word : c;
  case Second::Max: return mine > other ? word : c;
  case Second::None: break;
  }
  if (to == Part::Whole)
    return word;
  uint32_t mask = ((1u << bitsOf(to)) - 1) << beginOf(to);
  return (c & ~mask) | (word << beginOf(to) & mask);
}

uint32_t simdVideo(const VideoForm &form, uint32_t a, uint32_t b, uint32_t c) {
  uint32_t bits = 32u / form.lanes, result = c;
  uint64_t both = static_cast<uint64_t>(b) << 32 | a;
  for (uint32_t lane = 0; lane < form.lanes; ++lane) {
    if (!(form.selectD >> lane & 1))
      continue;
    auto element = [&](uint16_t select, bool isSigned) {
      return extend(static_cast<uint32_t>(both >> (bits * (select >> (4 * lane) & 7))), bits, isSigned);
    };
    int64_t value = apply(form, element(form.selectA, form.signedA), element(form.selectB, form.signedB));
    if (form.second == Second::Add) {
      result += static_cast<uint32_t>(value);
      continue;
    }
    if (form.saturate)
      value = clampTo(value, bits, form.signedD);
    uint32_t mask = ((1u << bits) - 1) << (bits * lane);
    result = (result & ~mask) | (static_cast<uint32_t>(value) << (bits * lane) & mask);
  }
  return result;
}

Step runVideo(Warp &warp, const Instr &i, uint32_t mask) {
  VideoForm form = VideoForm::unpack(i.imm);
  const auto *a = warp.reg<uint32_t>(i.a), *b = warp.reg<uint32_t>(i.b), *c = warp.reg<uint32_t>(i.c);
  alignas(32) uint32_t out[kLanes];
  for (int l = 0; l < kLanes; ++l)
    out[l] = form.lanes == 1 ? scalarVideo(form, a[l], b[l], c[l]) : simdVideo(form, a[l], b[l], c[l]);
  commit(warp, i.d, out, mask);
  return Step::Next;
}

/// Splits `%r1.b0` into the register and the selector.
std::string_view splitSelector(Operand &operand) {
  size_t dot = operand.kind == Operand::Kind::Name ? operand.name.rfind('.') : std::string_view::npos;
  if (dot == std::string_view::npos || dot + 2 > operand.name.size() ||
      (operand.name[dot + 1] != 'b' && operand.name[dot + 1] != 'h'))
    return {};
  std::string_view selector = operand.name.substr(dot + 1);
  operand.name = operand.name.substr(0, dot);
  return selector;
}

bool readPart(std::string_view selector, Part &part) {
  constexpr std::string_view kNames[] = {"", "b0", "b1", "b2", "b3", "h0", "h1"};
  auto found = std::ranges::find(kNames, selector);
  part = static_cast<Part>(found - std::begin(kNames));
  return found != std::end(kNames);
}

/// Reads the digits, which are for the highest lane first. They name elements, or lanes if `mask` is true.
bool readLanes(std::string_view selector, uint32_t lanes, bool mask, uint16_t &out) {
  if (selector.empty())
    return true;
  if (selector[0] != (lanes == 2 ? 'h' : 'b') || selector.size() > lanes + 1 || (!mask && selector.size() != lanes + 1))
    return false;
  out = 0;
  std::string_view digits = selector.substr(1);
  for (size_t n = 0; n < digits.size(); ++n) {
    auto digit = static_cast<uint32_t>(digits[digits.size() - 1 - n] - '0');
    if (digit >= (mask ? lanes : 2 * lanes))
      return false;
    out |= static_cast<uint16_t>(mask ? 1u << digit : digit << (4 * n));
  }
  return true;
}

struct VideoName {
  std::string_view root;
  VideoOp op;
};
constexpr VideoName kVideoNames[] = {{"vadd", VideoOp::Add},         {"vsub", VideoOp::Sub},
                                     {"vabsdiff", VideoOp::AbsDiff}, {"vmin", VideoOp::Min},
                                     {"vmax", VideoOp::Max},         {"vavrg", VideoOp::Average},
                                     {"vshl", VideoOp::ShiftLeft},   {"vshr", VideoOp::ShiftRight},
                                     {"vmad", VideoOp::MulAdd},      {"vset", VideoOp::Set}};

/// Stores types, modes and the second operation in the form.
bool decodeVideoParts(Modifiers &mods, VideoForm &form) {
  bool shifts = form.op == VideoOp::ShiftLeft || form.op == VideoOp::ShiftRight, sets = form.op == VideoOp::Set;
  bool isSigned[3] = {}; // for d, a, b; vset has no type for d
  for (int n = sets ? 1 : 0; n < 3; ++n) {
    Type type = mods.takeType();
    if (!type.isInteger() || type.bits != 32 || type.packed || type.kind == TypeKind::Bits)
      return false;
    isSigned[n] = type.isSigned();
  }
  form.signedD = isSigned[0];
  form.signedA = isSigned[1];
  form.signedB = isSigned[2];
  form.saturate = !sets && mods.take("sat");
  if (shifts) {
    std::string_view mode = mods.takeOne({"clamp", "wrap"});
    form.wrap = mode == "wrap";
    if (mode.empty() || form.signedB)
      return false;
  }
  if (sets) {
    constexpr std::string_view kNames[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    auto name = mods.takeOne({"eq", "ne", "lt", "le", "gt", "ge"});
    if (name.empty())
      return false;
    form.compare = static_cast<Compare>(std::ranges::find(kNames, name) - std::begin(kNames));
  }
  if (form.op == VideoOp::MulAdd) {
    form.plusOne = mods.take("po");
    std::string_view scale = mods.takeOne({"shr7", "shr15"});
    form.shift = static_cast<uint8_t>(scale == "shr7" ? 7 : scale == "shr15" ? 15 : 0) & 0xF;
    return true;
  }
  std::string_view second = form.lanes > 1 ? mods.takeOne({"add"}) : mods.takeOne({"add", "min", "max"});
  form.second = second == "add"   ? Second::Add
                : second == "min" ? Second::Min
                : second == "max" ? Second::Max
                                  : Second::None;
  return form.lanes == 1 || !form.saturate || form.second == Second::None;
}

bool decodeVideo(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  std::string_view root = mods.root();
  VideoForm form{};
  form.lanes = root.ends_with('2') ? 2 : root.ends_with('4') ? 4 : 1;
  if (form.lanes > 1)
    root.remove_suffix(1);
  const auto *name = std::ranges::find(kVideoNames, root, &VideoName::root);
  form.op = name->op;
  bool simd = form.lanes > 1;
  if (!decodeVideoParts(mods, form) || !d.finish(mods, 3, 4))
    return false;
  Operand to = d.operand(0), a = d.operand(1), b = d.operand(2);
  std::string_view selectD = splitSelector(to), selectA = splitSelector(a), selectB = splitSelector(b);
  bool three = d.operandCount() == 4;
  bool fine = true;
  if (simd) {
    uint16_t lanes = static_cast<uint16_t>((1u << form.lanes) - 1), first = form.lanes == 2 ? 0x10 : 0x3210,
             second = form.lanes == 2 ? 0x32 : 0x7654;
    fine = readLanes(selectD, form.lanes, true, lanes) && readLanes(selectA, form.lanes, false, first) &&
           readLanes(selectB, form.lanes, false, second) && three;
    form.selectD = static_cast<uint8_t>(lanes & 0xF);
    form.selectA = first;
    form.selectB = second;
  } else {
    Part parts[3];
    fine = readPart(selectD, parts[0]) && readPart(selectA, parts[1]) && readPart(selectB, parts[2]);
    form.selectD = static_cast<uint8_t>(parts[0]) & 0xF;
    form.selectA = static_cast<uint16_t>(parts[1]);
    form.selectB = static_cast<uint16_t>(parts[2]);
    // A result that is written as a whole leaves nothing of `c` (PTX ISA, "Scalar Video Instructions", optMerge), which
    // may then be given or left out.
    bool merges = parts[0] != Part::Whole, needs = merges || form.second != Second::None || form.op == VideoOp::MulAdd;
    fine = fine && (three || !needs) && !(merges && (form.second != Second::None || form.op == VideoOp::MulAdd));
  }
  if (!fine)
    return d.fail(Message("the operands of `{instruction}` do not fit it: their number, or what they select",
                          d.current().opcode));
  Operand c = three ? d.operand(3) : Operand{};
  if (form.op == VideoOp::MulAdd) {
    form.negateProduct = a.negated != b.negated;
    form.negateC = c.negated;
    a.negated = b.negated = c.negated = false;
  }
  i.imm = form.pack();
  i.d = d.dest(to, 32);
  i.a = d.source(a, 32);
  i.b = d.source(b, 32);
  i.c = three ? d.source(c, 32) : d.constant(0, 32);
  i.cost = cost::kArithmetic;
  i.run = &runVideo;
  return !d.failed();
}

} // namespace

const Family &videoFamily() {
  static const Family family = [] {
    Family all;
    for (std::string_view root : {"vadd",  "vsub",  "vabsdiff", "vmin",      "vmax",      "vshl",  "vshr",  "vmad",
                                  "vset",  "vadd2", "vsub2",    "vavrg2",    "vabsdiff2", "vmin2", "vmax2", "vset2",
                                  "vadd4", "vsub4", "vavrg4",   "vabsdiff4", "vmin4",     "vmax4", "vset4"})
      all.push_back({root, &decodeVideo});
    return all;
  }();
  return family;
}

} // namespace lanescope::core::emulator
