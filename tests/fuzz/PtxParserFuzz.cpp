// The PTX parser and decoder survive any text. An accepted kernel runs for a short time without harm.
#include "core/gpu/emulator/Emulator.h"
#include "core/gpu/emulator/LaunchSketch.h"

#include <string>

using namespace lanescope;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // With the prologue the input becomes instructions; without it, it is at module level.
  std::string input(reinterpret_cast<const char *>(data), size);
  const std::string prologue = ".version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
                               ".reg .pred %p<9>;\n.reg .b16 %h<9>;\n.reg .b32 %r<9>;\n.reg .b64 %d<9>;\n"
                               ".shared .align 16 .b8 s[64];\nld.param.u64 %d1, [p];\n";
  bool wrapped = size > 0 && data[0] != '.' && data[0] != '/';
  core::Launch launch;
  launch.entry = wrapped ? "k" : "";
  launch.block = {32, 1, 1};
  core::BufferSpec buffer;
  buffer.dtype = core::Dtype::U32;
  buffer.shape = {8};
  launch.params.push_back(core::BufferParam{buffer});
  std::vector<core::Array> arrays{core::Array::zeros(buffer.dtype, buffer.shape)};
  core::EmulatorOptions options;
  options.timeoutSeconds = 0.02;
  SourceRef ptx = Source::make("fuzz.ptx", wrapped ? prologue + input + "\n}\n" : input);
  (void)core::emulate(ptx, launch, arrays, options);
  if (auto sketch = core::sketchLaunch(ptx, {}))
    (void)core::parseLaunch(Source::make("launch.json", core::sketchJson(*sketch)));
  return 0;
}
