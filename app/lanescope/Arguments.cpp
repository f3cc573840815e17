// CLI11 reports errors by exceptions, so this file is compiled with them. No exception leaves it.
#include "app/lanescope/Arguments.h"
#include "app/lanescope/Common.h"
#include "app/lanescope/OptionTable.h"

#include "core/data/ProcessMemory.h"
#include "core/data/Version.h"
#include "core/gpu/driver/GpuModels.h"
#include "core/gpu/emulator/coverage/Schedule.h"
#include "core/gpu/runtime/OwnFile.h"
#include "core/gpu/runtime/OwnTarget.h"
#include "layouts/support/Nearest.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "layouts/support/Visible.h"

#include "repl/files/FileKind.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <functional>
#include <optional>

namespace lanescope::app {
namespace {

/// Splits the command line into words. An expression may start with a minus or look like an option, so after `eval`,
/// only the flags of `eval` itself count as options.
std::vector<std::string> wordsOf(int argc, const char *const *argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty() || words[0] != "eval")
    return words;
  constexpr std::string_view kFlags[] = {"--json", "-h", "--help", "--overwrite"},
                             kValued[] = {"--out", "--read", "--memory"};
  std::vector<std::string> options{words[0]}, rest;
  for (size_t i = 1; i < words.size(); ++i) {
    if (std::ranges::find(kFlags, words[i]) != std::end(kFlags) || words[i].starts_with("--memory=")) {
      options.push_back(words[i]);
    } else if (i + 1 < words.size() && std::ranges::find(kValued, words[i]) != std::end(kValued)) {
      options.push_back(words[i]);
      options.push_back(words[++i]);
    } else {
      rest.push_back(words[i]);
    }
  }
  auto count = static_cast<std::ptrdiff_t>(options.size());
  words = std::move(options);
  words.insert(words.end(), rest.begin(), rest.end());
  auto expression = words.begin() + count;
  if (expression != words.end() && *expression != "--")
    words.insert(expression, "--");
  return words;
}

class CommandLine {
public:
  CommandLine() {
    root_.require_subcommand(0, 1);
    root_.add_option("--device", repl_.device, "where kernels run")->check(devices())->default_str("auto");
    addWorkers(root_, repl_.worker);
    root_.add_option("--arch", repl_.arch, architectures_)->check(architecture())->default_str(repl_.arch);
    addParameters(root_, repl_.parameters);
    addReach(root_, repl_.reach);
    root_.footer(
        "With no command: the REPL. It reads standard input when that is not a terminal. `lanescope FILE.py` runs a "
        "file.\n\n"
        "  lanescope eval 'owners(WGMMA, (64, 8), (9, 2))'\n"
        "  lanescope show WGMMA --shape 64x16\n"
        "  lanescope run samples/kernels/double.py --trace double.json");
    root_.set_version_flag("--version", text("lanescope ", core::kVersion));
    addGui();
    addRun();
    addEval();
    addShow();
    addLink();
    addCompile();
    addOpen();
    addEmulate();
    addCheck();
    addReport();
    addBaseline();
    addDebug();
    addCuda();
    addRecord();
    addList();
    addLsp();
    addTrace();
    addServe();
    addExplain();
    addDoctor();
    root_.add_flag_callback("--option-table", [] { throw CLI::CallForAllHelp(); })->group(""); // hidden
    addMemory(root_);
    for (CLI::App *command : root_.get_subcommands({}))
      if (command->get_name() != "show" && command->get_name() != "link") // there, `--memory` names the layout's memory
        addMemory(*command);
    for (const char *name : {"run", "emulate", "check"})
      root_.get_subcommand(name)
          ->add_option("--scratch", process_.scratch,
                       "a folder on a disk, such as /var/tmp, for arrays that exceed the limit of `--memory`")
          ->type_name("DIR");
  }

  const ProcessOptions &process() const { return process_; }

  std::expected<Arguments, Stop> parse(int argc, const char *const *argv) {
    std::vector<std::string> words = wordsOf(argc, argv);
    if (!words.empty() && words[0] == "version")
      words[0] = "--version";
    if (!words.empty() && words[0] == "help") { // `help run` is `run --help`
      words.erase(words.begin());
      words.resize(std::min<size_t>(words.size(), 1));
      words.emplace_back("--help");
    }
    if (!words.empty() && !words[0].starts_with("-"))
      if (std::string problem = noCommand(words[0]); !problem.empty())
        return std::unexpected(Stop{2, std::move(problem)});
    std::ranges::reverse(words);
    try {
      root_.parse(words);
    } catch (const CLI::ParseError &problem) {
      if (problem.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success) &&
          problem.get_name() == "CallForAllHelp")
        return std::unexpected(Stop{0, optionTable(root_)});
      std::ostringstream out, err;
      int status = root_.exit(problem, out, err);
      const bool extra = problem.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
      return std::unexpected(
          Stop{status == 0 ? 0 : 2, status == 0 ? out.str() : err.str() + (extra ? programsOwn() : "") + wayOut()});
    }
    Arguments arguments = chosen_ ? chosen_() : Arguments(repl_);
    if (auto found = std::visit([](auto &command) { return findOwnArch(command); }, arguments); !found)
      return std::unexpected(Stop{1, render(found.error())});
    return arguments;
  }

private:
  /// Replaces `--arch auto` by the architecture of the GPU that kernels run on.
  template <typename Command> static Result<void> findOwnArch(Command &command) {
    if constexpr (requires { command.arch; }) {
      if (command.arch != core::kOwnArch)
        return {};
      std::string worker;
      if constexpr (requires { command.worker; })
        worker = command.worker;
      core::OwnTarget own = LANESCOPE_TRY(core::targetOfWorker(worker));
      if (!own.note.empty())
        complain(text("note: ", own.note, "\n"));
      command.arch = own.target->name;
    }
    return {};
  }

