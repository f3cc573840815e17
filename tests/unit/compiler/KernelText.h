// Kernels for tests as IR text: the common frame, and running them on the emulator.
//
//   KernelText k;
//   k.argument("x", "f32", {64, 128}, "in").argument("out", "f32", {64, 128}, "out");
//   k.body = "...";
//   auto outputs = runOnEmulator(k.text(), {x});
#pragma once

#include "core/Device.h"
#include "core/gpu/codegen/Compiler.h"

#include <string>
#include <vector>

namespace lanescope::core::testing {

struct KernelText {
  std::string name = "kernel";
  std::array<int, 3> grid{1, 1, 1};
  int warpgroups = 1;
  int64_t smemBytes = 0;
  int64_t profileEntries = 0; // 0 means not profiled
  std::string body;           // without the final return

  KernelText &argument(std::string name, std::string type, layouts::Shape shape, std::string kind);
  std::string text() const;

private:
  std::string parameters_, kinds_;
};

/// "128x128xf16".
std::string dims(const layouts::Shape &shape, const std::string &type);
/// `memref<128x128xf16>`, in global and in shared memory.
std::string globalType(const layouts::Shape &shape, const std::string &type);
std::string sharedType(const layouts::Shape &shape, const std::string &type);
std::string arrayType(const layouts::Shape &shape, const std::string &type);

/// The error of the dialect's verifiers, or else of the kernel rules, for a module; empty if there is none.
std::string refusalOfRules(const std::string &text);

/// Lines of IR. Names are given without `%`.
std::string load(const std::string &result, const std::string &ref, const std::string &refType,
                 const std::string &arrayType);
std::string store(const std::string &value, const std::string &ref, const std::string &refType,
                  const std::string &arrayType);
/// `%result`: a buffer at byte `offset`, tiled and swizzled (swizzle 0: no transforms).
std::string buffer(const std::string &result, int64_t offset, const layouts::Shape &shape, const std::string &type,
                   const layouts::Shape &tile, int swizzle);
/// Defines one barrier `%b` (a memref) at byte `offset`, initialised and followed by init_done.
std::string barrier(int64_t offset);
std::string asyncLoad(const std::string &global, const layouts::Shape &globalShape, const std::string &shared,
                      const layouts::Shape &shape, const std::string &type, const std::string &indices = "");
std::string asyncStore(const std::string &shared, const layouts::Shape &shape, const std::string &global,
                       const layouts::Shape &globalShape, const std::string &type, const std::string &indices = "");
std::string waitParity(int parity);

/// The compiler that the tests share.
Compiler &compiler();
/// Compiles the text. A failure is reported through GoogleTest, and the result then has no kernel.
KernelStages compileText(const std::string &text, bool keepTexts = false);
/// Compiles, assembles if ptxas is installed, and runs. `inputs` are in argument order, including entries for the
/// outputs.
RunResult runOnEmulator(const std::string &text, const std::vector<Array> &inputs);

/// Small exact numbers: element i holds (i * 7 + seed) mod 61 - 30.
Array pattern(Dtype dtype, layouts::Shape shape, int seed = 0);
void expectEqual(const Array &got, const Array &want);

} // namespace lanescope::core::testing
