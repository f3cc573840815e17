#include "layouts/linear/TritonLayout.h"

#include "layouts/AddressMap.h"
#include "layouts/ElementMap.h"
#include "layouts/linear/LinearForm.h"
#include "layouts/linear/TritonLinear.h"
#include "layouts/support/Text.h"
#include "layouts/TmemMap.h"

#include <algorithm>

namespace lanescope::layouts {

namespace {

std::string dimensionsText(const Shape &shape) { return joined(shape, "x"); }

std::string tuple(const std::vector<int32_t> &values) { return text('(', joined(values, ", "), ')'); }

/// The steps of an element's coordinates: the bases of one output bit each that add up to them, and the places that
/// these bases come from.
std::vector<ExplainStep> explainLinear(const LinearLayout &layout, const Shape &index) {
  Result<LinearLayout> inverse = layout.pseudoInvert();
  if (!inverse)
    return {};
  std::vector<ExplainStep> steps;
  std::vector<int32_t> element(index.begin(), index.end());
  std::vector<int32_t> place = inverse->apply(element);
  for (size_t i = 0; i < layout.inputs().size(); ++i) {
    if (layout.inputs()[i].bases.empty())
      continue;
    std::string terms;
    for (const LinearLayout::Input &output : inverse->inputs()) {
      auto d = static_cast<size_t>(inverse->inputIndex(output.name));
      for (size_t bit = 0; bit < output.bases.size(); ++bit)
        if (((element[d] >> bit) & 1) && output.bases[bit][i] != 0)
          terms += text(terms.empty() ? "" : " ^ ", output.bases[bit][i], " [", output.name, " bit ", bit, ']');
    }
    steps.push_back({layout.inputs()[i].name, terms.empty() ? "0" : terms, text(place[i])});
  }
  std::string sum;
  for (size_t i = 0; i < layout.inputs().size(); ++i)
    for (size_t bit = 0; bit < layout.inputs()[i].bases.size(); ++bit)
      if ((place[i] >> bit) & 1)
        sum += text(sum.empty() ? "" : " ^ ", tuple(layout.inputs()[i].bases[bit]), " [", layout.inputs()[i].name, ' ',
                    int64_t(1) << bit, ']');
  steps.push_back({"back", sum.empty() ? "0" : sum, tuple(layout.apply(place))});
  return steps;
}

Result<void> checkIndex(const Shape &shape, const Shape &index) {
  bool inside = shape.size() == index.size();
  for (size_t d = 0; inside && d < shape.size(); ++d)
    inside = index[d] >= 0 && index[d] < shape[d];
  if (inside)
    return {};
  return error("index-range",
               Message("index {coordinates} is outside shape {shape}", tupleText(index), tupleText(shape)));
}

} // namespace

int elementBits(std::string_view type) {
  if (type.starts_with("!tt.ptr<"))
    return 64;
  if (type == "index")
    return 64;
  if (type == "tf32")
    return 32;
  size_t prefix = type.starts_with("bf") || type.starts_with("si") || type.starts_with("ui") ? 2 : 1;
  if (type.empty() || (prefix == 1 && type[0] != 'f' && type[0] != 'i'))
    return 0;
  size_t end = prefix;
  while (end < type.size() && type[end] >= '0' && type[end] <= '9')
    ++end;
  // f8E4M3FN and the like: the digits before the format are the width.
  if (end != type.size() && (type[0] != 'f' || type[end] != 'E'))
    return 0;
  int bits = parseInteger<int>(type.substr(prefix, end - prefix)).value_or(0);
  if (bits == 1)
    return 8;
  return bits == 4 || bits == 6 || bits == 8 || bits == 16 || bits == 32 || bits == 64 ? bits : 0;
}

Result<LinearLayout> TritonLayout::linear(const Shape &shape) const {
  if (shape.size() == encoding_.rank() + 1 && !encoding_.isDistributed())
    return toLinear(encoding_, Shape(shape.begin() + 1, shape.end()));
  return toLinear(encoding_, shape);
}

std::string TritonLayout::text() const {
  std::string attribute = tritonAttribute(encoding_);
  if (!type_)
    return attribute;
  std::string out = lanescope::text(type_->memdesc ? "!ttg.memdesc<" : "tensor<", dimensionsText(type_->shape), 'x',
                                    type_->element, ", ", attribute);
  if (!type_->space.empty())
    out += lanescope::text(", ", type_->space);
  if (type_->isMutable)
    out += ", mutable";
  if (type_->allocation)
    out += lanescope::text(", ", dimensionsText(*type_->allocation));
  return out + ">";
}

std::vector<Memory> TritonLayout::memories() const {
  return {encoding_.isDistributed() ? Memory::Registers : encoding_.isShared() ? Memory::Shared : Memory::Tmem};
}

std::optional<Shape> TritonLayout::shape() const {
  if (type_)
    return type_->shape;
  if (const auto *linear = encoding_.as<LinearEncoding>())
    return linear->layout.outputShape();
  if (const auto *linear = encoding_.as<SharedLinear>())
    return linear->layout.outputShape();
  if (const auto *padded = encoding_.as<PaddedShared>())
    return padded->layout.outputShape();
  return std::nullopt;
}

std::optional<int> TritonLayout::bitwidth() const {
  if (type_)
    return type_->bitwidth;
  if (const auto *nvmma = encoding_.as<NvmmaShared>())
    return nvmma->elementBitWidth;
  return std::nullopt;
}

Result<ElementMap> TritonLayout::elementMap(const Shape &shape) const {
  if (!encoding_.isDistributed())
    return ForeignLayout::elementMap(shape);
  Result<LinearLayout> layout = linear(shape);
  if (!layout)
    return std::unexpected(std::move(layout.error()));
  return elementMapFrom(*layout, self(), shape);
}

Result<AddressMap> TritonLayout::addressMap(const Shape &shape, int bitwidth) const {
  if (!encoding_.isShared())
    return ForeignLayout::addressMap(shape, bitwidth);
  Shape whole = shape;
  // A part of a larger buffer has the places that its elements have in that buffer.
  if (type_ && type_->allocation && shape == type_->shape && type_->allocation->size() >= shape.size())
    whole.assign(type_->allocation->end() - static_cast<std::ptrdiff_t>(shape.size()), type_->allocation->end());
  int64_t buffers = 1;
  if (whole.size() == encoding_.rank() + 1) {
    buffers = whole.front();
    whole.erase(whole.begin());
  }
  Result<LinearLayout> layout = toLinear(encoding_, whole);
  if (!layout)
    return std::unexpected(std::move(layout.error()));
  std::vector<std::pair<int64_t, int64_t>> padding;
  if (const auto *padded = encoding_.as<PaddedShared>())
    padding = padded->intervals;
  if (const auto *partitioned = encoding_.as<PartitionedShared>())
    if (const auto *padded = partitioned->layout->as<PaddedShared>())
      padding = padded->intervals;
  Result<AddressMap> map = addressMapFrom(*layout, text(), whole, bitwidth, padding);
  if (!map || (buffers == 1 && whole == shape))
    return map;
  if (saturatingMultiply(buffers, map->extent()) > (int64_t(1) << 27))
    return error("map-too-large", Message("{buffers} buffers have more than 2^27 offsets", buffers));
  std::vector<int32_t> offsets;
  Shape part(shape.end() - static_cast<std::ptrdiff_t>(whole.size()), shape.end());
  int64_t count = elementCount(part), parts = whole.size() == shape.size() ? 1 : shape.front();
  for (int64_t buffer = 0; buffer < parts; ++buffer)
    for (int64_t element = 0; element < count; ++element)
      offsets.push_back(
          static_cast<int32_t>(buffer * map->extent() + map->offset(ravelIndex(unravelIndex(element, part), whole))));
  return AddressMap::make(text(), shape, bitwidth, std::move(offsets));
}

Result<TmemMap> TritonLayout::tmemMap(const Shape &shape, int bitwidth) const {
  if (!encoding_.isTmem())
    return ForeignLayout::tmemMap(shape, bitwidth);
  if (const auto *tmem = encoding_.as<TensorMemory>(); tmem && tmem->unpacked && bitwidth > 0 && bitwidth <= 32) {
    TensorMemory wide = *tmem;
    wide.colStride = 32 / bitwidth;
    wide.unpacked = false;
    Result<TritonEncoding> encoding = TritonEncoding::make(wide);
    if (!encoding)
      return std::unexpected(std::move(encoding.error()));
    return TritonLayout(*std::move(encoding), type_).tmemMap(shape, bitwidth);
  }
  if (shape.size() == encoding_.rank() + 1) {
    if (shape.front() != 1)
      return error("layout-shape", Message("the map shows one buffer; shape {shape} has {}, ask with the shape of one",
                                           tupleText(shape), shape.front()));
    Result<LinearLayout> buffer = linear(shape);
    if (!buffer)
      return std::unexpected(std::move(buffer.error()));
    LinearLayout whole = identity1D(1, kRow, standardName(0));
    for (size_t d = 0; d < encoding_.rank(); ++d)
      whole.extend(kRow, standardName(d + 1), 1);
    for (const LinearLayout::Input &input : buffer->inputs())
      for (LinearLayout::Basis basis : input.bases) {
        basis.insert(basis.begin(), 0);
        whole.mutableBases(input.name).push_back(std::move(basis));
      }
    for (size_t d = 0; d < encoding_.rank(); ++d)
      whole.setOutputSize(d + 1, buffer->outputs()[d].size);
    return tmemMapFrom(whole, self(), shape, bitwidth);
  }
  Result<LinearLayout> layout = linear(shape);
  if (!layout)
    return std::unexpected(std::move(layout.error()));
  return tmemMapFrom(*layout, self(), shape, bitwidth);
}

Result<std::vector<ExplainStep>> TritonLayout::explain(const Shape &shape, const Shape &index) const {
  if (Result<void> inside = checkIndex(shape, index); !inside)
    return std::unexpected(std::move(inside.error()));
  if (shape.size() != encoding_.rank())
    return std::vector<ExplainStep>{};
  Result<LinearLayout> layout = linear(shape);
  if (!layout)
    return std::unexpected(std::move(layout.error()));
  return explainLinear(*layout, index);
}

std::vector<Memory> LinearForeign::memories() const {
  Result<LinearRoles> roles = linearRoles(layout_);
  if (!roles)
    return {};
  return {roles->memory};
}

std::optional<Shape> LinearForeign::shape() const {
  std::vector<std::string> standard = standardNames(layout_.outputs().size());
  Result<LinearLayout> ordered = layout_.transposeOutputs(standard);
  return ordered ? ordered->outputShape() : layout_.outputShape();
}

Result<ElementMap> LinearForeign::elementMap(const Shape &shape) const {
  return elementMapFrom(layout_, make(layout_), shape);
}
Result<AddressMap> LinearForeign::addressMap(const Shape &shape, int bitwidth) const {
  return addressMapFrom(layout_, text(), shape, bitwidth);
}
Result<TmemMap> LinearForeign::tmemMap(const Shape &shape, int bitwidth) const {
  return tmemMapFrom(layout_, make(layout_), shape, bitwidth);
}

Result<std::vector<ExplainStep>> LinearForeign::explain(const Shape &shape, const Shape &index) const {
  if (Result<void> inside = checkIndex(shape, index); !inside)
    return std::unexpected(std::move(inside.error()));
  if (this->shape() != shape)
    return error("layout-shape", Message("the linear layout is for shape {shape}, not {other_shape}",
                                         tupleText(*this->shape()), tupleText(shape)));
  Result<LinearLayout> ordered = layout_.transposeOutputs(standardNames(shape.size()));
  return explainLinear(ordered ? *ordered : layout_, index);
}

} // namespace lanescope::layouts