  /// The error for a first word that is no command; empty if it is one.
  std::string noCommand(const std::string &word) {
    std::vector<std::string> commands;
    for (const CLI::App *command : root_.get_subcommands({}))
      commands.push_back(command->get_name());
    if (std::ranges::find(commands, word) != commands.end())
      return {};
    if (repl::namesFile(word)) // if the word is a file, say which command takes it
      if (auto file = repl::checkNoFile("", word); !file)
        return render(file.error());
    std::string_view meant = layouts::nearest(word, commands);
    return text("there is no command `", word, "`", layouts::didYouMean(meant),
                "\nRun with --help for what there is; `lanescope FILE.py` runs a file.\n");
  }

  /// A hint that says where the program's own options go, for a command that runs a program; empty for other commands.
  std::string programsOwn() const {
    for (const CLI::App *command : root_.get_subcommands())
      if (command->get_option_no_throw("--python"))
        return text("A program's own options come after `--`: lanescope ", command->get_name(),
                    " FILE.py -- --size 5\n");
    return {};
  }

  /// The first example of the command that the user chose.
  std::string wayOut() const {
    for (const CLI::App *command : root_.get_subcommands()) {
      std::string footer = command->get_footer();
      size_t begin = footer.find("  lanescope "), end = footer.find('\n', begin);
      if (begin != std::string::npos)
        return text("As in: ", footer.substr(begin + 2, end - begin - 2), "\n");
    }
    return {};
  }

  static CLI::Validator architecture() {
    return {[](const std::string &name) {
              return name == core::kOwnArch || core::findGpuTarget(name) ? "" : core::noGpuTargetText(name);
            },
            ""};
  }
  void addMemory(CLI::App &command) {
    command
        .add_option_function<std::string>(
            "--memory",
            [this](const std::string &text) {
              process_.memory = core::parseMemorySize(text);
              if (!process_.memory || *process_.memory < core::kLeastMemory)
                throw CLI::ValidationError("--memory",
                                           "it takes a size of at least 64M, such as 800M or 4G, not `" + text + "`");
            },
            "memory that this process may hold, such as 800M or 4G")
        ->type_name("SIZE")
        ->default_str("half of the machine's");
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
    command->add_option("--arch", gui_.arch, architectures_)->check(architecture())->default_str(gui_.arch);
    addPython(*command, gui_.python);
    command
        ->add_option("--trust", gui_.trusted,
                     "a Python program that runs when it is opened, without being asked for (docs/security.md)")
        ->allow_extra_args(false);
    addParameters(*command, gui_.parameters);
    addReach(*command, gui_.reach);
  }

  static void addPython(CLI::App &command, std::string &python) {
    command.add_option("--python", python,
                       "the Python that runs a program: $VIRTUAL_ENV/bin/python3, or python3, where none is named");
  }

  void addRun() {
    CLI::App *command = add("run", "run a snippet file, a program of Python, or a module that JAX dumped", run_,
                            "  lanescope run samples/kernels/double.py\n"
                            "  lanescope run samples/kernels/pipeline.py --device emulator --trace pipeline.json\n"
                            "  lanescope run samples/kernels/tune_stages.py --param stages=4\n"
                            "  lanescope run samples/kernels/double.py --worker \"ssh gpu1 lanescope-worker\"\n"
                            "  lanescope run --python .venv/bin/python3 my_program.py -- --size 512\n"
                            "  lanescope run k_7.before_layout_inference.txt --inputs a.npy b.npy -o outputs");
    command->add_option("file", run_.file, "the snippet, the program, or the dump (.mlir, .txt)")->required();
    command->add_option("arguments", run_.programArguments,
                        "a program's own arguments; after `--` they may be options");
    addPython(*command, run_.python);
    command->add_option("--inputs", run_.inputs, "a dump's inputs as .npy, in order; others are random numbers");
    addReach(*command, run_.reach, "-o,--output,--out",
             "the folder for a dump's outputs (out_0.npy and so on), or for what a snippet saves (by default its own "
             "folder)");
    command->add_option("--device", run_.device, "auto takes the GPU if there is one")
        ->check(devices())
        ->default_str("auto");
    addWorkers(*command, run_.worker);
    command->add_option("--trace", run_.trace, "save the trace of the last profiled run as Chrome trace JSON");
    command->add_option("--dump", run_.dump, "save every stage of each kernel's compilation in this folder");
    command->add_flag("--no-cache", run_.noCache, "compile anew what an earlier run has compiled");
    command->add_option("--arch", run_.arch, architectures_)
        ->check(architecture())
        ->default_str(run_.arch)
        ->each([this](const std::string &) { run_.archGiven = true; });
    addParameters(*command, run_.parameters);
    addEmulation(*command, run_.emulation);
    addTimeLimit(*command, run_.timeLimit);
  }

