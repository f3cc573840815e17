#include "layouts/fragments/TmemOperands.h"

#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::layouts::operands {

namespace {

constexpr int64_t kQuarters = 4, kLanesPerQuarter = kTmemLanes / kQuarters;

Fragment inCells() {
  Fragment out;
  out.memory = Memory::Tmem;
  return out;
}

/// 64 rows, of which 16 are in the lower half of each quarter.
FragmentDigits lowerHalf() { return {{16, 0, 1}, {2, -1, 0, 0}, {kQuarters, 0, 16}}; }

/// The lanes of operands whose rows are whole. If there are more lanes than rows, the rows repeat.
FragmentDigits wholeRows(DataPath path) {
  if (path == DataPath::LowerHalf)
    return lowerHalf();
  FragmentDigits lanes = {{rowsOf(path), 0, 1}};
  if (rowsOf(path) < kTmemLanes)
    lanes.push_back({kTmemLanes / rowsOf(path)});
  return lanes;
}

} // namespace

DataPathLayout dataPathOf(int64_t m, const MatrixInstruction &row) {
  if (m == 256)
    return {DataPath::Full, "Layout A (M = 256)"};
  if (m == 128 && row.ctas == 2)
    return row.sparse ? DataPathLayout{DataPath::LowerHalf, "Layout C (M = 128 + cta-group::2 + Sparse A matrix)"}
                      : DataPathLayout{DataPath::Halves, "Layout B (M = 128 + cta-group::2 + Dense A matrix)"};
  if (m == 128)
    return {DataPath::Full, "Layout D (M = 128 + cta-group::1)"};
  if (m == 64)
    return row.weightStationary ? DataPathLayout{DataPath::Halves, "Layout E (M = 64 + .ws mode)"}
                                : DataPathLayout{DataPath::LowerHalf, "Layout F (M = 64 + non .ws mode)"};
  return {DataPath::Quarters, "Layout G (M = 32)"};
}

int64_t rowsOf(DataPath path) {
  return path == DataPath::Full ? kTmemLanes : path == DataPath::Quarters ? kLanesPerQuarter : kTmemLanes / 2;
}

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
  out.parts[0] = wholeRows(path);
  out.parts[1] = {{columns / packing, 1, packing}};
  if (packing > 1)
    out.parts[2] = {{packing, 1, 1}};
  return out;
}

Operand metadataCells(DataPath path, int64_t k, std::string_view type, int bits) {
  int fieldBits = type == "tf32" ? 4 : 2;
  int64_t fields = bits == 4 ? k / 4 : k / 2, perCell = kTmemCellBits / fieldBits, rows = rowsOf(path);
  Operand out{.name = "e",
              .type = text('b', fieldBits),
              .bits = fieldBits,
              .shape = {rows, fields},
              .doc = "sparsity metadata, in tensor memory",
              .fragments = {}};
  Fragment cells = inCells();
  if (bits >= 16) {
    // In one column, eight of every 16 lanes hold the left half of the fields of two rows, and the other eight the
    // right half.
    int64_t half = fields / 2;
    cells.parts[0] = {{8, 0, 1}, {2, 1, half}};
    if (path == DataPath::LowerHalf)
      cells.parts[0].push_back({2, -1, 0, 0});
    cells.parts[0].push_back({rows / 16, 0, 16});
    if (path == DataPath::Halves || path == DataPath::Quarters)
      cells.parts[0].push_back({kTmemLanes / rows});
    cells.parts[2] = {{half, 1, 1}, {2, 0, 8}};
  } else {
    cells.parts[0] = wholeRows(path);
    cells.parts[1] = {{fields / perCell, 1, perCell}};
    cells.parts[2] = {{perCell, 1, 1}};
  }
  out.fragments.push_back(std::move(cells));
  return out;
}

Fragment scaleCells(DataPath path, int dim, int64_t vectors, int64_t count, int64_t byte) {
  constexpr int64_t kBytes = kTmemCellBits / 8;
  bool halves = path == DataPath::Halves && dim == 1;
  Fragment out = inCells();
  if (halves) {
    out.parts[0] = {{kLanesPerQuarter, dim, 1}, {kQuarters / 2}, {2, dim, vectors / 2}};
    vectors /= 2;
  } else {
    out.parts[0] = {{kLanesPerQuarter, dim, 1}, {kQuarters}};
  }
  out.parts[1] = {{(vectors + kLanesPerQuarter - 1) / kLanesPerQuarter, dim, kLanesPerQuarter}};
  if (count > kBytes)
    out.parts[1].push_back({count / kBytes, 1 - dim, kBytes});
  if (count > 1)
    out.parts[2] = {{std::min(count, kBytes), 1 - dim, 1}};
  if (count < kBytes)
    out.parts[2].push_back({kBytes / count, -1, 0, byte / count});
  return out;
}

} // namespace lanescope::layouts::operands
