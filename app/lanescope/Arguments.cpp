// CLI11 reports by exceptions: this is the one file that is compiled with them, and none leaves it.
#include "app/lanescope/Arguments.h"

#include "layouts/support/Nearest.h"
#include "layouts/support/Text.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <functional>
#include <optional>

namespace lanescope::app {
namespace {

/// An expression may start with a minus or look like an option; only the flags that `eval` has are taken as options.
std::vector<std::string> wordsOf(int argc, const char *const *argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty() || words[0] != "eval")
    return words;
  auto isFlag = [](const std::string &word) { return word == "--json" || word == "-h" || word == "--help"; };
  auto expression = std::partition(words.begin() + 1, words.end(), isFlag);
  if (expression != words.end() && *expression != "--")
    words.insert(expression, "--");
  return words;
}

class CommandLine {
public:
  CommandLine() {
    root_.require_subcommand(0, 1);
    root_.add_option("--device", repl_.device, "where kernels run")->check(devices())->default_str("auto");
    root_.add_option("--worker", repl_.worker, "a command that starts a worker, such as \"ssh gpu1 lanescope-worker\"");
    root_.add_option("--arch", repl_.arch, architectures_)->default_str(repl_.arch);
    root_.footer(
        "With no command: the REPL. It reads standard input when that is not a terminal. `lanescope FILE.py` runs a "
        "file.\n\n"
        "  lanescope eval 'owners(WGMMA, (64, 8), (9, 2))'\n"
        "  lanescope show WGMMA --shape 64x16\n"
        "  lanescope run samples/kernels/double.py --trace double.json");
    root_.set_version_flag("--version", "lanescope 0.1.0");
    addGui();
    addRun();
    addEval();
    addShow();
    addCompile();
    addOpen();
    addEmulate();
    addCheck();
    addTrace();
    addDoctor();
  }

  std::expected<Arguments, Stop> parse(int argc, const char *const *argv) {
    std::vector<std::string> words = wordsOf(argc, argv);
    if (!words.empty() && !words[0].starts_with("-"))
      if (std::string problem = noCommand(words[0]); !problem.empty())
        return std::unexpected(Stop{2, std::move(problem)});
    std::ranges::reverse(words);
    try {
      root_.parse(words);
    } catch (const CLI::ParseError &problem) {
      std::ostringstream out, err;
      int status = root_.exit(problem, out, err);
      return std::unexpected(Stop{status == 0 ? 0 : 2, status == 0 ? out.str() : err.str()});
    }
    return chosen_ ? chosen_() : Arguments(repl_);
  }

private:
  /// What is said of a first word that is no command; empty where it is one.
  std::string noCommand(const std::string &word) {
    std::vector<std::string> commands;
    for (const CLI::App *command : root_.get_subcommands({}))
      commands.push_back(command->get_name());
    if (std::ranges::find(commands, word) != commands.end())
      return {};
    std::string_view meant = layouts::nearest(word, commands);
    return text("there is no command `", word, "`", meant.empty() ? "" : text("; did you mean `", meant, "`?"),
                "\nRun with --help for what there is; `lanescope FILE.py` runs a file.\n");
  }

  static CLI::IsMember devices() { return CLI::IsMember(std::vector<std::string>{"auto", "gpu", "emulator"}); }

  template <typename T> CLI::App *add(const char *name, const char *what, T &options, const char *example) {
    CLI::App *command = root_.add_subcommand(name, what);
    command->footer(std::string("Examples:\n") + example);
    command->callback([this, &options] { chosen_ = [&options] { return Arguments(options); }; });
    return command;
  }

  void addGui() {
    CLI::App *command = add("gui", "open the window", gui_,
                            "  lanescope gui samples/kernels/double.py\n"
                            "  lanescope gui samples/traces/mosaic_matmul.json.gz\n"
                            "  xvfb-run -a lanescope gui --script samples/tour.gui --screenshot window.png");
    command->add_option("files", gui_.files, "snippets, layout files, traces");
    command->add_option("--view", gui_.view, "a layout in any language, or the text of a view, to show first");
    command->add_option("--script", gui_.script, "drive the window with the steps in this file, then close it");
    command->add_option("--screenshot", gui_.screenshot, "save a picture of the window at the end of the script");
    command->add_option("--size", gui_.size, "the window's size in pixels")->default_str("1600x1000");
    command->add_option("--theme", gui_.theme, "dark or light")
        ->check(CLI::IsMember(std::vector<std::string>{"dark", "light"}))
        ->default_str("dark");
    command->add_option("--scale", gui_.scale, "text and widget size")->check(CLI::Range(0.5, 4.0))->default_str("1");
    command->add_option("--worker", gui_.worker, "a command that starts a worker");
    command->add_option("--arch", gui_.arch, architectures_)->default_str(gui_.arch);
  }