  void addEval() {
    CLI::App *command = add("eval", "evaluate one expression and print its value", eval_,
                            "  lanescope eval 'owners(WGMMA, (64, 8), (9, 2))'\n"
                            "  lanescope eval 'element_map(WGMMA, (64, 8))' --json");
    command->add_option("expression", eval_.expression, "an expression of the snippet language")->required();
    command->add_flag("--json", eval_.json, "print the value as JSON");
    addReach(*command, eval_.reach);
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
    addPicture(*command, show_);
    command->add_option("-o,--output", show_.output, "a file: .svg .png .pdf .html .tex .txt .json .csv");
  }

  void addLink() {
    CLI::App *command =
        add("link", "print the address of a web page that shows what `show` draws, a small trace or a kernel", link_,
            "  lanescope link WGMMA --shape 64x64 --dtype f16 --view grid,smem --tiling 8x64 --swizzle 128\n"
            "  lanescope link WGMMA --shape 64x16 --base https://example.com/lanescope/app/\n"
            "  lanescope link samples/traces/emulated_matmul.json.gz\n"
            "  lanescope link samples/packages/ring_parity");
    addPicture(*command, link_.show);
    command->add_option("--launch", link_.launch,
                        "for PTX: the description of its launch; by default the one beside it");
    command->add_flag("--no-arrays", link_.noArrays, "for a kernel: leave out its arrays; random numbers stand in");
    command->add_option("--base", link_.base, "the page's address; what follows its `#` is never sent to it")
        ->default_str(link_.base);
  }

  /// The options that describe pictures of a layout.
  static void addPicture(CLI::App &command, ShowArguments &show) {
    command
        .add_option("layout", show.layout,
                    "an expression that gives a layout, a layout's text in any notation, or the text of a view")
        ->required();
    command.add_option("--shape,shape", show.shape,
                       "the array's shape, such as 64x64; by default one that fits the layout");
    command.add_option("--dtype", show.dtype, "the array's element type; by default one that fits the layout");
    command.add_option(
        "--view", show.view,
        "grid, lanes, tmem, smem, f2, flow or diff; several, with commas, for one HTML page of linked pictures");
    command.add_option("--color,--colour-by", show.colorBy,
                       "colour by warp, lane, register, vector or bank; shared memory also by chunk, row or column");
    command.add_option("--memory", show.memory,
                       "how to read a text that does not say it: registers (thread, value), shared or tmem");
    command.add_option("--against", show.against, "the second layout of the views flow and diff");
    command.add_option("--slice", show.slice, "indices of leading dimensions that are fixed, such as 0,3");
    command.add_option("--tiling", show.tiling, "the tiling in shared memory, such as 8x64");
    command.add_option("--swizzle", show.swizzle, "the swizzle of shared memory in bytes")
        ->check(CLI::IsMember(std::vector<int>{0, 16, 32, 64, 128}));
    command.add_flag("--transpose", show.transpose, "tiles in column-major order in shared memory");
    command.add_flag("--whole", show.whole, "tensor memory with all its 512 columns");
    command.add_option("--theme", show.theme, "light or dark")
        ->check(CLI::IsMember(std::vector<std::string>{"light", "dark"}))
        ->default_str("light");
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
        ->check(architecture())
        ->default_str(compile_.arch)
        ->each([this](const std::string &) { compile_.archGiven = true; });
    addParameters(*command, compile_.parameters);
    addReads(*command, compile_.reach);
    command->add_option("--inputs", compile_.inputs, "for a dump's package: its inputs as .npy, in order");
    command->add_flag("--no-expected", compile_.noExpected,
                      "packages without expected results: the snippet does not run on the emulator first");
    command->add_flag("--no-arrays", compile_.noArrays,
                      "a dump's package without arrays: the program that runs it gives its own");
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
    command
        ->add_option("file", open_.file,
                     "the dump: a module, a folder, or a folder with the beginning of a kernel's file names")
        ->required();
    command->add_option("--against", open_.against, "another dump of the same kernel: what differs, and what it costs");
    command->add_option("--op", open_.op, "one op, by the number that the listing gives it");
    command
        ->add_option("--emit", open_.emit,
                     "print the module instead: `ir`, as it was read; `laid-out`, with its layouts inferred anew; "
                     "`constraints`, what its operations demand of layouts; or what we compile its kernel to")
        ->check(CLI::IsMember({"ir", "laid-out", "constraints", "nvvm", "llvm", "ptx"}));
    command->add_option("--arch", open_.arch, "infer or compile for another architecture than the dump's")
        ->check(architecture());
    command->add_flag("--why", open_.why, "with --op: what led to each layout of its operands and results");
    command->add_option("-o,--output", open_.output,
                        "a file for the picture of the op's layout, for the module, or for the folder's page (.html)");
  }

