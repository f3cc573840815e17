// Builtins for instruction fragments: the threads and registers of an instruction's operands, and the elements of one
// instruction that feed another.
#include "layouts/support/Try.h"
#include "repl/layouts/LayoutBuiltins.h"

#include "layouts/fragments/Feeds.h"
#include "layouts/fragments/FragmentLayout.h"
#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::repl {
namespace {

using C = Context;
using A = BoundArguments;
using R = Result<Value>;
using layouts::Atom;
using layouts::Feed;

using Column = std::pair<std::string, Value>;

/// The instruction that argument 0 names. If the text is a literal, errors point into it.
Result<Atom> atomOf(const A &args) {
  std::string name = LANESCOPE_TRY(args.text(0));
  Span span = args[0].span;
  if (span.source && span.end - span.begin == name.size() + 2) { // the text has two quotes around the name
    ++span.begin;
    --span.end;
  }
  // Remove the blanks around a pasted name, which do not belong to it.
  size_t first = std::min(name.find_first_not_of(" \t\r\n"), name.size());
  size_t last = name.find_last_not_of(" \t\r\n");
  std::string trimmed = name.substr(first, last == std::string::npos ? 0 : last + 1 - first);
  if (span.source && span.end - span.begin == name.size()) {
    span.begin += static_cast<uint32_t>(first);
    span.end = span.begin + static_cast<uint32_t>(trimmed.size());
  }
  return layouts::parseAtom(trimmed, span);
}

R fragmentOf(C &, const A &args) {
  Atom atom = LANESCOPE_TRY(atomOf(args));
  auto layout = layouts::fragment(atom, LANESCOPE_TRY(args.text(1)));
  if (!layout)
    return at(args[1].span, std::move(layout.error()));
  return Value(layouts::Layout(*std::move(layout)));
}

R atomTable(C &, const A &args) {
  std::string match = args.has(0) ? LANESCOPE_TRY(args.text(0)) : std::string();
  std::vector<Value> names, shapes, types, sections;
  for (const Atom &atom : layouts::atoms()) {
    if (atom.name.find(match) == std::string::npos)
      continue;
    std::vector<std::string> operandTypes;
    for (const layouts::Operand &operand : atom.operands)
      operandTypes.push_back(text(operand.name, ' ', operand.type));
    names.emplace_back(atom.name);
    shapes.push_back(atom.k ? Value::shape({atom.m, atom.n, atom.k}) : Value::shape(atom.operands.front().shape));
    types.emplace_back(joined(operandTypes, ", "));
    // Most titles of sections begin alike, so only the end distinguishes them.
    std::string_view section = atom.section;
    constexpr std::string_view kMatrixFragments = "Matrix Fragments for ";
    if (section.starts_with(kMatrixFragments))
      section.remove_prefix(kMatrixFragments.size());
    sections.emplace_back(std::string(section));
  }
  return Value::dict({{"name", Value::list(std::move(names))},
                      {"shape", Value::list(std::move(shapes))},
                      {"types", Value::list(std::move(types))},
                      {"section", Value::list(std::move(sections))}});
}

/// One row for each place. A column for a memory that does not occur is left out; a value that a row lacks is None.
Value feedTable(const std::vector<Feed> &feeds) {
  bool registers = std::ranges::any_of(feeds, [](const Feed &feed) { return !feed.owners.empty(); });
  bool cells = std::ranges::any_of(feeds, [](const Feed &feed) { return !feed.cells.empty(); });
  std::vector<Value> operands, indices;
  std::vector<Value> owners[3], places[3];
  auto row = [&](const Feed &feed, const layouts::Owner *owner, const layouts::TmemCell *cell) {
    operands.emplace_back(feed.operand);
    indices.push_back(Value::shape(feed.index));
    const int32_t inRegisters[] = {owner ? owner->thread : 0, owner ? owner->reg : 0, owner ? owner->position : 0};
    const int32_t inCells[] = {cell ? cell->lane : 0, cell ? cell->column : 0, cell ? cell->sub : 0};
    for (size_t i = 0; i < 3; ++i) {
      owners[i].push_back(owner ? Value(inRegisters[i]) : Value());
      places[i].push_back(cell ? Value(inCells[i]) : Value());
    }
  };
  for (const Feed &feed : feeds) {
    for (const layouts::Owner &owner : feed.owners)
      row(feed, &owner, nullptr);
    for (const layouts::TmemCell &cell : feed.cells)
      row(feed, nullptr, &cell);
    if (feed.owners.empty() && feed.cells.empty())
      row(feed, nullptr, nullptr); // the place is in shared memory
  }
  std::vector<Column> columns = {{"operand", Value::list(std::move(operands))},
                                 {"index", Value::list(std::move(indices))}};
  constexpr const char *kOwnerNames[] = {"thread", "register", "vector"}, *kCellNames[] = {"lane", "column", "sub"};
  for (size_t i = 0; i < 3 && registers; ++i)
    columns.emplace_back(kOwnerNames[i], Value::list(std::move(owners[i])));
  for (size_t i = 0; i < 3 && cells; ++i)
    columns.emplace_back(kCellNames[i], Value::list(std::move(places[i])));
  return Value::dict(std::move(columns));
}

template <auto Question> R feeds(C &, const A &args) {
  Atom atom = LANESCOPE_TRY(atomOf(args));
  std::string operand = LANESCOPE_TRY(args.text(1));
  Result<std::vector<Feed>> answer = Question(atom, operand, LANESCOPE_TRY(args.integers(2)));
  if (!answer) {
    bool index = answer.error().front().kind == "index-range";
    return at(args[index ? 2 : 1].span, std::move(answer.error()));
  }
  return feedTable(*answer);
}

} // namespace

Builtins fragmentBuiltins() {
  Builtins out = {
      {"fragment", "fragment(atom, operand)",
       "The layout of an instruction's operand: which thread's register holds which element.\n\n`atom` is a PTX name, "
       "short or in full: \"mma.m16n8k16.f16\", \"wgmma.m64n128k16.f32.f16\", \"tcgen05.ld.32x32b.x8\", "
       "\"ldmatrix.x4.trans\"; `operand` is \"a\", \"b\", \"c\", \"d\", \"e\" (sparsity metadata), \"scale_a\", "
       "\"scale_b\", or \"r\" (registers) and \"p\" (row addresses) of loads and stores. Selectors are written as "
       "`selector::1`.",
       fragmentOf},
      {"atoms", "atoms(match='')",
       "The instructions with fragments and their sections in the PTX ISA (\"Matrix Fragments for …\"), as a table; "
       "`match` is a part of the names.\n\nOf open families it lists one: wgmma takes any n, tcgen05.ld any repeat.",
       atomTable},
      {"inputs_of", "inputs_of(atom, operand, index)",
       "The elements, and the registers that hold them, which an element of an instruction's output comes from, as a "
       "table.\n\ninputs_of(\"mma.m16n8k16.f16\", \"d\", (3, 5)) lists row 3 of A, column 5 of B and (3, 5) of C. "
       "None: the operand is in shared memory.",
       feeds<layouts::inputsOf>},
      {"outputs_of", "outputs_of(atom, operand, index)",
       "The elements of an instruction's output, and the registers that hold them, which an element of an input goes "
       "into, as a table.",
       feeds<layouts::outputsOf>},
  };
  for (Builtin &builtin : out)
    builtin.group = "layouts";
  return out;
}

} // namespace lanescope::repl
