#include "layouts/fragments/Fragment.h"

#include "layouts/support/Text.h"

namespace lanescope::layouts {

namespace {

constexpr int32_t kHole = -1;

/// The amount that each value of a part adds to the element index; kHole if a selector leaves the slot empty.
std::vector<int32_t> contributions(const FragmentDigits &digits, const Shape &strides) {
  std::vector<int32_t> out = {0};
  for (const FragmentDigit &digit : digits) {
    int64_t weight = digit.dim < 0 ? 0 : digit.step * strides[static_cast<size_t>(digit.dim)];
    size_t below = out.size();
    out.resize(below * static_cast<size_t>(digit.size));
    // Go from the highest value down, because the block of value 0 is the source of all others.
    for (int64_t value = digit.size - 1; value >= 0; --value)
      for (size_t i = 0; i < below; ++i)
        out[static_cast<size_t>(value) * below + i] = out[i] == kHole || (digit.only >= 0 && digit.only != value)
                                                          ? kHole
                                                          : out[i] + static_cast<int32_t>(value * weight);
  }
  return out;
}

constexpr std::string_view kCoordinates[] = {"i", "j", "k"};

/// The digit's value as arithmetic on its coordinate: `i`, `i / 8`, `i % 8`, `(j / 8) % 2`.
std::string digitText(const FragmentDigit &digit, int64_t extent) {
  std::string out(kCoordinates[digit.dim]);
  bool divided = digit.step > 1, reduced = digit.size * digit.step < extent;
  if (divided)
    out = text(out, " / ", digit.step);
  if (reduced)
    out = divided ? text('(', out, ") % ", digit.size) : text(out, " % ", digit.size);
  return out;
}

} // namespace

int64_t Fragment::size(int part) const {
  int64_t out = 1;
  for (const FragmentDigit &digit : parts[static_cast<size_t>(part)])
    out *= digit.size;
  return out;
}

std::vector<int32_t> Fragment::elements(const Shape &shape) const {
  Shape strides = contiguousStrides(shape);
  std::vector<int32_t> outer = contributions(parts[0], strides), middle = contributions(parts[1], strides),
                       inner = contributions(parts[2], strides), out;
  out.reserve(outer.size() * middle.size() * inner.size());
  for (int32_t a : outer)
    for (int32_t b : middle)
      for (int32_t c : inner)
        out.push_back(a == kHole || b == kHole || c == kHole ? kHole : a + b + c);
  return out;
}

std::vector<ExplainStep> Fragment::explain(const Shape &shape, const Shape &index) const {
  static constexpr std::string_view kNames[2][3] = {{"thread", "register", "position"}, {"lane", "column", "sub-word"}};
  std::vector<ExplainStep> out;
  for (size_t part = 0; part < parts.size(); ++part) {
    if (part == 2 && parts[part].empty())
      continue; // a register has one element, so the position needs no step
    ExplainStep step;
    step.what = kNames[memory == Memory::Tmem ? 1 : 0][part];
    int64_t weight = 1, value = 0;
    std::string copies;
    for (const FragmentDigit &digit : parts[part]) {
      std::string term;
      int64_t at = 0;
      if (digit.dim >= 0) {
        auto dim = static_cast<size_t>(digit.dim);
        at = index[dim] / digit.step % digit.size;
        term = digitText(digit, shape[dim]);
        if (weight > 1)
          term = text(term.size() > 1 ? text('(', term, ')') : term, " * ", weight);
      } else if (digit.only > 0) {
        at = digit.only;
        term = text(at * weight);
      } else if (digit.only < 0 && digit.size > 1) {
        copies += text(" and ", digit.size - 1, digit.size == 2 ? " copy " : " copies ", weight, " apart");
      }
      value += at * weight;
      weight *= digit.size;
      if (!term.empty())
        step.how = step.how.empty() ? term : text(term, " + ", step.how);
    }
    if (step.how.empty())
      step.how = "0";
    step.how += copies;
    step.value = text(value);
    out.push_back(std::move(step));
  }
  return out;
}

} // namespace lanescope::layouts
