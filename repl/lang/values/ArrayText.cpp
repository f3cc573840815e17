// Prints host arrays like NumPy: with a common number of decimals, and an ellipsis in the middle of large ones.
#include "layouts/support/Text.h"
#include "repl/lang/values/ArrayOps.h"
#include "repl/lang/values/DtypeNames.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace lanescope::repl {
namespace {

// NumPy's default settings.
constexpr int kPrecision = 8;        // decimals at most
constexpr int64_t kThreshold = 1000; // an array with more elements is elided
constexpr int64_t kEdgeItems = 3;    // items shown at each end of a dimension

std::string format(double value, std::chars_format how, int precision) {
  char buffer[512];
  auto [end, problem] = std::to_chars(buffer, buffer + sizeof buffer, value, how, precision);
  return problem == std::errc() ? std::string(buffer, end) : floatText(value);
}

/// The decimals after the point (of the mantissa in scientific form), at most `most`, that distinguish this value from
/// its neighbours in `dtype`. 6-bit floats are written exactly: 8 is also read back as 7.5, their largest number.
int decimalsNeeded(double value, Dtype dtype, std::chars_format how, int most) {
  Array one = Array::zeros(dtype, {1});
  const bool exactly = dtype == Dtype::F6E2M3FN || dtype == Dtype::F6E3M2FN;
  for (int decimals = 0; decimals < most; ++decimals) {
    std::string shown = format(value, how, decimals);
    double back = 0;
    std::from_chars(shown.data(), shown.data() + shown.size(), back);
    one.setNumber(0, back);
    if ((exactly ? back : one.number(0)) == value)
      return decimals;
  }
  return most;
}

/// True for the floats and the short integers of ml_dtypes, which are printed one by one, with six digits.
bool isForeignToNumpy(Dtype dtype) {
  switch (dtype) {
  case Dtype::I1:
  case Dtype::I8:
  case Dtype::I16:
  case Dtype::I32:
  case Dtype::I64:
  case Dtype::U8:
  case Dtype::U16:
  case Dtype::U32:
  case Dtype::U64:
  case Dtype::F16:
  case Dtype::F32:
  case Dtype::F64: return false;
  default: return true;
  }
}

/// The limit up to which numbers of a dtype are written without an exponent. Below it, the dtype's digits distinguish
/// all of them. For f64 it is `ofF64`.
double largestPlain(Dtype dtype, double ofF64) { return dtype == Dtype::F16 ? 1e3 : dtype == Dtype::F32 ? 1e6 : ofF64; }

std::string sixDigits(double value) {
  if (!std::isfinite(value))
    return floatText(value);
  char buffer[32];
  auto [end, problem] = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, 6);
  return {buffer, end};
}

/// The texts around and between the elements.
struct Style {
  std::string prefix, suffix; // count towards the width of the first line and of the last one
  std::string separator;
  size_t lineWidth = 75;
};

class Printer {
public:
  Printer(const Array &array, ArrayRules rules, Style style)
      : array_(array), rules_(rules), style_(std::move(style)), summary_(array.size() > kThreshold) {
    collect(0, 0);
    choose();
  }

  bool summary() const { return summary_; }

  std::string body() const {
    if (array_.size() == 0)
      return "[]";
    if (array_.shape.empty())
      return element(0);
    return rows(0, 0, std::string(style_.prefix.size() + 1, ' '), style_.lineWidth - style_.suffix.size());
  }

private:
  int64_t stride(size_t dim) const {
    int64_t out = 1;
    for (size_t i = dim + 1; i < array_.shape.size(); ++i)
      out *= array_.shape[i];
    return out;
  }
  bool elided(size_t dim) const { return summary_ && array_.shape[dim] > 2 * kEdgeItems; }

  /// Collects the flat indices of the elements that are shown.
  void collect(size_t dim, int64_t offset) {
    if (array_.size() == 0)
      return;
    if (dim == array_.shape.size()) {
      shown_.push_back(offset);
      return;
    }
    for (int64_t i = 0; i < array_.shape[dim]; ++i) {
      if (elided(dim) && i == kEdgeItems)
        i = array_.shape[dim] - kEdgeItems;
      collect(dim + 1, offset + i * stride(dim));
    }
  }

  void choose() {
    oneByOne_ = rules_ != ArrayRules::Snippet && isForeignToNumpy(array_.dtype);
    if (oneByOne_)
      return;
    if (layouts::isFloat(array_.dtype)) {
      double largest = 0, smallest = INFINITY;
      for (int64_t index : shown_) {
        double x = std::abs(array_.number(index));
        if (std::isfinite(x) && x != 0) {
          largest = std::max(largest, x);
          smallest = std::min(smallest, x);
        }
      }
      const double most = rules_ == ArrayRules::Snippet ? 1e8 : largestPlain(array_.dtype, 1e8);
      if (largest >= most || (largest > 0 && (smallest < 1e-4 || largest / smallest > 1000)))
        how_ = std::chars_format::scientific;
      for (int64_t index : shown_)
        if (double x = array_.number(index); std::isfinite(x) && decimals_ < kPrecision)
          decimals_ = std::max(decimals_, shownDecimals(x, kPrecision));
    }
    for (int64_t index : shown_)
      width_ = std::max(width_, element(index).size());
    if (array_.dtype == Dtype::I1 && !array_.shape.empty())
      width_ = std::string_view("False").size();
  }