  void addRun() {
    CLI::App *command = add("run", "run a snippet file, or a module that JAX dumped", run_,
                            "  lanescope run samples/kernels/double.py\n"
                            "  lanescope run samples/kernels/pipeline.py --device emulator --trace pipeline.json\n"
                            "  lanescope run samples/kernels/double.py --worker \"ssh gpu1 lanescope-worker\"\n"
                            "  lanescope run k_7.before_layout_inference.txt --inputs a.npy b.npy -o outputs");
    command->add_option("file", run_.file, "the snippet, or the dump (.mlir, .txt)")->required();
    command->add_option("--inputs", run_.inputs, "a dump's inputs as .npy, in order; others are random numbers");
    command->add_option("-o,--output", run_.output, "the folder for a dump's outputs, out_0.npy and so on");
    command->add_option("--device", run_.device, "auto takes the GPU if there is one")
        ->check(devices())
        ->default_str("auto");
    command->add_option("--worker", run_.worker, "a command that starts a worker");
    command->add_option("--trace", run_.trace, "save the trace of the last profiled run as Chrome trace JSON");
    command->add_option("--dump", run_.dump, "save every stage of each kernel's compilation in this folder");
    command->add_flag("--no-cache", run_.noCache, "compile anew what an earlier run has compiled");
    command->add_option("--arch", run_.arch, architectures_)->default_str(run_.arch)->each([this](const std::string &) {
      run_.archGiven = true;
    });
    addEmulation(*command, run_.emulation);
  }

  void addEval() {
    CLI::App *command = add("eval", "evaluate one expression and print its value", eval_,
                            "  lanescope eval 'owners(WGMMA, (64, 8), (9, 2))'\n"
                            "  lanescope eval 'element_map(WGMMA, (64, 8))' --json");
    command->add_option("expression", eval_.expression, "an expression of the snippet language")->required();
    command->add_flag("--json", eval_.json, "print the value as JSON");
  }

  void addShow() {
    CLI::App *command =
        add("show", "draw a layout", show_,
            "  lanescope show WGMMA --shape 64x16\n"
            "  lanescope show WGMMA --shape 64x16 --color lane -o wgmma.svg\n"
            "  lanescope show 'tmem_default_layout(2)' --shape 128x64 --dtype f16 -o tmem.png\n"
            "  lanescope show WGMMA --shape 64x64 --dtype f16 --view grid,lanes,smem --tiling 8x64 --swizzle 128 -o "
            "linked.html\n"
            "  lanescope show WGMMA --shape 64x32 --view diff --against WGMMA_UPCAST_2X -o diff.tex\n"
            "  lanescope show WGMMA --shape 64x8 --view f2 --theme dark -o bits.pdf\n"
            "  lanescope show 'view(\"WGMMA\", shape=(64, 64), view=\"lanes\", theme=\"dark\")' -o shared.png");
    command
        ->add_option("layout", show_.layout,
                     "an expression that gives a layout, a layout's text in any notation, or the text of a view")
        ->required();
    command->add_option("--shape", show_.shape,
                        "the array's shape, such as 64x64; by default one that fits the layout");
    command->add_option("--dtype", show_.dtype, "the array's element type; by default one that fits the layout");
    command->add_option(
        "--view", show_.view,
        "grid, lanes, tmem, smem, f2, flow or diff; several, with commas, for one HTML page of linked pictures");
    command->add_option("--color,--colour-by", show_.colorBy,
                        "colour by warp, lane, register, vector or bank; shared memory also by chunk, row or column");
    command->add_option("--against", show_.against, "the second layout of the views flow and diff");
    command->add_option("--slice", show_.slice, "indices of leading dimensions that are fixed, such as 0,3");
    command->add_option("--tiling", show_.tiling, "the tiling in shared memory, such as 8x64");
    command->add_option("--swizzle", show_.swizzle, "the swizzle of shared memory in bytes")
        ->check(CLI::IsMember(std::vector<int>{0, 16, 32, 64, 128}));
    command->add_flag("--transpose", show_.transpose, "tiles in column-major order in shared memory");
    command->add_flag("--whole", show_.whole, "tensor memory with all its 512 columns");
    command->add_option("--theme", show_.theme, "light or dark")
        ->check(CLI::IsMember(std::vector<std::string>{"light", "dark"}))
        ->default_str("light");
    command->add_option("-o,--output", show_.output, "a file: .svg .png .pdf .html .tex .txt .json .csv");
  }

