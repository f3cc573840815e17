// Which files a snippet reaches. It reads in a few folders and writes arrays in one, never through a symbolic link, and
// replaces nothing that it did not make unless its user says so (docs/security.md).
//
//   SnippetFiles files({.snippet = "kernels/a.py", .out = "results"});
//   files.read("x.npy", role)            results/x.npy, else kernels/x.npy, else x.npy of the working directory
//   files.save("y.npy", bytes)       results/y.npy; an error if the snippet did not make that file
//
// A name is looked for as it is: `~` and `$HOME` are letters.
#pragma once

#include "core/data/Beneath.h"
#include "repl/lang/files/SavedFiles.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace lanescope::repl {

struct FileRules {
  std::filesystem::path snippet = {}; // the file that is run; empty: entries typed at a prompt
  std::filesystem::path out = {};     // `--out`: the folder that is written; empty: the snippet's, else the working one
  std::vector<std::filesystem::path> reads = {}; // `--read`: more folders that are read
  bool overwrite = false;                        // `--overwrite`: the user lets files be replaced
  bool anywhere = false;                         // for a program of Python, which could do it without us: no rule holds
  bool keepsInMemory = false;                    // nothing is written; what is saved is found again by this session
  std::filesystem::path saved = {};              // the record of files that earlier runs made; empty: none is kept
};

class SnippetFiles {
public:
  explicit SnippetFiles(FileRules rules = {});

  /// The file's bytes. Errors: "file-access" where the name is in none of the folders or is reached by a link,
  /// "unreadable-file".
  Result<std::vector<std::byte>> read(const std::string &name, core::FileRole role) const;
  /// The same as text; the source is called by the path that was found.
  Result<SourceRef> readSource(const std::string &name, core::FileRole role) const;
  /// The folder of that name, or the folder that holds files whose names begin so. Errors as those of read().
  Result<std::filesystem::path> folder(const std::string &name) const;
  /// Writes an array's file, a name that ends in `.npy`. Errors: "file-access", "file-exists", "unwritable-file".
  Result<void> save(const std::string &name, std::vector<std::byte> bytes);

  /// Asks the user whether a file that the session did not make may be replaced; null: it may not.
  std::function<bool(const std::string &path)> ask = nullptr;

  const FileRules &rules() const { return rules_; }
  /// For another file that is run, or for entries (empty). The rest of the rules stays.
  void setSnippet(std::filesystem::path snippet) { rules_.snippet = std::move(snippet); }
  /// Chooses whether saved files stay in memory. The session forgets them when it writes files again.
  void setKeepsInMemory(bool keeps);

  /// While it is there, a folder more is read: the one of a file that the user opened.
  class Opened {
  public:
    Opened(SnippetFiles &files, const std::filesystem::path &path);
    ~Opened();
    Opened(const Opened &) = delete;
    Opened &operator=(const Opened &) = delete;

  private:
    SnippetFiles &files_;
  };

private:
  /// A folder that may be reached, and a name in there.
  struct Place {
    std::filesystem::path folder, name;
    std::filesystem::path whole() const { return folder / name; }
  };
  std::filesystem::path outFolder() const;
  std::filesystem::path snippetFolder() const;
  std::vector<std::filesystem::path> readFolders() const;
  Result<std::vector<Place>> placesOf(const std::string &name) const;
  Result<Place> outPlace(const std::string &name) const;
  /// The first of the places that holds something; the error of the first where none does.
  template <typename Read> auto firstOf(const std::string &name, const Read &read) const -> decltype(read(Place{}));
  /// The stamp of what may be replaced there; nothing where nothing may.
  std::optional<core::FileStamp> replaceable(const Place &place) const;

  FileRules rules_;
  std::vector<std::filesystem::path> opened_;
  std::map<std::filesystem::path, core::FileStamp> made_;            // by this session
  std::map<std::filesystem::path, std::vector<std::byte>> inMemory_; // what was saved where nothing is written
};

/// The error of a file that is not `what` it was taken for. A snippet can catch an error and look at its message, so
/// that holds no word of the file; what the problems are is said in notes, which it cannot see, and of a file that
/// looks like another's (`foreign`) not even there. Problems that tell names alone stay as they are.
std::unexpected<Diagnostics> unusableFile(std::string_view what, const std::string &name, const Span &call,
                                          const Diagnostics &problems, bool foreign);

/// Error "file-access" where a name is longer than any file's, has a NUL byte or a control character in it, or
/// characters that turn the direction of writing: names that look like others.
Result<void> checkName(std::string_view name);

} // namespace lanescope::repl
