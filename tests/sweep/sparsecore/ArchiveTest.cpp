// JAX's own SparseCore modules (../shared/golden/upstream/sparsecore.tar.xz): each call of each test gives the result
// that the test expects, and the checker reports no fault.
#include "tests/unit/sparsecore/TpuSupport.h"

#include "core/data/Files.h"
#include "core/data/Json.h"
#include "core/tpu/emulator/KernelOperands.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <numeric>

#include <unistd.h>

namespace lanescope::core::sparsecore::test {
namespace {

namespace fs = std::filesystem;

/// The folder of the unpacked archive; empty if there is none.
fs::path archive() {
  fs::path packed = fs::path(LANESCOPE_SOURCE_DIR) / "../shared/golden/upstream/sparsecore.tar.xz";
  if (!fs::exists(packed))
    return {};
  fs::path folder = fs::temp_directory_path() / text("lanescope-sparsecore-", static_cast<int64_t>(::getpid()));
  fs::create_directories(folder);
  std::string command = text("tar -xJf '", packed.string(), "' -C '", folder.string(), "'");
  if (std::system(command.c_str()) != 0)
    return {};
  return folder / "sparsecore";
}

const Json &at(const Json &object, std::string_view name) {
  static const Json nothing;
  const Json *found = object.find(name);
  return found ? *found : nothing;
}
Shape shapeOf(const Json &list) {
  Shape shape;
  for (const Json &size : list.items)
    shape.push_back(size.integer);
  return shape;
}

struct Case {
  std::string name;
  fs::path folder;
  Json meta;
  std::vector<std::vector<Array>> outputs; // outputs of each call
  std::string printed, wrong;
  size_t hazards = 0; // calls that rely on equal speeds of two subcores

  bool complain(std::string what) {
    if (wrong.empty())
      wrong = std::move(what);
    return false;
  }

  std::optional<Program> program(const Json &call) {
    const Json &lowering = at(meta, "lowerings").items.at(static_cast<size_t>(at(call, "lowering").integer));
    auto source = readSource(folder / at(lowering, "module").string);
    auto made = source ? decoded(*source) : std::unexpected(source.error());
    if (!made) {
      complain(errorText(made.error()));
      return std::nullopt;
    }
    return std::move(*made);
  }

  bool inputs(const Json &call, std::vector<Array> &arrays) {
    for (const Json &input : at(call, "inputs").items) {
      if (const Json *from = input.find("from_output")) {
        Array array = outputs.at(static_cast<size_t>(at(*from, "call").integer))
                          .at(static_cast<size_t>(at(*from, "out").integer));
        array.shape = shapeOf(at(input, "shape")); // the test may have reshaped the input
        arrays.push_back(std::move(array));
      } else if (input.find("omitted")) { // too large for the archive; jnp.arange gives the values
        Array array = Array::zeros(Dtype::I32, shapeOf(at(input, "shape")));
        for (int64_t k = 0; k < array.size(); ++k)
          array.setInteger(k, k);
        arrays.push_back(std::move(array));
      } else {
        auto array = loadNpy(folder / at(input, "file").string);
        if (!array)
          return complain(errorText(array.error()));
        arrays.push_back(std::move(*array));
      }
    }
    return true;
  }

  /// The tolerance of the assertion on an output; 0 means exact.
  double tolerance(size_t call, size_t output) const {
    for (const Json &assertion : at(meta, "asserts").items)
      for (const Json &place : at(assertion, "maps_to").items)
        if (at(assertion, "kind").string == "allclose" && place.items.at(0).integer == static_cast<int64_t>(call) &&
            place.items.at(1).integer == static_cast<int64_t>(output)) {
          double relative = at(assertion, "rtol").number;
          return relative != 0 ? relative : 1e-7;
        }
    return 0;
  }

  bool compare(const Json &call, size_t number, size_t output, const Array &actual) {
    const Json &expected = at(call, "outputs").items.at(output);
    if (at(expected, "expected").string == "none")
      return true;
    auto wanted = loadNpy(folder / at(expected, "file").string);
    if (!wanted)
      return complain(errorText(wanted.error()));
    std::optional<Array> mask;
    if (at(expected, "mask_file").is(Json::Kind::String)) {
      auto loaded = loadNpy(folder / at(expected, "mask_file").string);
      if (!loaded)
        return complain(errorText(loaded.error()));
      mask = std::move(*loaded);
    }
    if (wanted->size() != actual.size() || layouts::hostBytes(wanted->dtype) != layouts::hostBytes(actual.dtype))
      return complain(text("output ", output, " of call ", number, " is of another size: ", actual.size(), " and ",
                           wanted->size()));
    double relative = tolerance(number, output);
    size_t width = static_cast<size_t>(layouts::hostBytes(actual.dtype));
    for (int64_t k = 0; k < actual.size(); ++k) {
      if (mask && mask->integer(k) == 0)
        continue;
      size_t at = static_cast<size_t>(k) * width;
      bool same = std::memcmp(&actual.bytes[at], &wanted->bytes[at], width) == 0;
      if (!same && layouts::isFloat(actual.dtype) && wanted->dtype == actual.dtype) {
        double a = actual.number(k), b = wanted->number(k);
        same = a == b || std::abs(a - b) <= relative * std::abs(b) || (std::isnan(a) && std::isnan(b));
      }
      if (!same)
        return complain(text("output ", output, " of call ", number, ", element ", k, ": ",
                             std::to_string(actual.number(k)), " instead of ", std::to_string(wanted->number(k))));
    }
    return true;
  }

