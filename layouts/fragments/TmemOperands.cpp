#include "layouts/fragments/TmemOperands.h"

#include "layouts/support/Text.h"

namespace lanescope::layouts::operands {

namespace {

constexpr int64_t kQuarters = 4, kLanesPerQuarter = kTmemLanes / kQuarters;

Fragment inCells() {
  Fragment out;
  out.memory = Memory::Tmem;
  return out;
}

/// 64 rows, 16 in the lower half of each quarter.
FragmentDigits lowerHalf() { return {{16, 0, 1}, {2, -1, 0, 0}, {kQuarters, 0, 16}}; }

} // namespace

Fragment resultCells(DataPath path, int64_t columns) {
  Fragment out = inCells();
  switch (path) {
  case DataPath::Full: out.parts = {FragmentDigits{{kTmemLanes, 0, 1}}, FragmentDigits{{columns, 1, 1}}, {}}; break;
  case DataPath::Halves:
    out.parts = {FragmentDigits{{64, 0, 1}, {2, 1, columns / 2}}, FragmentDigits{{columns / 2, 1, 1}}, {}};
    break;
  case DataPath::LowerHalf: out.parts = {lowerHalf(), FragmentDigits{{columns, 1, 1}}, {}}; break;
  case DataPath::Quarters:
    out.parts = {FragmentDigits{{32, 0, 1}, {4, 1, columns / 4}}, FragmentDigits{{columns / 4, 1, 1}}, {}};
    break;
  }
  return out;
}

Fragment multiplicandCells(DataPath path, int64_t columns, int bits) {
  Fragment out = inCells();
  int64_t packing = kTmemCellBits / bits;
  if (path == DataPath::Full)
    out.parts[0] = {{kTmemLanes, 0, 1}};
  else if (path == DataPath::Halves)
    out.parts[0] = {{64, 0, 1}, {2}};
  else
    out.parts[0] = lowerHalf();
  out.parts[1] = {{columns / packing, 1, packing}};
  if (packing > 1)
    out.parts[2] = {{packing, 1, 1}};
  return out;
}

Operand metadataCells(int64_t k, std::string_view type, int bits) {
  int fieldBits = type == "tf32" ? 4 : 2;
  int64_t fields = bits == 4 ? k / 4 : k / 2, perCell = kTmemCellBits / fieldBits;
  Operand out{.name = "e",
              .type = text('b', fieldBits),
              .bits = fieldBits,
              .shape = {kTmemLanes, fields},
              .doc = "sparsity metadata, in tensor memory",
              .fragments = {}};
  Fragment cells = inCells();
  if (bits >= 16) {
    // One column: of every 16 lanes, eight hold the left half of the fields of two rows and eight the right half.
    int64_t half = fields / 2;
    cells.parts[0] = {{8, 0, 1}, {2, 1, half}, {8, 0, 16}};
    cells.parts[2] = {{half, 1, 1}, {2, 0, 8}};
  } else {
    cells.parts[0] = {{kTmemLanes, 0, 1}};
    cells.parts[1] = {{fields / perCell, 1, perCell}};
    cells.parts[2] = {{perCell, 1, 1}};
  }
  out.fragments.push_back(std::move(cells));
  return out;
}

Fragment scaleCells(int dim, int64_t vectors, int64_t count, int64_t byte) {
  constexpr int64_t kBytes = kTmemCellBits / 8;
  Fragment out = inCells();
  out.parts[0] = {{kLanesPerQuarter, dim, 1}, {kQuarters}};
  out.parts[1] = {{vectors / kLanesPerQuarter, dim, kLanesPerQuarter}};
  if (count > 1)
    out.parts[2] = {{count, 1 - dim, 1}};
  if (count < kBytes)
    out.parts[2].push_back({kBytes / count, -1, 0, byte / count});
  return out;
}

} // namespace lanescope::layouts::operands
