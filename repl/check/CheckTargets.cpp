#include "repl/check/CheckTargets.h"

#include "core/data/Files.h"
#include "core/gpu/codegen/DumpProgram.h"
#include "core/gpu/emulator/LineSources.h"
#include "core/gpu/runtime/Package.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/check/TritonCache.h"

#include <algorithm>

namespace lanescope::repl {

namespace {

namespace fs = std::filesystem;

/// The arrays from the launch's files. If a file is missing, its array is random.
Result<std::vector<core::Array>> arraysOf(const core::Launch &launch, const SourceRef &json, const fs::path &folder,
                                          Diagnostics &remarks) {
  core::Launch there = launch; // NOLINT(performance-unnecessary-copy-initialization): changed below
  std::vector<std::string> missing;
  Span place; // place of the first missing file
  std::vector<size_t> random;
  std::vector<const core::BufferSpec *> buffers = there.buffers();
  for (size_t n = 0; n < buffers.size(); ++n) {
    std::error_code ignored;
    if (buffers[n]->data.empty() || fs::exists(folder / buffers[n]->data, ignored))
      continue;
    missing.push_back(text("`", buffers[n]->data, "`"));
    place = place.source ? place : core::placeOfFile(json, buffers[n]->data);
    random.push_back(n);
    const_cast<core::BufferSpec *>(buffers[n])->data.clear(); // `there` is our copy of the launch
  }
  auto arrays = core::loadBuffers(there, folder, json);
  if (!arrays)
    return at({json, 0, 0}, std::move(arrays.error()));
  for (size_t n : random)
    (*arrays)[n] = core::sampleArray(*buffers[n], static_cast<uint32_t>(n));
  if (!missing.empty())
    remarks.push_back(
        {Severity::Note,
         "random-inputs",
         place,
         text(joined(missing, ", "), missing.size() == 1 ? " is" : " are", " not there; random numbers stand in"),
         {}});
  return arrays;
}

constexpr char kGridOption[] = "--grid";

/// Gives a described launch the grid that the user asks for. Kernels of a folder keep their own.
void replaceGrid(CheckTarget &target, const TargetOptions &options) {
  if (options.sketch.ofOthersToo || !options.sketch.grid)
    return;
  target.launch.grid = *options.sketch.grid;
  target.used.emplace_back(kGridOption);
}

Result<CheckTarget> described(SourceRef ptx, const TargetOptions &options, const fs::path &file, Diagnostics &remarks) {
  SourceRef json = LANESCOPE_TRY(core::readSource(file, core::FileRole::Json));
  CheckTarget target{.ptx = std::move(ptx)};
  target.launch = LANESCOPE_TRY(core::parseLaunch(json));
  replaceGrid(target, options);
  target.arrays = LANESCOPE_TRY(arraysOf(target.launch, json, file.parent_path(), remarks));
  return target;
}

Result<CheckTarget> sketched(SourceRef ptx, core::SketchOptions hints, const core::SketchOptions &given) {
  hints.grid = given.grid ? given.grid : hints.grid;
  for (const auto &[name, value] : given.arguments)
    hints.arguments.insert_or_assign(name, value);
  hints.ofOthersToo |= given.ofOthersToo;
  if (!given.entry.empty())
    hints.entry = given.entry;
  core::LaunchSketch sketch = LANESCOPE_TRY(core::sketchLaunch(ptx, hints));
  CheckTarget target{.ptx = std::move(ptx), .launch = std::move(sketch.launch), .guesses = std::move(sketch.guesses)};
  if (given.grid)
    target.used.emplace_back(kGridOption);
  for (const std::string &name : sketch.taken)
    if (given.arguments.contains(name))
      target.used.push_back(text("--arg ", name));
  uint32_t seed = 0;
  for (const core::BufferSpec *buffer : target.launch.buffers())
    target.arrays.push_back(core::sampleArray(*buffer, seed++));
  return target;
}

/// Adds the sizes, numbers and grid of the kernel's first call in torch.compile's output code.
void addCall(core::SketchOptions &triton, const fs::path &ptx, const InductorCall &call, Diagnostics &remarks) {
  for (core::ParamHint &hint : triton.hints) {
    if (auto elements = call.elements.find(hint.name); elements != call.elements.end() && hint.element)
      hint.bytes = std::max<int64_t>(1, elements->second) * layouts::hostBytes(*hint.element);
    else if (auto number = call.numbers.find(hint.name); number != call.numbers.end() && !hint.element)
      triton.arguments.insert_or_assign(hint.name, text(number->second));
  }
  triton.grid = gridOf(call, tritonBlocks(ptx));
  remarks.push_back({Severity::Note,
                     "output-code",
                     call.place,
                     text("`", triton.entry, "` is launched as it is called here",
                          call.calls > 1 ? text(", the first of ", call.calls, " calls") : std::string(),
                          "; its arrays hold invented numbers"),
                     {}});
}

/// The module that JAX dumped beside the PTX `k_5.ptx`; the module with JAX's layouts if it exists.
fs::path moduleBeside(const fs::path &ptx) {
  std::error_code ignored;
  for (const char *ending : {".after_layout_inference.txt", ".before_layout_inference.txt", ".mlir"})
    if (fs::path file = fs::path(ptx).replace_extension(ending); fs::exists(file, ignored))
      return file;
  return {};
}

/// The parameters in the order in which JAX passes them: pointers to the arguments that the kernel uses, then one block
/// with all descriptors. Nothing if the PTX has other parameters.
std::optional<std::vector<core::Param>> jaxParams(const core::Launch &ours, const core::Launch &ptx) {
  std::vector<const core::BufferSpec *> buffers = ours.buffers();
  core::BytesParam block{.size = 0, .align = 64, .buffers = {}, .tensorMaps = {}, .pointers = {}};
  std::vector<bool> mapped(buffers.size());
  if (ours.params.size() == 1)
    if (const auto *bytes = std::get_if<core::BytesParam>(&ours.params[0])) {
      block.tensorMaps = bytes->tensorMaps;
      for (const core::TensorMapSpec &map : bytes->tensorMaps)
        mapped[map.buffer] = true;
    }
  auto pointers = static_cast<size_t>(std::ranges::count_if(
      ptx.params, [](const core::Param &param) { return std::holds_alternative<core::BufferParam>(param); }));
  bool all = pointers == buffers.size();
  std::vector<core::Param> params;
  for (size_t n = 0; n < buffers.size(); ++n)
    if (all || !mapped[n])
      params.push_back(core::BufferParam{*buffers[n]});
  if (params.size() != pointers)
    return std::nullopt;
  if (block.tensorMaps.empty())
    return ptx.params.size() == pointers ? std::optional(params) : std::nullopt;
  if (all) // an array that is passed both ways would become two arrays
    return std::nullopt;
  std::vector<uint32_t> numbers(buffers.size());
  for (size_t n = 0; n < buffers.size(); ++n)
    if (mapped[n]) {
      numbers[n] = static_cast<uint32_t>(block.buffers.size());
      block.buffers.push_back(*buffers[n]);
    }
  for (core::TensorMapSpec &map : block.tensorMaps) {
    map.buffer = numbers[map.buffer];
    map.offset = block.size;
    block.size += 128;
  }
  const auto *last = ptx.params.empty() ? nullptr : std::get_if<core::BytesParam>(&ptx.params.back());
  if (!last || last->size != block.size || ptx.params.size() != pointers + 1)
    return std::nullopt;
  params.emplace_back(std::move(block));
  return params;
}

/// A dump's PTX, launched as the host code in JAX's module launches it.
Result<CheckTarget> dumped(SourceRef ptx, const TargetOptions &options, const fs::path &module,
                           core::Compiler &compiler, Diagnostics &remarks) {
  SourceRef source = LANESCOPE_TRY(core::readSource(module, core::FileRole::Module));
  core::KernelStages stages = LANESCOPE_TRY(core::compileDump(compiler, source, {}));
  if (!stages.kernel)
    return std::unexpected(std::move(stages.diagnostics));
  core::LaunchSketch names = LANESCOPE_TRY(core::sketchLaunch(ptx, {})); // contains the entry's name, as JAX wrote it
  CheckTarget target{.ptx = ptx, .launch = stages.kernel->launch};
  replaceGrid(target, options);
  target.arrays = LANESCOPE_TRY(core::dumpInputs(*stages.kernel, std::span<const std::string>(), source));
  if (auto params = jaxParams(target.launch, names.launch)) {
    // Reorder the arrays, since the new parameters may have the buffers in another order.
    std::vector<const core::BufferSpec *> before = stages.kernel->launch.buffers();
    target.launch.params = *std::move(params);
    target.launch.entry = names.launch.entry;
    std::vector<core::Array> arrays;
    for (const core::BufferSpec *buffer : target.launch.buffers())
      for (size_t n = 0; n < before.size(); ++n)
        if (before[n]->name == buffer->name)
          arrays.push_back(target.arrays[n]);
    target.arrays = std::move(arrays);
    return target;
  }
  remarks.push_back(
      {Severity::Note,
       "compiled-anew",
       {ptx, 0, 0},
       text("this PTX takes other parameters than its module says; instead of it, our own PTX was checked, made from ",
            module.string()),
       {}});
  target.ptx = Source::make(module.string(), stages.kernel->ptx);
  return target;
}

} // namespace

fs::path launchBeside(const fs::path &ptx) {
  std::error_code ignored;
  fs::path own = ptx.parent_path() / (ptx.stem().string() + ".launch.json"), shared = ptx.parent_path() / "launch.json";
  return fs::exists(own, ignored) ? own : fs::exists(shared, ignored) ? shared : fs::path();
}

Result<CheckTarget> guessedTarget(SourceRef ptx, const core::SketchOptions &options) {
  return sketched(std::move(ptx), {}, options);
}

Result<CheckTarget> ptxTarget(const fs::path &path, const TargetOptions &options,
                              const std::function<core::Compiler &()> &compiler, Diagnostics &remarks) {
  SourceRef ptx = LANESCOPE_TRY(core::readSource(path, core::FileRole::Ptx));
  std::error_code ignored;
  if (!options.launch.empty())
    return described(std::move(ptx), options, options.launch, remarks);
  if (fs::path beside = launchBeside(path); !beside.empty()) {
    CheckTarget target = LANESCOPE_TRY(described(ptx, options, beside, remarks));
    auto entries = core::entryNames(ptx);
    if (!entries || std::ranges::count(*entries, target.launch.entry) > 0) // errors in the PTX are reported later
      return target;
    remarks.push_back({Severity::Note,
                       "launch-of-another",
                       {core::readSource(beside, core::FileRole::Json).value_or(ptx), 0, 0},
                       text("this describes a launch of `", target.launch.entry, "`, and ", path.string(), " has `",
                            joined(*entries, "`, `"), "`: it is not taken"),
                       {}});
  }
  if (auto triton = LANESCOPE_TRY(readTritonKernel(path))) {
    if (options.inductor)
      if (const InductorCall *call = options.inductor->callOf(path, triton->entry))
        addCall(*triton, path, *call, remarks);
    return sketched(std::move(ptx), *std::move(triton), options.sketch);
  }
  if (fs::path module = moduleBeside(path); !module.empty())
    return dumped(std::move(ptx), options, module, compiler(), remarks);
  if (options.sketch.grid || !options.sketch.arguments.empty()) // the user describes the launch
    return sketched(std::move(ptx), {}, options.sketch);
  return error("no-launch",
               Message("nothing says how {path} is launched: no `--launch`, no `launch.json` of it, no metadata of "
                       "Triton's and no module of JAX's beside it; `lanescope emulate {}` writes a sketch to fill in "
                       "(docs/launch.md), and `--grid` and `--arg` say the rest of a guess",
                       path.string(), path.string()));
}

std::vector<fs::path> filesOfTarget(const fs::path &ptx) {
  std::vector<fs::path> files;
  const fs::path folder = ptx.parent_path();
  if (fs::path beside = launchBeside(ptx); !beside.empty()) {
    files.push_back(beside);
    if (auto json = core::readSource(beside, core::FileRole::Json))
      if (auto launch = core::parseLaunch(*json))
        for (const core::BufferSpec *buffer : launch->buffers())
          if (!buffer->data.empty())
            files.push_back(folder / buffer->data);
  }
  for (const char *ending :
       {".json", ".ttgir", ".ttir", ".after_layout_inference.txt", ".before_layout_inference.txt", ".mlir"})
    files.push_back(fs::path(ptx).replace_extension(ending));
  std::error_code ignored;
  if (fs::exists(fs::path(ptx).replace_extension(".json"), ignored)) // Triton's metadata
    std::ranges::move(InductorFiles::near(ptx), std::back_inserter(files));
  if (auto source = core::readSource(ptx, core::FileRole::Ptx))
    std::ranges::move(core::emulator::sourceFilesOf(**source), std::back_inserter(files));
  std::ranges::sort(files);
  auto again = std::ranges::unique(files);
  files.erase(again.begin(), again.end());
  return files;
}

Result<std::vector<fs::path>> ptxFiles(const fs::path &folder) {
  std::vector<fs::path> files;
  std::error_code ignored;
  for (const auto &entry : fs::recursive_directory_iterator(folder, ignored))
    if (entry.path().extension() == ".ptx")
      files.push_back(entry.path());
  if (files.empty())
    return error("no-ptx", Message("there is no PTX in {path}", folder.string()));
  std::ranges::sort(files);
  return files;
}

} // namespace lanescope::repl
