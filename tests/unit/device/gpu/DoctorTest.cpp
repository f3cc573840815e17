#include "core/gpu/runtime/Doctor.h"

#include "core/data/Version.h"
#include "core/gpu/runtime/OwnFile.h"
#include "tests/unit/TemporaryFolder.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace lanescope::core {
namespace {

TEST(Doctor, SaysWhatIsMissingAndHowToGetIt) {
  std::vector<Finding> findings = examineMachine("echo no worker here >&2; exit 9");
  std::vector<std::string> names;
  for (const Finding &finding : findings) {
    names.push_back(finding.name);
    EXPECT_FALSE(finding.detail.empty()) << finding.name;
    EXPECT_TRUE(finding.found || !finding.howToGet.empty()) << finding.name;
  }
  std::erase_if(names, [](const std::string &name) { // present only if there is a Python
    return name == "NumPy" || name == "lanescope for Python" || name == "JAX" || name == "Triton";
  });
  EXPECT_EQ(names, (std::vector<std::string>{"lanescope", "worker", "CUDA driver", "GPU", "ptxas", "nvdisasm", "Python",
                                             "display", "OpenGL"}));
  EXPECT_NE(findings[0].detail.find(kVersion), std::string::npos) << findings[0].detail;
  EXPECT_FALSE(findings[1].found);
  EXPECT_NE(findings[1].detail.find("exit status 9"), std::string::npos) << findings[1].detail;
  EXPECT_FALSE(findings[3].found);
  std::string text = findingsText(findings);
  EXPECT_NE(text.find("no   GPU"), std::string::npos) << text;
  EXPECT_NE(text.find("--device emulator"), std::string::npos) << text;
}

// A module with a standard name in the working directory is not run, even if it would break Python packages.
TEST(Doctor, RunsNoFileOfTheWorkingDirectory) {
  namespace fs = std::filesystem;
  const TemporaryFolder own;
  fs::path before = fs::current_path(), folder = own.path();
  for (const char *module : {"email.py", "zipfile.py", "csv.py", "numpy.py"})
    std::ofstream(folder / module) << "open('ran', 'w')\n";
  fs::current_path(folder);
  examineMachine("exit 9");
  fs::current_path(before);
  EXPECT_FALSE(fs::exists(folder / "ran"));
}

TEST(OwnFile, FindsInstalledSamplesByTheirNamesAlone) {
  EXPECT_EQ(orInstalled("samples/no such file"), "samples/no such file");
  EXPECT_EQ(orInstalled("/samples/x"), "/samples/x");
  EXPECT_EQ(orInstalled("elsewhere/x"), "elsewhere/x");
  EXPECT_EQ(orInstalled(""), "");
  EXPECT_TRUE(std::filesystem::is_directory(programFolder()));
}

GpuInfo machine(int gpus, PeerReach reach) {
  GpuInfo info;
  info.deviceCount = gpus;
  for (int gpu = 0; gpu < gpus; ++gpu)
    info.devices.push_back(gpu);
  info.peers.assign(static_cast<size_t>(gpus * gpus), reach);
  return info;
}

TEST(Doctor, SaysWhichGpusReachEachOther) {
  GpuInfo info = machine(4, PeerReach::Atomics);
  Finding finding = peersFinding(info);
  EXPECT_TRUE(finding.found);
  EXPECT_EQ(finding.detail, "all 4 GPUs reach each other's memory, with atomics (NVLink)");
  auto set = [&](size_t from, size_t to, PeerReach reach) { info.peers[from * 4 + to] = reach; };
  set(0, 3, PeerReach::None);
  set(3, 0, PeerReach::None);
  set(1, 2, PeerReach::Memory);
  info.devices = {1, 1};
  EXPECT_EQ(peersFinding(info).detail,
            "reach each other's memory: GPUs 0-1, 0-2, 1-3, 2 to 1, 2-3 with atomics (NVLink); GPUs 1 to 2 without "
            "atomics; GPUs 0-3 not at all; kernels run on 1, 1");
  EXPECT_FALSE(peersFinding(machine(2, PeerReach::None)).found);
  info.peers.clear();
  EXPECT_EQ(peersFinding(info).detail, "the driver does not say which GPUs reach each other's memory");
}

} // namespace
} // namespace lanescope::core
