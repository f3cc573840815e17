// The recorder's front end, and its launch descriptions. tests/cuda/record.py tests the library's recordings with
// programs.
#include "core/gpu/emulator/Emulator.h"
#include "core/gpu/emulator/ptx/PtxParser.h"
#include "core/gpu/kernel/LaunchBuffers.h"
#include "core/gpu/record/Images.h"
#include "core/gpu/record/ListPackages.h"
#include "core/gpu/record/ProgramStack.h"
#include "core/gpu/record/RecordedPackage.h"
#include "core/gpu/record/RecordProgram.h"
#include "core/gpu/record/UsedVariables.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <elf.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace lanescope::core::record {
namespace {

TEST(RecordSettings, TravelAsText) {
  RecordSettings settings;
  settings.folder = "a folder; with=signs";
  settings.kernel = "^triton_.*|x=1$";
  settings.ptxFolders = {"dump", "other dump"};
  settings.launch = 7;
  settings.maxBytes = 4096;
  settings.every = settings.list = true;
  settings.arrays = false;
  RecordSettings read = recordSettingsFromText(toText(settings));
  EXPECT_EQ(toText(read), toText(settings));
  EXPECT_EQ(read.folder, settings.folder);
  EXPECT_EQ(read.ptxFolders, settings.ptxFolders);
  EXPECT_FALSE(read.arrays);
  RecordSettings changed = recordSettingsFromText("kernel=add\nfolder=other", read);
  EXPECT_EQ(changed.kernel, "add");
  EXPECT_EQ(changed.folder, "other");
  EXPECT_EQ(changed.launch, 7u); // what the text does not have stays
}

TEST(RecordWords, AreOptionsAndAProgram) {
  auto request = readRecordWords({"--kernel", "add", "--max-bytes", "8M", "--every", "launch", "--", "prog", "--list"});
  ASSERT_TRUE(request);
  EXPECT_EQ(request->settings.kernel, "add");
  EXPECT_EQ(request->settings.maxBytes, 8u << 20);
  EXPECT_TRUE(request->settings.every);
  EXPECT_FALSE(request->settings.list);
  EXPECT_FALSE(request->touched);
  EXPECT_EQ(request->program, (std::vector<std::string>{"prog", "--list"}));
  auto others = readRecordWords({"--touched", "--paused", "--", "prog"});
  ASSERT_TRUE(others);
  EXPECT_TRUE(others->touched && others->settings.paused);
}

TEST(RecordWords, RefuseWhatTheyDoNotKnow) {
  for (const std::vector<std::string> &words : std::vector<std::vector<std::string>>{
           {"--other", "1"}, {"--launch", "0"}, {"--every", "second"}, {"--max-bytes", "much"}, {"-o"}}) {
    auto request = readRecordWords(words);
    ASSERT_FALSE(request) << words[0];
    EXPECT_EQ(request.error().front().kind, "usage");
    EXPECT_NE(request.error().front().message.find(words[0]), std::string::npos);
  }
}

TEST(RecordProgram, SaysWhatIsMissing) {
  auto none = recordProgram({});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().front().kind, "usage");
  RecordRequest request{.settings = {}, .program = {"true"}};
  request.settings.kernel = "(";
  auto expression = recordProgram(request);
  ASSERT_FALSE(expression);
  EXPECT_NE(expression.error().front().message.find("regular expression"), std::string::npos);
  EXPECT_EQ(expression.error().front().kind, "usage");
  request.settings.kernel.clear();
  // Under sanitizers the error is instead that there is no library to load.
  request.settings.folder = "/dev/full/folder";
  auto nowhere = recordProgram(request);
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().front().kind, "record");
}

constexpr char kPtx[] = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry copy(.param .u64 to, .param .align 8 .b8 from[16])
{
  .reg .b32 %r<2>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [from+8]; ld.global.u32 %r1, [%rd1];
  ld.param.u64 %rd2, [to]; st.global.u32 [%rd2], %r1;
  ret;
}
)";

TEST(LaunchBuffers, AStructPointsToAnotherParametersBuffer) {
  std::string json = R"({"entry": "copy", "grid": [1], "block": [1], "params": [
    {"kind": "buffer", "dtype": "u32", "shape": [4]},
    {"kind": "bytes", "size": 16, "align": 8, "pointers": [{"offset": 8, "launch_buffer": 0, "at": 8}]}]})";
  auto launch = parseLaunch(Source::make("launch.json", json));
  ASSERT_TRUE(launch) << render(launch.error());
  auto again = parseLaunch(Source::make("launch.json", toJson(*launch)));
  ASSERT_TRUE(again) << render(again.error());
  const PointerSpec &pointer = std::get<BytesParam>(again->params[1]).pointers[0];
  EXPECT_TRUE(isOfLaunch(pointer.buffer));
  EXPECT_EQ(launchBuffer(pointer.buffer, 5), 0u);
  Array array = Array::zeros(Dtype::U32, {4});
  const uint32_t numbers[] = {1, 2, 3, 4};
  std::memcpy(array.bytes.data(), numbers, sizeof numbers);
  auto result = emulate(Source::make("copy.ptx", kPtx), *again, std::vector{array}, {});
  ASSERT_TRUE(result) << render(result.error());
  EXPECT_EQ(result->outputs[0].integer(0), 3);
}