  std::vector<Shape> outputShapes(const Json &call) const {
    std::vector<Shape> shapes;
    for (const Json &output : at(call, "outputs").items)
      shapes.push_back(shapeOf(at(output, "shape")));
    return shapes;
  }

  bool expectsFault() const {
    for (const Json &expected : at(meta, "errors").items)
      for (const Json &kind : at(expected, "expected").items)
        if (kind.string == "JaxRuntimeError")
          return true;
    return false;
  }

  /// False if there is nothing to run, or if a result is wrong.
  bool runCalls(const EmulatorOptions &given) {
    const std::vector<Json> &calls = at(meta, "calls").items;
    for (size_t k = 0; k < calls.size(); ++k) {
      auto made = program(calls[k]);
      std::vector<Array> arrays;
      if (!made || !inputs(calls[k], arrays))
        return false;
      EmulatorOptions options = given;
      options.outputShapes = outputShapes(calls[k]);
      auto result = emulate(*made, arrays, options);
      if (!result)
        return complain(errorText(result.error()));
      printed += result->printed;
      if (expectsFault()) {
        if (result->diagnostics.empty())
          return complain("nothing is told of what fails");
        printed += errorText(result->diagnostics);
        continue;
      }
      if (hasErrors(result->diagnostics))
        return complain("accused: " + errorText(result->diagnostics));
      hazards += !result->diagnostics.empty();
      if (result->outputs.size() != options.outputShapes.size() && !options.outputShapes.empty())
        return complain(text(result->outputs.size(), " outputs instead of ", options.outputShapes.size()));
      outputs.push_back(std::move(result->outputs));
      for (size_t o = 0; o < at(calls[k], "outputs").items.size(); ++o)
        if (!compare(calls[k], k, o, outputs[k][o]))
          return false;
    }
    return true;
  }

