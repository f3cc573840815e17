#include "core/ir/CommonSyntax.h"

namespace lanescope::core {

namespace {

// After MLIR 22, properties became a part of the operation's syntax (llvm/llvm-project, VectorOps.td of 2026).
constexpr SyntaxDifference kDifferences[] = {
    {"vector.extract_strided_slice $v offsets = $o, sizes = $s, strides = $t $...",
     "vector.extract_strided_slice $v {offsets = $o, sizes = $s, strides = $t$...}"},
    {"vector.insert_strided_slice $v, $w offsets = $o, strides = $t $...",
     "vector.insert_strided_slice $v, $w {offsets = $o, strides = $t$...}"},
};

constexpr SyntaxDifference kPrinted[] = {
    {"vector.extract_strided_slice $v {offsets = $o, sizes = $s, strides = $t}",
     "vector.extract_strided_slice $v offsets = $o, sizes = $s, strides = $t"},
    {"vector.insert_strided_slice $v, $w {offsets = $o, strides = $t}",
     "vector.insert_strided_slice $v, $w offsets = $o, strides = $t"},
};

} // namespace

std::span<const SyntaxDifference> commonDifferences() { return kDifferences; }

std::string asJaxPrints(std::string_view text) { return EditedText(text, toOurSyntax(text, kPrinted)).text(); }

} // namespace lanescope::core
