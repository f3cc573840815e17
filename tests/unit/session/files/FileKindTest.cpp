// The kind of a file by its text, and the error of a command that gets a file of another command.
#include "repl/files/FileKind.h"

#include "layouts/support/Text.h"
#include "tests/unit/TemporaryFolder.h"

#include <fstream>
#include <gtest/gtest.h>

namespace lanescope::repl {
namespace {

namespace fs = std::filesystem;

FileKind kindOf(const std::string &name, std::string text) { return fileKind(Source::make(name, std::move(text))); }

TEST(FileKind, IsReadOffTheText) {
  constexpr std::string_view kPtx = "//\n.version 8.6\n.target sm_90a\n.address_size 64\n";
  EXPECT_EQ(kindOf("k.ptx", ""), FileKind::Ptx);
  EXPECT_EQ(kindOf("k.mlir", "\n"), FileKind::Empty);
  EXPECT_EQ(kindOf("k.ptx", "nonsense"), FileKind::Ptx);
  EXPECT_EQ(kindOf("kernel", std::string(kPtx)), FileKind::Ptx);
  EXPECT_EQ(kindOf("kernel", std::string(kPtx) + std::string(2, '\0')), FileKind::Ptx); // as NVRTC returns it
  EXPECT_EQ(kindOf("kernel", std::string(kPtx) + '\0' + "x"), FileKind::Bytes);
  EXPECT_EQ(kindOf("k.ptx", std::string(kPtx) + '\0' + "x"), FileKind::Ptx); // the PTX parser reports the place
  EXPECT_EQ(kindOf("k.txt", std::string(kPtx)), FileKind::Ptx);
  EXPECT_EQ(kindOf("a.py", "text = '''\n" + std::string(kPtx) + "'''"), FileKind::Snippet);
  EXPECT_EQ(kindOf("a", "import jax\n"), FileKind::Snippet);
  EXPECT_EQ(kindOf("a.json", R"([{"ph": "X"}])"), FileKind::Trace);
  EXPECT_EQ(kindOf("a.pftrace", std::string("\x0a\x23\x00\x12", 4)), FileKind::PerfettoTrace);
  EXPECT_EQ(kindOf("a.hatchet", R"([{"frame": {"name": "ROOT"}, "metrics": {}, "children": []}])"),
            FileKind::ProtonTree);
  EXPECT_EQ(kindOf("a.mlir", "module {\n  %0 = mosaic_gpu.wgmma %a, %b\n}"), FileKind::GpuModule);
  EXPECT_EQ(kindOf("a.txt", "module {\n  %0 = mosaic_gpu.wgmma %a, %b\n}"), FileKind::GpuModule);
  EXPECT_EQ(kindOf("a.mlir", "module {\n  \"tpu.enqueue_dma\"() : () -> ()\n}"), FileKind::TpuModule);
  EXPECT_EQ(kindOf("a.mlir", "module {\n  func.func @f() { return }\n}"), FileKind::OtherModule);
  EXPECT_EQ(kindOf("a", "{\"traceEvents\": []}"), FileKind::Trace);
  EXPECT_EQ(kindOf("a.json", "[{\"ph\": \"B\"}]"), FileKind::Trace);
  EXPECT_EQ(kindOf("a.json", "\xEF\xBB\xBF[{\"ph\": \"X\"}]"), FileKind::Trace);
  EXPECT_EQ(kindOf("k", "\xEF\xBB\xBF" + std::string(kPtx)), FileKind::Ptx);
  EXPECT_EQ(kindOf("a", "\xEF\xBB\xBF\n"), FileKind::Empty);
  EXPECT_EQ(kindOf("a.gz", "\x1f\x8b\x08"), FileKind::Trace);
  EXPECT_EQ(kindOf("a.json", "{\"entry\": \"k\", \"params\": []}"), FileKind::Launch);
  EXPECT_EQ(kindOf("a.ipynb", "{\"cells\": []}"), FileKind::Notebook);
  EXPECT_EQ(kindOf("a.json", "{\"a\": 1}"), FileKind::Text);
  EXPECT_EQ(kindOf("a.layout", "(8, 4):(4, 1)"), FileKind::Layout);
  EXPECT_EQ(kindOf("a.gui", "open x\n"), FileKind::WindowScript);
  EXPECT_EQ(kindOf("a", "\x93NUMPY\x01"), FileKind::Arrays);
  EXPECT_EQ(kindOf("a.npz", "PK\x03\x04zip"), FileKind::Arrays);
  EXPECT_EQ(kindOf("a.cu", "#include <cuda.h>\n__global__ void f() {}"), FileKind::CudaSource);
  EXPECT_EQ(kindOf("a.cubin", "\x7f"
                              "ELF\x02"),
            FileKind::MachineCode);
  EXPECT_EQ(kindOf("a.fatbin", "\x50\xed\x55\xba\x01"), FileKind::MachineCode);
  EXPECT_EQ(kindOf("a.png", "\x89PNG\r\n"), FileKind::Image);
  EXPECT_EQ(kindOf("a.jpg", "\xff\xd8\xff"), FileKind::Picture);
  EXPECT_EQ(kindOf("a.svg", "<svg></svg>"), FileKind::Picture);
  EXPECT_EQ(kindOf("a", "words"), FileKind::Text);
  EXPECT_EQ(kindOf("a", std::string("a\0b", 3)), FileKind::Bytes);
  EXPECT_EQ(kindOf("a", " \n\t"), FileKind::Empty);
}

TEST(FileKind, APackageIsItsKernel) {
  TemporaryFolder folder;
  EXPECT_EQ(kernelOfPackage(folder.path()), folder.path());
  std::ofstream(folder / "kernel.ptx") << ".version 8.0\n";
  EXPECT_EQ(kernelOfPackage(folder.path()), folder.path()) << "PTX alone is no package";
  std::ofstream(folder / "launch.json") << "{}";
  EXPECT_EQ(kernelOfPackage(folder.path()), folder.path()) << "nor with a launch: a dump may have both";
  std::ofstream(folder / "meta.json") << "{}";
  EXPECT_EQ(kernelOfPackage(folder.path()), folder / "kernel.ptx");
  EXPECT_EQ(kernelOfPackage(folder / "none"), folder / "none");
}

// Every command with a file of every kind: the command accepts the file, or names its kind and another command.
TEST(FileKind, CommandsNameOneAnother) {
  const TemporaryFolder own;
  const fs::path folder = own.path();
  fs::create_directories(folder / "d");
  struct File {
    const char *name;
    std::string text;
    const char *takers, *said;
  };
  const File files[] = {
      {"a.py", "x = 1\n", "run compile check", "`lanescope run "},
      {"k.ptx", ".version 8.6\n.target sm_90a\n", "emulate check", "`lanescope emulate "},
      {"m.mlir", "module { mosaic_gpu.x }", "run compile open", "`lanescope open "},
      {"t.mlir", "module { \"tpu.x\"() }", "emulate open", "`lanescope emulate "},
      {"t.json", "{\"traceEvents\": []}", "trace", "`lanescope trace "},
      {"launch.json", "{\"entry\": \"k\", \"params\": []}", "", "--launch "},
      {"w.layout", "WGMMA", "show", "`lanescope show "},
      {"w.gui", "open x", "", "`lanescope gui --script "},
      {"x.npy", "\x93NUMPY", "", "x = load("},
      {"notes.txt", "words", "show", "unknown kind"},
      {"c.cu", "__global__ void f();", "", "`nvcc -ptx "},
      {"d", "", "open check", "a folder"},
  };
  for (const File &file : files) {
    fs::path path = folder / file.name;
    if (!fs::is_directory(path))
      std::ofstream(path) << file.text;
    for (std::string_view command : {"run", "compile", "open", "emulate", "check", "trace", "show"}) {
      auto opened = openFor(command, path);
      bool takes = text(" ", file.takers, " ").find(text(" ", command, " ")) != std::string::npos;
      EXPECT_EQ(opened.has_value(), takes) << command << " " << file.name;
      if (opened)
        continue;
      EXPECT_EQ(opened.error().front().kind, "file-kind");
      EXPECT_NE(opened.error().front().message.find(file.said), std::string::npos)
          << command << ": " << opened.error().front().message;
    }
  }
  EXPECT_EQ(openFor("run", folder / "none.py").error().front().kind, "unreadable-file");
  EXPECT_TRUE(checkNoFile("eval", "1 + 1"));
  EXPECT_TRUE(checkNoFile("eval", folder.string()));
  EXPECT_FALSE(checkNoFile("eval", (folder / "a.py").string()));
}

} // namespace
} // namespace lanescope::repl
