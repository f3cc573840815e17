// The command line as data: one struct per subcommand. `lanescope` alone is the REPL.
#pragma once

#include "core/data/PageLink.h"
#include "core/Device.h"
#include "core/gpu/emulator/ChosenBlocks.h"
#include "core/gpu/kernel/GpuTarget.h"
#include "core/gpu/record/RecordSettings.h"

#include <array>
#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace lanescope::app {

/// The files that a snippet may use (docs/security.md).
struct FileArguments {
  std::string out; // the folder that `save` writes to; empty: the snippet's folder
  std::vector<std::string> reads;
  bool overwrite = false;
};

struct ReplArguments {
  FileArguments reach;
  std::string device = "auto", worker, arch{core::defaultGpuTarget().name};
  std::map<std::string, std::string> parameters; // values of `param(name, …)` by name
};
struct GuiArguments {
  FileArguments reach;
  std::vector<std::string> files;
  std::string script, screenshot, size = "1600x1000", theme = "dark", view;
  double scale = 1;
  std::string worker, arch{core::defaultGpuTarget().name};
  std::map<std::string, std::string> parameters;
  std::string python;               // the Python that runs programs; empty: the default one
  std::vector<std::string> trusted; // programs that run without asking when they are opened
};
struct RunArguments {
  FileArguments reach; // a dump's outputs are saved in its `out`, too
  core::Emulation emulation;
  std::string file, device = "auto", worker, trace, dump, arch{core::defaultGpuTarget().name};
  std::vector<std::string> inputs; // arrays for a dump's arguments
  std::string python;              // the Python that runs a program; empty: the default one
  std::vector<std::string> programArguments;
  std::map<std::string, std::string> parameters;
  double timeLimit = 20; // seconds
  bool noCache = false, archGiven = false;
};
struct EvalArguments {
  FileArguments reach;
  std::string expression;
  bool json = false;
};
struct ShowArguments {
  std::string layout, shape, dtype, view, colorBy, output;
  std::string against, slice, tiling, memory, theme = "light";
  int swizzle = 0;
  bool transpose = false, whole = false;
};
/// Prints a link to the web page. `show.output` is not used.
struct LinkArguments {
  ShowArguments show;
  std::string launch; // the description of the PTX's launch; empty: the one beside it
  bool noArrays = false;
  std::string base{core::kDefaultPage};
};
struct CompileArguments {
  FileArguments reach;
  std::string file, kernel, emit = "ptx", arch{core::defaultGpuTarget().name}, dump, output;
  std::vector<std::string> inputs; // arrays for the package of a dump
  std::map<std::string, std::string> parameters;
  bool noExpected = false, noArrays = false, links = false, archGiven = false;
};
struct OpenArguments {
  std::string file, against, output, emit, arch; // empty `arch`: the dump's own target
  int op = -1;
  bool why = false;
};
/// Runs PTX with a launch description, or a SparseCore module with its arrays.
struct EmulateArguments {
  core::Emulation emulation;
  std::string file, launch;
  std::vector<std::string> inputs;
  std::string output, trace, expected, checkpoint;
  double rtol = 0, atol = 0; // tolerances for `expected`
  double timeLimit = 20;     // seconds
  core::BlockChoice blocks = {};
  uint32_t devices = 1;
  bool tensorCoreTiles = false;
};
/// Checks PTX, a snippet, or a folder of PTX; with `results`, many files, each in a process of its own.
struct CheckArguments {
  FileArguments reach;
  std::vector<std::string> files;
  std::string launch, format = "text", arch, baseline, failOn = "fault";
  std::string results, shard = "1/1";
  uint32_t jobs = 0;          // files at a time; 0: one per core
  double unitTimeLimit = 200; // seconds for one file
  std::vector<std::string> rules;
  std::map<std::string, std::string> arguments; // for kernels whose launch no file describes
  std::optional<std::array<uint32_t, 3>> grid;  // replaces the described grid of PTX
  core::BlockChoice blocks = {};                // the part of the grid of PTX that runs
  std::optional<uint64_t> schedule;
  std::vector<std::string> strictRules;
  double timeLimit = 20; // seconds for one run
  std::optional<uint32_t> seeds;
  uint32_t threads = 0;
  bool keepGoing = false, strict = false, coverage = false, adversaries = false, shrink = false;
  std::string python; // the Python that runs a program; empty: the default one
  std::vector<std::string> programArguments;
};
/// Merges results of `check --results`.
struct ReportArguments {
  std::vector<std::string> folders;
  std::string format = "text", output, baseline, failOn = "fault", link;
  std::string pages; // the folder for a page of each finding; empty: none
};
/// Writes a baseline of the findings in results.
struct BaselineArguments {
  std::vector<std::string> folders;
  std::string output;
};
/// Debugs a snippet, or PTX with its launch.
struct DebugArguments {
  FileArguments reach;
  core::Emulation emulation;
  std::string file, launch, commands, kernel, arch{core::defaultGpuTarget().name};
  bool fault = false;
  std::string python; // the Python that runs a program; empty: the default one
  std::vector<std::string> programArguments;
};
/// Runs a CUDA program on emulated GPUs.
struct CudaArguments {
  core::Emulation emulation;
  std::string gpu = "h100";
  uint32_t devices = 1, seeds = 1;
  double timeLimit = 600;           // seconds for one launch
  std::vector<std::string> program; // the program and its arguments
};
/// Runs a CUDA program and records its launches.
struct RecordArguments {
  core::record::RecordSettings settings;
  std::string maxBytes = "1G", every = "distinct";
  bool noArrays = false, touched = false;
  std::vector<std::string> program; // the program and its arguments
};
/// Lists the packages of recorded launches in a folder.
struct ListArguments {
  std::string folder;
  bool stacks = false;
};
/// Runs the language server on standard input and output.
struct LspArguments {
  std::string device = "auto", worker, arch{core::defaultGpuTarget().name};
  double checkSeconds = 10;
};
struct TraceArguments {
  std::string file, output, compare;
  bool summary = false, explain = false, json = false;
};
/// Serves the web page.
struct ServeArguments {
  std::vector<std::string> files, hosts;
  std::string address = "127.0.0.1", page;
  int port = 0;
};
/// Explains a kind of diagnostic; without a kind, lists all kinds.
struct ExplainArguments {
  std::string kind;
  bool json = false;
};
struct DoctorArguments {};

using Arguments = std::variant<ReplArguments, GuiArguments, RunArguments, EvalArguments, ShowArguments, LinkArguments,
                               CompileArguments, OpenArguments, EmulateArguments, CheckArguments, ReportArguments,
                               BaselineArguments, DebugArguments, CudaArguments, RecordArguments, ListArguments,
                               LspArguments, TraceArguments, ServeArguments, ExplainArguments, DoctorArguments>;

/// The options that every command has. They set limits for the process.
struct ProcessOptions {
  std::optional<uint64_t> memory; // bytes that the process may use
  std::string scratch;            // the folder for arrays that exceed it
};

/// The text to print and the exit status, if the command line asks for help or is invalid.
struct Stop {
  int status = 0;
  std::string text;
};

/// Parses the command line; `process` gets the options for the whole process.
std::expected<Arguments, Stop> parseArguments(int argc, const char *const *argv, ProcessOptions &process);

} // namespace lanescope::app
