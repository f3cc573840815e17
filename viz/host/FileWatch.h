// Files that others may write: says which of them have changed.
//
//   FileWatch watch;  watch.follow("double.py");
//   watch.onNews(wake);                       // on the watch's thread, when changed() has something new
//   for (const std::string &path : watch.changed()) ...
//
// By inotify, so that a save is seen within a millisecond, and by a look once a second where that tells nothing (a
// network's file system). Editors that write a new file and rename it are seen as one save. A file that is gone is no
// change until it is there again.
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
  static constexpr size_t kMostFiles = 64; // those that were named longest ago are forgotten

  FileWatch();
  ~FileWatch();
  FileWatch(const FileWatch &) = delete;
  FileWatch &operator=(const FileWatch &) = delete;

  /// From now on changes of this file are told; as it is now it is known. Also for a file that the caller has written
  /// itself.
  void follow(const std::string &path);
  /// What has changed since the last call, each path as it was given to follow().
  std::vector<std::string> changed();
  void onNews(std::function<void()> wake);

private:
  /// What tells two states of a file apart without reading it.
  struct Stamp {
    uint64_t file = 0, size = 0;
    int64_t nanoseconds = 0;
    bool there = false;
    bool operator==(const Stamp &) const = default;
  };
  struct Followed {
    Stamp known;
    std::string folder;
    uint64_t order = 0; // of follow()
    bool told = false;  // changed() will name it
  };
  static Stamp stampOf(const std::string &path);
  void run();
  /// Marks the files that are not as they were known; whether there are any.
  bool look();

  std::mutex mutex_;
  std::map<std::string, Followed> files_;
  std::map<int, std::string> folders_; // by inotify's number
  std::function<void()> wake_;
  uint64_t calls_ = 0;
  bool stop_ = false;
  int events_ = -1; // inotify; -1: none
  int signal_ = -1; // wakes the thread
  std::thread thread_;
};

} // namespace lanescope::viz
