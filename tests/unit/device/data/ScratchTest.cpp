// Bytes beyond the limit on memory lie in files of the scratch folder. Each test runs in a child process, because the
// folder is the process's.
#include "core/data/Scratch.h"
#include "core/data/ProcessMemory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace lanescope::core {
namespace {

constexpr size_t kMiB = size_t{1} << 20;
const char kFolder[] = "/var/tmp"; // on a disk; the usual folder for temporary files may lie in memory

/// The exit status of a child process that runs `body`: 0 if it returned true.
int statusOf(const std::function<bool()> &body) {
  pid_t child = ::fork();
  if (child == 0)
    ::_exit(body() ? 0 : 1);
  int status = -1;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// Sets up a process whose large Bytes all lie in files: it takes its share of memory first. Returns the size of these
/// files; nothing if the folder cannot be used.
std::optional<uint64_t> begin() {
  setMemoryBudget(kLeastMemory);
  if (!useScratch(kFolder))
    return std::nullopt;
  static std::vector<Bytes> share;
  while (scratchBytes() == 0)
    share.emplace_back(kLeastPaged);
  return scratchBytes();
}

bool isCounting(const Bytes &bytes) {
  for (size_t n = 0; n < bytes.size(); n += 4096)
    if (bytes[n] != std::byte(n / 4096))
      return false;
  return true;
}

TEST(Scratch, LargeBytesKeepTheirContentsInFiles) {
  EXPECT_EQ(statusOf([] {
              const auto before = begin();
              if (!before)
                return false;
              {
                Bytes bytes(100 * kMiB);
                for (size_t n = 0; n < bytes.size(); n += 4096)
                  bytes[n] = std::byte(n / 4096);
                releasePages();
                Bytes copy = bytes;
                copy.resize(120 * kMiB);
                copy.resize(100 * kMiB);
                if (!isCounting(bytes) || copy != bytes || scratchBytes() < *before + 220 * kMiB)
                  return false;
              }
              return scratchBytes() == *before;
            }),
            0);
}

TEST(Scratch, SmallBytesAreOnTheHeap) {
  EXPECT_EQ(statusOf([] {
              const auto before = begin();
              if (!before)
                return false;
              Bytes small(kLeastPaged - 1);
              return scratchBytes() == *before;
            }),
            0);
}

TEST(Scratch, PiecesAndNodesShareFiles) {
  struct Page : PagedPiece {
    std::array<uint64_t, 128> words{};
  };
  EXPECT_EQ(statusOf([] {
              const auto before = begin();
              if (!before)
                return false;
              std::vector<std::unique_ptr<Page>> pages;
              std::map<int, std::array<uint64_t, 64>, std::less<>,
                       PagedAllocator<std::pair<const int, std::array<uint64_t, 64>>>>
                  nodes;
              for (int n = 0; n < 50000; ++n) {
                pages.push_back(std::make_unique<Page>());
                pages.back()->words[0] = static_cast<uint64_t>(n);
                nodes[n][63] = static_cast<uint64_t>(n);
              }
              const uint64_t held = scratchBytes();
              if (held < *before + 50000 * (sizeof(Page) + 512))
                return false;
              for (int n = 0; n < 50000; ++n)
                if (pages[static_cast<size_t>(n)]->words[0] != static_cast<uint64_t>(n) ||
                    nodes[n][63] != static_cast<uint64_t>(n))
                  return false;
              pages.clear();
              for (int n = 0; n < 50000; ++n) // take the place of the former ones
                pages.push_back(std::make_unique<Page>());
              return scratchBytes() == held && pages.back()->words[0] == 0;
            }),
            0);
}

TEST(Scratch, AFullDiskIsAnErrorAndNoSignal) {
  EXPECT_EQ(statusOf([] {
              const auto before = begin();
              if (!before)
                return false;
              struct rlimit small = {.rlim_cur = kMiB, .rlim_max = kMiB};
              ::setrlimit(RLIMIT_FSIZE, &small);
              auto refused = reserveBytes(200 * kMiB, "the array");
              if (refused || refused.error()[0].kind != "out-of-memory" ||
                  refused.error()[0].message.find("`/var/tmp` has no room for it: File too large") == std::string::npos)
                return false;
              Bytes bytes(2 * kMiB); // on the heap, as long as it has room
              std::ranges::fill(bytes, std::byte{1});
              return scratchBytes() == *before &&
                     scratchProblem().find("no room for 2097152 bytes") != std::string::npos;
            }),
            0);
}

TEST(Scratch, FoldersThatCannotHoldFilesAreRefused) {
  EXPECT_EQ(statusOf([] {
              for (const char *folder : {"/dev/null", "/nowhere", "/dev/shm"})
                if (auto used = useScratch(folder); used || used.error()[0].kind != "scratch-folder")
                  return false;
              Bytes bytes(2 * kMiB); // there is none, so they are on the heap
              return !scratchFolder() && scratchBytes() == 0;
            }),
            0);
}

} // namespace
} // namespace lanescope::core
