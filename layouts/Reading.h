// Decides how a layout's text is read: for which memory, and for which array. This is the only place that decides it;
// builtins, commands, pictures, comparisons and printers call it.
//
//   readingOf((8,4):(4,1))                          ->  shared memory, for (8, 4): a guess, which its note reports
//   readingOf((8,4):(4,1), {.shape = {4, 8}})       ->  registers: mode 0 is the thread, mode 1 the value
//   readingOf(WGMMA)                                ->  registers, no shape: it applies to many
//   commonReading(WGMMA, (128,32):(1,128), {})      ->  registers: the other layout leaves no choice
//
// The rule: 1. An explicit request decides: `memory=` of the language, `--memory` of commands, the window's switch, or
// a view of one memory alone. 2. Most texts determine their memory: the notations of Mosaic, Triton, Tilus, TIRx and
// TPUs, a pointer (`smem_ptr[16b]`), a printout's label (`LayoutC_TV`), an atom's name, a swizzle, strides that are
// coordinates (`1@0`). 3. A plain `shape:stride` of CuTe does not. For the array with its modes' sizes, which is the
// default array, it is memory. For an array of other sizes it is (thread, value) if it has two modes, else memory. 4.
// Two layouts are compared in a memory that both have. If several remain, the layout whose text determines its memory
// decides; two plain ones are (thread, value) only if each would be so by itself. The array is the requested one, else
// that of the first, else that of the second.
#pragma once

#include "layouts/Layout.h"

#include <optional>
#include <string>
#include <string_view>

namespace lanescope::layouts {

struct ReadingRequest {
  std::optional<Shape> shape = std::nullopt;
  std::optional<Memory> memory = std::nullopt;
};

struct Reading {
  Memory memory = Memory::Registers;
  std::optional<Shape> shape = std::nullopt;      // the requested shape, or the text's own; nothing if there is neither
  std::optional<Memory> otherwise = std::nullopt; // the other possible memory; if set, `memory` was a guess
};
/// Errors: the layout does not have that memory, or has none at all.
Result<Reading> readingOf(const Layout &layout, const ReadingRequest &request = {});

/// A mixin for foreign layouts that have several memories, but whose text may still determine the memory.
class SaysMemory {
public:
  virtual bool saysMemory() const = 0;

protected:
  ~SaysMemory() = default;
};

/// The control by which the user can choose another reading.
enum class ReadingSwitch { Argument, Flag, Window }; // memory="registers", --memory registers, the switch `Read as`
/// A sentence without a full stop that names the guess and the way to choose another reading; empty if nothing was
/// guessed.
std::string guessNote(const Layout &layout, const Reading &reading, ReadingSwitch how = ReadingSwitch::Argument);

struct CommonReading {
  Memory memory = Memory::Registers;
  std::optional<Shape> shape = std::nullopt;
  std::optional<Memory> otherwise = std::nullopt;
  /// The layout that determined the array, if the user requested none and the two layouts state different arrays.
  enum class ShapeOf { Agreed, Left, Right } shapeOf = ShapeOf::Agreed;
};
/// Errors: the layouts share no memory, or not the requested one; one of them has none.
Result<CommonReading> commonReading(const Layout &left, const Layout &right, const ReadingRequest &request = {});
std::string guessNote(const Layout &left, const Layout &right, const CommonReading &reading,
                      ReadingSwitch how = ReadingSwitch::Argument);

/// The array that the layout's text names in that memory: a plain CuTe layout names one only for shared memory.
std::optional<Shape> ownShape(const Layout &layout, Memory memory);
/// All memories that the layout can be read for, its natural one first. In MLIR, tiled layouts of registers and of
/// tensor memory have the same text.
std::vector<Memory> memoriesOf(const Layout &layout);
/// Reinterprets a layout whose text is valid for several memories as a layout of `memory`; returns any other layout
/// unchanged.
Layout layoutIn(const Layout &layout, Memory memory);
/// Reads "registers", "shared" (or "smem") and "tmem", the values of `memory=`.
std::optional<Memory> memoryNamed(std::string_view word);
std::string_view word(Memory memory);

} // namespace lanescope::layouts
