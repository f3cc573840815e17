// The editor is driven by arbitrary bytes: each byte is an edit or a move, with the following bytes as its text. Places
// stay at character boundaries, undo restores the initial text, and reloads and completions at any time lose nothing.
#include "viz/gui/editor/EditorModel.h"

#include <cstdint>
#include <cstdlib>

using namespace lanescope::viz;

namespace {

void require(bool condition) {
  if (!condition)
    std::abort();
}

/// The remaining bytes of the input.
struct Bytes {
  const uint8_t *at, *end;
  uint8_t next() { return at < end ? *at++ : 0; }
  std::string text() {
    std::string out;
    for (int count = next() % 8; count > 0 && at < end; --count)
      out += static_cast<char>(next());
    return out;
  }
};

void step(EditorModel &model, Bytes &bytes) {
  uint8_t what = bytes.next();
  bool select = (what & 0x80) != 0;
  switch (what % 20) {
  case 0: model.type(bytes.text()); break;
  case 1: model.paste(bytes.text()); break;
  case 2: model.newLine(); break;
  case 3: model.backspace(select); break;
  case 4: model.eraseNext(select); break;
  case 5: model.indent(); break;
  case 6: model.outdent(); break;
  case 7: model.toggleComment(); break;
  case 8: model.moveSelectedLines(select); break;
  case 9: model.undo(); break;
  case 10: model.redo(); break;
  case 11: (void)model.cut(); break;
  case 12: model.moveLines(static_cast<int8_t>(bytes.next()), select); break;
  case 13: model.moveTo({bytes.next(), bytes.next()}, select); break;
  case 14: model.selectWord({bytes.next(), bytes.next()}); break;
  case 15: {
    std::string mine = model.text(), theirs = bytes.text();
    EditorReload reload = model.fileChanged(theirs);
    require(reload == EditorReload::Taken || model.text() == mine);
    break;
  }
  case 16: select ? model.takeTheirs() : model.keepMine(); break;
  case 17: {
    Completions answer{(uint64_t{1} << 32) + bytes.next(), bytes.next(), {bytes.text(), bytes.text()}};
    model.completed(answer);
    break;
  }
  case 18: model.accept(bytes.next()); break;
  default: model.move(static_cast<EditorMove>(bytes.next() % (static_cast<int>(EditorMove::End) + 1)), select); break;
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > 4096)
    return 0;
  Bytes bytes{data, data + size};
  EditorModel model;
  std::string start = bytes.text() + "\n" + bytes.text();
  if (!model.open("fuzz.py", start))
    return 0;
  while (bytes.at < bytes.end) {
    step(model, bytes);
    const TextBuffer &buffer = model.buffer();
    for (TextPlace place : {model.cursor(), model.selectionBegin(), model.selectionEnd()}) {
      require(buffer.within(place) == place);
      require(buffer.placeAt(buffer.offsetOf(place)) == place);
    }
    require(TextBuffer(buffer.plainText()).lines() == buffer.lines());
  }
  while (model.undo())
    ;
  require(model.buffer().plainText() == TextBuffer(start).plainText());
  return 0;
}
