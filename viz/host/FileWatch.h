// Watches files that other programs may write, and reports those that have changed.
//
//   FileWatch watch;  watch.follow("double.py");
//   watch.onUpdate(wake);                       // on the watch's thread, when changed() has something new
//   for (const std::string &path : watch.changed()) ...
//
// It uses inotify, which reports a save within a millisecond. Once a second, it also checks the files, for file systems
// without inotify (network file systems). If an editor writes a new file and renames it, this is one save. If a file
// disappears, there is no change until it exists again.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace lanescope::viz {

class FileWatch {
public:
  static constexpr size_t kMostFiles = 64; // if there are more, the least recently followed files are dropped

  FileWatch();
  ~FileWatch();
  FileWatch(const FileWatch &) = delete;
  FileWatch &operator=(const FileWatch &) = delete;

  /// Reports changes of this file after its current state. Call this also after writing the file, so that this write is
  /// not reported.
  void follow(const std::string &path);
  /// The files that have changed since the last call, with the paths that were passed to follow().
  std::vector<std::string> changed();
  void onUpdate(std::function<void()> wake);

private:
  /// Distinguishes two states of a file without reading the file.
  struct Stamp {
    uint64_t file = 0, size = 0;
    int64_t nanoseconds = 0;
    bool there = false;
    bool operator==(const Stamp &) const = default;
  };
  struct Followed {
    Stamp known;
    std::string folder;
    uint64_t order = 0; // position of the last follow() among all calls
    bool told = false;  // changed() will return it
  };
  static Stamp stampOf(const std::string &path);
  void run();
  /// Marks the files that differ from their known state. Returns true if there are any.
  bool look();

  std::mutex mutex_;
  std::map<std::string, Followed> files_;
  std::map<int, std::string> folders_; // by inotify's watch number
  std::function<void()> wake_;
  uint64_t calls_ = 0;
  bool stop_ = false;
  int events_ = -1; // the file descriptor of inotify; -1: none
  int signal_ = -1; // wakes the thread
  std::thread thread_;
};

} // namespace lanescope::viz
