// Grids of cells for addresses in shared memory. One shows them from the memory's point of view, one from the array's.
#pragma once

#include "viz/scene/CellGrid.h"
#include "viz/scene/Fold.h"
#include "viz/scene/SmemScene.h"

namespace lanescope::viz {

/// The data about an array in shared memory that both points of view use.
struct AddressSubject {
  /// `before`: the map without the swizzle. It equals `map` if there is no swizzle. It is null if the map is unknown;
  /// chunks are then those of the array in rows.
  std::shared_ptr<const layouts::AddressMap> map, before;
  std::shared_ptr<const layouts::ElementMap> owners; // null if unknown
  SmemColour colourBy = SmemColour::Chunk;

  int64_t lastSize() const { return map->shape().empty() ? 1 : map->shape().back(); }
  int64_t chunk(int64_t element) const {
    int64_t byte = before ? before->byte(element) : element * map->bitwidth() / 8;
    return byte / layouts::kSwizzleChunkBytes;
  }
  /// True if paint() hatches any cell.
  bool hasCopies() const { return colourBy == SmemColour::Warp && owners && owners->replication() > 1; }
  /// Sets the fill and hatch of an element's cell.
  void paint(int64_t element, Cell &cell) const;
  std::string words(const layouts::AddressMap &stage, int64_t offset, int64_t element) const;
  /// Appends all elements of the chunk.
  void elementsOfChunk(int64_t chunk, std::vector<int32_t> &elements) const;
};

/// Lines of 128 bytes. One stage follows after the other.
class LineModel : public CellModel {
public:
  using Stages = std::vector<std::shared_ptr<const layouts::AddressMap>>;
  LineModel(AddressSubject subject, Stages stages, int64_t lines, ColourTheme theme);
  int64_t rows() const override { return lines_ * static_cast<int64_t>(stages_.size()); }
  int64_t columns() const override { return perLine_; }
  Cell cell(int64_t row, int64_t column) const override;
  void label(int64_t row, int64_t column, std::string &label, std::string &detail) const override;
  std::string tooltip(int64_t row, int64_t column) const override;
  std::string rowTick(int64_t row) const override;
  std::string columnTick(int64_t column) const override;
  void linkKeys(int64_t row, int64_t column, std::vector<int32_t> &keys) const override;
  void linkedElements(int64_t row, int64_t column, std::vector<int32_t> &elements) const override;
  void cellsOf(int64_t element, std::vector<CellAt> &cells) const override;
  bool hasCopies() const override { return subject_.hasCopies(); }

private:
  int64_t offset(int64_t row, int64_t column) const { return row % lines_ * perLine_ + column; }
  int64_t elementAt(int64_t row, int64_t column) const;

  AddressSubject subject_;
  Stages stages_;
  int64_t lines_, perLine_;
};

/// A cell for each element, with the element's bank and byte.
class BankModel : public CellModel {
public:
  BankModel(AddressSubject subject, const layouts::Shape &slice, ColourTheme theme);
  int64_t rows() const override { return fold_.rows; }
  int64_t columns() const override { return fold_.columns; }
  Cell cell(int64_t row, int64_t column) const override;
  void label(int64_t row, int64_t column, std::string &label, std::string &detail) const override;
  std::string tooltip(int64_t row, int64_t column) const override;
  std::string rowTick(int64_t row) const override;
  std::string columnTick(int64_t column) const override;
  void linkKeys(int64_t row, int64_t column, std::vector<int32_t> &keys) const override;
  void linkedElements(int64_t row, int64_t column, std::vector<int32_t> &elements) const override;
  void cellsOf(int64_t element, std::vector<CellAt> &cells) const override;
  bool hasCopies() const override { return subject_.hasCopies(); }

private:
  AddressSubject subject_;
  Fold fold_;
};

} // namespace lanescope::viz
