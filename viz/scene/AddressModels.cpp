#include "viz/scene/AddressModels.h"

#include "layouts/support/Text.h"
#include "viz/scene/Palette.h"
#include "viz/scene/PlaceWords.h"
#include "viz/scene/RegisterModels.h"

namespace lanescope::viz {

using layouts::AddressMap;

void AddressSubject::paint(int64_t element, Cell &cell) const {
  switch (colourBy) {
  case SmemColour::Chunk:
    cell.fill = hue(chunk(element) % (layouts::kSwizzleLineBytes / layouts::kSwizzleChunkBytes));
    break;
  case SmemColour::Row:
    cell.fill = itemColour(element / lastSize(), layouts::elementCount(map->shape()) / lastSize());
    break;
  case SmemColour::Column: cell.fill = itemColour(element % lastSize(), lastSize()); break;
  case SmemColour::Bank: cell.fill = bankColour(layouts::smemBank(map->byte(element))); break;
  case SmemColour::Warp: {
    std::span<const int32_t> slots = owners->slots(element);
    cell.fill = kUnclassed;
    if (!slots.empty()) {
      int thread = owners->ownerOf(slots[0]).thread;
      cell.fill = threadColour(*owners, thread);
      cell.hatched = owners->ownerOf(slots.back()).thread != thread;
    }
  }
  }
}

std::string AddressSubject::words(const AddressMap &stage, int64_t offset, int64_t element) const {
  std::string out = addressWords(stage, before.get(), offset, element);
  if (owners && element >= 0)
    out += "; " + elementWords(*owners, element);
  return out;
}

void AddressSubject::elementsOfChunk(int64_t chunk, std::vector<int32_t> &elements) const {
  int64_t bits = int64_t(layouts::kSwizzleChunkBytes) * 8, first = chunk * bits / map->bitwidth();
  int64_t end = before ? before->extent() : layouts::elementCount(map->shape());
  int64_t last = std::min((chunk + 1) * bits / map->bitwidth(), end);
  for (int64_t place = first; place < last; ++place)
    if (int32_t element = before ? before->element(place) : static_cast<int32_t>(place); element >= 0)
      elements.push_back(element);
}

LineModel::LineModel(AddressSubject subject, Stages stages, int64_t lines, ColourTheme theme)
    : CellModel(theme), subject_(std::move(subject)), stages_(std::move(stages)), lines_(lines),
      perLine_(layouts::kSwizzleLineBytes * 8 / subject_.map->bitwidth()) {}

int64_t LineModel::elementAt(int64_t row, int64_t column) const {
  const AddressMap &map = *stages_[static_cast<size_t>(row / lines_)];
  int64_t at = offset(row, column);
  return at < map.extent() ? map.element(at) : -1;
}

Cell LineModel::cell(int64_t row, int64_t column) const {
  Cell cell;
  cell.element = elementAt(row, column);
  cell.unit =
      static_cast<int32_t>((row * perLine_ + column) * subject_.map->bitwidth() / (8 * layouts::kSmemBankBytes));
  if (cell.element < 0)
    return cell;
  int64_t count = layouts::elementCount(subject_.map->shape());
  int64_t chunks =
      std::max(subject_.map->bytes(), count * subject_.map->bitwidth() / 8) / layouts::kSwizzleChunkBytes + 1;
  cell.zone = static_cast<int32_t>(subject_.chunk(cell.element) + row / lines_ * chunks);
  subject_.paint(cell.element, cell);
  return cell;
}

void LineModel::label(int64_t row, int64_t column, std::string &label, std::string &) const {
  if (int64_t element = elementAt(row, column); element >= 0)
    label = shortIndex(subject_.map->shape(), element);
}

std::string LineModel::tooltip(int64_t row, int64_t column) const {
  return subject_.words(*stages_[static_cast<size_t>(row / lines_)], offset(row, column), elementAt(row, column));
}

std::string LineModel::rowTick(int64_t row) const { return text(row % lines_ * layouts::kSwizzleLineBytes); }

std::string LineModel::columnTick(int64_t column) const {
  return text(column * subject_.map->bitwidth() / 8 / layouts::kSmemBankBytes);
}

void LineModel::linkKeys(int64_t row, int64_t column, std::vector<int32_t> &keys) const {
  if (int64_t element = elementAt(row, column); element >= 0)
    keys.push_back(static_cast<int32_t>(subject_.chunk(element)));
}

void LineModel::linkedElements(int64_t row, int64_t column, std::vector<int32_t> &elements) const {
  if (int64_t element = elementAt(row, column); element >= 0)
    subject_.elementsOfChunk(subject_.chunk(element), elements);
}

void LineModel::cellsOf(int64_t element, std::vector<CellAt> &cells) const {
  for (size_t stage = 0; stage < stages_.size(); ++stage) {
    int64_t at = stages_[stage]->offset(element), row = at / perLine_;
    if (row < lines_)
      cells.push_back({row + static_cast<int64_t>(stage) * lines_, at % perLine_});
  }
}

BankModel::BankModel(AddressSubject subject, const layouts::Shape &slice, ColourTheme theme)
    : CellModel(theme), subject_(std::move(subject)), fold_(fold(subject_.map->shape(), slice)) {}

Cell BankModel::cell(int64_t row, int64_t column) const {
  Cell cell;
  cell.element = fold_.element(row, column);
  if (cell.element < 0)
    return cell;
  subject_.paint(cell.element, cell);
  int64_t byte = subject_.map->byte(cell.element);
  cell.unit = static_cast<int32_t>(byte / layouts::kSmemBankBytes);
  cell.zone = static_cast<int32_t>(subject_.chunk(cell.element));
  return cell;
}

void BankModel::label(int64_t row, int64_t column, std::string &label, std::string &detail) const {
  int64_t element = fold_.element(row, column);
  if (element < 0)
    return;
  int64_t byte = subject_.map->byte(element);
  label = text("b", layouts::smemBank(byte));
  detail = text("@", byte);
}

std::string BankModel::tooltip(int64_t row, int64_t column) const {
  int64_t element = fold_.element(row, column);
  return subject_.words(*subject_.map, subject_.map->offset(element), element);
}

std::string BankModel::rowTick(int64_t row) const { return rowTickText(fold_, row); }
std::string BankModel::columnTick(int64_t column) const { return columnTickText(fold_, column); }

void BankModel::linkKeys(int64_t row, int64_t column, std::vector<int32_t> &keys) const {
  keys.push_back(static_cast<int32_t>(subject_.chunk(fold_.element(row, column))));
}

void BankModel::linkedElements(int64_t row, int64_t column, std::vector<int32_t> &elements) const {
  subject_.elementsOfChunk(subject_.chunk(fold_.element(row, column)), elements);
}

void BankModel::cellsOf(int64_t element, std::vector<CellAt> &cells) const {
  if (std::optional<CellAt> at = fold_.cellOf(element))
    cells.push_back(*at);
}

} // namespace lanescope::viz
