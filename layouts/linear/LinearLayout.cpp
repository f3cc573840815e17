#include "layouts/linear/LinearLayout.h"

#include "layouts/support/Text.h"
#include "layouts/support/Words.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <set>

namespace lanescope::layouts {

namespace {

constexpr int32_t kMaxSize = int32_t(1) << 30;

const std::vector<LinearLayout::Basis> kNoBases;

std::string quotedNames(const std::vector<std::string> &names) {
  std::string out;
  for (const std::string &name : names)
    out += text(out.empty() ? "" : ", ", '`', name, '`');
  return out.empty() ? "none" : out;
}

/// The row echelon form of column vectors; it records the columns that add up to each pivot.
struct Elimination {
  struct Row {
    uint64_t vector, columns;
  };
  std::vector<Row> pivots; // by descending top bit of `vector`

  /// Returns true if the column was independent of those before it.
  bool add(uint64_t vector, uint64_t column) {
    uint64_t columns = column;
    for (const Row &row : pivots)
      if (vector & std::bit_floor(row.vector)) {
        vector ^= row.vector;
        columns ^= row.columns;
      }
    if (vector == 0)
      return false;
    auto place = std::find_if(pivots.begin(), pivots.end(), [&](const Row &row) { return row.vector < vector; });
    pivots.insert(place, Row{vector, columns});
    return true;
  }
  /// The columns that add up to `vector`; nothing if there are none.
  std::optional<uint64_t> solve(uint64_t vector) const {
    uint64_t columns = 0;
    for (const Row &row : pivots)
      if (vector & std::bit_floor(row.vector)) {
        vector ^= row.vector;
        columns ^= row.columns;
      }
    if (vector != 0)
      return std::nullopt;
    return columns;
  }
};

} // namespace

bool isPowerOfTwo(int64_t value) { return value > 0 && (value & (value - 1)) == 0; }
int log2Exact(int64_t value) { return std::countr_zero(static_cast<uint64_t>(value)); }
std::string standardName(size_t dimension) { return text("dim", dimension); }
std::vector<std::string> standardNames(size_t rank) {
  std::vector<std::string> names;
  for (size_t d = 0; d < rank; ++d)
    names.push_back(standardName(d));
  return names;
}

Result<LinearLayout> LinearLayout::make(std::vector<Input> inputs, std::vector<Output> outputs) {
  std::set<std::string_view> names;
  int bits = 0;
  for (const Output &output : outputs) {
    if (output.name.empty() || !names.insert(output.name).second)
      return error("linear-names", Message("output `{output}` is named twice or has no name", output.name));
    if (!isPowerOfTwo(output.size) || output.size > kMaxSize)
      return error("linear-size",
                   Message("output `{output}` has size {size}; a linear layout's sizes are powers of two up to {limit}",
                           output.name, output.size, kMaxSize));
    bits += log2Exact(output.size);
  }
  if (bits > kMaxBits)
    return error("linear-size", Message("the outputs take {bits} bits; at most {limit} are supported", bits, kMaxBits));
  names.clear();
  bits = 0;
  for (const Input &input : inputs) {
    if (input.name.empty() || !names.insert(input.name).second)
      return error("linear-names", Message("input `{input}` is named twice or has no name", input.name));
    bits += static_cast<int>(std::min<size_t>(input.bases.size(), kMaxBits + 1));
    if (bits > kMaxBits)
      return error("linear-size", Message("the inputs take more than {limit} bits, which is the limit", kMaxBits));
    for (const Basis &basis : input.bases) {
      if (basis.size() != outputs.size())
        return error("linear-rank", Message("a basis of `{name}` has {count} coordinates for {}", input.name,
                                            basis.size(), counted(outputs.size(), "output")));
      for (size_t d = 0; d < basis.size(); ++d)
        if (basis[d] < 0 || basis[d] >= outputs[d].size)
          return error("linear-range",
                       Message("a basis of `{name}` goes to {} along `{other_name}`, which has size {size}", input.name,
                               basis[d], outputs[d].name, outputs[d].size));
    }
  }
  LinearLayout layout;
  layout.inputs_ = std::move(inputs);
  layout.outputs_ = std::move(outputs);
  return layout;
}

Result<LinearLayout> LinearLayout::fitting(std::vector<Input> inputs, std::vector<std::string> outputs) {
  std::vector<Output> sized;
  for (size_t d = 0; d < outputs.size(); ++d) {
    int32_t largest = 0;
    for (const Input &input : inputs)
      for (const Basis &basis : input.bases)
        if (d < basis.size())
          largest = std::max(largest, basis[d]);
    if (largest >= kMaxSize)
      return error("linear-range", Message("a basis goes to {} along `{}`; sizes up to {limit} are supported", largest,
                                           outputs[d], kMaxSize));
    sized.push_back({std::move(outputs[d]), static_cast<int32_t>(std::bit_ceil(static_cast<uint32_t>(largest) + 1))});
  }
  return make(std::move(inputs), std::move(sized));
}

int LinearLayout::inputIndex(std::string_view name) const {
  for (size_t i = 0; i < inputs_.size(); ++i)
    if (inputs_[i].name == name)
      return static_cast<int>(i);
  return -1;
}

int LinearLayout::outputIndex(std::string_view name) const {
  for (size_t i = 0; i < outputs_.size(); ++i)
    if (outputs_[i].name == name)
      return static_cast<int>(i);
  return -1;
}

const std::vector<LinearLayout::Basis> &LinearLayout::bases(std::string_view input) const {
  int index = inputIndex(input);
  return index < 0 ? kNoBases : inputs_[static_cast<size_t>(index)].bases;
}

int LinearLayout::inputBits() const {
  int bits = 0;
  for (const Input &input : inputs_)
    bits += static_cast<int>(input.bases.size());
  return bits;
}

int LinearLayout::outputBits() const {
  int bits = 0;
  for (const Output &output : outputs_)
    bits += log2Exact(output.size);
  return bits;
}

int32_t LinearLayout::outputSize(std::string_view name) const {
  int index = outputIndex(name);
  return index < 0 ? 1 : outputs_[static_cast<size_t>(index)].size;
}

Shape LinearLayout::outputShape() const {
  Shape shape;
  for (const Output &output : outputs_)
    shape.push_back(output.size);
  return shape;
}

std::vector<std::string> LinearLayout::outputNames() const {
  std::vector<std::string> names;
  for (const Output &output : outputs_)
    names.push_back(output.name);
  return names;
}

std::vector<int32_t> LinearLayout::apply(const std::vector<int32_t> &place) const {
  std::vector<int32_t> element(outputs_.size(), 0);
  for (size_t i = 0; i < inputs_.size() && i < place.size(); ++i)
    for (size_t bit = 0; bit < inputs_[i].bases.size(); ++bit)
      if (bit < 31 && ((place[i] >> bit) & 1))
        for (size_t d = 0; d < element.size(); ++d)
          element[d] ^= inputs_[i].bases[bit][d];
  return element;
}

Result<LinearLayout> LinearLayout::compose(const LinearLayout &next) const {
  std::vector<std::string> expected;
  for (const Input &input : next.inputs_)
    expected.push_back(input.name);
  for (const Output &output : outputs_) {
    int index = next.inputIndex(output.name);
    if (index < 0 || expected.size() != outputs_.size())
      return error("linear-compose", Message("the outputs {} do not feed a layout whose inputs are {}",
                                             quotedNames(outputNames()), quotedNames(expected)));
    int bits = static_cast<int>(next.inputs_[static_cast<size_t>(index)].bases.size());
    if (log2Exact(output.size) > bits)
      return error("linear-compose",
                   Message("output `{output}` has size {size}, more than the 2^{} that the next layout takes",
                           output.name, output.size, bits));
  }
  LinearLayout result;
  result.outputs_ = next.outputs_;
  for (const Input &input : inputs_) {
    Input composed{input.name, {}};
    for (const Basis &basis : input.bases) {
      std::vector<int32_t> place(next.inputs_.size(), 0);
      for (size_t d = 0; d < outputs_.size(); ++d)
        place[static_cast<size_t>(next.inputIndex(outputs_[d].name))] = basis[d];
      composed.bases.push_back(next.apply(place));
    }
    result.inputs_.push_back(std::move(composed));
  }
  return result;
}

Result<LinearLayout> LinearLayout::invert() const {
  if (isInvertible())
    return pseudoInvert();
  int lacking = outputBits() - rank();
  if (lacking > 0)
    return error("linear-inverse",
                 Message("the layout has no inverse: it reaches one element in {} only", uint64_t(1) << lacking));
  return error("linear-inverse",
               Message("the layout has no inverse: each element has {} places; a pseudo-inverse takes one",
                       uint64_t(1) << (inputBits() - rank())));
}

Result<LinearLayout> LinearLayout::pseudoInvert() const {
  std::vector<uint64_t> columns = flatBases();
  Elimination elimination;
  for (size_t c = 0; c < columns.size(); ++c)
    elimination.add(columns[c], uint64_t(1) << c);
  LinearLayout result;
  for (const Input &input : inputs_) {
    if (input.bases.size() > 30)
      return error("linear-size", Message("input `{input}` is too large to be an output", input.name));
    result.outputs_.push_back({input.name, int32_t(1) << input.bases.size()});
  }
  int shift = outputBits();
  for (const Output &output : outputs_) {
    Input reversed{output.name, {}};
    int bits = log2Exact(output.size);
    shift -= bits;
    for (int bit = 0; bit < bits; ++bit) {
      std::optional<uint64_t> places = elimination.solve(uint64_t(1) << (shift + bit));
      if (!places)
        return error("linear-inverse",
                     Message("the layout has no inverse: no place holds an element with only bit {} of `{name}` set",
                             bit, output.name));
      Basis basis;
      int begin = 0;
      for (const Input &input : inputs_) {
        int width = static_cast<int>(input.bases.size());
        basis.push_back(static_cast<int32_t>((*places >> begin) & ((uint64_t(1) << width) - 1)));
        begin += width;
      }
      reversed.bases.push_back(std::move(basis));
    }
    result.inputs_.push_back(std::move(reversed));
  }
  return result;
}

Result<LinearLayout> LinearLayout::product(const LinearLayout &other) const {
  if (inputBits() + other.inputBits() > kMaxBits || outputBits() + other.outputBits() > kMaxBits)
    return error("linear-size", Message("the product would have more than {limit} bits, which is the limit", kMaxBits));
  for (const Output &output : other.outputs_)
    if (saturatingMultiply(outputSize(output.name), output.size) > kMaxSize)
      return error("linear-size",
                   Message("output `{output}` of the product would be larger than {limit}", output.name, kMaxSize));
  return *this * other;
}

Result<LinearLayout> LinearLayout::transposeOutputs(const std::vector<std::string> &names) const {
  std::vector<std::string> ours = outputNames(), theirs = names;
  std::sort(ours.begin(), ours.end());
  std::sort(theirs.begin(), theirs.end());
  if (ours != theirs)
    return error("linear-names", Message("the outputs are {}, not {}", quotedNames(outputNames()), quotedNames(names)));
  LinearLayout result = *this;
  result.orderOutputs(names);
  return result;
}

Result<LinearLayout> LinearLayout::reshapeOutputs(const std::vector<Output> &outputs) const {
  Result<LinearLayout> checked = make({}, outputs);
  if (!checked)
    return checked;
  int bits = outputBits();
  if (checked->outputBits() != bits)
    return error("linear-reshape", Message("the outputs have 2^{} elements, not 2^{}", bits, checked->outputBits()));
  std::vector<uint64_t> flat = flatBases();
  LinearLayout result;
  result.outputs_ = outputs;
  size_t column = 0;
  for (const Input &input : inputs_) {
    Input reshaped{input.name, {}};
    for (size_t bit = 0; bit < input.bases.size(); ++bit, ++column) {
      Basis basis(outputs.size());
      int shift = 0;
      for (size_t d = outputs.size(); d-- > 0;) {
        basis[d] = static_cast<int32_t>((flat[column] >> shift) & (static_cast<uint64_t>(outputs[d].size) - 1));
        shift += log2Exact(outputs[d].size);
      }
      reshaped.bases.push_back(std::move(basis));
    }
    result.inputs_.push_back(std::move(reshaped));
  }
  return result;
}

Result<LinearLayout> LinearLayout::sublayout(const std::vector<std::string> &inputs,
                                             const std::vector<std::string> &outputs) const {
  std::vector<Output> kept;
  std::vector<size_t> dimensions;
  for (const std::string &name : outputs) {
    int index = outputIndex(name);
    if (index < 0)
      return error("linear-names",
                   Message("`{name}` is not an output; the outputs are {}", name, quotedNames(outputNames())));
    dimensions.push_back(static_cast<size_t>(index));
    kept.push_back(outputs_[static_cast<size_t>(index)]);
  }
  std::vector<Input> selected;
  for (const std::string &name : inputs) {
    int index = inputIndex(name);
    if (index < 0)
      return error("linear-names", Message("`{name}` is not an input of the layout", name));
    Input input{name, {}};
    for (const Basis &basis : inputs_[static_cast<size_t>(index)].bases) {
      Basis part;
      for (size_t d : dimensions)
        part.push_back(basis[d]);
      input.bases.push_back(std::move(part));
    }
    selected.push_back(std::move(input));
  }
  return make(std::move(selected), std::move(kept));
}

int LinearLayout::rank() const {
  Elimination elimination;
  int rank = 0;
  for (uint64_t column : flatBases())
    rank += elimination.add(column, 0);
  return rank;
}

bool LinearLayout::isPermutation() const {
  uint64_t seen = 0;
  for (uint64_t column : flatBases()) {
    if (column == 0)
      continue;
    if ((column & (column - 1)) != 0 || (seen & column) != 0)
      return false;
    seen |= column;
  }
  return std::popcount(seen) == outputBits();
}

std::vector<uint64_t> LinearLayout::flatBases() const {
  std::vector<uint64_t> flat;
  flat.reserve(static_cast<size_t>(inputBits()));
  for (const Input &input : inputs_)
    for (const Basis &basis : input.bases) {
      uint64_t index = 0;
      for (size_t d = 0; d < outputs_.size(); ++d)
        index = (index << log2Exact(outputs_[d].size)) | static_cast<uint64_t>(basis[d]);
      flat.push_back(index);
    }
  return flat;
}

BitMatrix LinearLayout::matrix() const {
  BitMatrix matrix;
  for (const Output &output : outputs_)
    for (int bit = 0; bit < log2Exact(output.size); ++bit)
      matrix.rows.push_back(text(output.name, " bit ", bit));
  for (const Input &input : inputs_)
    for (size_t bit = 0; bit < input.bases.size(); ++bit)
      matrix.columns.push_back(text(input.name, ' ', uint64_t(1) << bit));
  for (size_t d = 0; d < outputs_.size(); ++d)
    for (int bit = 0; bit < log2Exact(outputs_[d].size); ++bit)
      for (const Input &input : inputs_)
        for (const Basis &basis : input.bases)
          matrix.entries.push_back((basis[d] >> bit) & 1);
  return matrix;
}

std::string LinearLayout::toString() const {
  std::string outs;
  for (const Output &output : outputs_)
    outs += text(outs.empty() ? "" : ", ", output.name, " (size ", output.size, ')');
  if (inputs_.empty())
    return outputs_.empty() ? "(empty layout)" : text("(empty layout with out-dims [", outs, "])");
  std::string out;
  for (const Input &input : inputs_) {
    if (input.bases.empty())
      out += text(" - ", input.name, " is a size 1 dimension\n");
    for (size_t bit = 0; bit < input.bases.size(); ++bit)
      out += text(bit == 0 ? " - " : "   ", input.name, '=', uint64_t(1) << bit, " -> (",
                  joined(input.bases[bit], ", "), ")\n");
  }
  return text(out, "where out dims are: [", outs, ']');
}

size_t LinearLayout::ensureInput(std::string_view name) {
  int index = inputIndex(name);
  if (index >= 0)
    return static_cast<size_t>(index);
  inputs_.push_back({std::string(name), {}});
  return inputs_.size() - 1;
}

size_t LinearLayout::ensureOutput(std::string_view name) {
  int index = outputIndex(name);
  if (index >= 0)
    return static_cast<size_t>(index);
  outputs_.push_back({std::string(name), 1});
  for (Input &input : inputs_)
    for (Basis &basis : input.bases)
      basis.push_back(0);
  return outputs_.size() - 1;
}

void LinearLayout::extend(std::string_view input, std::string_view output, int64_t size) {
  size_t in = ensureInput(input), out = ensureOutput(output);
  for (int64_t step = 1; step < size; step *= 2) {
    Basis basis(outputs_.size(), 0);
    if (outputs_[out].size < kMaxSize) {
      basis[out] = outputs_[out].size;
      outputs_[out].size *= 2;
    }
    inputs_[in].bases.push_back(std::move(basis));
  }
}

void LinearLayout::extendZeros(std::string_view input, std::string_view output, int64_t size) {
  size_t in = ensureInput(input);
  ensureOutput(output);
  for (int64_t step = 1; step < size; step *= 2)
    inputs_[in].bases.emplace_back(outputs_.size(), 0);
}

LinearLayout &LinearLayout::operator*=(const LinearLayout &other) {
  std::vector<size_t> dimensions;
  for (const Output &output : other.outputs_)
    dimensions.push_back(ensureOutput(output.name));
  for (const Input &input : other.inputs_) {
    size_t in = ensureInput(input.name);
    for (const Basis &basis : input.bases) {
      Basis scaled(outputs_.size(), 0);
      for (size_t d = 0; d < basis.size(); ++d)
        if (int64_t value = int64_t(basis[d]) * outputs_[dimensions[d]].size; value < kMaxSize)
          scaled[dimensions[d]] = static_cast<int32_t>(value);
      inputs_[in].bases.push_back(std::move(scaled));
    }
  }
  for (size_t d = 0; d < dimensions.size(); ++d)
    outputs_[dimensions[d]].size = static_cast<int32_t>(
        std::min<int64_t>(kMaxSize, int64_t(outputs_[dimensions[d]].size) * other.outputs_[d].size));
  return *this;
}

void LinearLayout::orderOutputs(const std::vector<std::string> &names) {
  std::vector<size_t> from;
  for (const std::string &name : names)
    from.push_back(static_cast<size_t>(outputIndex(name)));
  std::vector<Output> ordered;
  for (size_t d : from)
    ordered.push_back(outputs_[d]);
  outputs_ = std::move(ordered);
  for (Input &input : inputs_)
    for (Basis &basis : input.bases) {
      Basis moved;
      for (size_t d : from)
        moved.push_back(basis[d]);
      basis = std::move(moved);
    }
}

std::vector<LinearLayout::Basis> &LinearLayout::mutableBases(std::string_view input) {
  return inputs_[ensureInput(input)].bases;
}

LinearLayout identity1D(int64_t size, std::string_view input, std::string_view output) {
  LinearLayout layout;
  layout.extend(input, output, size);
  return layout;
}

LinearLayout operator*(LinearLayout a, const LinearLayout &b) {
  a *= b;
  return a;
}

} // namespace lanescope::layouts
