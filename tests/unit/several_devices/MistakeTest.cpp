// Mistakes in kernels for several devices, and their messages: one planted mistake for each check.
#include "tests/unit/repl/KernelSupport.h"

#include "layouts/support/Text.h"

namespace lanescope::repl {
namespace {

/// A kernel for 2 devices with these statements.
std::string kernel(const std::string &body, const std::string &settings = "mesh={\"x\": 2}") {
  return text("@kernel(", settings, R"(, scratch=[SMEM((64, 64), f16), Semaphore(count=2), Barrier()])
def k(x: GMEM((64, 64), f16), out: Out((64, 64), f16), tile, s, loaded):
)",
              body, "k(zeros((64, 64), f16))\n");
}

TEST(DeviceMistakes, OfTheMesh) {
  auto with = [](const std::string &mesh) {
    return "@kernel(mesh=" + mesh + ", grid=(2,), grid_names=(\"b\",))\ndef k(out: Out((64,), f32)):\n  out[...] = 0\n";
  };
  expectError(with("2"), "1:14", "a mesh of devices: `{\"x\": 2}`");
  expectError(with("{}"), "1:14", "a mesh names one axis of devices at least");
  expectError(with("{\"x\": 0}"), "1:14", "a mesh has from 1 to 64 devices");
  expectError(with("{\"x\": 8, \"y\": 9}"), "1:14", "a mesh has from 1 to 64 devices");
  expectError(with("{1: 2}"), "1:14", "a dict of axis names and sizes");
  expectError(with("((\"x\", 2), (\"x\", 2))"), "1:14", "the axis `x` is named twice");
  expectError(with("{\"b\": 2}"), "1:14", "`b` is an axis of the mesh of devices, and one of the kernel's grid");
}

TEST(DeviceMistakes, OfShardings) {
  auto with = [](const std::string &sharding, const std::string &array, const std::string &mesh = "mesh={\"x\": 2}") {
    return text("@kernel(", mesh, ")\ndef k(x: GMEM((64, N), f32, sharding=", sharding,
                "), out: Out((64,), f32)):\n  out[...] = 0\nk(", array, ")\n");
  };
  expectError(with("3", "zeros((128, 8), f32)"), "2:38", "a sharding names, for each dimension, an axis of the mesh");
  expectError(with("(3,)", "zeros((128, 8), f32)"), "2:38", "a sharding names, for each dimension");
  expectError(with("(\"y\",)", "zeros((128, 8), f32)"), "4:3",
              "`x` is split along `y`, and the mesh of devices has x=2");
  expectError(with("(\"x\", \"x\")", "zeros((128, 8), f32)"), "4:3", "`x` is split along `x` twice");
  expectError(with("(\"x\", None, None)", "zeros((128, 8), f32)"), "4:3", "names 3");
  expectError(with("(\"x\",)", "zeros((127, 8), f32)"), "4:3",
              "dimension 0 of size 127 is not divided into 2 equal parts");
  expectError(with("(\"x\",)", "zeros((64, 8), f32)"), "4:3", "each device's part of the array has shape (32, 8)");
  expectError(with("(\"x\",)", "zeros((128, 8), f32)", "grid=(1,)"), "2:7",
              "`x` is split over devices, and kernel `k` is for one; a mesh makes it one for several");
}

TEST(DeviceMistakes, OfNamesOfDevices) {
  auto with = [](const std::string &device) {
    return kernel("  semaphore_signal(s.at[0], device_id=" + device + ")\n");
  };
  expectError(with("2"), "3:39", "the mesh has 2 devices, there is no device 2");
  expectError(with("-1"), "3:39", "there is no device -1");
  expectError(with("(0, 1)"), "3:39", "the mesh of devices is x=2: name a device by 1 place along its axes");
  expectError(with("{\"y\": 1}"), "3:39", "the mesh of devices has no axis 'y', it is x=2");
  expectError(with("1.5"), "3:39", "must be an int");
  expectError(with("1, device_id_type=\"rank\""), "3:57", "it is \"mesh\" or \"logical\"");
  expectError(with("1, memory_scope=\"gpu\""), "3:55", "a signal to another device is of the system's scope");
  expectError(with("1, memory_scope=\"cta\""), "3:55", "it is \"sys\" or \"gpu\"");
  expectError(kernel("  remote_ref(out, 1)[...] = x[...]\n", "mesh={\"x\": 2, \"y\": 2}"), "3:19",
              "the mesh of devices is x=2, y=2: name a device by 2 places along its axes, in order; or by some");
  expectError(kernel("  remote_ref(out, (0, 2))[...] = x[...]\n", "mesh={\"x\": 2, \"y\": 2}"), "3:19",
              "the mesh has 2 devices along `y`, there is no device 2");
  for (const char *call : {"remote_ref(out, 1)", "multicast_ref(out, \"x\")", "multimem_store(x[...], out, \"x\")",
                           "semaphore_signal(s.at[0], device_id=1)"})
    expectError(kernel(text("  ", call, "\n"), "grid=(1,)"),
                "the kernel is for one device; a mesh makes it one for several");
  expectError(kernel("  out[...] = device_id()\n", "grid=(1,)"), "3:14", "the kernel is for one device");
  expectError(kernel("  semaphore_signal_parallel(s.at[0])\n"), "3:29", "takes `SemaphoreSignal(semaphore, inc=1, …)`");
  expectError(kernel("  axis_index(\"z\")\n"), "3:14", "the kernel has no axis `z`, it has `x`");
}

TEST(DeviceMistakes, OfReferences) {
  expectError(kernel("  remote_ref(tile, 1)[...] = x[...]\n"), "3:14", "must be a GMEM reference");
  expectError(kernel("  remote_ref(x, 1)[...] = x[...]\n"), "3:3", "`x` is an input, so it cannot be written");
  expectError(kernel("  remote_ref(remote_ref(out, 1), 0)[...] = x[...]\n"), "3:3", "leads to other devices already");
  expectError(kernel("  multicast_ref(out, \"y\")\n"), "3:22", "the mesh of devices has no axis `y`");
  expectError(kernel("  multicast_ref(out, \"x\")\n", "mesh={\"x\": 2, \"y\": 2}"), "3:22",
              "so name all of its axes: `y` is missing");
  expectError(kernel("  out[...] = multicast_ref(x, \"x\")[...]\n"), "3:14",
              "`x` is what all devices hold; `multimem_load_reduce(x");
  expectError(kernel("  multicast_ref(out, \"x\")[...] = x[...]\n"), "3:3",
              "`multimem_store(value, out, axes)` writes it");
  expectError(kernel("  copy_gmem_to_smem(multicast_ref(x, \"x\"), tile, loaded)\n"), "3:21",
              "a copy reads the memory of one device");
  expectError(kernel("  async_prefetch(multicast_ref(x, \"x\"))\n"), "3:18", "a prefetch is of one device's memory");
  expectError(kernel("  copy_smem_to_gmem(tile, multicast_ref(out, \"x\"), reduction_op=\"add\")\n"), "3:65",
              "a copy to all devices overwrites");
}

TEST(DeviceMistakes, OfAllDevicesAtOnce) {
  expectError(kernel("  multimem_store(x[...].astype(f32), out, \"x\")\n"), "3:18",
              "a value of dtype f32 is stored to `out` of dtype f16");
  expectError(kernel("  multimem_store(x[0:32], out, \"x\")\n"), "3:18",
              "an array of shape (32, 64) is stored to `out`");
  expectError(kernel("  multimem_store(x[...], x, \"x\")\n"), "3:26", "`x` is an input, so it cannot be written");
  expectError(kernel("  multimem_store(1, out.at[0, 0], \"x\")\n"), "3:21",
              "is one element, and all devices' memory is reached with arrays");
  expectError(kernel("  multimem_store(x[...], remote_ref(out, 1), \"x\")\n"), "3:26",
              "give the device's own reference");
  expectError(kernel("  out[...] = multimem_load_reduce(x, \"x\", \"mul\")\n"), "3:43",
              "it is \"add\", \"min\", \"max\"");
  expectError(kernel("  out[...] = multimem_load_reduce(x, \"x\", \"xor\")\n"), "3:43",
              "devices do not combine f16 by `xor`");
  expectError(
      kernel("  tile[...] = layout_cast(multimem_load_reduce(x, \"x\", \"add\"), WGStridedFragLayout((64, 64), 1))\n"),
      "in this layout a thread has fewer in a row");
  expectError(kernel("  multimem_store(layout_cast(x[...], WGStridedFragLayout((64, 64), 1)), out, \"x\")\n"),
              "a store to all devices moves 4, 8 or 16 bytes of a thread, and in this layout a thread has 2 in a row");
}

/// A device with this many GPUs that runs nothing and answers that it was asked.
class FakeGpus : public core::Device {
public:
  explicit FakeGpus(uint32_t count) : count_(count) {}
  std::string name() const override { return "fake"; }
  Result<uint32_t> width(const std::atomic<bool> *) override { return count_; }
  Result<core::RunResult> run(const core::Artifact &, std::span<const core::Array>, const core::RunOptions &) override {
    return error("launch", "asked to run on GPUs");
  }

private:
  uint32_t count_;
};

// A kernel for two devices runs on GPUs if there are two, unless the emulator is requested. With one GPU it runs on the
// GPU only on request.
TEST(DeviceMistakes, OfDevicesThatAreNotThere) {
  auto asks = [](uint32_t gpus, const std::string &device) {
    // A worker's command makes the runtime assume a GPU; no worker is started.
    auto runtime = std::make_shared<KernelRuntime>(KernelOptions{.device = device, .worker = "none"});
    runtime->setDevice("gpu", std::make_unique<FakeGpus>(gpus));
    Evaluator evaluator(withKernels(hostBuiltins(), runtime), {.print = [](std::string_view) {}});
    auto done = evaluator.run(Source::make(
        "k.py",
        "@kernel(mesh={\"x\": 2})\ndef k(out: Out((64,), i32, sharding=\"x\")):\n  out[...] = device_id()\nk()\n"));
    return done ? runtime->launches().back().device : done.error()[0].message;
  };
  EXPECT_EQ(asks(2, "auto"), "asked to run on GPUs");
  EXPECT_EQ(asks(1, "auto"), "emulator");
  EXPECT_EQ(asks(2, "emulator"), "emulator");
  EXPECT_EQ(asks(1, "gpu"), "asked to run on GPUs") << "which says what it lacks";
}

// An output without sharding must be the same on all devices; otherwise a warning says that it differs.
TEST(DeviceMistakes, OfReplicas) {
  auto runtime = std::make_shared<KernelRuntime>(KernelOptions{.device = "emulator"});
  std::string said;
  Evaluator evaluator(withKernels(hostBuiltins(), runtime),
                      {.print = [](std::string_view) {},
                       .remark = [&](const Diagnostics &all) { said += all.front().kind + ": " + render(all); }});
  auto done =
      evaluator.run(Source::make("k.py", "@kernel(mesh={\"x\": 2})\ndef k(out: Out((64,), i32)):\n"
                                         "  out[...] = device_id()\nassert max_error(k(), zeros((64,), i32)) == 0\n"));
  EXPECT_TRUE(done) << render(done.error());
  EXPECT_TRUE(said.starts_with("replicas")) << said;
  EXPECT_NE(said.find("output 0 of `k` is not the same on devices 0 and 1"), std::string::npos) << said;
}

// A device that never receives its signal is reported, with the waiting warp.
TEST(DeviceMistakes, OfSignalsThatDoNotCome) {
  Snippet done("@kernel(mesh={\"x\": 2}, scratch=[Semaphore()])\ndef k(out: Out((64,), i32, sharding=\"x\"), s):\n"
               "  semaphore_signal(s, device_id=0)\n  semaphore_wait(s)\n  out[...] = 1\nk()\n");
  EXPECT_FALSE(done.ok);
  EXPECT_EQ(done.place(), "4:3") << done.errors;
  // The waiting device has not signalled, although its wait changes the count.
  EXPECT_EQ(done.errors.find("device 1 has signalled byte 0 of `s` (i32[1]) of device 1"), std::string::npos)
      << done.errors;
}

} // namespace
} // namespace lanescope::repl
