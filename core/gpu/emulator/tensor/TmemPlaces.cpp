#include "core/gpu/emulator/tensor/TmemPlaces.h"

#include <algorithm>

namespace lanescope::core::emulator {

namespace {

using layouts::operands::DataPath;

/// Boxes that contain the cells. Each box is a run of lanes with the same columns.
std::vector<CellBox> boxesOf(const std::vector<TmemPlace> &places) {
  uint16_t low[kTensorLanes], high[kTensorLanes] = {}; // first column and end of each lane's columns
  std::fill(std::begin(low), std::end(low), kTensorColumns);
  for (const TmemPlace &place : places) {
    low[place.lane] = std::min(low[place.lane], place.column);
    high[place.lane] = std::max<uint16_t>(high[place.lane], place.column + 1);
  }
  std::vector<CellBox> out;
  for (uint16_t lane = 0; lane < kTensorLanes; ++lane) {
    if (low[lane] >= high[lane])
      continue;
    uint16_t columns = high[lane] - low[lane];
    if (!out.empty() && out.back().lane + out.back().lanes == lane && out.back().column == low[lane] &&
        out.back().columns == columns)
      ++out.back().lanes;
    else
      out.push_back({lane, 1, low[lane], columns});
  }
  return out;
}

/// `shape` is the shape of the fragment's array. The table has the array's first `rows` by `columns` elements.
/// `transposed`: the array is (columns, rows).
TmemTable tableOf(const layouts::Fragment &fragment, const layouts::Shape &shape, uint32_t rows, uint32_t columns,
                  bool transposed = false) {
  auto perLane = static_cast<size_t>(fragment.size(1) * fragment.size(2)), subs = static_cast<size_t>(fragment.size(2));
  std::vector<std::vector<TmemPlace>> all(static_cast<size_t>(rows) * columns);
  std::vector<int32_t> elements = fragment.elements(shape);
  for (size_t slot = 0; slot < elements.size(); ++slot) {
    if (elements[slot] < 0)
      continue;
    auto first = static_cast<uint32_t>(elements[slot] / shape[1]),
         second = static_cast<uint32_t>(elements[slot] % shape[1]);
    uint32_t row = transposed ? second : first, column = transposed ? first : second;
    if (row < rows && column < columns)
      all[row * columns + column].push_back({static_cast<uint16_t>(slot / perLane),
                                             static_cast<uint16_t>(slot % perLane / subs),
                                             static_cast<uint8_t>(slot % subs)});
  }
  TmemTable out;
  out.columns = columns;
  out.copies = static_cast<uint32_t>(all.front().size());
  for (const std::vector<TmemPlace> &copies : all)
    out.places.insert(out.places.end(), copies.begin(), copies.end());
  out.boxes = boxesOf(out.places);
  return out;
}

} // namespace

std::shared_ptr<const TmemPlaces> TmemPlaces::of(const layouts::TmemMmaOpcode &opcode,
                                                 const layouts::TmemMmaShape &shape,
                                                 const layouts::MatrixInstruction &row,
                                                 const layouts::BlockScale &scales) {
  namespace operands = layouts::operands;
  auto out = std::make_shared<TmemPlaces>();
  out->path = operands::dataPathOf(shape.m, row).path;
  int64_t rows = operands::rowsOf(out->path), stored = opcode.sparse ? shape.k / 2 : shape.k;
  auto rowCount = static_cast<uint32_t>(rows), columns = static_cast<uint32_t>(shape.n);
  int bits = row.elementBits();
  out->d = tableOf(operands::resultCells(out->path, shape.n), {rows, shape.n}, rowCount, columns);
  // Treats A as whole cells, as if its elements had 32 bits.
  int64_t cells = stored * bits / layouts::kTmemCellBits;
  out->a = tableOf(operands::multiplicandCells(out->path, cells, layouts::kTmemCellBits), {rows, cells}, rowCount,
                   static_cast<uint32_t>(cells));
  if (opcode.sparse) {
    layouts::Operand metadata = operands::metadataCells(out->path, shape.k, ptxName(shape.a), bits);
    out->metadataBits = metadata.bits;
    out->metadata =
        tableOf(metadata.fragments.front(), metadata.shape, rowCount, static_cast<uint32_t>(metadata.shape[1]));
  }
  if (scales.count) {
    // The scale ids count bytes of whole cells. The columns for the next four scales (K = 96) follow after tiles of
    // 128.
    auto tables = [&](int dim, int64_t vectors, int id) {
      int64_t first = id, last = id + scales.count, all = (last + 3) / 4 * 4;
      int64_t tiled = all > 4 ? (vectors + 127) / 128 * 128 : (vectors + 31) / 32 * 32;
      if (out->path == DataPath::Halves && dim == 1)
        tiled = std::max<int64_t>(tiled, (vectors / 2 + 31) / 32 * 64);
      // DataPath::Halves: each half of `vectors` has its own columns.
      layouts::Fragment fragment = operands::scaleCells(out->path, dim, tiled, all, 0);
      layouts::Shape array = dim == 0 ? layouts::Shape{tiled, all} : layouts::Shape{all, tiled};
      TmemTable whole = tableOf(fragment, array, static_cast<uint32_t>(tiled), static_cast<uint32_t>(all), dim == 1);
      TmemTable chosen;
      chosen.copies = whole.copies;
      chosen.columns = static_cast<uint32_t>(scales.count);
      for (int64_t v = 0; v < vectors; ++v) {
        int64_t at = v;
        if (out->path == DataPath::Halves && dim == 1 && v >= vectors / 2)
          at = v - vectors / 2 + tiled / 2;
        for (int64_t j = first; j < last; ++j)
          for (uint32_t copy = 0; copy < whole.copies; ++copy)
            chosen.places.push_back(whole.at(static_cast<uint32_t>(at), static_cast<uint32_t>(j))[copy]);
      }
      chosen.boxes = boxesOf(chosen.places);
      return chosen;
    };
    out->scaleA = tables(0, rows, shape.scaleIdA);
    out->scaleB = tables(1, shape.n, shape.scaleIdB);
  }
  return out;
}

} // namespace lanescope::core::emulator
