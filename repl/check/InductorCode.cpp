#include "repl/check/InductorCode.h"

#include "core/data/Files.h"
#include "layouts/support/Text.h"
#include "repl/check/PythonText.h"

#include <algorithm>
#include <system_error>

namespace lanescope::repl {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCompile = "async_compile.triton";
constexpr size_t kMostFiles = 4096;           // files searched in a folder and its subfolders with names of two letters
constexpr uintmax_t kLargestFile = 64u << 20; // bytes
constexpr int64_t kLongestGrid[] = {INT32_MAX, 65535, 65535};
constexpr int kFoldersUp = 3;

/// A kernel's source in the output code.
struct Kernel {
  std::string name;                    // name of the function
  std::vector<std::string> parameters; // without compile-time constants
  std::string gridType;                // taken from `inductor_meta`; empty: there is none
};

/// The kernel after the last `@triton.jit`, with its parameters.
std::optional<Kernel> kernelOf(std::string_view source) {
  size_t jit = source.rfind("@triton.jit");
  size_t def = jit == source.npos ? jit : source.find("def ", jit);
  size_t open = def == source.npos ? def : source.find('(', def);
  size_t close = open == source.npos ? open : source.find("):", open);
  if (close == source.npos)
    return std::nullopt;
  Kernel kernel{.name = std::string(source.substr(def + 4, open - def - 4)), .parameters = {}, .gridType = {}};
  for (std::string_view parameter : splitPython(source.substr(open + 1, close - open - 1)))
    if (parameter.find(':') == parameter.npos)
      kernel.parameters.emplace_back(parameter);
  constexpr std::string_view kGrid = "'grid_type': '";
  if (size_t at = source.find(kGrid); at < jit)
    kernel.gridType = source.substr(at + kGrid.size(), source.find('\'', at + kGrid.size()) - at - kGrid.size());
  return kernel;
}

/// Reads the code's allocations and launches, statement by statement.
class Reader {
public:
  explicit Reader(const SourceRef &source) : source_(source) {}

  std::map<std::string, InductorCall, std::less<>> read() {
    std::string_view text = source_->text();
    for (const PythonBlock &block : pythonBlocks(text))
      if (size_t assigned = assignedBefore(text, block.begin); assigned != text.npos)
        addKernel(text.substr(assigned, block.begin - assigned), block.text);
    std::string outside(text); // text without the kernels, which do not run on the host
    for (const PythonBlock &block : pythonBlocks(text))
      std::fill(outside.begin() + static_cast<long>(block.begin), outside.begin() + static_cast<long>(block.end), ' ');
    std::vector<PythonStatement> statements = pythonStatements(outside);
    bool examples = false;
    // The example inputs come last in the text, but are read first.
    for (const PythonStatement &statement : statements) {
      if (statement.text.starts_with("def "))
        examples =
            statement.text.starts_with("def benchmark_compiled_module") || statement.text.starts_with("def get_args");
      if (examples)
        assign(statement.text);
    }
    for (const PythonStatement &statement : statements)
      execute(statement);
    for (const std::string &name : ambiguous_)
      calls_.erase(name);
    return std::move(calls_);
  }

private:
  /// The offset of the assignment in front of `block`, whose value begins with `async_compile.triton('name', `.
  static size_t assignedBefore(std::string_view text, size_t block) {
    size_t call = text.rfind(kCompile, block);
    if (call == text.npos || block - call > 256)
      return text.npos;
    size_t line = text.rfind('\n', call);
    return line == text.npos ? 0 : line + 1;
  }

  void addKernel(std::string_view assignment, std::string_view source) {
    size_t equals = assignment.find('=');
    std::string_view variable = assignment.substr(0, std::min(equals, assignment.size()));
    while (!variable.empty() && variable.back() == ' ')
      variable.remove_suffix(1);
    if (std::optional<Kernel> kernel = kernelOf(source); kernel && isPythonName(variable)) {
      bool again = std::ranges::any_of(kernels_, [&](const auto &one) { return one.second.name == kernel->name; });
      if (again)
        ambiguous_.push_back(kernel->name);
      kernels_.insert_or_assign(std::string(variable), *std::move(kernel));
    }
  }

  std::optional<int64_t> integer(std::string_view text) const { return pythonInteger(text, numbers_); }

  /// The number of elements that an array of shape "(4, 8)" and strides "(8, 1)" spans.
  std::optional<int64_t> extent(std::string_view shape, std::optional<std::string_view> strides) const {
    auto sizes = pythonTuple(shape);
    auto steps = strides ? pythonTuple(*strides) : std::nullopt;
    if (!sizes || (strides && (!steps || steps->size() != sizes->size())))
      return std::nullopt;
    int64_t last = 0, whole = 1;
    for (size_t n = 0; n < sizes->size(); ++n) {
      std::optional<int64_t> size = integer((*sizes)[n]), step = steps ? integer((*steps)[n]) : 0;
      int64_t far = 0;
      if (!size || !step || *size < 0 || *step < 0 || __builtin_mul_overflow(whole, *size, &whole) ||
          __builtin_mul_overflow(*size - 1, *step, &far) || __builtin_add_overflow(last, far, &last))
        return std::nullopt;
    }
    return whole == 0 ? 0 : steps ? last + 1 : whole;
  }

