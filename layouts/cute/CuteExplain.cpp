// The steps by which a CuteLayout computes an offset, as explain() shows them: coordinate, index in each flat mode,
// offset, swizzle.
#include "layouts/cute/CuteLayout.h"
#include "layouts/support/Text.h"

namespace lanescope::layouts::cute {

namespace {

using lanescope::text;

int64_t columnMajorIndex(const Shape &shape, const Shape &index, std::string *how = nullptr) {
  int64_t sum = 0, weight = 1;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (how)
      *how += text(d > 0 ? " + " : "", index[d], weight > 1 ? text('*', weight) : "");
    sum += index[d] * weight;
    weight *= shape[d];
  }
  return sum;
}

/// Adds the digits of `index` in the modes of `layout`, and the offset that each digit adds.
void modeSteps(const Layout &layout, int64_t index, std::string_view what, std::vector<ExplainStep> &steps) {
  std::vector<FlatMode> modes = flatModes(layout);
  std::string digits, sum;
  int64_t rest = index, total = 0, weight = 1;
  for (size_t i = 0; i < modes.size(); ++i) {
    int64_t size = modes[i].size.value, digit = i + 1 == modes.size() ? rest : rest % size;
    rest /= size;
    digits += text(i > 0 ? ", " : "", weight > 1 ? text(index, '/', weight) : text(index),
                   i + 1 == modes.size() ? "" : text('%', size), " = ", digit);
    sum += text(i > 0 ? " + " : "", digit, '*', modes[i].stride.value);
    total += digit * modes[i].stride.value;
    weight *= size;
  }
  if (modes.size() > 1)
    steps.push_back({text(what, " in ", cppText(layout.shape)), digits, ""});
  steps.push_back({text(what, " by strides ", cppText(layout.stride)), sum, text(total)});
}

} // namespace

Result<std::vector<ExplainStep>> CuteLayout::explain(const Shape &shape, const Shape &index) const {
  std::vector<ExplainStep> steps;
  const auto *outer = std::get_if<Layout>(&parts_.outer);
  if (!parts_.plain || !parts_.plain->known() || hasBasis(parts_.plain->stride))
    return steps;
  if (outer && (!outer->known() || hasBasis(outer->stride) || (parts_.offset && parts_.offset->isTuple)))
    return steps;
  const Layout &plain = *parts_.plain;
  std::string sum;
  if (parts_.operand) {
    Shape tile = statedTile().value_or(shape), within = index;
    if (tile != shape) {
      std::string how;
      for (size_t d = 0; d < index.size(); ++d) {
        within[d] = index[d] % tile[d];
        how += lanescope::text(d ? ", " : "", index[d], " = ", index[d] / tile[d], '*', tile[d], " + ", within[d]);
      }
      steps.push_back({lanescope::text("tile ", tupleText(tile)), how, tupleText(within)});
    }
    int64_t colex = columnMajorIndex(tile, within, &sum);
    steps.push_back({"column-major index", sum, lanescope::text(colex)});
    steps.push_back({"(thread, value)", lanescope::text("whose sum in ", cppText(plain), " is ", colex), ""});
    return steps;
  }
  int64_t colex = columnMajorIndex(shape, index, &sum);
  Shape own;
  for (size_t i = 0; i < plain.rank(); ++i)
    own.push_back(productOf(plain.shape.mode(i)));
  if (own == shape && shape.size() > 1) {
    for (size_t i = 0; i < plain.rank(); ++i)
      modeSteps(plain.mode(i), index[i], lanescope::text("mode ", i, ", ", index[i], ","), steps);
  } else {
    steps.push_back({"colexicographic index", sum, lanescope::text(colex)});
    modeSteps(plain, colex, "index", steps);
  }
  int64_t offset = valueAt(plain, colex);
  steps.push_back({"offset", "sum over the modes", lanescope::text(offset)});
  if (outer) {
    if (parts_.offset && parts_.offset->leaf.value != 0) {
      offset += parts_.offset->leaf.value;
      steps.push_back({"offset", lanescope::text("+ ", parts_.offset->leaf.value), lanescope::text(offset)});
    }
    modeSteps(*outer, offset, lanescope::text("index ", offset, " of the outer layout,"), steps);
  }
  if (const Swizzle *swizzle = this->swizzle()) {
    if (parts_.offset && !parts_.offset->isTuple && parts_.offset->leaf.value != 0) {
      offset += parts_.offset->leaf.value;
      steps.push_back({"offset", lanescope::text("+ ", parts_.offset->leaf.value), lanescope::text(offset)});
    }
    bool bytes = parts_.swizzlesAddress;
    int64_t before = bytes ? offset * parts_.engine->bits / 8 : offset;
    std::string low = lanescope::text(swizzle->base, "..", swizzle->base + swizzle->bits - 1);
    std::string high = lanescope::text(swizzle->base + std::abs(swizzle->shift), "..",
                                       swizzle->base + std::abs(swizzle->shift) + swizzle->bits - 1);
    if (swizzle->shift < 0)
      std::swap(low, high);
    steps.push_back(
        {cute::text(*swizzle, "Sw"),
         lanescope::text("bits ", high, " of ", bytes ? "byte " : "offset ", before, " xored onto bits ", low),
         lanescope::text(swizzle->apply(before), bytes ? " (byte)" : "")});
  }
  return steps;
}

} // namespace lanescope::layouts::cute
