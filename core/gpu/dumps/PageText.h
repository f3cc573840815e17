// A kernel's page in words, for `lanescope open FOLDER`.
//
//   k_7, sm_90: grid 1x1x1, block 128x1x1, 24584 bytes of shared memory
//     12 operations with layouts, no relayout, no bank conflict, arrays take at most 64 registers (op 9)
//     …
#pragma once

#include "core/gpu/dumps/DumpKernelPage.h"
#include "core/gpu/inference/DumpInference.h"

namespace lanescope::core::dumps {

/// A few lines: the kernel, its costs, missing files.
std::string summaryText(const KernelPage &page);
/// The whole page: summary, operations, relayouts, transfers, memory use by operation, differences, PTX.
std::string pageText(const KernelPage &page);

/// Parts of the text, for other pages. Each line ends with a newline; the text is empty if there is nothing.
std::string relayoutWords(const KernelPage &page, const Relayout &relayout); // "WGMMA -> WGMMA_ROW: shuffles, 16 …"
std::string costWords(const Relayout &relayout);                             // "16 shuffles, 48 selects per thread"
std::string transferWords(const Transfer &transfer); // "ld.shared.b64: 64 wavefronts where 32 would do"
std::string memoryWords(const KernelPage &page, DumpValue::Place place);
std::string differenceWords(const KernelPage &page); // empty if the layouts were not compared
std::string ptxWords(const KernelPage &page);
std::string instructionWords(const PtxSummary &ptx); // number of instructions, and by family
std::string sassWords(const KernelPage &page);
/// The value's layout or transforms, "WGMMA", "splat", "tile (8, 64), swizzle 128"; empty if it has none.
std::string storageWords(const DumpValue &value);
std::string layoutWords(const layouts::RegisterLayout &layout);
/// The value's type in words: "f32[64x128]", "smem f16[64x64]".
std::string typeWords(const DumpValue &value);
/// The reasons for each value's layout, a line per step.
std::string reasonWords(const std::vector<ValueReasons> &reasons);
/// The operation in words: "#12 wgmma (line 90)".
std::string opWords(const Dump &dump, size_t op);

} // namespace lanescope::core::dumps