  /// The number of elements of the buffer that an expression makes or names.
  std::optional<int64_t> elements(std::string_view text) const {
    if (auto known = buffers_.find(text); known != buffers_.end())
      return known->second;
    for (std::string_view maker : {"empty_strided_cuda", "empty_strided_cpu", "empty_strided", "rand_strided"})
      if (auto arguments = argumentsOf(text, maker)) {
        auto parts = splitPython(*arguments);
        return parts.size() >= 2 ? extent(parts[0], parts[1]) : std::nullopt;
      }
    if (auto arguments = argumentsOf(text, "empty")) {
      auto parts = splitPython(*arguments);
      return parts.empty() ? std::nullopt : extent(parts[0], std::nullopt);
    }
    for (std::string_view view : {"reinterpret_tensor", "as_strided"})
      if (auto arguments = argumentsOf(text, view)) {
        auto parts = splitPython(*arguments);
        return parts.size() >= 3 ? extent(parts[1], parts[2]) : std::nullopt;
      }
    return std::nullopt;
  }

  void assign(std::string_view statement) {
    size_t equals = statement.find(" = ");
    std::string_view name = statement.substr(0, std::min(equals, statement.size()));
    if (equals == statement.npos || !isPythonName(name))
      return;
    std::string_view value = statement.substr(equals + 3);
    // The assignment replaces the name's old value, even if the new value cannot be read.
    std::optional<int64_t> buffer = elements(value), number = integer(value);
    forget(name);
    if (buffer)
      buffers_.emplace(name, *buffer);
    else if (number)
      numbers_.emplace(name, *number);
  }

  void forget(std::string_view name) {
    if (auto known = buffers_.find(name); known != buffers_.end())
      buffers_.erase(known);
    if (auto known = numbers_.find(name); known != numbers_.end())
      numbers_.erase(known);
  }

  void execute(const PythonStatement &statement) {
    if (auto sizes = argumentsOf(statement.text, "assert_size_stride")) {
      auto parts = splitPython(*sizes);
      if (parts.size() >= 3 && isPythonName(parts[0]))
        if (auto reach = extent(parts[1], parts[2]))
          buffers_.insert_or_assign(std::string(parts[0]), *reach);
      return;
    }
    if (launch(statement))
      return;
    if (!statement.text.starts_with("def "))
      assign(statement.text);
  }

  /// Reads a launch, `name.run(…)` or `name[grid(…)](…)`. Returns false for other statements.
  bool launch(const PythonStatement &statement) {
    size_t end = statement.text.find_first_of(".[(= ");
    auto kernel = end == statement.text.npos ? kernels_.end() : kernels_.find(statement.text.substr(0, end));
    if (kernel == kernels_.end())
      return false;
    std::string_view rest = statement.text.substr(end), grid;
    if (rest.starts_with("[")) {
      size_t close = rest.find("](");
      if (close == rest.npos)
        return true;
      grid = rest.substr(1, close - 1);
      rest = rest.substr(close + 1);
    } else if (rest.starts_with(".run")) {
      rest = rest.substr(4);
    }
    auto arguments = pythonTuple(rest);
    if (!arguments || rest.front() != '(')
      return true;
    auto [known, fresh] = calls_.try_emplace(kernel->second.name);
    if (fresh)
      known->second = callOf(kernel->second, *arguments, grid, statement.at);
    else
      ++known->second.calls;
    return true;
  }

  InductorCall callOf(const Kernel &kernel, const std::vector<std::string_view> &arguments, std::string_view grid,
                      size_t at) const {
    InductorCall call;
    call.place = {source_, static_cast<uint32_t>(at), static_cast<uint32_t>(at)};
    std::vector<std::string_view> positional;
    for (std::string_view argument : arguments) {
      size_t equals = argument.find('=');
      bool named = equals != argument.npos && isPythonName(argument.substr(0, equals));
      if (!named)
        positional.push_back(argument);
      else if (argument.starts_with("grid="))
        grid = argument.substr(5);
      else if (auto number = integer(argument.substr(equals + 1)))
        call.numbers.emplace(argument.substr(0, equals), *number);
    }
    for (size_t n = 0; n < std::min(positional.size(), kernel.parameters.size()); ++n) {
      if (auto buffer = elements(positional[n]))
        call.elements.emplace(kernel.parameters[n], *buffer);
      else if (auto number = integer(positional[n]))
        call.numbers.emplace(kernel.parameters[n], *number);
    }
    positional.erase(positional.begin(),
                     positional.begin() + static_cast<long>(std::min(positional.size(), kernel.parameters.size())));
    setWork(call, kernel, positional, grid);
    return call;
  }

