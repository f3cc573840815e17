// The files that a snippet may reach. It reads in a few folders and writes arrays in one, never through a symbolic
// link. It replaces only its own files unless the user permits more (docs/security.md).
//
//   SnippetFiles files({.snippet = "kernels/a.py", .out = "results"});
//   files.read("x.npy", role)            results/x.npy, else kernels/x.npy, else x.npy of the working directory
//   files.save("y.npy", bytes)       results/y.npy; an error if the snippet did not make that file
//
// Names are taken literally: `~` and `$HOME` have no special meaning.
#pragma once

#include "core/data/Beneath.h"
#include "repl/lang/files/SavedFiles.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace lanescope::repl {

struct FileRules {
  std::filesystem::path snippet = {}; // the file that is run; empty for entries typed at a prompt
  // `--out`: the folder for writing. If empty, it is the snippet's folder, or the working directory if there is no
  // snippet.
  std::filesystem::path out = {};
  std::vector<std::filesystem::path> reads = {}; // `--read`: further folders for reading
  bool overwrite = false;                        // `--overwrite`: the user permits replacing files
  bool anywhere = false;            // no rule applies, for a Python program, which can open files by itself
  bool keepsInMemory = false;       // saved files stay in memory, where this session finds them again
  std::filesystem::path saved = {}; // the record of files that earlier runs made; empty for none
};

class SnippetFiles {
public:
  explicit SnippetFiles(FileRules rules = {});

  /// The file's bytes. Errors: "file-access" if the name is in none of the folders or is reached through a link;
  /// "unreadable-file".
  Result<core::Bytes> read(const std::string &name, core::FileRole role) const;
  /// The file's text. The source's name is the path where the file was found.
  Result<SourceRef> readSource(const std::string &name, core::FileRole role) const;
  /// The folder of this name, or the folder of the files whose names begin with it. Errors: those of read().
  Result<std::filesystem::path> folder(const std::string &name) const;
  /// Writes an array's file; its name must end in `.npy`. Errors: "file-access", "file-exists", "unwritable-file".
  Result<void> save(const std::string &name, core::Bytes bytes);

  /// Asks the user if the session may replace a file that it did not make; null: it may not.
  std::function<bool(const std::string &path)> ask = nullptr;

  const FileRules &rules() const { return rules_; }
  /// Selects the file that is run from now on; empty for entries at a prompt. The other rules stay.
  void setSnippet(std::filesystem::path snippet) { rules_.snippet = std::move(snippet); }
  /// Chooses if saved files stay in memory. The session drops them when it writes files again.
  void setKeepsInMemory(bool keeps);

  /// While the object lives, one more folder may be read: the folder of a file that the user opened.
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
  /// A folder that may be accessed, and a name in it.
  struct Place {
    std::filesystem::path folder, name;
    std::filesystem::path whole() const { return folder / name; }
  };
  std::filesystem::path outFolder() const;
  std::filesystem::path snippetFolder() const;
  std::vector<std::filesystem::path> readFolders() const;
  Result<std::vector<Place>> placesOf(const std::string &name) const;
  Result<Place> outPlace(const std::string &name) const;
  /// The content at the first place that has any. If no place has, the error for the first place.
  template <typename Read> auto firstOf(const std::string &name, const Read &read) const -> decltype(read(Place{}));
  /// The stamp of the file at the place if the session may replace it; nothing if it may not.
  std::optional<core::FileStamp> replaceable(const Place &place) const;

  FileRules rules_;
  std::vector<std::filesystem::path> opened_;
  std::map<std::filesystem::path, core::FileStamp> made_; // files that this session made
  std::map<std::filesystem::path, core::Bytes> inMemory_; // contents of saved files if they stay in memory
};

/// The error for a file that is not the expected `what`. A snippet can catch an error and read its message, so the
/// message contains no text of the file. Notes, which the snippet cannot see, give the problems. If the file looks like
/// another user's (`foreign`), they do not appear at all. Problems that mention only names stay as they are.
std::unexpected<Diagnostics> unusableFile(std::string_view what, const std::string &name, const Span &call,
                                          const Diagnostics &problems, bool foreign);

/// Error "file-access" for a name that is longer than any file's, or that has a NUL byte, a control character, or
/// characters that change the direction of writing, because they make the name look like another one.
Result<void> checkName(std::string_view name);

} // namespace lanescope::repl