  /// The decimals that distinguish the value from its neighbours, without zeros at the end of a cut value.
  int shownDecimals(double x, int most) const {
    int decimals = decimalsNeeded(x, array_.dtype, how_, most);
    if (decimals < most || most == 0)
      return decimals;
    std::string shown = format(x, how_, decimals);
    shown = shown.substr(0, shown.find('e'));
    while (decimals > 0 && shown.ends_with('0')) {
      shown.pop_back();
      --decimals;
    }
    return decimals;
  }

  std::string element(int64_t index) const {
    if (array_.dtype == Dtype::I1)
      return array_.integer(index) ? "True" : "False";
    if (array_.dtype == Dtype::U64)
      return std::to_string(static_cast<uint64_t>(array_.integer(index)));
    if (!layouts::isFloat(array_.dtype))
      return text(array_.integer(index));
    double x = array_.number(index);
    if (oneByOne_)
      return sixDigits(x);
    if (!std::isfinite(x))
      return floatText(x);
    // The element has its own number of digits, and is padded with zeros or blanks so that the points line up.
    const int own = shownDecimals(x, decimals_);
    std::string out = format(x, how_, own);
    if (how_ == std::chars_format::scientific) {
      size_t e = out.find('e');
      std::string mantissa = out.substr(0, e);
      if (own == 0)
        mantissa += '.';
      return mantissa + std::string(static_cast<size_t>(decimals_ - own), '0') + out.substr(e);
    }
    if (own == 0)
      out += '.';
    size_t end = own == 0 ? out.size() : out.find_last_not_of('0') + 1;
    return out.substr(0, end) + std::string(out.size() - end + static_cast<size_t>(decimals_ - own), ' ');
  }

  /// The items of a dimension in brackets. `hanging`: the text before each line but the first. `width`: the width of a
  /// line.
  std::string rows(size_t dim, int64_t offset, const std::string &hanging, size_t width) const {
    const std::string bare = style_.separator.substr(0, style_.separator.find_last_not_of(' ') + 1);
    const bool last = dim + 1 == array_.shape.size();
    std::string out, line = hanging;
    for (int64_t i = 0; i < array_.shape[dim]; ++i) {
      const bool dots = elided(dim) && i == kEdgeItems;
      std::string word;
      if (dots) {
        word = "...";
        i = array_.shape[dim] - kEdgeItems - 1;
      } else if (last) {
        word = element(offset + i);
        word.insert(0, width_ - std::min(width_, word.size()), ' ');
      } else {
        word = rows(dim + 1, offset + i * stride(dim), hanging + ' ', width - 1);
      }
      const bool end = i + 1 == array_.shape[dim];
      if (!last) {
        out += hanging + word;
        if (!end)
          out += bare + std::string(array_.shape.size() - dim - 1, '\n');
        continue;
      }
      if (line.size() + word.size() > width - std::max<size_t>(bare.size(), 1) && line.size() > hanging.size()) {
        out += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
        line = hanging;
      }
      line += word;
      if (!end)
        line += style_.separator;
    }
    if (last)
      out += line;
    return '[' + out.substr(hanging.size()) + ']';
  }

  const Array &array_;
  ArrayRules rules_;
  Style style_;
  bool summary_;
  bool oneByOne_ = false;
  std::vector<int64_t> shown_;
  std::chars_format how_ = std::chars_format::fixed;
  int decimals_ = 0;
  size_t width_ = 0;
};

/// Appends `what` after a comma, on a new line if it does not fit.
void continueWith(std::string &out, const std::string &what, const Style &style) {
  out += ',';
  size_t column = out.size() - (out.rfind('\n') + 1); // npos + 1 is 0
  out += column + what.size() + 1 > style.lineWidth ? "\n" + std::string(style.prefix.size(), ' ') : " ";
  out += what;
}

/// The text of one element, in the form that numbers of its dtype have.
std::string elementText(const Array &array) {
  if (!layouts::isFloat(array.dtype) || !std::isfinite(array.number(0)))
    return str(elementOf(array, 0));
  if (isForeignToNumpy(array.dtype))
    return sixDigits(array.number(0));
  constexpr int kDigitsOfF64 = 16;
  std::string digits =
      format(array.number(0), std::chars_format::scientific,
             decimalsNeeded(array.number(0), array.dtype, std::chars_format::scientific, kDigitsOfF64));
  const double size = std::abs(array.number(0));
  if (size != 0 && (size < 1e-4 || size >= largestPlain(array.dtype, 1e16)))
    return digits;
  double shortest = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), shortest);
  return floatText(shortest);
}

std::string jaxText(const Array &array) {
  Style style{"Array(", ",", ", "};
  std::string out = style.prefix + Printer(array, ArrayRules::Jax, style).body();
  if (array.size() == 0)
    out += text(", shape=", layouts::tupleText(array.shape));
  continueWith(out, text("dtype=", numpyName(array.dtype)), style);
  return out + ")";
}

} // namespace

std::string arrayRepr(const Array &array, ArrayRules rules) {
  if (rules == ArrayRules::Jax)
    return jaxText(array);
  Style style{"array(", ")", ", ", 100};
  Printer printer(array, rules, style);
  std::string out = style.prefix + printer.body();
  if (printer.summary() || array.size() == 0)
    out += text(", shape=", layouts::tupleText(array.shape));
  return out + text(", dtype=", layouts::name(array.dtype), ")");
}

std::string arrayStr(const Array &array, ArrayRules rules) {
  if (rules == ArrayRules::Snippet)
    return arrayRepr(array, rules);
  return array.shape.empty() ? elementText(array) : Printer(array, rules, {"", "", " "}).body();
}

} // namespace lanescope::repl