  void addEmulate() {
    CLI::App *command = add("emulate", "run PTX or a SparseCore module from anywhere on the emulator", emulate_,
                            "  lanescope emulate kernel.ptx --launch launch.json\n"
                            "  lanescope emulate module.mlir --inputs x.npy indices.npy -o results");
    command
        ->add_option("file", emulate_.file,
                     "the PTX, a package or a folder of recorded packages, or a module of the `tpu` dialect")
        ->required();
    CLI::Option *launch = command->add_option(
        "--launch", emulate_.launch,
        "how to launch the PTX (docs/launch.md); without one, and none beside the PTX, a sketch of it is written");
    command->add_option("--inputs", emulate_.inputs, "the module's arrays (.npy), in the order of its operands")
        ->expected(0, -1)
        ->excludes(launch);
    command
        ->add_option("-o,--output", emulate_.output,
                     "the folder for the module's outputs: out_0.npy, …; of PTX without a launch: the file for its "
                     "sketch")
        ->excludes(launch);
    command->add_option("--expected", emulate_.expected, "a folder of arrays that the PTX' outputs are to equal")
        ->needs(launch);
    command->add_option("--rtol", emulate_.rtol, "how far they may be off, relatively")->default_str("0");
    command->add_option("--atol", emulate_.atol, "how far they may be off, absolutely")->default_str("0");
    command->add_option("--trace", emulate_.trace, "a trace as Chrome JSON, from the cost model");
    command
        ->add_flag("--tc-tiling", emulate_.tensorCoreTiles,
                   "arrays of the module lie in a TensorCore's tiles, as `use_tc_tiling_on_sc` asks for")
        ->excludes(launch);
    command->add_option("--devices", emulate_.devices, "devices that run the module together, each with its own inputs")
        ->check(CLI::Range(1, 64))
        ->default_str("1")
        ->excludes(launch);
    addBlocks(*command, emulate_.blocks)->excludes("--trace")->excludes("--expected");
    command
        ->add_option(
            "--checkpoint", emulate_.checkpoint,
            "of PTX whose blocks cannot communicate: a file that keeps how far the run has come; if the run is "
            "stopped, the same command goes on from there")
        ->excludes("--trace")
        ->excludes("--blocks");
    addEmulation(*command, emulate_.emulation);
    addTimeLimit(*command, emulate_.timeLimit);
  }

  void addCheck() {
    CLI::App *command = add("check", "what the emulator's checker finds in PTX, a snippet, or a folder of PTX", check_,
                            "  lanescope check kernel.ptx --launch launch.json\n"
                            "  lanescope check samples/kernels/pipeline.py --seeds 4 --adversarial\n"
                            "  lanescope check ~/.triton/cache --arg n=1000\n"
                            "  lanescope check my_program.py -- --size 512\n"
                            "  lanescope check folder --format sarif\n"
                            "  lanescope check kernels --jobs 8 --results results --baseline known.json");
    command
        ->add_option("file", check_.files,
                     "the PTX, the snippet, a Python program, or a folder of PTX: with launch.json, Triton's cache, "
                     "JAX's dumps; a program's arguments come after `--`; several with --results")
        ->required();
    addPython(*command, check_.python);
    command->add_option("--launch", check_.launch, "how to launch the PTX (docs/launch.md)")
        ->default_str("NAME.launch.json or launch.json beside it");
    command->add_flag("--strict", check_.strict, "exit status 1 for hazards too (docs/checks.md)");
    addFailOn(*command, check_.failOn)->excludes("--strict");
    command->add_option("--baseline", check_.baseline, "findings that are known and count no more (docs/ci.md)");
    addMany(*command);
    command->add_flag("--coverage", check_.coverage,
                      "list what the runs have not shown of the synchronisation, and sizes that would show it");
    command->add_flag("--adversarial", check_.adversaries,
                      "with each seed also slow copies, slow warpgroups, slow blocks, late arrivals, late signals");
    command
        ->add_option_function<std::string>(
            "--grid", [this](const std::string &text) { setGrid(text); },
            "of PTX: blocks, in place of those that a launch gives: 32,4,1")
        ->default_str("those of the launch, or one");
    command
        ->add_option_function<std::vector<std::string>>(
            "--arg",
            [this](const std::vector<std::string> &all) {
              for (const std::string &text : all)
                setNamed("--arg", text, check_.arguments);
            },
            "a scalar's value, if no launch gives it: N=1024, or by its number from 0")
        ->allow_extra_args(false);
    command->add_option("--checks", check_.rules, "only the hazards and notes of these rules: race,unfenced-overwrite")
        ->delimiter(',')
        ->allow_extra_args(false); // the next word may be the file
    CLI::Option *seeds =
        command->add_option("--seeds", check_.seeds, "schedules of copies in flight to try: 0 to N - 1")
            ->check(CLI::Range(1, 100000))
            ->default_str(
                "several of all kinds, as many as take half as long again as one; 1 with --adversarial or --coverage");
    addSchedule(*command, "only one schedule, as a finding names it: slow-copies:3", [this](uint64_t schedule) {
      check_.schedule = schedule;
    })->excludes(seeds);
    addBlocks(*command, check_.blocks);
    command->add_flag("--shrink", check_.shrink,
                      "of PTX: search a smaller grid, and the fewest blocks, that show the first finding");
    addRules(*command, check_.strictRules, check_.keepGoing);
    addReads(*command, check_.reach);
    addTimeLimit(*command, check_.timeLimit);
    command
        ->add_option("--format", check_.format,
                     "text, json, sarif (for code review), or record (docs/ci.md); with --results text, html, sarif, "
                     "junit, markdown or github")
        ->check(CLI::IsMember({"text", "json", "sarif", "record", "html", "junit", "markdown", "github"}))
        ->default_str("text");
    command->add_option("--arch", check_.arch, architectures_)->check(architecture());
    command->add_option("--threads", check_.threads, "host threads; the result does not depend on them")
        ->check(CLI::Range(0, 1024))
        ->default_str("one per core");
  }