TEST(LaunchBuffers, ANumberBeyondTheLaunchIsRefused) {
  auto launch = parseLaunch(Source::make("launch.json", R"({"entry": "copy", "grid": [1], "block": [1], "params": [
    {"kind": "bytes", "size": 16, "pointers": [{"offset": 8, "launch_buffer": 3}]}]})"));
  ASSERT_FALSE(launch);
  EXPECT_NE(launch.error().front().message.find("buffer 3"), std::string::npos);
}

TEST(UsedVariables, AreThoseThatTheKernelCanReach) {
  auto module = emulator::parsePtx(Source::make("k.ptx", R"(
.version 8.0
.target sm_80
.address_size 64
.global .u32 own; .global .u32 of_function; .global .u32 of_table; .global .u64 table[1] = {of_table};
.global .u32 other; .const .u32 of_other_kernel;
.func (.param .b32 r) called() { .reg .b32 %a; ld.global.u32 %a, [of_function]; st.param.b32 [r], %a; ret; }
.visible .entry k() {
  .reg .b32 %a; .reg .b64 %t;
  ld.global.u32 %a, [own]; mov.u64 %t, table;
  { .param .b32 r; call (r), called, (); ld.param.b32 %a, [r]; }
  ret; }
.visible .entry second() { .reg .b32 %a; ld.const.u32 %a, [of_other_kernel]; ret; }
)"));
  ASSERT_TRUE(module) << render(module.error());
  auto entry = std::ranges::find(module->functions, "k", &emulator::Function::name);
  EXPECT_EQ(usedVariables(*module, *entry), (std::set<std::string_view>{"of_function", "of_table", "own", "table"}));
}

TEST(FindPtx, IsTheNewestTextWithTheKernel) {
  EXPECT_TRUE(hasEntry(".visible .entry add_two(.param .u64 a)", "add_two"));
  EXPECT_FALSE(hasEntry(".visible .entry add_two(.param .u64 a)", "add"));
  EXPECT_TRUE(hasEntry(".entry add_two() { } .entry add ()", "add"));
  EXPECT_TRUE(entriesOf({}).empty()); // no ELF file
  std::filesystem::path folder = testing::TempDir() + "find_ptx";
  std::filesystem::create_directories(folder / "deeper");
  std::ofstream(folder / "old.ptx") << ".entry k() { } // old";
  std::ofstream(folder / "deeper" / "new.ptx") << ".entry k() { } // new";
  std::ofstream(folder / "newest.ptx") << ".entry other() { }";
  std::filesystem::last_write_time(folder / "old.ptx",
                                   std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  FoundPtx found = findPtx("k", {}, {folder.string()});
  EXPECT_EQ(found.text, ".entry k() { } // new");
  EXPECT_EQ(found.byName, (folder / "deeper" / "new.ptx").string());
  EXPECT_TRUE(findPtx("none", {}, {folder.string()}).text.empty());
  std::filesystem::remove_all(folder);
}

/// Machine code of no kernels: an ELF header, in which `number` tells it from others.
std::vector<std::byte> machineCode(uint32_t number) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_flags = number;
  header.e_phoff = sizeof header;
  std::vector<std::byte> out(sizeof header);
  std::memcpy(out.data(), &header, sizeof header);
  return out;
}

TEST(Images, KnowThePtxOfMachineCodeByItsBytes) {
  Images images;
  int compiled = 0, linked = 0, other = 0, functions[3] = {};
  std::vector<std::byte> first = machineCode(1), second = machineCode(2), third = machineCode(3);
  images.compiled(first.data(), first.size(), ".entry k() { } // compiled");
  std::string helper = ".func h() { }", kernel = ".entry k() { } // linked";
  images.linkPtx(&linked, helper.data(), helper.size());
  images.linkPtx(&linked, kernel.data(), kernel.size());
  images.linkPtx(&linked, helper.data(), helper.size());
  images.linked(&linked, second.data(), second.size());
  images.linkerEnds(&linked);
  images.loaded(&compiled, first.data());
  images.loaded(&linked, second.data());
  images.loaded(&other, third.data());
  for (auto [module, function] : {std::pair(&compiled, 0), std::pair(&linked, 1), std::pair(&other, 2)})
    images.named(&functions[function], module, "k");
  auto textOf = [&](int function) {
    auto kernel = images.kernelOf(&functions[function]);
    return kernel && kernel->ptx ? kernel->ptx->source->text() : kernel ? kernel->problem : "unknown";
  };
  EXPECT_EQ(textOf(0), ".entry k() { } // compiled");
  EXPECT_EQ(textOf(1), kernel);
  EXPECT_NE(textOf(2).find("only machine code"), std::string::npos);
}

TEST(DescribeLaunch, HoldsMemoryThatThePtxNamesByANumber) {
  constexpr uint64_t kAddress = 0x7f0a00000000; // 139680926400512
  Snapshot snapshot(1 << 20);
  Place array = snapshot.add(kAddress, 64);
  auto launchOf = [](std::string_view parameters) {
    RecordedLaunch launch;
    launch.kernel = {.name = "k", .module = nullptr, .ptx = std::make_shared<PtxImage>(), .problem = {}};
    std::string ptx = ".version 8.0\n.target sm_80\n.address_size 64\n.global .b8 table[64];\n.visible .entry k(";
    ptx += parameters;
    ptx += ") { .reg .b64 %a; mov.u64 %a, 139680926400520; ret; }\n";
    launch.kernel.ptx->source = Source::make("k.ptx", std::move(ptx));
    return launch;
  };
  RecordedLaunch launch = launchOf(".param .u32 n");
  launch.parameters = {{std::byte{5}, std::byte{0}, std::byte{0}, std::byte{0}}};
  auto plan = describe(launch, snapshot, {});
  ASSERT_TRUE(plan) << render(plan.error());
  ASSERT_EQ(plan->launch.addresses.size(), 1u);
  EXPECT_EQ(plan->launch.addresses[0].address, kAddress);
  EXPECT_EQ(plan->launch.buffers().size(), 1u);
  EXPECT_TRUE(std::holds_alternative<ScalarParam>(plan->launch.params[0]));

  RecordedLaunch bare = launchOf("");
  plan = describe(bare, snapshot, {});
  ASSERT_TRUE(plan) << render(plan.error());
  ASSERT_EQ(plan->launch.memory.size(), 1u); // the array belongs to the launch
  ASSERT_EQ(plan->launch.addresses.size(), 1u);
  EXPECT_EQ(plan->launch.addresses[0].buffer, 0u);
  bare.variables["table"] = array;
  plan = describe(bare, snapshot, {});
  ASSERT_TRUE(plan) << render(plan.error());
  EXPECT_TRUE(plan->launch.memory.empty()); // it belongs to the variable
}

TEST(ListPackages, SaysWhereTheProgramLaunched) {
  std::filesystem::path folder = testing::TempDir() + "list_packages/add-7-1.lspkg";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "launch.json") << R"json({"entry": "add", "grid": [4, 2], "block": [128], "params": []})json";
  std::ofstream(folder / "recorded.json") << R"json({"launch": 3, "state": "complete", "registers": 16, "time_us": 38.4,
    "buffers": [{"bytes": 4096}, {"bytes": 4096}],
    "python": ["File \"/usr/lib/python3/dist-packages/torch/nn.py\", line 9 in call", "File \"<string>\", line 1 in run",
               "File \"/home/me/train.py\", line 12 in step"],
    "stack": ["libfoo.so+12", "main+7 (/home/me/program)"]})json";
  auto row = packageRow(folder);
  ASSERT_TRUE(row) << render(row.error());
  EXPECT_EQ(row->place, "train.py:12 step");
  auto stack = programStack(folder);
  ASSERT_TRUE(stack) << render(stack.error());
  ASSERT_EQ(stack->frames.size(), 5u);
  EXPECT_EQ(stack->frames[0].file, "/usr/lib/python3/dist-packages/torch/nn.py");
  EXPECT_EQ(stack->frames[0].place, ""); // a library's
  EXPECT_EQ(stack->frames[2].file, "/home/me/train.py");
  EXPECT_EQ(stack->frames[2].line, 12u);
  EXPECT_EQ(stack->frames[4].place, "main+7 (program)");
  EXPECT_EQ(packageTable(std::vector{*row}, true),
            "launch  grid   block    registers  us  bytes  state     from              package\n"
            "     3  4,2,1  128,1,1         16  38   8192  complete  train.py:12 step  add-7-1.lspkg\n"
            "    File \"/usr/lib/python3/dist-packages/torch/nn.py\", line 9 in call\n"
            "    File \"<string>\", line 1 in run\n"
            "    File \"/home/me/train.py\", line 12 in step\n"
            "    libfoo.so+12\n"
            "    main+7 (/home/me/program)\n");
  std::ofstream(folder / "recorded.json")
      << R"json({"launch": 3, "stack": ["/lib/libc.so.6+12", "main+7 (/home/me/program)"]})json";
  row = packageRow(folder);
  ASSERT_TRUE(row) << render(row.error());
  EXPECT_EQ(row->place, "main+7 (program)");
  EXPECT_EQ(packageRow(folder / "")->package, "add-7-1.lspkg");
  std::filesystem::remove_all(folder.parent_path());
  EXPECT_FALSE(packageRow(folder));
}

} // namespace
} // namespace lanescope::core::record