  void addCompile() {
    CLI::App *command =
        add("compile", "compile a snippet's kernels, or a module that JAX dumped, and show a stage", compile_,
            "  lanescope compile samples/kernels/double.py --emit ptx        # of the last call of the kernel\n"
            "  lanescope compile samples/kernels/pipeline.py --kernel add_blocks --emit laid-out\n"
            "  lanescope compile samples/kernels/transpose.py --emit ptx --links      # which line comes from which\n"
            "  lanescope compile samples/kernels/double.py --emit package -o packages\n"
            "  lanescope compile k_7.before_layout_inference.txt --emit package --inputs a.npy b.npy -o packages");
    command->add_option("file", compile_.file, "the snippet, or the dump (.mlir, .txt)")->required();
    command->add_option("--kernel", compile_.kernel, "the kernel to compile, where the file has several");
    command->add_option("--emit", compile_.emit, "the stage to show")
        ->check(CLI::IsMember(
            std::vector<std::string>{"ast", "ir", "laid-out", "nvvm", "llvm", "ptx", "cubin", "sass", "package"}))
        ->default_str("ptx");
    command->add_flag("--links", compile_.links, "before each line, the lines of the snippet that it comes from");
    command->add_option("--dump", compile_.dump, "save every stage of each kernel's compilation in this folder");
    command->add_option("--arch", compile_.arch, architectures_)
        ->default_str(compile_.arch)
        ->each([this](const std::string &) { compile_.archGiven = true; });
    command->add_option("--inputs", compile_.inputs, "for a dump's package: its inputs as .npy, in order");
    command->add_flag("--no-expected", compile_.noExpected,
                      "packages without expected results: the snippet does not run on the emulator first");
    command->add_option("-o,--output", compile_.output, "a file, or for packages a folder");
  }

  void addOpen() {
    CLI::App *command =
        add("open", "open what JAX dumped: a folder of kernels, or a module of Mosaic GPU or of a SparseCore", open_,
            "  lanescope open dumps                       # a page per kernel\n"
            "  lanescope open dumps/k_7 -o k_7.html\n"
            "  lanescope open dumps/k_7 --against dumps/k_8\n"
            "  lanescope open k.after_layout_inference.txt\n"
            "  lanescope open k.after_layout_inference.txt --op 3 -o op.svg\n"
            "  lanescope open k.after_layout_inference.txt --op 3 --why\n"
            "  lanescope open k.mlir --emit laid-out -o k.laid_out.mlir");
    command->add_option("file", open_.file, "the dump: a module, a folder, or a folder and how a kernel's files begin")
        ->required();
    command->add_option("--against", open_.against, "another dump of the same kernel: what differs, and what it costs");
    command->add_option("--op", open_.op, "one op, by the number that the listing gives it");
    command
        ->add_option("--emit", open_.emit,
                     "print the module instead: `ir`, as it was read; `laid-out`, with its layouts inferred anew; "
                     "`constraints`, what its operations demand of layouts; or what we compile its kernel to")
        ->check(CLI::IsMember({"ir", "laid-out", "constraints", "nvvm", "llvm", "ptx"}));
    command->add_option("--arch", open_.arch, "infer or compile for another architecture than the dump's");
    command->add_flag("--why", open_.why, "with --op: what led to each layout of its operands and results");
    command->add_option("-o,--output", open_.output,
                        "a file for the picture of the op's layout, for the module, or for the folder's page (.html)");
  }

