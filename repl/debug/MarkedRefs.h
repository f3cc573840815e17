// Arrays of shared and of tensor memory, as the kernel reads them: which bytes an element is, and what they hold now.
//
//   SharedArray ref = *takeRef("f16 64x64 8x64 128 tile");       // words of a mark
//   readTile(debugger, block, *tileOf(ref, "tile", 1024))        // the array that lies at shared address 1024
//
// Where an element lies layouts::SmemMap and layouts::TmemMap say.
#pragma once

#include "core/gpu/emulator/debug/Debugger.h"
#include "core/gpu/kernel/SharedArrays.h"
#include "core/gpu/kernel/TensorArrays.h"
#include "viz/host/DebugTarget.h"

#include <string_view>

namespace lanescope::repl {

/// The words of a mark up to the name, which are taken away: "f16 64x64 8x64 128"; "-" stands for no numbers.
/// None: they are no such words.
std::optional<core::SharedArray> takeRef(std::string_view &words);

/// Which element each byte behind a shared address is. Errors: those of SmemMap::of.
Result<viz::DebugTile> tileOf(const core::SharedArray &ref, const std::string &name, uint32_t address);
/// What a block's shared memory holds there. Error "debug-value": the block does not run.
Result<core::Array> readTile(const core::Debugger &debugger, uint32_t block, const viz::DebugTile &tile);
/// What a block's tensor memory holds of the array. Error "debug-value": nothing is allocated there.
Result<core::Array> readTensor(const core::Debugger &debugger, uint32_t block, const layouts::TmemArray &array);

} // namespace lanescope::repl