  static CLI::Option *addFailOn(CLI::App &command, std::string &failOn) {
    return command
        .add_option("--fail-on", failOn, "exit status 1 from this grade on; new: for any finding that no baseline has")
        ->check(CLI::IsMember({"fault", "hazard", "note", "new"}))
        ->default_str("fault");
  }

  /// The options of `check` for many files.
  void addMany(CLI::App &command) {
    CLI::Option *results = command.add_option(
        "--results", check_.results,
        "a folder for one record of each file; each file has a process of its own, and a later call goes on where one "
        "was stopped (docs/ci.md)");
    command.add_option("--jobs", check_.jobs, "files at a time")
        ->check(CLI::Range(1, 4096))
        ->default_str("one per core")
        ->needs(results);
    command.add_option("--shard", check_.shard, "only a share of the files: 2/4 is the second of four")
        ->default_str("1/1")
        ->needs(results);
    command.add_option("--unit-time-limit", check_.unitTimeLimit, "seconds after which a file's process is stopped")
        ->check(CLI::Range(0.001, 1e9))
        ->default_str("200")
        ->needs(results);
  }

  void addReport() {
    CLI::App *command = add("report", "merge results of `check --results` into a report (docs/ci.md)", report_,
                            "  lanescope report results\n"
                            "  lanescope report shard-1 shard-2 --format html -o report.html --pages findings\n"
                            "  lanescope report results --baseline known.json --fail-on new --format markdown");
    command
        ->add_option("folder", report_.folders, "folders of results; of two records of a file, the last folder's wins")
        ->required();
    command
        ->add_option("--format", report_.format,
                     "text, html, sarif, junit, markdown (for a pull request), or github (annotations of a workflow)")
        ->check(CLI::IsMember({"text", "html", "sarif", "junit", "markdown", "github"}))
        ->default_str("text");
    CLI::Option *output =
        command->add_option("-o,--output", report_.output, "the file to write, in place of standard output");
    command->add_option("--baseline", report_.baseline, "findings that are known and count no more");
    addFailOn(*command, report_.failOn);
    command->add_option("--link", report_.link,
                        "a page for a line, for html and markdown: https://host/project/{file}#L{line}");
    command
        ->add_option("--pages", report_.pages,
                     "a folder for a page of each finding, with the last steps of its run; html links them")
        ->needs(output);
  }

  void addBaseline() {
    CLI::App *command = add("baseline", "write the findings of results as known ones (docs/ci.md)", baseline_,
                            "  lanescope baseline results -o known.json");
    command->add_option("folder", baseline_.folders, "folders of results")->required();
    command->add_option("-o,--output", baseline_.output, "the file to write")->required();
  }

  static CLI::Option *addBlocks(CLI::App &command, core::BlockChoice &blocks) {
    auto parse = [&blocks](const std::string &text) {
      auto choice = core::parseBlockChoice(text);
      if (!choice)
        throw CLI::ValidationError("--blocks", choice.error().front().message);
      blocks = *std::move(choice);
    };
    return command
        .add_option_function<std::string>("--blocks", parse,
                                          "of PTX: run only these blocks: 0-7,100, or sample:16, spread over the grid")
        ->default_str("all");
  }

  static CLI::Option *addSchedule(CLI::App &command, const std::string &help, std::function<void(uint64_t)> set) {
    auto parse = [set = std::move(set)](const std::string &text) {
      auto schedule = core::parseSchedule(text);
      if (!schedule)
        throw CLI::ValidationError("--seed", schedule.error().front().message);
      set(*schedule);
    };
    return command.add_option_function<std::string>("--seed", parse, help);
  }

