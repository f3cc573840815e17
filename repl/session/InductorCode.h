// Reads the launches of Triton kernels in torch.compile's output code: `output_code.py`, or a module of Inductor's code
// cache, whose `call(args)` allocates buffers and runs the kernels on them.
//
//   buf0 = empty_strided_cuda((200, 10), (10, 1), torch.float32)
//   triton_poi_fused_relu_0.run(buf0, arg1_1, 2000, stream=stream0)
//
//   const InductorCall *call = inductorCode(source).callOf("triton_poi_fused_relu_0");
//   call->elements.at("in_out_ptr0")      // 2000, as far as the strides reach
//   call->numbers.at("xnumel")            // 2000
//   gridOf(*call, {1024, 1, 1})           // {2, 1, 1}
//
// The text is read, not run. Sizes that are symbols have the values of the example inputs in
// `benchmark_compiled_module`. What cannot be read is left out, and stays a guess of the launch.
#pragma once

#include "layouts/support/Source.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::repl {

/// The first call of a kernel. Its parameters by their names in the kernel's source.
struct InductorCall {
  std::map<std::string, int64_t, std::less<>> elements; // elements of each array from the pointer on
  std::map<std::string, int64_t, std::less<>> numbers;
  /// Blocks divide these numbers among them, x first; a fixed grid has blocks of 1. Empty: not known.
  std::vector<int64_t> work;
  bool fixedGrid = false;
  Span place;
  size_t calls = 1; // how often the file calls the kernel
};

class InductorCode {
public:
  /// The call of the Triton kernel of that name. Null: there is none, or several kernels have the name.
  const InductorCall *callOf(std::string_view kernel) const;
  bool callsAnything() const { return !calls_.empty(); }

private:
  friend InductorCode inductorCode(const SourceRef &source);
  std::map<std::string, InductorCall, std::less<>> calls_;
};

InductorCode inductorCode(const SourceRef &source);

/// The grid where a block does that much of the work along each axis. Nothing: the call does not say the work, or an
/// axis is longer than a grid can be.
std::optional<std::array<uint32_t, 3>> gridOf(const InductorCall &call, const std::array<int64_t, 3> &blocks);

/// The output code around PTX files of one cache. Files are read once.
class InductorFiles {
public:
  /// In the folder of the PTX and up to three above, each with the folders of two letters in it, as Inductor's code
  /// cache has them: the nearest file that calls the kernel. Null: there is none.
  const InductorCall *callOf(const std::filesystem::path &ptx, std::string_view kernel);

private:
  const std::vector<InductorCode> &codesIn(const std::filesystem::path &folder);

  std::map<std::filesystem::path, std::vector<InductorCode>> folders_;
};

} // namespace lanescope::repl
