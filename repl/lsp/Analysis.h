// The result of running a snippet for an editor: errors and findings, where the kernels' values lie and what moving
// them costs, and a session that knows the snippet's names. An analysis never changes after it is made.
//
//   auto analysis = analyse(readSnippet(text), {.depth = Depth::Compile});
//   analysis->diagnostics         from all statements: a failing one does not hide those after it
//   analysis->values              tile, line 12: f16[64, 128], WGMMA, 32 registers per thread
//
// With Depth::Compile, which runs while the user types, host statements run, and kernels are compiled for the shapes of
// their calls (for the shapes of their annotations where nothing calls them). Kernels are not run: they return zeros.
// Nothing is written to files. Depth::Check also runs the kernels, on the emulator with its checks, and evaluates
// assertions. The analysis ends early at the deadline, or when `cancelled` returns true.
#pragma once

#include "repl/lsp/Snippet.h"
#include "repl/session/Session.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace lanescope::repl::lsp {

enum class Depth : uint8_t { Compile, Check };

struct AnalysisOptions {
  Depth depth = Depth::Compile;
  std::string arch{core::defaultGpuTarget().name}; // for files that name none: see archOf
  double seconds = 5;                              // for all statements together
  std::function<bool()> cancelled = nullptr;       // called often, from another thread
  /// The analysis of an earlier text, or null. A function that does not compile now keeps the facts that this analysis
  /// has about it, on lines that have not changed.
  std::shared_ptr<const struct Analysis> before = nullptr;
};

/// A value of a kernel: an array in registers or tensor memory, a reference into shared memory.
struct ValueFact {
  TextRange place;    // the expression that computes it, in the snippet
  std::string name;   // the variable's name; empty: it has none
  std::string type;   // "f16[64, 128]"
  std::string layout; // "WGMMA": the shortest notation that can be read back
  std::string size;   // "32 registers per thread"; empty: not known
  bool operator==(const ValueFact &other) const {
    return place.begin == other.place.begin && name == other.name && type == other.type && layout == other.layout;
  }
};

/// The cost of moving data at a place: a change of layout, an access to shared memory.
struct CostFact {
  TextRange place;
  std::string words;
  bool avoidable = false; // a change of layout, or bank conflicts
  bool operator==(const CostFact &other) const { return place.begin == other.place.begin && words == other.words; }
};

struct Analysis {
  std::shared_ptr<const Snippet> snippet;
  Diagnostics diagnostics; // including syntax errors; each place and kind once
  std::vector<ValueFact> values;
  std::vector<CostFact> costs;
  std::vector<std::string> kernels; // names of the text's functions that are kernels
  bool complete = true;             // false: cancelled, or the deadline came first
  bool late = false;                // the deadline came first
  std::shared_ptr<Session> session; // idle, kept for its names; the thread that answers requests owns it
};

/// The architecture that a file is compiled for: the one that its first comments name, as in `lanescope run FILE --arch
/// sm_100a`, else `otherwise`.
std::string archOf(const Source &text, const std::string &otherwise);

/// Adds the diagnostics whose place and kind `all` does not have yet.
void addNew(Diagnostics &all, const Diagnostics &more);

std::shared_ptr<const Analysis> analyse(std::shared_ptr<const Snippet> snippet, const AnalysisOptions &options);

} // namespace lanescope::repl::lsp
