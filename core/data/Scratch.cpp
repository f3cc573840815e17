#include "core/data/Scratch.h"

#include "core/data/ProcessMemory.h"
#include "core/data/Threads.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <thread>
#include <unistd.h>

namespace lanescope::core {

namespace {

constexpr uint64_t kMostBytes = uint64_t{1} << 47;       // the address space of a process
constexpr size_t kChunk = size_t{4} << 20;               // pieces of one size share blocks of this size
constexpr long kTmpfs = 0x01021994, kRamfs = 0x858458f6; // file systems in memory, by the numbers of statfs(2)

/// Opens a new file without a name. Returns -1 and sets errno if that is impossible.
int openNameless(const std::filesystem::path &folder) {
  int file = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
    return file;
  // The file system has no nameless files: the name goes as soon as the file is open. mkostemp() replaces the six X.
  std::string name = (folder / "lanescope-XXXXXX").string();
  file = ::mkostemp(name.data(), O_CLOEXEC);
  if (file >= 0)
    ::unlink(name.c_str());
  return file;
}

/// True if the system would send a signal when a file becomes as large (`ulimit -f`).
bool isTooLarge(size_t bytes) {
  struct rlimit most;
  return ::getrlimit(RLIMIT_FSIZE, &most) == 0 && bytes > most.rlim_cur;
}

/// Allocates the blocks of a new file. Returns an errno.
int allocateBlocks(int file, size_t bytes) {
  if (isTooLarge(bytes))
    return EFBIG;
  int problem;
  do
    problem = ::posix_fallocate(file, 0, static_cast<off_t>(bytes));
  while (problem == EINTR);
  return problem;
}

/// The pages of this process that are in memory: all of them, and those of files.
struct ResidentPages {
  uint64_t all = 0, ofFiles = 0;
};

/// Reads the counts without allocating memory.
ResidentPages residentPages() {
  std::array<char, 128> line{};
  int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return {};
  const ssize_t got = ::read(file, line.data(), line.size() - 1);
  ::close(file);
  if (got <= 0)
    return {};
  char *at = line.data();
  std::strtoull(at, &at, 10); // the size of the address space
  const uint64_t all = std::strtoull(at, &at, 10), ofFiles = std::strtoull(at, &at, 10);
  const auto page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  return {all * page, ofFiles * page};
}

class Scratch {
public:
  Result<void> use(const std::filesystem::path &folder);
  const std::filesystem::path &folder() const { return folder_; }
  /// Why a file of this size cannot be made and mapped now; empty if it can.
  std::string refusal(size_t bytes) const;
  uint64_t bytes() const { return inFiles_.load(std::memory_order_relaxed); }
  void release();
  std::string problem();

  void *take(size_t bytes);
  void give(void *memory, size_t bytes);
  void *takePiece(size_t bytes);
  void givePiece(void *piece, size_t bytes);

private:
  struct Piece {
    Piece *next;
  };
  /// The pieces of one size.
  struct Pool {
    Piece *free = nullptr;
    std::byte *fresh = nullptr, *end = nullptr; // the part of the last chunk that no piece has used
  };
  bool fitsInMemory(size_t bytes);
  /// Null if the folder has no room.
  void *map(size_t bytes);
  /// Starts the thread that takes pages back, unless it runs.
  void keepWithinLimit();
  /// True if the thread is to go on.
  bool releaseIfOver();

