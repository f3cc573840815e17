// A kernel that JAX dumped, as a page to draw: its operations with their layouts, links between values, and the use of
// memory over time. It is plain data and texts. The window and the HTML file show the same page.
//
//   DumpPage page = repl::drawnPage(kernelPage);       // repl/dumps/DumpPages.h
//   page.rows[11].values[0].source                     the row that hands operand 0 on
//   memoryScene(page.memory, page.rows.size(), …)      the use of shared memory over time
#pragma once

#include "viz/scene/ViewText.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lanescope::viz {

/// An operand or a result of an operation.
struct DumpRowValue {
  std::string role, type; // "operand 1", "f32[64x128]"
  std::string storage;    // "WGMMA"; empty if there is none
  std::optional<ViewSpec> view;
  std::optional<size_t> source; // the row whose result this value is
  struct Reason {
    std::string words;
    uint32_t line = 0; // line of the module; 0: unknown
  };
  std::vector<Reason> why;
};

struct DumpRow {
  uint32_t line = 0; // line of the module, from 1
  std::string name;  // "mosaic_gpu.wgmma"
  std::string place; // "kernel.py:12:3"; may be empty
  std::vector<DumpRowValue> values;
  std::vector<std::string> costs; // relayouts and bank conflicts, in words
};

/// A part of a memory that is in use from one row to another.
struct DumpMemory {
  bool tensor = false;
  int64_t offset = 0, size = 0; // bytes, or columns of tensor memory
  size_t first = 0, last = 0;
  std::string name, storage; // "smem f16[64x64]", "tile (8, 64), swizzle 128"
};

struct DumpSection {
  std::string title;
  std::string text; // lines
};

struct DumpPage {
  std::string name;    // "k_7"
  std::string summary; // lines
  std::vector<DumpRow> rows;
  size_t first = 0; // the row to show at first: the first row with a cost or a layout
  std::vector<DumpMemory> memory;
  std::vector<DumpSection> sections; // relayouts, transfers, differences, PTX statistics
  std::string module, ptx;           // texts; may be empty
  std::string ours;                  // the PTX that Lanescope's own compiler makes of the module
  /// For each line of `ours`, from 0: the line of the module from which it was made; 0: none.
  std::vector<uint32_t> oursFrom;
  /// For each line of the PTX, from 0: the place in Python from which it was made; empty if there is none.
  std::vector<std::string> ptxPlaces;
};

/// A picture of shared memory (or tensor memory). Memory goes from top to bottom, and operations go from left to right.
/// Each part in use has a box. Nothing if the page has no such memory.
std::optional<Scene> memoryScene(const DumpPage &page, bool tensor, ColourTheme theme = ColourTheme::Light);

} // namespace lanescope::viz
