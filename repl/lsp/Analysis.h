// What is known of a snippet once it has been run for an editor: errors and findings, where the kernels' values lie and
// what moving them costs, and a session with its names. Never changes afterwards.
//
//   auto analysis = analyse(readSnippet(text), {.depth = Depth::Compile});
//   analysis->diagnostics         of all statements: a failing one does not hide those after it
//   analysis->values              tile, line 12: f16[64, 128], WGMMA, 32 registers per thread
//
// What runs while someone types: the host's statements, and the kernels' compilation, for the shapes that they are
// called with (or that their annotations say, where nobody calls them); kernels give zeros, and nothing is written to
// files. With Depth::Check also the kernels, on the emulator with its checks, wherever the snippet would run them, and
// assertions. All of it ends at the deadline, or when `cancelled` says that nobody waits for it any more.
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
  std::string arch{core::defaultGpuTarget().name}; // of files that name none: see archOf
  double seconds = 5;                              // of all statements together
  std::function<bool()> cancelled = nullptr;       // asked from another thread, often
  /// Of an earlier text: what it knows of a function is kept where nothing is known of it now (it does not compile),
  /// for lines that have not changed. Null: none.
  std::shared_ptr<const struct Analysis> before = nullptr;
};

/// A value of a kernel: an array in registers or tensor memory, a reference into shared memory.
struct ValueFact {
  TextRange place;    // the expression that gives it, in the snippet
  std::string name;   // of the variable; empty: it has none
  std::string type;   // "f16[64, 128]"
  std::string layout; // "WGMMA", as short as it can be said and read back
  std::string size;   // "32 registers per thread"; empty: not known
  bool operator==(const ValueFact &other) const {
    return place.begin == other.place.begin && name == other.name && type == other.type && layout == other.layout;
  }
};

/// What moving data costs at a place: a change of layout, an access to shared memory.
struct CostFact {
  TextRange place;
  std::string words;
  bool avoidable = false; // a change of layout, or bank conflicts
  bool operator==(const CostFact &other) const { return place.begin == other.place.begin && words == other.words; }
};

struct Analysis {
  std::shared_ptr<const Snippet> snippet;
  Diagnostics diagnostics; // syntax errors too; each place and kind once
  std::vector<ValueFact> values;
  std::vector<CostFact> costs;
  std::vector<std::string> kernels; // functions of the text that are kernels, by name
  bool complete = true;             // false: cancelled, or the deadline came first
  bool late = false;                // the latter
  std::shared_ptr<Session> session; // for its names; idle. Belongs to whoever answers questions
};

/// What a file is compiled for: its first comments may say so, as `lanescope run FILE --arch sm_100a` does.
std::string archOf(const Source &text, const std::string &otherwise);

/// Adds what is not there yet: of a place and a kind the first is kept.
void addNew(Diagnostics &all, const Diagnostics &more);

std::shared_ptr<const Analysis> analyse(std::shared_ptr<const Snippet> snippet, const AnalysisOptions &options);

} // namespace lanescope::repl::lsp
