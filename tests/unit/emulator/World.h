// Kernels on several devices. Each device has buffers `out`, `box` and `sem` of 64 words, and the collective metadata.
#pragma once

#include "tests/unit/emulator/EmulatorSupport.h"

namespace lanescope::core::test {

/// A body can use: %rank, %devices, %t (the thread), %value (100 rank + thread + 1), %lane4 (4 bytes per thread),
/// %leader and %others; the addresses %out, %box, %sem, %next_box and %next_sem (of the next device), %mc_box and
/// %mc_sem (multicast).
struct World {
  std::string body;
  uint32_t devices = 2, threads = 32, blocks = 1;
  std::string target = "sm_90a";
  EmulatorOptions options;
  std::vector<PeerSpec> maps{}; // descriptors of a fourth buffer, f32[64], at the address `maps`

  std::string ptx() const {
    std::string text = ".version 9.1\n.target " + target +
                       "\n.address_size 64\n.visible .entry k(.param .u64 p_out, .param .u64 p_box, .param .u64 p_sem, "
                       ".param .u64 p_meta";
    return text + (maps.empty() ? "" : ", .param .align 64 .b8 maps[" + std::to_string(128 * maps.size()) + "]") +
           R"() {
.reg .pred %p, %leader, %others; .reg .b16 %h<8>; .reg .b32 %r, %q, %n, %rank, %devices, %t, %value, %next, %w<9>;
.reg .f32 %f<4>; .reg .b64 %a, %b, %lane4, %out, %box, %sem, %meta, %boxes, %sems, %next_box, %next_sem, %mc_box, %mc_sem;
.shared .align 128 .b8 tile[256]; .shared .align 8 .b64 bar;
ld.param.u64 %out, [p_out]; ld.param.u64 %box, [p_box]; ld.param.u64 %sem, [p_sem]; ld.param.u64 %meta, [p_meta];
ld.global.u32 %rank, [%meta]; mov.u32 %t, %tid.x; mul.wide.u32 %lane4, %t, 4;
setp.eq.u32 %leader, %t, 0; setp.ne.u32 %others, %t, 0; mad.lo.u32 %value, %rank, 100, %t; add.u32 %value, %value, 1;
mov.u32 %devices, )" +
           std::to_string(devices) + R"(; add.u32 %next, %rank, 1; rem.u32 %next, %next, %devices;
mul.wide.u32 %a, %devices, 8; add.u64 %boxes, %meta, 32; add.u64 %boxes, %boxes, %a; add.u64 %sems, %boxes, %a;
mul.wide.u32 %b, %next, 8; add.u64 %a, %boxes, %b; ld.global.u64 %next_box, [%a]; add.u64 %a, %sems, %b; ld.global.u64 %next_sem, [%a];
mul.wide.u32 %a, %devices, )" +
           std::to_string(maps.empty() ? 8 : 16) + R"(; add.u64 %a, %a, %sems;
ld.global.u64 %mc_box, [%a+8]; ld.global.u64 %mc_sem, [%a+16];
)" + body + "\nret; }\n";
  }

  Launch launch() const {
    Launch launch;
    launch.entry = "k";
    launch.grid = {blocks, 1, 1};
    launch.block = {threads, 1, 1};
    launch.devices = devices;
    for (const char *name : {"out", "box", "sem"})
      launch.params.push_back(BufferParam{{Dtype::U32, {devices, 64}, "", "", name}});
    launch.params.push_back(MetadataParam{});
    return launch;
  }

  Result<RunResult> run() const {
    Launch described = launch();
    std::vector<Array> arrays(3, Array::zeros(Dtype::U32, {devices, 64}));
    if (!maps.empty()) { // descriptors refer to a buffer that is a parameter of its own
      BytesParam block;
      block.size = static_cast<uint32_t>(128 * maps.size());
      block.buffers.push_back({Dtype::F32, {devices, 64}, "", "", "array"});
      for (size_t n = 0; n < maps.size(); ++n) {
        TensorMapSpec map;
        map.offset = static_cast<uint32_t>(128 * n);
        map.shape = {64};
        map.box = {32};
        map.peer = maps[n];
        block.tensorMaps.push_back(map);
      }
      described.params.push_back(block);
      arrays.push_back(Array::zeros(Dtype::F32, {devices, 64}));
    }
    return emulate(Source::make("k.ptx", ptx()), described, arrays, options);
  }

  /// Device d's words of `out`. Fails if the run has reported anything.
  std::vector<uint32_t> outOf(uint32_t device) const {
    auto result = run();
    if (!result) {
      ADD_FAILURE() << errorText(result.error());
      return std::vector<uint32_t>(64);
    }
    EXPECT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
    std::vector<uint32_t> all = words(result->outputs[0]);
    return {all.begin() + device * 64, all.begin() + (device + 1) * 64};
  }
};

/// All devices meet: each increments the count on all devices and waits until all have done so.
inline std::string meet(const std::string &label = "MEET", const std::string &times = "1") {
  return "fence.proxy.alias;\nbar.sync 0;\n@%leader multimem.red.release.sys.global.add.u32 [%mc_sem], 1;\nmul.lo.u32 "
         "%n, "
         "%devices, " +
         times + ";\n@%others bra " + label + "_DONE;\n" + label +
         ": ld.acquire.sys.global.u32 %r, [%sem];\nsetp.lt.u32 %p, %r, %n;\n@%p bra " + label + ";\n" + label +
         "_DONE: bar.sync 0;\n";
}

inline const std::string kKeep = "add.u64 %a, %out, %lane4; st.global.u32 [%a], %r;\n";

} // namespace lanescope::core::test
