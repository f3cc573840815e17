#include "core/ir/NewerSyntax.h"

#include "core/ir/SyntaxDifferences.h"

namespace lanescope::core {

namespace {

constexpr std::string_view kJaxs = "vector.extract_strided_slice $v offsets = $o, sizes = $s, strides = $t";
constexpr std::string_view kOurs = "vector.extract_strided_slice $v {offsets = $o, sizes = $s, strides = $t}";
constexpr SyntaxDifference kOlder[] = {{kJaxs, kOurs}}, kNewer[] = {{kOurs, kJaxs}};

} // namespace

std::string withOlderSlices(std::string_view text) {
  return std::string(EditedText(text, toOurSyntax(text, kOlder)).text());
}

std::string withNewerSlices(std::string_view text) {
  return std::string(EditedText(text, toOurSyntax(text, kNewer)).text());
}

} // namespace lanescope::core
