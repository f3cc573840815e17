// Printing of host arrays, as NumPy does it: common number of decimals, an ellipsis in the middle of large ones.
#include "layouts/support/Text.h"
#include "repl/lang/values/ArrayOps.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace lanescope::repl {
namespace {

constexpr int64_t kSummaryThreshold = 1000; // elements above which the middle is left out
constexpr int64_t kEdge = 3;                // items kept at each end of a dimension
constexpr size_t kLineWidth = 100;
constexpr int kPrecision = 8;

std::string format(double value, std::chars_format how, int precision) {
  char buffer[512];
  auto [end, problem] = std::to_chars(buffer, buffer + sizeof buffer, value, how, precision);
  return problem == std::errc() ? std::string(buffer, end) : floatText(value);
}

/// Decimals after the point (of the mantissa when scientific) that tell this value from its neighbours in `dtype`.
int decimalsNeeded(double value, Dtype dtype, std::chars_format how) {
  Array one = Array::zeros(dtype, {1});
  for (int decimals = 0; decimals < kPrecision; ++decimals) {
    std::string shown = format(value, how, decimals);
    double back = 0;
    std::from_chars(shown.data(), shown.data() + shown.size(), back);
    one.setNumber(0, back);
    if (one.number(0) == value)
      return decimals;
  }
  return kPrecision;
}

class Printer {
public:
  explicit Printer(const Array &array) : array_(array), summary_(array.size() > kSummaryThreshold) {
    collect(0, 0);
    choose();
  }

  std::string print() {
    std::string out = "array(";
    if (array_.size() == 0)
      out += "[]";
    else if (array_.shape.empty())
      out += element(0);
    else
      dimension(0, 0, out);
    if (summary_ || array_.size() == 0)
      out += text(", shape=", layouts::tupleText(array_.shape));
    return out + text(", dtype=", layouts::name(array_.dtype), ")");
  }

private:
  int64_t stride(size_t dim) const {
    int64_t out = 1;
    for (size_t i = dim + 1; i < array_.shape.size(); ++i)
      out *= array_.shape[i];
    return out;
  }
  bool elided(size_t dim) const { return summary_ && array_.shape[dim] > 2 * kEdge; }

  /// The flat indices of the elements that are shown.
  void collect(size_t dim, int64_t offset) {
    if (array_.size() == 0)
      return;
    if (dim == array_.shape.size()) {
      shown_.push_back(offset);
      return;
    }
    for (int64_t i = 0; i < array_.shape[dim]; ++i) {
      if (elided(dim) && i == kEdge)
        i = array_.shape[dim] - kEdge;
      collect(dim + 1, offset + i * stride(dim));
    }
  }

  void choose() {
    if (!layouts::isFloat(array_.dtype)) {
      for (int64_t index : shown_)
        width_ = std::max(width_, element(index).size());
      return;
    }
    double largest = 0, smallest = INFINITY;
    for (int64_t index : shown_) {
      double x = std::abs(array_.number(index));
      if (std::isfinite(x) && x != 0) {
        largest = std::max(largest, x);
        smallest = std::min(smallest, x);
      }
    }
    if (largest > 0 && (largest >= 1e8 || smallest < 1e-4 || largest / smallest > 1e6))
      how_ = std::chars_format::scientific;
    for (int64_t index : shown_)
      if (double x = array_.number(index); std::isfinite(x) && decimals_ < kPrecision)
        decimals_ = std::max(decimals_, decimalsNeeded(x, array_.dtype, how_));
    for (int64_t index : shown_)
      width_ = std::max(width_, element(index).size());
  }

  std::string element(int64_t index) const {
    if (array_.dtype == Dtype::I1)
      return array_.integer(index) ? "True" : "False";
    if (array_.dtype == Dtype::U64)
      return std::to_string(static_cast<uint64_t>(array_.integer(index)));
    if (!layouts::isFloat(array_.dtype))
      return text(array_.integer(index));
    double x = array_.number(index);
    if (!std::isfinite(x))
      return floatText(x);
    if (how_ == std::chars_format::scientific)
      return format(x, how_, decimals_);
    // Zeros at the end give way to blanks, so that points line up: `1. `, `0.5`.
    std::string fixed = format(x, how_, decimals_);
    if (fixed.find('.') == std::string::npos)
      return fixed + ".";
    size_t end = fixed.find_last_not_of('0') + 1;
    return fixed.substr(0, end) + std::string(fixed.size() - end, ' ');
  }

  void dimension(size_t dim, int64_t offset, std::string &out) const {
    out += '[';
    bool last = dim + 1 == array_.shape.size();
    std::string indent(7 + dim, ' '); // under the bracket that follows "array("
    size_t column = indent.size();
    for (int64_t i = 0; i < array_.shape[dim]; ++i) {
      if (i > 0) {
        out += ',';
        std::string gap = last ? " " : std::string(array_.shape.size() - dim - 1, '\n') + indent;
        if (last && column + width_ + 2 > kLineWidth) {
          gap = "\n" + indent;
          column = indent.size();
        }
        out += gap;
      }
      if (elided(dim) && i == kEdge) {
        out += last ? "..., " : "...,";
        if (!last)
          out += std::string(array_.shape.size() - dim - 1, '\n') + indent;
        column += 5;
        i = array_.shape[dim] - kEdge;
      }
      if (last) {
        std::string shown = element(offset + i);
        out += std::string(width_ - std::min(width_, shown.size()), ' ') + shown;
        column += width_ + 2;
      } else {
        dimension(dim + 1, offset + i * stride(dim), out);
      }
    }
    out += ']';
  }

  const Array &array_;
  bool summary_;
  std::vector<int64_t> shown_;
  std::chars_format how_ = std::chars_format::fixed;
  int decimals_ = 0;
  size_t width_ = 0;
};

} // namespace

std::string arrayText(const Array &array) { return Printer(array).print(); }

} // namespace lanescope::repl