  void addEmulate() {
    CLI::App *command = add("emulate", "run PTX or a SparseCore module from anywhere on the emulator", emulate_,
                            "  lanescope emulate kernel.ptx --launch launch.json\n"
                            "  lanescope emulate module.mlir --inputs x.npy indices.npy -o results");
    command->add_option("file", emulate_.file, "the PTX, or a module of the `tpu` dialect")->required();
    CLI::Option *launch = command->add_option("--launch", emulate_.launch, "how to launch the PTX (docs/launch.md)");
    command->add_option("--inputs", emulate_.inputs, "the module's arrays (.npy), in the order of its operands")
        ->expected(0, -1)
        ->excludes(launch);
    command->add_option("-o,--output", emulate_.output, "the folder for the module's outputs: out_0.npy, …")
        ->excludes(launch);
    command->add_option("--trace", emulate_.trace, "the module's trace as Chrome JSON, from the cost model")
        ->excludes(launch);
    command
        ->add_flag("--tc-tiling", emulate_.tensorCoreTiles,
                   "arrays of the module lie in a TensorCore's tiles, as `use_tc_tiling_on_sc` asks for")
        ->excludes(launch);
    command->add_option("--devices", emulate_.devices, "devices that run the module together, each with its own inputs")
        ->check(CLI::Range(1, 64))
        ->default_str("1")
        ->excludes(launch);
    addEmulation(*command, emulate_.emulation);
  }

  void addCheck() {
    CLI::App *command = add("check", "what the emulator's checker finds in PTX, a snippet, or a folder of PTX", check_,
                            "  lanescope check kernel.ptx --launch launch.json\n"
                            "  lanescope check samples/kernels/pipeline.py --seeds 4\n"
                            "  lanescope check folder --format sarif");
    command->add_option("file", check_.file, "the PTX, the snippet, or a folder: each PTX with its launch.json")
        ->required();
    command->add_option("--launch", check_.launch, "how to launch the PTX (docs/launch.md)")
        ->default_str("launch.json beside it");
    command->add_flag("--strict", check_.strict, "exit status 1 for hazards too (docs/checks.md)");
    command->add_option("--checks", check_.rules, "hazards and notes by these rules alone: race,unfenced-overwrite")
        ->delimiter(',')
        ->allow_extra_args(false); // the file may stand behind it
    command->add_option("--seeds", check_.seeds, "schedules of copies in flight to try")
        ->check(CLI::Range(1, 100000))
        ->default_str("1");
    command->add_option("--format", check_.format, "text, json, or sarif (for code review)")
        ->check(CLI::IsMember({"text", "json", "sarif"}))
        ->default_str("text");
    command->add_option("--arch", check_.arch, architectures_);
    command->add_option("--threads", check_.threads, "host threads; the result does not depend on them")
        ->check(CLI::Range(0, 1024))
        ->default_str("one per core");
  }

  static void addEmulation(CLI::App &command, core::Emulation &emulation) {
    command.add_option("--seed", emulation.seed, "emulator: another schedule of copies in flight")->default_str("0");
    command.add_flag("--fast", emulation.fast, "emulator: copies complete at once, and races are not looked for");
    command.add_flag("--strict", emulation.strict, "emulator: hazards end the run, as faults do (docs/checks.md)")
        ->excludes("--fast");
    command.add_option("--threads", emulation.threads, "emulator: host threads; the result does not depend on them")
        ->check(CLI::Range(0, 1024))
        ->default_str("one per core");
  }

  void addTrace() {
    CLI::App *command = add("trace", "show a trace's timeline and what it says", trace_,
                            "  lanescope trace samples/traces/mosaic_matmul.json.gz --summary\n"
                            "  lanescope trace double.json -o double.svg");
    command->add_option("file", trace_.file, "Chrome trace JSON, compressed or not")->required();
    command->add_flag("--summary", trace_.summary, "print where the time went");
    command->add_option("-o,--output", trace_.output, "a picture: .html .svg .png .pdf");
  }

  void addDoctor() {
    add("doctor", "what this machine offers, and how to get what is missing", doctor_, "  lanescope doctor");
  }

  const std::string architectures_ = text("the architecture to compile for: ", core::gpuTargetsText());
  CLI::App root_{"Lanescope shows where every element of a GPU tile lives, and runs kernel snippets.", "lanescope"};
  std::function<Arguments()> chosen_;
  ReplArguments repl_;
  GuiArguments gui_;
  RunArguments run_;
  EvalArguments eval_;
  ShowArguments show_;
  CompileArguments compile_;
  OpenArguments open_;
  EmulateArguments emulate_;
  CheckArguments check_;
  TraceArguments trace_;
  DoctorArguments doctor_;
};

} // namespace

std::expected<Arguments, Stop> parseArguments(int argc, const char *const *argv) {
  // `lanescope FILE.py` runs it.
  std::vector<const char *> words(argv, argv + argc);
  if (argc > 1 && std::string_view(argv[1]).ends_with(".py") && argv[1][0] != '-')
    words.insert(words.begin() + 1, "run");
  return CommandLine().parse(static_cast<int>(words.size()), words.data());
}

} // namespace lanescope::app