  /// Reads a grid: "32", "32,4" or "32,4,1".
  void setGrid(const std::string &text) {
    std::array<uint32_t, 3> grid{1, 1, 1};
    std::string_view rest = text;
    for (size_t n = 0; n < 3 && !rest.empty(); ++n) {
      std::string_view word = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(rest.size(), word.size() + 1));
      auto size = parseInteger<uint32_t>(word);
      if (!size || *size == 0 || (n == 2 && !rest.empty()))
        throw CLI::ValidationError("--grid", "a grid is one to three sizes: 32,4,1");
      grid[n] = *size;
    }
    check_.grid = grid;
  }

  /// Adds the NAME=VALUE that an option gives to `values`.
  static void setNamed(const char *option, const std::string &text, std::map<std::string, std::string> &values) {
    size_t equal = text.find('=');
    if (equal == 0 || equal == text.npos)
      throw CLI::ValidationError(option, "it takes NAME=VALUE");
    values[text.substr(0, equal)] = text.substr(equal + 1);
  }

  static void addParameters(CLI::App &command, std::map<std::string, std::string> &values) {
    command
        .add_option_function<std::vector<std::string>>(
            "--param",
            [&values](const std::vector<std::string> &all) {
              for (const std::string &text : all)
                setNamed("--param", text, values);
            },
            "the value of a `param(…)` of the snippet: stages=5")
        ->allow_extra_args(false);
  }

  static void addWorkers(CLI::App &command, std::string &workers) {
    command
        .add_option(
            "--worker", workers,
            "a command that starts a worker, such as \"ssh gpu1 lanescope-worker\"; may be given again, for `tune`")
        ->allow_extra_args(false)
        ->join('\n');
  }

  static void addReads(CLI::App &command, FileArguments &reach) {
    command
        .add_option("--read", reach.reads,
                    "a folder that the snippet may read, beside its own and the working directory; may be given again")
        ->allow_extra_args(false);
  }

  /// The options for files that the snippet may read, write and replace.
  static void
  addReach(CLI::App &command, FileArguments &reach, const char *out = "--out",
           const char *help = "the folder that `save` writes to; by default the snippet's, else the working "
                              "directory") {
    command.add_option(out, reach.out, help);
    addReads(command, reach);
    command.add_flag("--overwrite", reach.overwrite, "`save` may replace files that the snippet did not make");
  }

  static void addTimeLimit(CLI::App &command, double &seconds, const std::string &shown = "20") {
    command.add_option("--time-limit", seconds, "seconds after which a run is stopped")
        ->check(CLI::Range(0.001, 1e9))
        ->default_str(shown);
  }

  static void addRules(CLI::App &command, std::vector<std::string> &strict, bool &keepGoing) {
    command.add_option("--strict-rule", strict, "hazards and notes by this rule are faults; may be given again")
        ->delimiter(',')
        ->allow_extra_args(false);
    command.add_flag(
        "--keep-going", keepGoing,
        "the run goes on after faults (an access outside of an array does nothing, a deadlock ends its cluster), and "
        "its outputs are looked at all the same");
  }

  static void addEmulation(CLI::App &command, core::Emulation &emulation) {
    addSchedule(command, "emulator: another schedule: 3, slow-copies, slow-warpgroup-1, late-arrivals:3",
                [&](uint64_t schedule) { emulation.seed = schedule; })
        ->default_str("0");
    command.add_flag("--fast", emulation.fast, "emulator: copies complete at once, and races are not looked for");
    command.add_flag("--strict", emulation.strict, "emulator: hazards end the run, as faults do (docs/checks.md)")
        ->excludes("--fast");
    addRules(command, emulation.strictRules, emulation.keepGoing);
    command.add_option("--threads", emulation.threads, "emulator: host threads; the result does not depend on them")
        ->check(CLI::Range(0, 1024))
        ->default_str("one per core");
  }

  void addCuda() {
    CLI::App *command = add("cuda", "run a CUDA program on emulated GPUs, its kernels checked (docs/cuda.md)", cuda_,
                            "  lanescope cuda -- ./my_program --size 512\n"
                            "  lanescope cuda --gpu b200 --seeds 4 -- ./my_program");
    command->add_option("program", cuda_.program, "the program; it and its arguments come after `--`");
    command->add_option("--gpu", cuda_.gpu, "the GPU that the program finds: " + core::driver::gpuModelNames())
        ->check(CLI::Validator(
            [](std::string &name) {
              return core::driver::findGpuModel(name)
                         ? std::string()
                         : text("there is no GPU `", name, "`: there are ", core::driver::gpuModelNames());
            },
            "GPU"))
        ->default_str(cuda_.gpu);
    command->add_option("--devices", cuda_.devices, "GPUs of that kind")->check(CLI::Range(1, 16))->default_str("1");
    command->add_option("--seeds", cuda_.seeds, "schedules of copies in flight to try each launch with")
        ->check(CLI::Range(1, 100000))
        ->default_str("1");
    addEmulation(*command, cuda_.emulation);
    addTimeLimit(*command, cuda_.timeLimit, "600, of one launch");
  }

  void addList() {
    CLI::App *command = add("list", "a table of recorded launches (docs/record.md)", list_,
                            "  lanescope list recorded\n"
                            "  lanescope list recorded/scale-4711-1.lspkg --stack");
    command->add_option("folder", list_.folder, "a folder with packages of `record`, or one package")->required();
    command->add_flag("--stack", list_.stacks, "below each launch its call stack, Python's functions first");
  }

  void addRecord() {
    CLI::App *command = add("record", "record a CUDA program's launches as packages (docs/record.md)", record_,
                            "  lanescope record -o recorded -- ./my_program --size 512\n"
                            "  lanescope record --kernel '^triton_' -- python3 train.py\n"
                            "  lanescope record --list -- lanescope cuda -- ./my_program");
    core::record::RecordSettings &settings = record_.settings;
    command->add_option("program", record_.program, "the program; it and its arguments come after `--`");
    command->add_option("-o,--output", settings.folder, "the folder for packages")->default_str("recorded");
    command->add_option("--kernel", settings.kernel, "kernels whose names match this regular expression (POSIX)");
    command->add_option("--launch", settings.launch, "only the launch of this number, of those that match")
        ->check(CLI::PositiveNumber);
    command->add_option("--every", record_.every, "each launch, or the first of each kernel, grid and block")
        ->check(CLI::IsMember({"distinct", "launch"}))
        ->default_str(record_.every);
    command->add_option("--at-most", settings.most, "packages of one process")
        ->check(CLI::PositiveNumber)
        ->default_str("1000");
    command
        ->add_option("--max-bytes", record_.maxBytes,
                     "memory in one package; if there is more, only parts of it are saved")
        ->check(CLI::Validator(
            [](std::string &size) {
              return core::parseMemorySize(size) ? std::string() : text("`", size, "` is no size such as 800M or 4G");
            },
            "SIZE"))
        ->default_str(record_.maxBytes);
    command->add_option("--ptx", settings.ptxFolders,
                        "folders with the PTX of kernels that are loaded as machine code");
    command->add_flag("--list", settings.list, "say which kernels are launched, and record nothing");
    command->add_flag("--no-arrays", record_.noArrays, "leave out what memory holds: it may be secret");
    command->add_flag("--paused", settings.paused,
                      "record only while the program asks for it: `with lanescope.recorded(…)` in Python");
    command->add_flag("--touched", record_.touched,
                      "keep only the memory that a replay on the emulator accesses; each launch is replayed");
    addTimeLimit(*command, settings.timeLimit, "60, to wait for the end of a kernel");
    command->callback([this] {
      record_.settings.every = record_.every == "launch";
      record_.settings.arrays = !record_.noArrays;
      record_.settings.maxBytes = *core::parseMemorySize(record_.maxBytes);
      chosen_ = [this] { return Arguments(record_); };
    });
  }

  void addDebug() {
    CLI::App *command = add("debug", "run a kernel under the debugger, on and back (docs/debugger.md)", debug_,
                            "  lanescope debug samples/kernels/pipeline.py\n"
                            "  lanescope debug kernel.ptx --launch launch.json --fault\n"
                            "  lanescope debug samples/kernels/double.py --commands steps.txt");
    command
        ->add_option("file", debug_.file,
                     "a snippet or a program that launches a kernel, or PTX; a program's arguments come after `--`")
        ->required();
    addPython(*command, debug_.python);
    command->add_option("--launch", debug_.launch, "how to launch the PTX (docs/launch.md)")
        ->default_str("NAME.launch.json or launch.json beside it");
    command->add_option("--kernel", debug_.kernel, "the snippet's kernel to debug: its last launch")
        ->default_str("the first that faults, else the last");
    command->add_option("--commands", debug_.commands, "a file of commands, - for standard input")
        ->default_str("asks on a terminal");
    command->add_flag("--fault", debug_.fault,
                      "open at the moment before the fault; the default if a snippet's kernel faults");
    command->add_option("--arch", debug_.arch, architectures_)->check(architecture())->default_str(debug_.arch);
    addSchedule(*command, "another schedule: 3, slow-copies, slow-warpgroup-1, late-arrivals:3",
                [this](uint64_t schedule) { debug_.emulation.seed = schedule; })
        ->default_str("0");
    addReads(*command, debug_.reach);
    command->add_flag("--strict", debug_.emulation.strict, "hazards end the run, as faults do (docs/checks.md)");
  }

  void addLsp() {
    CLI::App *command = add("lsp", "a language server for snippets, for editors to start", lsp_,
                            "  lanescope lsp --device emulator\n"
                            "docs/editors.md has the setup for VS Code, Neovim and Emacs.");
    command->add_option("--device", lsp_.device, "where `run` in the editor runs a file")
        ->check(devices())
        ->default_str("auto");
    command->add_option("--worker", lsp_.worker,
                        "a command that starts a worker, such as \"ssh gpu1 lanescope-worker\"");
    command->add_option("--arch", lsp_.arch, architectures_)->check(architecture())->default_str(lsp_.arch);
    command
        ->add_option("--check-seconds", lsp_.checkSeconds,
                     "how long the emulator may check a version of a file in the background; 0: not at all")
        ->check(CLI::NonNegativeNumber)
        ->default_str("10");
  }

  void addTrace() {
    CLI::App *command = add("trace", "show a trace's timeline and what it says", trace_,
                            "  lanescope trace samples/traces/mosaic_matmul.json.gz --summary\n"
                            "  lanescope trace samples/traces/emulated_matmul.json.gz --explain\n"
                            "  lanescope trace before.json after.json\n"
                            "  lanescope trace double.json -o double.svg");
    command->add_option("file", trace_.file, "Chrome trace JSON, compressed or not")->required();
    CLI::Option *other = command->add_option("other", trace_.compare,
                                             "another trace of the same kernel: print which regions and waits grew");
    command->add_flag("--summary", trace_.summary, "print where the time went");
    CLI::Option *explain = command->add_flag("--explain", trace_.explain,
                                             "print why waits were long, the critical path, what overlapped, the tail");
    command->add_option("--compare", trace_.compare, "the other trace, as an option")
        ->excludes(explain)
        ->excludes(other);
    other->excludes(explain);
    command->add_flag("--json", trace_.json, "with --explain or two traces: as JSON (docs/trace.md)");
    command->add_option("-o,--output", trace_.output, "a picture: .html .svg .png .pdf");
  }

  void addServe() {
    CLI::App *command = add("serve", "open layouts and traces in a browser, from this program", serve_,
                            "  lanescope serve\n"
                            "  lanescope serve samples/traces/mosaic_matmul.json.gz\n"
                            "  ssh -L 8123:127.0.0.1:8123 gpu1 lanescope serve --port 8123 trace.json");
    command->add_option("files", serve_.files,
                        "traces, and texts with layouts; the page opens them again after each save");
    command->add_option("--port", serve_.port, "the port; by default any free one")->check(CLI::Range(1, 65535));
    command
        ->add_option("--address", serve_.address,
                     "the numeric address to listen on; with another one than this machine's own, others can connect")
        ->default_str(serve_.address);
    command->add_option("--host", serve_.hosts, "another name by which browsers may address this server")
        ->allow_extra_args(false);
    command->add_option("--page", serve_.page, "the folder with the page that `./dev site` has built");
  }

  void addExplain() {
    CLI::App *command = add("explain", "what a kind of diagnostic means, why, and what to do", explain_,
                            "  lanescope explain\n"
                            "  lanescope explain unfenced-overwrite\n"
                            "  lanescope explain shape-mismatch --json");
    command->add_option("kind", explain_.kind, "the kind; without it, all kinds are listed by area");
    command->add_flag("--json", explain_.json, "print the entry as JSON (docs/diagnostics.md)");
  }

  void addDoctor() {
    add("doctor", "what this machine offers, and how to get what is missing", doctor_, "  lanescope doctor");
  }

  const std::string architectures_ =
      text("the architecture to compile for: ", core::gpuTargetsText(), "; `auto`: the GPU's own");
  CLI::App root_{"Lanescope shows where every element of a GPU tile lives, and runs kernel snippets.", "lanescope"};
  std::function<Arguments()> chosen_;
  ReplArguments repl_;
  GuiArguments gui_;
  RunArguments run_;
  EvalArguments eval_;
  ShowArguments show_;
  LinkArguments link_;
  CompileArguments compile_;
  OpenArguments open_;
  EmulateArguments emulate_;
  CheckArguments check_;
  ReportArguments report_;
  BaselineArguments baseline_;
  DebugArguments debug_;
  CudaArguments cuda_;
  RecordArguments record_;
  ListArguments list_;
  LspArguments lsp_;
  TraceArguments trace_;
  ServeArguments serve_;
  ExplainArguments explain_;
  DoctorArguments doctor_;
  ProcessOptions process_;
};

