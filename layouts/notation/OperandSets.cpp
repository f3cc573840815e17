#include "layouts/notation/OperandSets.h"

#include "layouts/cost/Conflicts.h"
#include "layouts/fragments/FragmentLayout.h"
#include "layouts/notation/cute/CuteAtoms.h"
#include "layouts/notation/Notation.h"
#include "layouts/Placement.h"
#include "layouts/support/Text.h"
#include "layouts/support/Words.h"

#include <algorithm>
#include <array>
#include <memory>

namespace lanescope::layouts {

namespace {

bool ofName(char c) { return isNameCharacter(c) || c == '.' || c == ':'; }

struct Role {
  std::string_view operand; // its name in the Atom
  OperandRole role;
  std::string_view name;
};
constexpr Role kRoles[] = {{"a", OperandRole::A, "A"},
                           {"b", OperandRole::B, "B"},
                           {"c", OperandRole::Result, "C"},
                           {"d", OperandRole::Result, "D"},
                           {"e", OperandRole::Metadata, "metadata"},
                           {"scale_a", OperandRole::ScaleA, "scales of A"},
                           {"scale_b", OperandRole::ScaleB, "scales of B"},
                           {"r", OperandRole::Other, "registers"},
                           {"p", OperandRole::Other, "row addresses"}};

const Role &roleOf(std::string_view operand) {
  const Role *role = std::ranges::find(kRoles, operand, &Role::operand);
  return role == std::end(kRoles) ? kRoles[std::size(kRoles) - 2] : *role;
}

/// Reads the instruction at the head of the text.
Result<Atom> readAtomName(Scanner &in) {
  in.peek();
  uint32_t begin = in.offset();
  const std::string &whole = in.spanFrom(begin).source->text();
  size_t end = begin;
  while (end < whole.size() && ofName(whole[end]))
    ++end;
  in.rewind(static_cast<uint32_t>(end));
  Span span = in.spanFrom(begin);
  Result<Atom> atom = parseAtom(std::string_view(whole).substr(begin, end - begin), span);
  if (!atom)
    return atom;
  if (char next = in.peek(); next == '{' || next == '[' || next == '%') // the operands of a line of PTX
    in.rewind(static_cast<uint32_t>(whole.size()));
  else
    in.eat(';');
  return atom;
}

bool inRegisters(const Operand &operand) {
  return std::ranges::any_of(operand.fragments,
                             [](const Fragment &fragment) { return fragment.memory == Memory::Registers; });
}

/// The operand that the instruction writes: D; or C, if the instruction writes its result there; or the registers of a
/// load. If there is none of these, the first operand.
const Operand *written(const Atom &atom) {
  for (std::string_view name : {"d", "c", "r"})
    if (const Operand *operand = atom.find(name); operand && !operand->fragments.empty())
      return operand;
  auto some = std::ranges::find_if(atom.operands, [](const Operand &operand) { return !operand.fragments.empty(); });
  return some == atom.operands.end() ? nullptr : &*some;
}

/// Describes how an operand is loaded from consecutive rows of shared memory, by the widest instruction that can do it.
std::string loadWords(const NamedOperand &operand) {
  if (operand.bits <= 0 || operand.shape.size() != 2)
    return {};
  bool byColumns = operand.role == OperandRole::B && !operand.turned; // B's threads hold runs of columns
  int64_t rows = operand.shape[0], columns = operand.shape[1];
  std::string memory =
      byColumns ? text("smem_ptr[", operand.bits, "b](unset) o (_", rows, ",_", columns, "):(_1,_", rows, ")")
                : text("smem_ptr[", operand.bits, "b](unset) o (_", rows, ",_", columns, "):(_", columns, ",_1)");
  Result<Layout> rowsOf = parseLayout(Source::make("memory", memory));
  Result<ElementMap> map = elementMapOf(operand.layout, operand.shape);
  if (!rowsOf || !map)
    return {};
  Result<Placement> placed = placement(*rowsOf, operand.shape, operand.bits, Memory::Shared);
  const auto *addresses = placed ? std::get_if<AddressMap>(&*placed) : nullptr;
  if (!addresses)
    return {};
  for (std::string_view name :
       {"ldmatrix.x4", "ldmatrix.x2", "ldmatrix.x1", "ld.shared.b128", "ld.shared.b64", "ld.shared.b32"}) {
    Result<SmemOp> op = parseSmemOp(name);
    Result<ConflictReport> report = op ? conflicts(*op, *map, *addresses) : std::unexpected(op.error());
    if (!report)
      continue;
    std::string rowsWords =
        text(byColumns ? "columns" : "rows", " of ", (byColumns ? rows : columns) * operand.bits / 8, " bytes");
    return text(operand.name, " by `", name, "` from ", rowsWords,
                " one after another: ", counted(report->wavefronts, "wavefront"),
                report->conflicts() ? text(" where ", report->ideal, " would do") : ", without bank conflicts");
  }
  return {};
}

void addLoads(OperandSet &set) {
  for (const NamedOperand &operand : set.operands)
    if (operand.role == OperandRole::A || operand.role == OperandRole::B)
      if (std::string words = loadWords(operand); !words.empty())
        set.notes.push_back(std::move(words));
}

std::optional<OperandSet> ofInstruction(const SourceRef &source) {
  Scanner in(source);
  Result<Atom> read = readAtomName(in);
  if (!read || !in.atEnd())
    return std::nullopt;
  auto atom = std::make_shared<const Atom>(*std::move(read));
  OperandSet set{.title = atom->name, .operands = {}, .notes = {}};
  const Operand *result = written(*atom);
  for (const Operand &operand : atom->operands) {
    const Role &role = roleOf(operand.name);
    if (operand.name == "c" && result && result->name == "d" && operand.type == result->type)
      continue; // C is in the same place as D
    if (!inRegisters(operand)) {
      set.notes.push_back(
          text(role.name, " is ",
               operand.fragments.empty() ? "in shared memory, where a descriptor places it" : "in tensor memory"));
      continue;
    }
    Result<Foreign> layout = fragment(atom, operand.name);
    if (!layout)
      return std::nullopt;
    bool both = operand.name == "d" && std::ranges::any_of(atom->operands, [&](const Operand &other) {
                  return other.name == "c" && other.type == operand.type;
                });
    set.operands.push_back({.role = role.role,
                            .name = both ? "D (and C)" : std::string(role.name),
                            .type = operand.type,
                            .bits = operand.bits,
                            .layout = *std::move(layout),
                            .shape = operand.shape});
  }
  return set;
}

/// The types of D, A, B and C in an atom's name: F32F16F16F32 in `SM80_16x8x16_F32F16F16F32_TN`. If a name gives three
/// types, C has the type of D. Empty if the name does not give its types so.
std::vector<std::string> typesIn(std::string_view name) {
  constexpr std::string_view kTypes[] = {"BF16", "TF32", "E4M3", "E5M2", "E3M2", "E2M3", "E2M1", "F64", "F32",
                                         "F16",  "C64",  "S32",  "S8",   "U8",   "S4",   "U4",   "U1"};
  for (size_t begin = 0; begin < name.size();) {
    size_t end = std::min(name.find('_', begin), name.size());
    std::string_view part = name.substr(begin, end - begin);
    std::vector<std::string> types;
    while (!part.empty()) {
      const auto *type = std::ranges::find_if(kTypes, [&](std::string_view each) { return part.starts_with(each); });
      if (type == std::end(kTypes))
        break;
      types.push_back(lowerCase(*type));
      part.remove_prefix(type->size());
    }
    if (part.empty() && types.size() >= 3 && types.size() <= 4)
      return types;
    begin = end + 1;
  }
  return {};
}

int bitsOf(std::string_view type) {
  size_t digit = type.find_first_of("0123456789");
  if (digit == std::string_view::npos)
    return 0;
  if (type.starts_with("e")) // a format such as e4m3: sign, exponent, mantissa
    return type == "e2m1" ? 4 : type == "e3m2" || type == "e2m3" ? 6 : 8;
  if (type == "tf32")
    return 32;
  return parseInteger<int>(type.substr(digit)).value_or(0);
}

std::optional<OperandSet> ofCute(const SourceRef &source) {
  Scanner in(source);
  Result<CuteOperands> read = readAtom(in);
  if (!read || !in.atEnd())
    return std::nullopt;
  constexpr std::array<std::pair<std::string_view, Role>, 5> kLabels = {
      {{"LayoutA_TV", {"", OperandRole::A, "A"}},
       {"LayoutB_TV", {"", OperandRole::B, "B"}},
       {"LayoutC_TV", {"", OperandRole::Result, "C"}},
       {"LayoutS_TV", {"", OperandRole::Other, "source"}},
       {"LayoutD_TV", {"", OperandRole::Other, "destination"}}}};
  const std::string &written = source->text();
  size_t first = written.find_first_not_of(" \t\r\n"), last = written.find_last_not_of(" \t\r\n;");
  OperandSet set{.title = written.substr(first, last + 1 - first), .operands = {}, .notes = {}};
  size_t atom = written.find("SM");
  std::vector<std::string> types = typesIn(std::string_view(written).substr(std::min(atom, written.size())));
  for (const auto &[label, layout] : *read)
    for (const auto &[wanted, role] : kLabels) {
      if (label != wanted || !layout.parts().operand || !layout.parts().operand->tile)
        continue;
      std::string type;
      if (!types.empty())
        type = role.role == OperandRole::A        ? types[1]
               : role.role == OperandRole::B      ? types[2]
               : role.role == OperandRole::Result ? types.size() > 3 ? types[3] : types[0]
                                                  : "";
      set.operands.push_back({.role = role.role,
                              .name = std::string(role.name),
                              .type = type,
                              .bits = bitsOf(type),
                              .layout = Foreign(std::make_shared<const cute::CuteLayout>(layout)),
                              .shape = *layout.parts().operand->tile,
                              .turned = role.role == OperandRole::B});
    }
  return set;
}

} // namespace

bool looksLikeInstruction(std::string_view text) {
  std::string_view behind = text.substr(static_cast<size_t>(std::ranges::find_if_not(text, ofName) - text.begin()));
  if (behind.starts_with('(')) // a Python call: `tcgen05.tmem_half_lane_layout(…)`
    return false;
  return std::ranges::any_of(std::array{"mma.", "wgmma.", "tcgen05.", "ldmatrix.", "stmatrix."},
                             [&](std::string_view head) { return text.starts_with(head); });
}

Result<Layout> parseInstruction(Scanner &in, Diagnostics *remarks) {
  in.peek();
  uint32_t begin = in.offset();
  Result<Atom> read = readAtomName(in);
  if (!read)
    return std::unexpected(std::move(read.error()));
  const Operand *operand = written(*read);
  if (!operand)
    return located(
        in, begin,
        Result<Layout>(error("fragment-operand",
                             Message("no operand of `{name}` is in registers or in tensor memory", read->name))));
  std::vector<std::string> others;
  for (const Operand &other : read->operands)
    if (&other != operand && !other.fragments.empty())
      others.push_back(text('`', other.name, '`'));
  if (remarks && !others.empty())
    remarks->push_back({Severity::Note,
                        "fragment-operand",
                        in.spanFrom(begin),
                        text("`", operand->name, "` of this instruction is taken; `fragment(\"", read->name,
                             "\", …)` gives ", joined(others, ", "), " too"),
                        {}});
  Result<Foreign> layout = fragment(*read, operand->name);
  if (!layout)
    return std::unexpected(std::move(layout.error()));
  return Layout(*std::move(layout));
}

std::optional<OperandSet> operandSet(const SourceRef &source) {
  if (!Scanner(source).checkSize())
    return std::nullopt;
  std::string_view head = source->text();
  head.remove_prefix(std::min(head.find_first_not_of(" \t\r\n"), head.size()));
  std::optional<OperandSet> set = looksLikeInstruction(head) ? ofInstruction(source)
                                  : looksLikeAtom(head)      ? ofCute(source)
                                                             : std::nullopt;
  if (!set || set->operands.size() < 2)
    return std::nullopt;
  addLoads(*set);
  return set;
}

} // namespace lanescope::layouts