  std::filesystem::path folder_;
  std::mutex mutex_;               // guards the members below
  std::map<void *, size_t> files_; // mapped files, by address
  uint64_t onHeap_ = 0;            // bytes
  std::map<size_t, Pool> pools_;   // by the size of a piece
  bool keeps_ = false;             // the thread runs
  uint64_t otherFiles_ = 0;        // resident pages of files before the first file here was mapped: the program's own
  std::string problem_;
  std::atomic<uint64_t> inFiles_{0};
  std::mutex poolMutex_;
};

/// Lives until the process ends: Bytes of static objects are freed late.
Scratch &scratch() {
  static auto &only = *new Scratch;
  return only;
}

Result<void> Scratch::use(const std::filesystem::path &folder) {
  auto bad = [&](std::string_view why) {
    return error("scratch-folder",
                 Message("`{path}` cannot hold arrays: {}; `--scratch` takes a folder on a disk, such as /var/tmp",
                         folder.string(), why));
  };
  struct statfs system;
  if (::statfs(folder.c_str(), &system) != 0)
    return bad(std::strerror(errno));
  if (system.f_type == kTmpfs || system.f_type == kRamfs)
    return bad("its files lie in memory");
  const int file = openNameless(folder);
  if (file < 0)
    return bad(std::strerror(errno));
  ::close(file);
  folder_ = folder;
  paging::isOn = true;
  return {};
}

std::string Scratch::refusal(size_t bytes) const {
  const int file = openNameless(folder_);
  int problem = file < 0 ? errno : isTooLarge(bytes) ? EFBIG : 0;
  // Only where this is quick: other file systems would write all blocks.
  if (problem == 0 && ::fallocate(file, 0, 0, static_cast<off_t>(bytes)) != 0)
    problem = errno;
  if (file >= 0)
    ::close(file);
  struct statvfs system;
  if ((problem == EOPNOTSUPP || problem == EINTR) && ::statvfs(folder_.c_str(), &system) == 0)
    problem = bytes > uint64_t{system.f_bavail} * system.f_frsize ? ENOSPC : 0;
  if (problem != 0)
    return text("`", folder_.string(), "` has no room for it: ", std::strerror(problem));
  void *space = ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (space == MAP_FAILED)
    return "the system refuses the addresses (`ulimit -v` shows its limit)";
  ::munmap(space, bytes);
  return {};
}

std::string Scratch::problem() {
  std::scoped_lock lock(mutex_);
  return problem_;
}

bool Scratch::fitsInMemory(size_t bytes) {
  const uint64_t most = memoryLimit();
  return onHeap_ + bytes <= most / 2 && residentPages().all + bytes <= most / 4 * 3;
}

void *Scratch::map(size_t bytes) {
  const int file = openNameless(folder_);
  int problem = file < 0 ? errno : allocateBlocks(file, bytes);
  void *memory = MAP_FAILED;
  if (problem == 0) {
    if (otherFiles_ == 0)
      otherFiles_ = residentPages().ofFiles;
    memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    problem = memory == MAP_FAILED ? errno : 0;
  }
  if (file >= 0)
    ::close(file); // the mapping keeps it
  if (problem != 0) {
    problem_ = text("; `", folder_.string(), "` has no room for ", memoryText(bytes), ": ", std::strerror(problem));
    return nullptr;
  }
  files_.emplace(memory, bytes);
  inFiles_ += bytes;
  keepWithinLimit();
  return memory;
}

void *Scratch::take(size_t bytes) {
  {
    std::scoped_lock lock(mutex_);
    if (!fitsInMemory(bytes))
      if (void *memory = map(bytes))
        return memory;
    onHeap_ += bytes;
  }
  return ::operator new(bytes);
}

void Scratch::give(void *memory, size_t bytes) {
  {
    std::scoped_lock lock(mutex_);
    if (auto found = files_.find(memory); found != files_.end()) {
      ::munmap(memory, found->second);
      inFiles_ -= found->second;
      files_.erase(found);
      return;
    }
    onHeap_ -= std::min<uint64_t>(onHeap_, bytes);
  }
  ::operator delete(memory);
}

void *Scratch::takePiece(size_t bytes) {
  std::scoped_lock lock(poolMutex_);
  Pool &pool = pools_[bytes];
  if (Piece *piece = pool.free) {
    pool.free = piece->next;
    return piece;
  }
  constexpr size_t kAlignment = __STDCPP_DEFAULT_NEW_ALIGNMENT__;
  const size_t step = (std::max(bytes, sizeof(Piece)) + kAlignment - 1) / kAlignment * kAlignment;
  if (pool.fresh == pool.end || static_cast<size_t>(pool.end - pool.fresh) < step) {
    const size_t chunk = std::max(kChunk / step, size_t{1}) * step;
    pool.fresh = static_cast<std::byte *>(take(chunk));
    pool.end = pool.fresh + chunk;
  }
  return std::exchange(pool.fresh, pool.fresh + step);
}

void Scratch::givePiece(void *piece, size_t bytes) {
  std::scoped_lock lock(poolMutex_);
  Pool &pool = pools_[bytes];
  pool.free = new (piece) Piece{pool.free};
}

void Scratch::keepWithinLimit() {
  if (keeps_)
    return;
  std::thread thread;
  keeps_ = startThread(thread, [this] {
    constexpr auto kInterval = std::chrono::milliseconds(5); // a thread touches some 10 MiB in this time
    do
      std::this_thread::sleep_for(kInterval);
    while (releaseIfOver());
  });
  if (keeps_)
    thread.detach();
}

bool Scratch::releaseIfOver() {
  const ResidentPages now = residentPages();
  const uint64_t most = memoryLimit();
  {
    std::scoped_lock lock(mutex_);
    if (files_.empty()) {
      keeps_ = false;
      return false;
    }
    if (now.all <= most - most / 8 || now.ofFiles <= otherFiles_ + most / 16) // fewer pages are not worth it
      return true;
  }
  release();
  return true;
}

void Scratch::release() {
  std::scoped_lock lock(mutex_);
  for (const auto &[memory, bytes] : files_)
    ::madvise(memory, bytes, MADV_DONTNEED); // a shared mapping of a file keeps its contents
}

} // namespace

namespace paging {

void *take(size_t bytes) { return scratch().take(bytes); }
void give(void *memory, size_t bytes) { scratch().give(memory, bytes); }
void *takePiece(size_t bytes) { return scratch().takePiece(bytes); }
void givePiece(void *piece, size_t bytes) { scratch().givePiece(piece, bytes); }

} // namespace paging

Result<void> useScratch(const std::filesystem::path &folder) { return scratch().use(folder); }

std::optional<std::filesystem::path> scratchFolder() {
  return paging::isOn ? std::optional(scratch().folder()) : std::nullopt;
}

Result<void> reserveBytes(uint64_t bytes, std::string_view what) { return reserveBytes(bytes, what, memoryLimit()); }

Result<void> reserveBytes(uint64_t bytes, std::string_view what, uint64_t limit) {
  Result<void> room = reserveMemory(bytes, what, limit);
  if (room)
    return room;
  if (!paging::isOn) {
    room.error().front().message += "; `--scratch DIR` of emulate, check and run keeps arrays beyond it on a disk";
    return room;
  }
  const std::string refusal = bytes <= kMostBytes ? scratch().refusal(bytes) : "no file can be as large";
  if (refusal.empty())
    return {};
  return error("out-of-memory", Message("there is no room for {}, {}: it exceeds the {} that this process may hold "
                                        "(`--memory SIZE`), and {}; `--scratch DIR` names another folder",
                                        what, memoryText(bytes), memoryText(limit), refusal));
}

void releasePages() {
  if (paging::isOn)
    scratch().release();
}

uint64_t scratchBytes() { return paging::isOn ? scratch().bytes() : 0; }

std::string scratchProblem() { return paging::isOn ? scratch().problem() : std::string(); }

} // namespace lanescope::core