/// Lets users name samples and kernels as our documents do, from any working directory.
template <typename Command> void findInstalled(Command &arguments) {
  auto find = [](std::string &path) { path = core::orInstalled(path).string(); };
  if constexpr (requires { arguments.file; })
    find(arguments.file);
  if constexpr (requires { arguments.files; })
    std::ranges::for_each(arguments.files, find);
  if constexpr (std::is_same_v<Command, EmulateArguments> || std::is_same_v<Command, DebugArguments>)
    arguments.file = repl::kernelOfPackage(arguments.file).string();
  if constexpr (std::is_same_v<Command, CheckArguments>)
    for (std::string &file : arguments.files)
      file = repl::kernelOfPackage(file).string();
  if constexpr (requires { arguments.script; })
    find(arguments.script);
}

/// The message about the command line, with the line's words written as shownName() writes them, since a word may
/// contain a line break.
std::string withShownWords(std::string message, const std::vector<const char *> &words) {
  auto replace = [&](std::string_view word) {
    std::string shown = shownName(word);
    if (shown == word)
      return;
    for (size_t at = message.find(word); at != std::string::npos; at = message.find(word, at + shown.size()))
      message.replace(at, word.size(), shown);
  };
  for (std::string_view word : words) {
    replace(word);
    word.remove_prefix(std::min(word.find_first_not_of('-'), word.size())); // CLI11 names an option without dashes
    replace(word);
    replace(word.substr(std::min(word.find('=') + 1, word.size())));
  }
  return message;
}

} // namespace

