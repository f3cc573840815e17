#include "viz/host/FileWatch.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace lanescope::viz {

namespace {
constexpr int kLookMilliseconds = 1000; // interval of checks, for file systems without inotify
constexpr int kRestMilliseconds = 40;   // after a pause of this length, a file that is still open counts as written
constexpr uint32_t kEnds = IN_CLOSE_WRITE | IN_MOVED_TO;
} // namespace

FileWatch::FileWatch()
    : events_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)), signal_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      thread_([this] { run(); }) {}

FileWatch::~FileWatch() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  uint64_t one = 1;
  [[maybe_unused]] auto written = ::write(signal_, &one, sizeof one);
  thread_.join();
  if (events_ >= 0)
    ::close(events_);
  if (signal_ >= 0)
    ::close(signal_);
}

FileWatch::Stamp FileWatch::stampOf(const std::string &path) {
  struct stat status;
  if (::stat(path.c_str(), &status) != 0)
    return {};
  return {static_cast<uint64_t>(status.st_ino), static_cast<uint64_t>(status.st_size),
          int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec, true};
}

void FileWatch::follow(const std::string &path) {
  std::lock_guard lock(mutex_);
  Followed &file = files_[path];
  file.known = stampOf(path);
  file.order = ++calls_;
  file.told = false;
  if (file.folder.empty()) {
    std::error_code ignored; // for a link, watches the folder of its target
    std::filesystem::path real = std::filesystem::weakly_canonical(path, ignored);
    file.folder = (ignored ? std::filesystem::path(path) : real).parent_path().string();
    if (file.folder.empty())
      file.folder = ".";
    if (int number = ::inotify_add_watch(events_, file.folder.c_str(), kEnds | IN_MODIFY | IN_CREATE); number >= 0)
      folders_[number] = file.folder;
  }
  if (files_.size() <= kMostFiles)
    return;
  auto oldest = std::ranges::min_element(files_, {}, [](const auto &each) { return each.second.order; });
  std::string folder = oldest->second.folder;
  files_.erase(oldest);
  if (std::ranges::any_of(files_, [&](const auto &each) { return each.second.folder == folder; }))
    return;
  for (auto at = folders_.begin(); at != folders_.end(); ++at)
    if (at->second == folder) {
      ::inotify_rm_watch(events_, at->first);
      folders_.erase(at);
      return;
    }
}

std::vector<std::string> FileWatch::changed() {
  std::lock_guard lock(mutex_);
  std::vector<std::string> out;
  for (auto &[path, file] : files_)
    if (std::exchange(file.told, false))
      out.push_back(path);
  return out;
}

void FileWatch::onUpdate(std::function<void()> wake) {
  std::lock_guard lock(mutex_);
  wake_ = std::move(wake);
}

bool FileWatch::look() {
  bool news = false;
  for (auto &[path, file] : files_) {
    Stamp now = stampOf(path);
    if (!now.there || now == file.known)
      continue;
    file.known = now;
    file.told = news = true;
  }
  return news;
}

void FileWatch::run() {
  bool writing = false; // a program writes to a file that it has not closed yet
  while (true) {
    std::array<pollfd, 2> wanted = {pollfd{signal_, POLLIN, 0}, pollfd{events_, POLLIN, 0}};
    int ready = ::poll(wanted.data(), wanted.size(), writing ? kRestMilliseconds : kLookMilliseconds);
    bool ended = ready == 0; // nothing happened in that time
    alignas(inotify_event) std::array<char, 16384> buffer;
    for (ssize_t bytes; events_ >= 0 && (bytes = ::read(events_, buffer.data(), buffer.size())) > 0;)
      for (ssize_t at = 0; at < bytes;) {
        const auto &event = *reinterpret_cast<const inotify_event *>(buffer.data() + at);
        ended |= (event.mask & (kEnds | IN_Q_OVERFLOW)) != 0;
        at += static_cast<ssize_t>(sizeof(inotify_event) + event.len);
      }
    writing = !ended;
    std::function<void()> wake;
    {
      std::lock_guard lock(mutex_);
      if (stop_)
        return;
      if (ended && look())
        wake = wake_;
    }
    if (wake)
      wake();
  }
}

} // namespace lanescope::viz
