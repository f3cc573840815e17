#include "repl/terminal/LineReader.h"

#include "layouts/support/TerminalWidth.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <cerrno>
#include <clocale>
#include <cstdlib>
#include <histedit.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace lanescope::repl {
namespace {

constexpr uint32_t kControlD = 4;
constexpr std::string_view kIndent = "  ";
constexpr size_t kMaxOffers = 200;
constexpr int kUsualColumns = 80;

int columnsOf(int file) {
  winsize size{};
  return ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsualColumns;
}

/// The candidates in columns, as a shell lists files.
std::string listed(const std::vector<std::string> &candidates, int columns) {
  size_t shown = std::min(candidates.size(), kMaxOffers);
  int64_t width = 1;
  for (size_t i = 0; i < shown; ++i)
    width = std::max(width, columnCount(candidates[i]) + 2);
  size_t across = std::max<size_t>(1, static_cast<size_t>(columns / width));
  size_t rows = (shown + across - 1) / across;
  std::string out;
  for (size_t row = 0; row < rows; ++row) {
    std::string line;
    for (size_t i = row; i < shown; i += rows)
      line += padded(candidates[i], width);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  if (shown < candidates.size())
    out += text("(", candidates.size() - shown, " more)\n");
  return out;
}

} // namespace

struct LineReader::State {
  Interrupts &interrupts;
  Completer completer;
  EditLine *editor = nullptr;
  ::History *past = nullptr;
  std::string prompt;
  bool dropped = false;

  State(Interrupts &interrupts, Completer completer) : interrupts(interrupts), completer(std::move(completer)) {}
  ~State() {
    if (editor)
      el_end(editor);
    if (past)
      history_end(past);
  }

  static State &of(EditLine *editor) {
    void *state = nullptr;
    el_get(editor, EL_CLIENTDATA, &state);
    return *static_cast<State *>(state);
  }
  static char *promptText(EditLine *editor) { return of(editor).prompt.data(); }

  /// Reads a character for libedit. Returns 1 for a character, 0 at the end of the input, and -1 to give up the line.
  static int readCharacter(EditLine *editor, wchar_t *out) {
    State &state = of(editor);
    char bytes[4];
    size_t have = 0, need = 1;
    while (have < need) {
      if (!state.interrupts.waitForInput(STDIN_FILENO)) {
        if (state.interrupts.takeResize()) {
          el_resize(editor);
          el_set(editor, EL_REFRESH);
        }
        if (state.interrupts.take()) {
          state.dropped = true;
          return -1;
        }
        continue;
      }
      ssize_t got = ::read(STDIN_FILENO, bytes + have, 1);
      if (got < 0 && errno == EINTR)
        continue;
      if (got <= 0)
        return 0;
      auto lead = static_cast<unsigned char>(bytes[0]);
      if (have++ == 0)
        need = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    }
    uint32_t code = static_cast<unsigned char>(bytes[0]);
    // libedit writes the prompt before it leaves the terminal's line mode. A Ctrl-D that is typed in between waits in
    // the line discipline as an end of file. After the mode has changed, it is read as a NUL.
    if (code == 0)
      code = kControlD;
    if (need > 1) {
      code &= 0x7F >> need;
      for (size_t i = 1; i < need; ++i)
        code = code << 6 | (static_cast<unsigned char>(bytes[i]) & 0x3F);
    }
    *out = static_cast<wchar_t>(code);
    return 1;
  }

  static unsigned char tab(EditLine *editor, int) {
    State &state = of(editor);
    const LineInfo *info = el_line(editor);
    std::string_view line(info->buffer, static_cast<size_t>(info->lastchar - info->buffer));
    auto cursor = static_cast<size_t>(info->cursor - info->buffer);
    if (line.substr(0, cursor).find_first_not_of(' ') == line.npos) {
      el_insertstr(editor, kIndent.data());
      return CC_REFRESH;
    }
    Completion found = state.completer(line, cursor);
    if (found.candidates.empty())
      return CC_REFRESH_BEEP;
    std::string common = commonBeginning(found.candidates);
    if (size_t typed = cursor - found.from; common.size() > typed) {
      el_insertstr(editor, common.c_str() + typed);
      return CC_REFRESH;
    }
    std::string offers = "\n" + listed(found.candidates, columnsOf(STDOUT_FILENO));
    fputs(offers.c_str(), stdout);
    fflush(stdout);
    return CC_REDISPLAY;
  }
};

LineReader::LineReader(Interrupts &interrupts, const History &history, Completer completer)
    : state_(std::make_unique<State>(interrupts, std::move(completer))) {
  // libedit counts characters by the locale. Without a UTF-8 locale, it would misplace the cursor.
  if (!std::setlocale(LC_CTYPE, "") || MB_CUR_MAX == 1)
    std::setlocale(LC_CTYPE, "C.UTF-8");
  state_->editor = el_init("lanescope", stdin, stdout, stderr);
  state_->past = history_init();
  HistEvent event;
  ::history(state_->past, &event, H_SETSIZE, static_cast<int>(2 * History::kMaxEntries));
  for (const std::string &entry : history.entries())
    remember(entry);
  EditLine *editor = state_->editor;
  if (!editor)
    return;
  el_set(editor, EL_CLIENTDATA, state_.get());
  el_set(editor, EL_PROMPT, State::promptText);
  el_set(editor, EL_GETCFN, State::readCharacter);
  el_set(editor, EL_SIGNAL, 0);
  el_set(editor, EL_HIST, ::history, state_->past);
  el_set(editor, EL_EDITOR, "emacs");
  el_set(editor, EL_ADDFN, "lanescope-complete", "Completes the word at the cursor", State::tab);
  const char *const bindings[][2] = {{"\t", "lanescope-complete"},  {"^R", "em-inc-search-prev"},
                                     {"^W", "ed-delete-prev-word"}, {"\033[3~", "ed-delete-next-char"},
                                     {"\033[H", "ed-move-to-beg"},  {"\033[F", "ed-move-to-end"},
                                     {"\033[1;5D", "ed-prev-word"}, {"\033[1;5C", "em-next-word"}};
  for (const auto &[key, command] : bindings)
    el_set(editor, EL_BIND, key, command, nullptr);
}

LineReader::~LineReader() = default;

LineReader::Status LineReader::read(const std::string &prompt, std::string &line) {
  line.clear();
  if (!state_->editor)
    return End;
  state_->prompt = prompt;
  state_->dropped = false;
  int count = 0;
  const char *got = el_gets(state_->editor, &count);
  if (state_->dropped)
    return Dropped;
  if (!got || count <= 0)
    return End;
  line.assign(got, static_cast<size_t>(count));
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r'))
    line.pop_back();
  return Line;
}

void LineReader::remember(const std::string &entry) {
  HistEvent event;
  ::history(state_->past, &event, H_ENTER, entry.c_str());
}

} // namespace lanescope::repl
