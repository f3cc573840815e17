#include "tests/unit/compiler/KernelText.h"
#include "core/gpu/emulator/EmulatorDevice.h"

#include "core/gpu/codegen/Assembler.h"
#include "layouts/support/Text.h"

#include <gtest/gtest.h>

namespace lanescope::core::testing {

KernelText &KernelText::argument(std::string name, std::string type, layouts::Shape shape, std::string kind) {
  parameters_ += lanescope::text(parameters_.empty() ? "" : ", ", "%", name, ": ", globalType(shape, type));
  kinds_ += lanescope::text(kinds_.empty() ? "" : ", ", "{name = \"", name, "\", kind = \"", kind, "\"}");
  return *this;
}

std::string KernelText::text() const {
  return lanescope::text("module @", name, " {\n  func.func @", name, "(", parameters_,
                         ") attributes {lanescope.grid = array<i64: ", grid[0], ", ", grid[1], ", ", grid[2],
                         ">, lanescope.num_warpgroups = ", warpgroups, " : i64, lanescope.smem_bytes = ", smemBytes,
                         " : i64, lanescope.arguments = [", kinds_, "]",
                         profileEntries ? lanescope::text(", lanescope.profile_entries = ", profileEntries, " : i64")
                                        : std::string(),
                         "} {\n", body, "    return\n  }\n}\n");
}

std::string dims(const layouts::Shape &shape, const std::string &type) {
  return shape.empty() ? type : joined(shape, "x") + "x" + type;
}
std::string globalType(const layouts::Shape &shape, const std::string &type) {
  return "memref<" + dims(shape, type) + ">";
}
std::string sharedType(const layouts::Shape &shape, const std::string &type) {
  return "memref<" + dims(shape, type) + ", #gpu.address_space<workgroup>>";
}
std::string arrayType(const layouts::Shape &shape, const std::string &type) {
  return "vector<" + dims(shape, type) + ">";
}

std::string load(const std::string &result, const std::string &ref, const std::string &refType,
                 const std::string &arrayType) {
  return text("    %", result, " = \"mosaic_gpu.vector_load\"(%", ref, ") : (", refType, ") -> ", arrayType, "\n");
}
std::string store(const std::string &value, const std::string &ref, const std::string &refType,
                  const std::string &arrayType) {
  return text("    \"mosaic_gpu.vector_store\"(%", value, ", %", ref, ") : (", arrayType, ", ", refType, ") -> ()\n");
}

std::string buffer(const std::string &result, int64_t offset, const layouts::Shape &shape, const std::string &type,
                   const layouts::Shape &tile, int swizzle) {
  std::string ref = sharedType(shape, type);
  std::string plain = tile.empty() ? result : result + "_plain";
  std::string lines =
      text("    %", plain, " = \"mosaic_gpu.slice_smem\"() <{offset = ", offset, " : i32}> : () -> ", ref, "\n");
  if (!tile.empty())
    lines += text("    %", result, " = \"mosaic_gpu.with_transforms\"(%", plain, ") <{transforms = [#mosaic_gpu.tile<[",
                  joined(tile, ", "), "]>", swizzle ? text(", #mosaic_gpu.swizzle<", swizzle, ">") : std::string(),
                  "]}> : (", ref, ") -> ", ref, "\n");
  return lines;
}

static const std::string kBarrier = "memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>";

std::string barrier(int64_t offset) {
  std::string group = "memref<1x!mosaic_gpu.barrier, #gpu.address_space<workgroup>>";
  return text("    %b_group = \"mosaic_gpu.slice_smem\"() <{offset = ", offset, " : i32}> : () -> ", group,
              "\n    %b_pointer = builtin.unrealized_conversion_cast %b_group : ", group,
              " to !llvm.ptr<3>\n    \"mosaic_gpu.initialize_barrier\"(%b_pointer) <{arrival_count = 1 : i64, "
              "num_barriers = 1 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()\n    lanescope.init_done\n"
              "    %b = builtin.unrealized_conversion_cast %b_pointer : !llvm.ptr<3> to ",
              kBarrier, "\n");
}

static std::string indexList(const std::string &given, size_t rank, std::string &setup) {
  if (!given.empty())
    return given;
  static int counter = 0;
  std::string zero = text("%zero", counter++);
  setup = text("    ", zero, " = arith.constant 0 : i32\n");
  return joined(std::vector<std::string>(rank, zero), ", ");
}

std::string asyncLoad(const std::string &global, const layouts::Shape &globalShape, const std::string &shared,
                      const layouts::Shape &shape, const std::string &type, const std::string &indices) {
  static int counter = 0;
  std::string setup, list = indexList(indices, globalShape.size(), setup);
  int64_t bytes = layouts::elementCount(shape) * (type == "f32" || type == "i32" ? 4 : type == "i8" ? 1 : 2);
  std::string count = text("%bytes", counter++);
  std::string types = joined(std::vector<std::string>(globalShape.size(), "i32"), ", ");
  return text(setup, "    ", count, " = arith.constant ", bytes,
              " : i32\n    mosaic_gpu.arrive_expect_tx barrier(%b : ", kBarrier, ") ", count,
              "\n    \"mosaic_gpu.async_load\"(%", global, ", %", shared, ", %b, ", list,
              ") <{collective = [], oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, ",
              globalShape.size(), ", 0, 0>, slice_lengths = array<i64: ", joined(shape, ", "), ">}> : (",
              globalType(globalShape, type), ", ", sharedType(shape, type), ", ", kBarrier, ", ", types, ") -> ()\n");
}

std::string asyncStore(const std::string &shared, const layouts::Shape &shape, const std::string &global,
                       const layouts::Shape &globalShape, const std::string &type, const std::string &indices) {
  std::string setup, list = indexList(indices, globalShape.size(), setup);
  std::string types = joined(std::vector<std::string>(globalShape.size(), "i32"), ", ");
  return text(setup, "    \"mosaic_gpu.async_store\"(%", shared, ", %", global, ", ", list,
              ") <{commit_group = true, is_global_broadcast = false, operandSegmentSizes = array<i32: 1, 1, ",
              globalShape.size(), ", 0, 0>, slice_lengths = array<i64: ", joined(shape, ", "), ">}> : (",
              sharedType(shape, type), ", ", globalType(globalShape, type), ", ", types,
              ") -> ()\n    lanescope.wait_smem_to_gmem {n = 0 : i32}\n");
}

std::string waitParity(int parity) {
  static int counter = 0;
  std::string name = text("%parity", counter++);
  return text("    ", name, " = arith.constant ", parity ? "true" : "false",
              "\n    mosaic_gpu.wait barrier(%b : ", kBarrier, ") parity(", name, " : i1)\n");
}

Compiler &compiler() {
  static Compiler compiler;
  return compiler;
}

KernelStages compileText(const std::string &text, bool keepTexts) {
  auto module = parseModule(compiler().context(), Source::make("test.mlir", text));
  if (!module) {
    ADD_FAILURE() << render(module.error()) << text;
    return {};
  }
  CompileOptions options;
  options.keepTexts = keepTexts;
  KernelStages stages = compiler().compile(std::move(*module), options);
  if (!stages.kernel)
    ADD_FAILURE() << render(stages.diagnostics) << text;
  return stages;
}

RunResult runOnEmulator(const std::string &text, const std::vector<Array> &inputs) {
  KernelStages stages = compileText(text);
  if (!stages.kernel)
    return {};
  if (auto cubin = assemble(stages.kernel->ptx, "sm_90a"); !cubin && cubin.error().front().kind != "no-ptxas")
    ADD_FAILURE() << render(cubin.error());
  static std::unique_ptr<Device> device = makeEmulatorDevice();
  auto result = device->run(*stages.kernel, inputs, {});
  if (!result) {
    ADD_FAILURE() << render(result.error()) << stages.kernel->ptx;
    return {};
  }
  if (hasErrors(result->diagnostics))
    ADD_FAILURE() << render(result->diagnostics) << text << stages.kernel->ptx;
  return std::move(*result);
}

Array pattern(Dtype dtype, layouts::Shape shape, int seed) {
  Array array = Array::zeros(dtype, std::move(shape));
  for (int64_t i = 0; i < array.size(); ++i) {
    int64_t value = (i * 7 + i / 61 + seed) % 61 - 30;
    if (layouts::isFloat(dtype))
      array.setNumber(i, static_cast<double>(value));
    else
      array.setInteger(i, value);
  }
  return array;
}

void expectEqual(const Array &got, const Array &want) {
  ASSERT_EQ(got.shape, want.shape);
  ASSERT_EQ(got.dtype, want.dtype);
  int shown = 0;
  for (int64_t i = 0; i < got.size() && shown < 5; ++i)
    if (got.number(i) != want.number(i)) {
      ADD_FAILURE() << "element " << i << ": " << got.number(i) << " instead of " << want.number(i);
      ++shown;
    }
}

std::string refusalOfRules(const std::string &text) {
  auto module = parseModule(compiler().context(), Source::make("k.mlir", text));
  if (!module)
    return render(module.error());
  return render(compiler().compile(std::move(*module), {.until = kIrStage.id}).diagnostics);
}

} // namespace lanescope::core::testing
