// Reads the launches of Triton kernels in torch.compile's output code: `output_code.py`, or a module of Inductor's code
// cache, whose `call(args)` allocates buffers and runs the kernels on them.
//
//   buf0 = empty_strided_cuda((200, 10), (10, 1), torch.float32)
//   triton_poi_fused_relu_0.run(buf0, arg1_1, 2000, stream=stream0)
//
//   const InductorCall *call = inductorCode(source).callOf("triton_poi_fused_relu_0");
//   call->elements.at("in_out_ptr0")      // 2000, by shape and strides
//   call->numbers.at("xnumel")            // 2000
//   gridOf(*call, {1024, 1, 1})           // {2, 1, 1}
//
// The text is read, not run. Symbolic sizes get the values of the example inputs in `benchmark_compiled_module`. Parts
// of a launch that cannot be read are left out, and later guessed.
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

/// The first call of a kernel, with its parameters by their names in the kernel's source.
struct InductorCall {
  std::map<std::string, int64_t, std::less<>> elements; // for each array, the number of elements from the pointer on
  std::map<std::string, int64_t, std::less<>> numbers;
  /// The number of items along each axis, x first, which the blocks divide among themselves. In a fixed grid, a block
  /// takes one item. Empty: not known.
  std::vector<int64_t> work;
  bool fixedGrid = false;
  Span place;
  size_t calls = 1; // number of calls of the kernel in the file
};

class InductorCode {
public:
  /// The call of the Triton kernel of that name. Null: no call exists, or several kernels have the name.
  const InductorCall *callOf(std::string_view kernel) const;
  bool callsAnything() const { return !calls_.empty(); }

private:
  friend InductorCode inductorCode(const SourceRef &source);
  std::map<std::string, InductorCall, std::less<>> calls_;
};

InductorCode inductorCode(const SourceRef &source);

/// The grid in which each block takes `blocks` items along each axis. Nothing: the work is unknown, or an axis is
/// longer than a grid can be.
std::optional<std::array<uint32_t, 3>> gridOf(const InductorCall &call, const std::array<int64_t, 3> &blocks);

/// The output code near the PTX files of a cache. Each file is read once.
class InductorFiles {
public:
  /// The call in the nearest file that calls the kernel. Searches the folder of the PTX file and up to three folders
  /// above it. In each, it also searches subfolders with names of two letters, as in Inductor's code cache. Null: there
  /// is none.
  const InductorCall *callOf(const std::filesystem::path &ptx, std::string_view kernel);

  /// The files that callOf() may read for the PTX file.
  static std::vector<std::filesystem::path> near(const std::filesystem::path &ptx);

private:
  const std::vector<InductorCode> &codesIn(const std::filesystem::path &folder);

  std::map<std::filesystem::path, std::vector<InductorCode>> folders_;
};

} // namespace lanescope::repl
