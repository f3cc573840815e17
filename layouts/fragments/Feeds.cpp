#include "layouts/fragments/Feeds.h"

#include "layouts/fragments/FragmentLayout.h"

#include <optional>

namespace lanescope::layouts {

namespace {

/// Looks up the places of elements; builds the maps of each operand once.
class Places {
public:
  explicit Places(const Atom &atom) : atom_(atom), entries_(atom.operands.size()) {}

  Result<Feed> at(std::string_view name, Shape index) {
    const Operand *operand = atom_.find(name);
    Feed feed{std::string(name), std::move(index), {}, {}};
    Entry &entry = entries_[static_cast<size_t>(operand - atom_.operands.data())];
    if (!entry.made && !operand->fragments.empty())
      if (Result<void> made = make(*operand, entry); !made)
        return std::unexpected(std::move(made.error()));
    int64_t element = ravelIndex(feed.index, operand->shape);
    if (entry.registers)
      feed.owners = entry.registers->owners(element);
    if (entry.cells)
      feed.cells = entry.cells->cells(element);
    return feed;
  }

private:
  struct Entry {
    bool made = false;
    std::optional<ElementMap> registers;
    std::optional<TmemMap> cells;
  };

  Result<void> make(const Operand &operand, Entry &entry) {
    entry.made = true;
    Result<Foreign> layout = fragment(atom_, operand.name);
    if (!layout)
      return std::unexpected(std::move(layout.error()));
    for (Memory memory : (*layout)->memories()) {
      if (memory == Memory::Registers) {
        Result<ElementMap> map = (*layout)->elementMap(operand.shape);
        if (!map)
          return std::unexpected(std::move(map.error()));
        entry.registers = *std::move(map);
      } else {
        Result<TmemMap> map = (*layout)->tmemMap(operand.shape, operand.bits);
        if (!map)
          return std::unexpected(std::move(map.error()));
        entry.cells = *std::move(map);
      }
    }
    return {};
  }

  const Atom &atom_;
  std::vector<Entry> entries_;
};

/// Collects feeds; stops after the first error.
class Feeds {
public:
  explicit Feeds(const Atom &atom) : places_(atom) {}
  void add(std::string_view operand, Shape index) {
    if (failure_)
      return;
    Result<Feed> feed = places_.at(operand, std::move(index));
    if (feed)
      out_.push_back(*std::move(feed));
    else
      failure_ = std::move(feed.error());
  }
  /// For an element that is in registers as well, adds only its cells.
  void addCells(std::string_view operand, Shape index) {
    add(operand, std::move(index));
    if (!failure_)
      out_.back().owners.clear();
  }
  /// Adds all elements that agree with `index` in every dimension but `free`.
  void addLine(const Operand &operand, Shape index, size_t free) {
    for (index[free] = 0; index[free] < operand.shape[free]; ++index[free])
      add(operand.name, index);
  }
  Result<std::vector<Feed>> take() {
    if (failure_)
      return std::unexpected(*std::move(failure_));
    return std::move(out_);
  }

private:
  Places places_;
  std::vector<Feed> out_;
  std::optional<Diagnostics> failure_;
};

Result<const Operand *> checked(const Atom &atom, std::string_view name, const Shape &index) {
  Result<const Operand *> operand = atom.operand(name);
  if (!operand)
    return operand;
  const Shape &shape = (*operand)->shape;
  bool inside = index.size() == shape.size();
  for (size_t i = 0; inside && i < index.size(); ++i)
    inside = index[i] >= 0 && index[i] < shape[i];
  if (!inside)
    return error("index-range", Message("index {coordinates} is outside operand `{operand}` of shape {shape}",
                                        tupleText(index), name, tupleText(shape)));
  return operand;
}

bool multiplies(const Atom &atom) {
  return atom.instruction == Instruction::Mma || atom.instruction == Instruction::Wgmma ||
         atom.instruction == Instruction::TmemMma;
}

/// The index of an element: `batch`, row, column. m8n8k4 on f16 computes four products, so its arrays have an
/// additional first dimension.
Shape indexed(const Shape &batch, int64_t row, int64_t column) {
  Shape out = batch;
  out.push_back(row);
  out.push_back(column);
  return out;
}

/// The elements on the other side of a load or store.
Result<std::vector<Feed>> transferred(const Atom &atom, const Operand &operand, const Shape &index, bool inputs) {
  bool load = atom.instruction == Instruction::TmemLoad || atom.instruction == Instruction::LoadMatrix;
  bool matrix = atom.instruction == Instruction::LoadMatrix || atom.instruction == Instruction::StoreMatrix;
  bool registers = operand.name == "r", written = registers == load;
  if (inputs != written)
    return error("operand-direction",
                 Message("`{instruction}` {} operand `{operand}`: ask `{}` of it", atom.name,
                         written ? "writes" : "reads", operand.name, written ? "inputs_of" : "outputs_of"));
  Feeds feeds(atom);
  if (!matrix)
    feeds.addCells(operand.name, index);
  else if (registers)
    feeds.add("p", {index[0]});
  else
    feeds.addLine(*atom.find("r"), {index[0], 0}, 1);
  return feeds.take();
}

} // namespace

Result<std::vector<Feed>> inputsOf(const Atom &atom, std::string_view name, const Shape &index) {
  Result<const Operand *> operand = checked(atom, name, index);
  if (!operand)
    return std::unexpected(std::move(operand.error()));
  Feeds feeds(atom);
  if (multiplies(atom)) {
    if (name != "d")
      return error("operand-direction",
                   Message("`{instruction}` reads operand `{operand}`: ask `outputs_of` of it, or `inputs_of` of `d`",
                           atom.name, name));
    size_t rowDim = index.size() - 2, columnDim = rowDim + 1;
    Shape batch(index.begin(), index.begin() + static_cast<ptrdiff_t>(rowDim));
    int64_t row = index[rowDim], column = index[columnDim];
    for (const Operand &input : atom.operands) {
      if (input.name == "a" || input.name == "e" || input.name == "scale_a")
        feeds.addLine(input, indexed(batch, row, 0), columnDim);
      else if (input.name == "b" || input.name == "scale_b")
        feeds.addLine(input, indexed(batch, 0, column), rowDim);
      else if (input.name == "c")
        feeds.add("c", index);
    }
    return feeds.take();
  }
  return transferred(atom, **operand, index, true);
}

Result<std::vector<Feed>> outputsOf(const Atom &atom, std::string_view name, const Shape &index) {
  Result<const Operand *> operand = checked(atom, name, index);
  if (!operand)
    return std::unexpected(std::move(operand.error()));
  Feeds feeds(atom);
  if (multiplies(atom)) {
    if (name == "d")
      return error("operand-direction",
                   Message("`{instruction}` writes operand `d`: ask `inputs_of` of it", atom.name));
    const Operand &output = *atom.find("d");
    size_t rowDim = index.size() - 2, columnDim = rowDim + 1;
    Shape batch(index.begin(), index.begin() + static_cast<ptrdiff_t>(rowDim));
    if (name == "c")
      feeds.add("d", index);
    else if (name == "b" || name == "scale_b")
      feeds.addLine(output, indexed(batch, 0, index[columnDim]), rowDim);
    else
      feeds.addLine(output, indexed(batch, index[rowDim], 0), columnDim);
    return feeds.take();
  }
  return transferred(atom, **operand, index, false);
}

} // namespace lanescope::layouts