  /// Sets the work of the call. `after`: the arguments that follow those for the kernel's parameters.
  void setWork(InductorCall &call, const Kernel &kernel, const std::vector<std::string_view> &after,
               std::string_view grid) const {
    auto allOf = [&](const std::vector<std::string_view> &texts) {
      std::vector<int64_t> out;
      for (std::string_view text : texts)
        if (auto number = integer(text))
          out.push_back(*number);
      return out.size() == texts.size() && out.size() <= 3 ? out : std::vector<int64_t>();
    };
    auto sizes = [&](std::initializer_list<const char *> names) {
      std::vector<int64_t> out;
      for (const char *name : names)
        if (auto known = call.numbers.find(name); known != call.numbers.end())
          out.push_back(known->second);
      return out.size() == names.size() ? out : std::vector<int64_t>();
    };
    if (kernel.gridType == "FixedGrid") {
      call.fixedGrid = true;
      call.work = after.size() == 3 ? allOf(after) : std::vector<int64_t>();
    } else if (kernel.gridType == "Grid1D") {
      call.work = sizes({"xnumel"});
    } else if (kernel.gridType == "Grid2D") {
      call.work = sizes({"xnumel", "ynumel"});
    } else if (kernel.gridType == "Grid3D") {
      call.work = sizes({"xnumel", "ynumel", "znumel"});
    } else if (auto numels = argumentsOf(grid, "grid"); numels && kernel.gridType.empty()) {
      call.work = allOf(splitPython(*numels)); // the last number is for x
      std::ranges::reverse(call.work);
    } else if (auto blocks = pythonTuple(grid); blocks && kernel.gridType.empty()) {
      call.fixedGrid = true;
      call.work = allOf(*blocks);
    }
  }

  const SourceRef &source_;
  std::map<std::string, Kernel, std::less<>> kernels_; // kernels by the variables that hold them
  std::vector<std::string> ambiguous_;                 // names that the functions of several kernels have
  std::map<std::string, int64_t, std::less<>> buffers_, numbers_;
  std::map<std::string, InductorCall, std::less<>> calls_;
};

} // namespace

const InductorCall *InductorCode::callOf(std::string_view kernel) const {
  auto found = calls_.find(kernel);
  return found == calls_.end() ? nullptr : &found->second;
}

InductorCode inductorCode(const SourceRef &source) {
  InductorCode code;
  if (source->text().find(kCompile) != std::string_view::npos)
    code.calls_ = Reader(source).read();
  return code;
}

std::optional<std::array<uint32_t, 3>> gridOf(const InductorCall &call, const std::array<int64_t, 3> &blocks) {
  if (call.work.empty())
    return std::nullopt;
  std::array<uint32_t, 3> grid{1, 1, 1};
  for (size_t n = 0; n < call.work.size(); ++n) {
    int64_t block = call.fixedGrid ? 1 : blocks[n];
    if (call.work[n] < 1 || block < 1 || (call.work[n] - 1) / block >= kLongestGrid[n])
      return std::nullopt;
    grid[n] = static_cast<uint32_t>((call.work[n] - 1) / block + 1);
  }
  return grid;
}

namespace {

/// The Python files in the folder and in its subfolders with names of two letters.
std::vector<fs::path> pythonFilesIn(const fs::path &folder) {
  std::vector<fs::path> files;
  auto addFiles = [&](const fs::path &from) {
    std::error_code ignored;
    for (const auto &entry : fs::directory_iterator(from, ignored))
      if (entry.path().extension() == ".py" && files.size() < kMostFiles && entry.is_regular_file(ignored) &&
          entry.file_size(ignored) <= kLargestFile)
        files.push_back(entry.path());
  };
  addFiles(folder);
  std::error_code ignored;
  for (const auto &entry : fs::directory_iterator(folder, ignored))
    if (entry.path().filename().string().size() == 2 && entry.is_directory(ignored))
      addFiles(entry.path());
  std::ranges::sort(files);
  return files;
}

/// The folder of the PTX file, and those above it, the nearest first.
std::vector<fs::path> foldersAbove(const fs::path &ptx) {
  std::vector<fs::path> folders;
  std::error_code ignored;
  fs::path folder = fs::absolute(ptx, ignored).parent_path();
  for (int up = 0; up <= kFoldersUp && !folder.empty(); ++up) {
    folders.push_back(folder);
    if (folder == folder.parent_path())
      break;
    folder = folder.parent_path();
  }
  return folders;
}

} // namespace

std::vector<fs::path> InductorFiles::near(const fs::path &ptx) {
  std::vector<fs::path> files;
  for (const fs::path &folder : foldersAbove(ptx))
    std::ranges::move(pythonFilesIn(folder), std::back_inserter(files));
  return files;
}

const std::vector<InductorCode> &InductorFiles::codesIn(const fs::path &folder) {
  auto [known, fresh] = folders_.try_emplace(folder);
  if (!fresh)
    return known->second;
  for (const fs::path &file : pythonFilesIn(folder))
    if (auto source = core::readSource(file.string()))
      if (InductorCode code = inductorCode(*source); code.callsAnything())
        known->second.push_back(std::move(code));
  return known->second;
}

const InductorCall *InductorFiles::callOf(const fs::path &ptx, std::string_view kernel) {
  for (const fs::path &folder : foldersAbove(ptx))
    for (const InductorCode &code : codesIn(folder))
      if (const InductorCall *call = code.callOf(kernel))
        return call;
  return nullptr;
}

} // namespace lanescope::repl