std::expected<Arguments, Stop> parseArguments(int argc, const char *const *argv, ProcessOptions &process) {
  // `lanescope FILE.py` runs the file.
  std::vector<const char *> words(argv, argv + argc);
  if (argc > 1 && std::string_view(argv[1]).ends_with(".py") && argv[1][0] != '-')
    words.insert(words.begin() + 1, "run");
  // In `run FILE … -- --size 5`, the words after `--` belong to the program. This also holds for `check`, `debug`,
  // `cuda` and `record`.
  std::vector<std::string> programs;
  constexpr std::array<std::string_view, 5> kWithPrograms = {"run", "check", "debug", "cuda", "record"};
  if (words.size() > 1 && std::ranges::find(kWithPrograms, std::string_view(words[1])) != kWithPrograms.end())
    if (auto mark = std::ranges::find(words, std::string_view("--")); mark != words.end()) {
      programs.assign(mark + 1, words.end());
      words.erase(mark, words.end());
    }
  CommandLine line;
  auto parsed = line.parse(static_cast<int>(words.size()), words.data());
  process = line.process();
  if (parsed) {
    std::visit([](auto &arguments) { findInstalled(arguments); }, *parsed);
    if (auto *run = std::get_if<RunArguments>(&*parsed))
      run->programArguments.insert(run->programArguments.end(), programs.begin(), programs.end());
    else if (auto *check = std::get_if<CheckArguments>(&*parsed))
      check->programArguments = std::move(programs);
    else if (auto *debug = std::get_if<DebugArguments>(&*parsed))
      debug->programArguments = std::move(programs);
    else if (auto *cuda = std::get_if<CudaArguments>(&*parsed))
      cuda->program.insert(cuda->program.end(), programs.begin(), programs.end());
    else if (auto *record = std::get_if<RecordArguments>(&*parsed))
      record->program.insert(record->program.end(), programs.begin(), programs.end());
  }
  if (!parsed && parsed.error().status != 0)
    parsed.error().text = withShownWords(std::move(parsed.error().text), words);
  return parsed;
}

} // namespace lanescope::app
