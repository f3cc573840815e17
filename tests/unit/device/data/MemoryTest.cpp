// The limit on the process's memory: sizes as text, refused sizes, and the handling of a failed allocation.
#include "core/data/MemoryReserve.h"
#include "core/data/ProcessMemory.h"
#include "core/data/Threads.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <list>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace lanescope::core {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20, kGiB = uint64_t{1} << 30;

#if defined(__SANITIZE_ADDRESS__) || (defined(__has_feature) && __has_feature(address_sanitizer))
constexpr bool kSanitized = true; // the sanitizer's allocator ends the process by itself
#else
constexpr bool kSanitized = false;
#endif

TEST(MemoryTest, SizesAreReadInPowersOf1024) {
  EXPECT_EQ(parseMemorySize("800000000"), 800000000u);
  EXPECT_EQ(parseMemorySize("512K"), 512u << 10);
  EXPECT_EQ(parseMemorySize("200m"), 200 * kMiB);
  EXPECT_EQ(parseMemorySize("1.5G"), 3 * kGiB / 2);
  EXPECT_EQ(parseMemorySize("2GiB"), 2 * kGiB);
  EXPECT_EQ(parseMemorySize("2GB"), 2 * kGiB);
  EXPECT_EQ(parseMemorySize("1T"), 1024 * kGiB);
  EXPECT_EQ(parseMemorySize("64B"), 64u);
  for (const char *wrong :
       {"", "G", "-1G", "1e3", "1 G", "2X", "2GG", "2Gi2", "inf", "nan", "0x10", "99999999T", "1,5G"})
    EXPECT_FALSE(parseMemorySize(wrong)) << wrong;
  EXPECT_EQ(memoryText(12), "12 bytes");
  EXPECT_EQ(memoryText(200 * kMiB), "200 MiB");
  EXPECT_EQ(memoryText(2 * kGiB), "2 GiB");
}

TEST(MemoryTest, WhatExceedsTheLimitIsRefusedWithBothNumbers) {
  ASSERT_TRUE(residentMemory());
  EXPECT_GE(memoryLimit(), kLeastMemory);
  EXPECT_TRUE(reserveMemory(kMiB, "a table"));
  uint64_t most = *residentMemory() + 64 * kMiB;
  EXPECT_TRUE(reserveMemory(kMiB, "a table", most));
  auto refused = reserveMemory(1000 * kMiB, "a table", most);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error()[0].kind, "out-of-memory");
  EXPECT_NE(refused.error()[0].message.find("there is no memory for a table, 1000 MiB"), std::string::npos)
      << refused.error()[0].message;
  EXPECT_FALSE(reserveMemory(~uint64_t{0}, "everything"));
}

/// The bytes of private memory that this process may write. The system's limit counts these.
uint64_t mappedData() {
  std::ifstream file("/proc/self/statm");
  uint64_t size = 0, resident = 0, shared = 0, text = 0, library = 0, data = 0;
  file >> size >> resident >> shared >> text >> library >> data;
  return data * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

/// Runs `body` in a process that may use `megabytes` more than it uses now. Keeps its standard error and its exit
/// status.
struct Ended {
  int status = -1;
  std::string said;
};
Ended withLittleMemory(uint64_t megabytes, int (*body)()) {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe(ends.data()), 0);
  pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDERR_FILENO);
    installMemoryReserve("test");
    uint64_t most = mappedData() + megabytes * kMiB;
    rlimit little{most, most};
    ::setrlimit(RLIMIT_DATA, &little);
    ::_exit(body());
  }
  ::close(ends[1]);
  Ended out;
  std::array<char, 512> piece;
  for (ssize_t got; (got = ::read(ends[0], piece.data(), piece.size())) > 0;)
    out.said.append(piece.data(), static_cast<size_t>(got));
  ::close(ends[0]);
  ::waitpid(child, &out.status, 0);
  return out;
}

int pollingWork() {
  std::atomic<bool> interrupted{false};
  bool stopped = false;
  {
    StopWithoutMemory stop(interrupted);
    std::list<std::vector<char>> pieces; // grow until the flag is set
    while (!interrupted)
      pieces.emplace_back(1 << 16);
    stopped = stop.happened();
  }
  if (!stopped)
    return 2;
  StopWithoutMemory again(interrupted); // the reserve is back, so this works any number of times
  interrupted = false;
  std::list<std::vector<char>> pieces;
  while (!interrupted)
    pieces.emplace_back(1 << 16);
  return again.happened() ? 0 : 3;
}

TEST(MemoryTest, WorkThatPollsStopsInOrderAsOftenAsNeeded) {
  if (kSanitized)
    GTEST_SKIP() << "the sanitizers take the memory that this test limits";
  Ended ended = withLittleMemory(300, pollingWork);
  ASSERT_TRUE(WIFEXITED(ended.status)) << ended.status;
  EXPECT_EQ(WEXITSTATUS(ended.status), 0) << ended.said;
  EXPECT_EQ(ended.said, "");
}

int workThatDoesNotPoll() {
  std::atomic<bool> interrupted{false};
  StopWithoutMemory stop(interrupted);
  std::list<std::vector<char>> pieces;
  for (;;)
    pieces.emplace_back(1 << 16);
}

int workWithoutAFlag() {
  std::vector<char> block(uint64_t{1} << 40);
  return block[static_cast<size_t>(::getpid())]; // otherwise the compiler removes the allocation
}

/// GoogleTest catches exceptions that pass through a test; our programs do not. On a separate thread no exception is
/// caught.
template <int body()> int onAThread() {
  std::thread([] { ::_exit(body()); }).join();
  return 2;
}

TEST(MemoryTest, OtherWorkEndsTheProcessWithAnError) {
  if (kSanitized)
    GTEST_SKIP() << "the sanitizers take the memory that this test limits";
  for (auto *body : {onAThread<workThatDoesNotPoll>, onAThread<workWithoutAFlag>}) {
    Ended ended = withLittleMemory(300, body);
    ASSERT_TRUE(WIFEXITED(ended.status)) << ended.status;
    EXPECT_EQ(WEXITSTATUS(ended.status), 1);
    EXPECT_TRUE(ended.said.starts_with("test: error: out of memory")) << ended.said;
  }
}

int threadsWithoutEnd() {
  std::vector<std::thread> all;
  std::atomic<bool> leave{false};
  for (;;) {
    std::thread one;
    if (!startThread(one, [&] { leave.wait(false); }))
      break;
    all.push_back(std::move(one));
  }
  leave = true;
  leave.notify_all();
  for (std::thread &one : all)
    one.join();
  return all.empty() ? 2 : 0;
}

TEST(MemoryTest, AThreadThatCannotStartIsAnAnswer) {
  if (kSanitized)
    GTEST_SKIP() << "the sanitizers take the memory that this test limits";
  Ended ended = withLittleMemory(300, threadsWithoutEnd);
  ASSERT_TRUE(WIFEXITED(ended.status)) << ended.status;
  EXPECT_EQ(WEXITSTATUS(ended.status), 0) << ended.said;
}

} // namespace
} // namespace lanescope::core