  /// There is one call per device, and the order of the calls is not known.
  bool runDevices(const EmulatorOptions &given) {
    const std::vector<Json> &calls = at(meta, "calls").items;
    auto made = program(calls.front());
    if (!made)
      return false;
    std::vector<size_t> order(calls.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::string last;
    do {
      wrong.clear();
      std::vector<Array> arrays;
      for (size_t device : order)
        if (!inputs(calls[device], arrays))
          return false;
      EmulatorOptions options = given;
      options.devices = static_cast<uint32_t>(calls.size());
      auto result = emulate(*made, arrays, options);
      if (!result)
        return complain(errorText(result.error()));
      if (hasErrors(result->diagnostics))
        return complain("accused: " + errorText(result->diagnostics));
      size_t each = result->outputs.size() / calls.size();
      bool good = true;
      for (size_t d = 0; d < order.size() && good; ++d)
        for (size_t o = 0; o < each && good; ++o)
          good = compare(calls[order[d]], order[d], o, result->outputs[d * each + o]);
      if (good)
        return true;
    } while (std::ranges::next_permutation(order).found);
    return false;
  }

  bool checkTexts() {
    bool ofLogs = name.find("DebugPrint") != std::string::npos || name.starts_with("dbg.");
    for (const Json &searched : at(meta, "texts").items) {
      const std::string &kind = at(searched, "kind").string, &what = at(searched, "first").string;
      if (!ofLogs || what.starts_with("check at ")) // the text is in the snippet's own source
        continue;
      bool found = printed.find(what) != std::string::npos;
      if ((kind == "assertIn" && !found) || (kind == "assertNotIn" && found))
        return complain(text("`", what, "` in what is printed: ", printed));
    }
    return true;
  }
};

struct Tally {
  size_t all = 0, right = 0;
  std::vector<std::string> wrong;
};

Tally runArchive(const fs::path &folder, const EmulatorOptions &options, const char *only) {
  Tally tally;
  std::vector<fs::path> folders;
  for (const auto &entry : fs::directory_iterator(folder))
    folders.push_back(entry.path());
  std::ranges::sort(folders);
  for (const fs::path &path : folders) {
    Case each;
    each.name = path.filename().string();
    each.folder = path;
    if (only && each.name.find(only) == std::string::npos)
      continue;
    auto source = readSource(path / "meta.json");
    auto meta = source ? parseJson(*source) : std::unexpected(source.error());
    if (!meta) {
      tally.wrong.push_back(each.name + ": " + errorText(meta.error()));
      continue;
    }
    each.meta = std::move(*meta);
    if (at(each.meta, "calls").items.empty())
      continue;
    ++tally.all;
    bool devices = each.name.starts_with("dist.");
    bool good = (devices ? each.runDevices(options) : each.runCalls(options)) && (options.instant || each.checkTexts());
    if (!good && (options.seed != 0 || options.instant)) {
      // If the natural schedule has a warning, another schedule may have the corresponding fault.
      Case natural = each;
      natural.outputs.clear();
      good = natural.runCalls({}) && natural.hazards != 0;
    }
    tally.right += good;
    if (!good)
      tally.wrong.push_back(each.name + ": " + each.wrong);
  }
  return tally;
}

class Archive : public testing::Test {
protected:
  static void SetUpTestSuite() { folder_ = archive(); }
  static void TearDownTestSuite() {
    if (!folder_.empty())
      fs::remove_all(folder_.parent_path());
  }
  void SetUp() override {
    if (folder_.empty())
      GTEST_SKIP() << "no archive of SparseCore modules beside this repository";
  }
  void check(const EmulatorOptions &options) {
    Tally tally = runArchive(folder_, options, std::getenv("LANESCOPE_CASE"));
    std::cout << tally.right << " of " << tally.all << " cases are right\n";
    for (const std::string &wrong : tally.wrong)
      ADD_FAILURE() << wrong;
    EXPECT_GT(tally.all, 0u);
  }
  static fs::path folder_;
};
fs::path Archive::folder_;

TEST_F(Archive, EveryCallGivesWhatItsTestExpects) { check({}); }

/// Arrays for every operand that is read. They hold small numbers, which are also valid indices.
std::vector<Array> somethingFor(const Program &program) {
  std::vector<Array> arrays;
  const Function &kernel = program.functions[program.kernels()[0]];
  OperandPlan plan = planOperands(program, 0);
  for (size_t k = 0; k < plan.operands.size(); ++k) {
    Shape shape = plan.operands[k].shape;
    for (size_t d = 0; d < shape.size() && !kernel.operands[k].window.empty(); ++d)
      shape[d] *= layouts::elementCount(kernel.grid); // as far as the blocks of all steps may reach
    Array array = Array::zeros(plan.operands[k].element.dtype, shape);
    for (int64_t n = 0; n < array.size() && !plan.operands[k].element.isSemaphore(); ++n)
      array.setNumber(n, static_cast<double>(n % 4));
    arrays.push_back(std::move(array));
  }
  return arrays;
}

// All modules, including those that the tests only lower, run with made-up inputs.
TEST_F(Archive, ModulesThatNobodyCallsRun) {
  size_t ran = 0;
  for (const auto &entry : fs::directory_iterator(folder_))
    for (const auto &file : fs::directory_iterator(entry.path())) {
      if (file.path().extension() != ".mlir" || file.path().filename().string().find(".raw.") != std::string::npos)
        continue;
      auto source = readSource(file.path());
      auto program = source ? decoded(*source) : std::unexpected(source.error());
      if (!program)
        continue; // the verifier refuses the module
      auto result = emulate(*program, somethingFor(*program), {});
      std::string name = entry.path().filename().string();
      if (!result) {
        ADD_FAILURE() << name << errorText(result.error());
        continue;
      }
      ++ran;
      // Made-up arrays may be too small, another kernel's copy is missing, and some of these kernels have faults:
      // leftover counts, and places that two cores write. No finding may be about their own copies and memory.
      for (const Diagnostic &told : result->diagnostics)
        for (std::string_view kind : {"copy-not-awaited", "overwritten-in-flight", "unfinished-copy", "undefined-value",
                                      "scratch-memory", "unknown-operation", "memref-reshape"})
          EXPECT_NE(told.kind, kind) << name << " " << errorText(result->diagnostics);
    }
  EXPECT_GT(ran, 0u);
}

TEST_F(Archive, SoItDoesUnderAnotherSchedule) {
  for (uint64_t seed : {1, 2, 3}) {
    EmulatorOptions options;
    options.seed = seed;
    check(options);
  }
}

// The second tiling mode changes the places of elements, but no result.
TEST_F(Archive, SoItDoesInTensorCoreTiles) {
  EmulatorOptions options;
  options.tensorCoreTiles = true;
  options.vmemBytes = 64 << 20; // most of these kernels were written for memory without padding
  check(options);
}

TEST_F(Archive, SoItDoesWithoutTheChecker) {
  EmulatorOptions options;
  options.instant = true;
  check(options);
}

} // namespace
} // namespace lanescope::core::sparsecore::test
