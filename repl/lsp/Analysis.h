// The result of running a snippet for an editor: errors and findings, where the kernels' values lie and what moving
// them costs, and a session that knows the snippet's names. An analysis never changes after it is made.
//
//   auto analysis = analyse(readSnippet(text), {.depth = Depth::Compile});
//   analysis->diagnostics         from all statements: a failing one does not hide those after it
//   analysis->values              tile, line 12: f16[64, 128], WGMMA, 32 registers per thread
//
// Depth::Compile is for texts that the user still types. Host statements run, and kernels are compiled for the shapes
// of their calls, or of their annotations if no call exists. Kernels are not run: they return zeros. Nothing is written
// to files. Depth::Check also runs the kernels, on the emulator with its checks, and evaluates assertions. The analysis
// ends early at the deadline, or when `cancelled` returns true.
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
  std::string arch{core::defaultGpuTarget().name}; // for files that name no architecture: see archOf
  double seconds = 5;                              // limit in seconds for all statements together
  // Returns true to end the analysis early; called often, from another thread.
  std::function<bool()> cancelled = nullptr;
  /// The analysis of an earlier text, or null. If a function does not compile now, it keeps the facts that this
  /// analysis has about its unchanged lines.
  std::shared_ptr<const struct Analysis> before = nullptr;
};

/// A value of a kernel: an array in registers or tensor memory, or a reference into shared memory.
struct ValueFact {
  TextRange place;    // the expression in the snippet that computes the value
  std::string name;   // name of the variable; empty: it has none
  std::string type;   // such as "f16[64, 128]"
  std::string layout; // such as "WGMMA": the shortest notation that can be read back
  std::string size;   // such as "32 registers per thread"; empty: not known
  bool operator==(const ValueFact &other) const {
    return place.begin == other.place.begin && name == other.name && type == other.type && layout == other.layout;
  }
};

/// The cost of moving data at a place, by a change of layout or an access to shared memory.
struct CostFact {
  TextRange place;
  std::string words;
  bool avoidable = false; // true for a change of layout, and for bank conflicts
  bool operator==(const CostFact &other) const { return place.begin == other.place.begin && words == other.words; }
};

struct Analysis {
  std::shared_ptr<const Snippet> snippet;
  Diagnostics diagnostics; // also has syntax errors; each place and kind once
  std::vector<ValueFact> values;
  std::vector<CostFact> costs;
  std::vector<std::string> kernels; // names of the text's functions that are kernels
  bool complete = true;             // false: the analysis was cancelled, or its deadline came first
  bool late = false;                // true: its deadline came first
  std::shared_ptr<Session> session; // idle, but knows the snippet's names; belongs to the thread that answers requests
};

/// The architecture that a file is compiled for. The file's first comments may name it, as in `lanescope run FILE
/// --arch sm_100a`; otherwise it is `otherwise`.
std::string archOf(const Source &text, const std::string &otherwise);

/// Adds those diagnostics whose place and kind are not in `all` yet.
void addNew(Diagnostics &all, const Diagnostics &more);

std::shared_ptr<const Analysis> analyse(std::shared_ptr<const Snippet> snippet, const AnalysisOptions &options);

} // namespace lanescope::repl::lsp
