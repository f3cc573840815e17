#include "viz/gui/window/Window.h"

#include "core/data/Files.h"
#include "layouts/support/Text.h"
#include "viz/gui/window/FastKeys.h"
#include "viz/gui/window/GlFunctions.h"
#include "viz/gui/window/GlTextures.h"
#include "viz/gui/window/Keeping.h"
#include "viz/gui/window/Screenshot.h"
#include "viz/gui/window/ScriptRunner.h"
#include "viz/gui/window/WindowWorkspace.h"

#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>

namespace lanescope::viz {

namespace {

constexpr int kDone = 0, kInputAtFault = 1, kMachineLacks = 3;
constexpr double kAwakeSeconds = 0.4; // drawing goes on for this many seconds after the last event
// The frames of a script are computed without pauses. Drawing each of them would take several times as long on a
// machine without a GPU, so the window shows only four frames a second. A script can take a screenshot of any frame.
constexpr double kScriptDrawSeconds = 0.25;
constexpr double kScriptWaitSeconds = 0.005; // how long a script waits at a time while its host needs the processor

std::string &lastGlfwError() {
  static std::string message;
  return message;
}

int lacks(const std::string &what) {
  const char *display = std::getenv("DISPLAY"), *wayland = std::getenv("WAYLAND_DISPLAY");
  std::string seen = display || wayland ? "" : " (neither `DISPLAY` nor `WAYLAND_DISPLAY` is set)";
  std::string detail = lastGlfwError().empty() ? "" : text(": ", lastGlfwError());
  std::fprintf(
      stderr,
      "error: %s%s%s\n"
      "note: without a screen, a virtual one does (Debian package xvfb): "
      "xvfb-run -a -s \"-screen 0 1600x1000x24\" lanescope gui …\n"
      "note: `lanescope show LAYOUT --shape 64x64 -o picture.svg` and `lanescope trace FILE -o trace.html` draw "
      "the same pictures into files\n",
      what.c_str(), seen.c_str(), detail.c_str());
  return kMachineLacks;
}

int inputAtFault(const Diagnostics &diagnostics) {
  std::fputs(render(diagnostics).c_str(), stderr);
  return kInputAtFault;
}

class Window {
public:
  Window(const WindowOptions &options, Host &host, std::vector<ScriptCommand> script) : options_(options), host_(host) {
    if (!options.script.empty() || !options.screenshot.empty()) {
      if (!options.screenshot.empty()) {
        ScriptCommand last{"screenshot", {options.screenshot}, options.screenshot, {}};
        // `quit` ends a script. The screenshot is taken before it.
        auto quit = script.begin();
        while (quit != script.end() && quit->name != "quit")
          ++quit;
        script.insert(quit, std::move(last));
      }
      runner_.emplace(std::move(script));
    }
  }
  ~Window() {
    host_.onUpdate({});
    workspace_.reset();
    if (imgui_) {
      textures_.clear(); // must happen before their OpenGL context is destroyed
      ImGui_ImplOpenGL3_Shutdown();
      ImGui_ImplGlfw_Shutdown();
      ImGui::DestroyContext();
    }
    if (window_)
      glfwDestroyWindow(window_);
    glfwTerminate();
  }

  int run() {
    if (int status = create())
      return status;
    while (!glfwWindowShouldClose(window_)) {
      waitForNews();
      frame();
      if (runner_ && workspace_->toOpen.empty() && runner_->done())
        break;
    }
    if (!runner_)
      (void)saveKept(keptStateFile(), keptState());
    if (runner_ && !runner_->problems().empty())
      return inputAtFault(runner_->problems());
    return kDone;
  }

private:
  int create() {
    glfwSetErrorCallback([](int, const char *message) { lastGlfwError() = message; });
    if (!glfwInit())
      return lacks("this machine shows no display to open a window on");
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 2);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
    window_ = glfwCreateWindow(options_.width, options_.height, "Lanescope", nullptr, nullptr);
    if (!window_)
      return lacks("this display offers no OpenGL 3.2");
    glfwMakeContextCurrent(window_);
    glfwSwapInterval(runner_ ? 0 : 1);
    IMGUI_CHECKVERSION();
    ImGui::CreateContext();
    imgui_ = true;
    ImGui::GetIO().IniFilename = nullptr;
    glfwSetWindowUserPointer(window_, this);
    // Dear ImGui's callback calls this callback.
    glfwSetKeyCallback(window_, [](GLFWwindow *window, int key, int, int action, int modifiers) {
      FastKeys &keys = static_cast<Window *>(glfwGetWindowUserPointer(window))->fastKeys_;
      if (action == GLFW_PRESS)
        keys.pressed(key, modifiers);
      else if (action == GLFW_RELEASE)
        keys.released(key);
    });
    glfwSetDropCallback(window_, [](GLFWwindow *window, int count, const char **paths) {
      std::optional<Workspace> &workspace = static_cast<Window *>(glfwGetWindowUserPointer(window))->workspace_;
      double x = 0, y = 0;
      glfwGetCursorPos(window, &x, &y);
      for (int i = 0; workspace && i < count; ++i) // the files are opened one after another
        workspace->drop(paths[i], float(x), float(y));
    });
    ImGui_ImplGlfw_InitForOpenGL(window_, true);
    ImGui_ImplOpenGL3_Init("#version 150");
    float x = 1, y = 1;
    glfwGetWindowContentScale(window_, &x, &y);
    applyTheme(theme_, options_.dark, std::clamp(options_.scale * std::max(x, 0.5f), 0.5f, 4.0f));
    loadFonts(theme_);
    workspace_.emplace(host_, theme_, textures_);
    workspace_->toOpen.assign(options_.files.begin(), options_.files.end());
    if (!runner_) { // a script begins with the same window on every machine
      workspace_->kept = loadKept(keptStateFile());
      workspace_->live.recent = workspace_->kept.recent;
      for (const auto &[path, content] : workspace_->kept.unsaved)
        workspace_->live.restoreUnsaved(path, content);
    }
    if (options_.run.is(core::Json::Kind::Object))
      workspace_->runSteps = debuggerSteps(options_.run);
    if (!options_.view.empty())
      workspace_->models.explorer.paste(options_.view, workspace_->requests);
    auto wake = [] { glfwPostEmptyEvent(); };
    workspace_->requests.onUpdate(wake);
    workspace_->models.debugger.onUpdate(wake);
    host_.onUpdate(wake);
    workspace_->live.onUpdate(wake);
    return kDone;
  }

  /// The state that is kept for the next session.
  KeptState keptState() {
    KeptState out{.recent = workspace_->live.recent, .unsaved = workspace_->live.unsaved()};
    out.last = workspace_->openedFiles.empty() ? workspace_->kept.last : stateOf(*workspace_);
    return out;
  }

  /// While the user edits, saves the state every few seconds, so that no text is lost if the program ends. If the
  /// folder cannot be written, the user can still work.
  void keepEdits() {
    constexpr double kSeconds = 5;
    uint64_t version = workspace_->models.editor.version();
    if (runner_ || version == keptVersion_ || glfwGetTime() - keptAt_ < kSeconds)
      return;
    keptAt_ = glfwGetTime();
    keptVersion_ = version;
    workspace_->requests.post("keep", [state = keptState()] {
      (void)saveKept(keptStateFile(), state);
      return Requests::Delivery();
    });
  }

  /// Sleeps until the next event, unless something is in progress.
  void waitForNews() {
    if (runner_) {
      if (workspace_->pending())
        glfwWaitEventsTimeout(kScriptWaitSeconds);
      else
        glfwPollEvents();
      return;
    }
    double now = glfwGetTime();
    bool held = ImGui::GetIO().MouseDown[0];
    for (bool down : ImGui::GetIO().KeysDown)
      held |= down;
    if (held || now < awakeUntil_) {
      glfwPollEvents();
    } else {
      double before = glfwGetTime(), limit = workspace_->pending() ? 0.1 : 0.5;
      glfwWaitEventsTimeout(limit);
      if (glfwGetTime() - before < limit * 0.95)
        awakeUntil_ = glfwGetTime() + kAwakeSeconds;
    }
  }

  void applyWishes() {
    if (workspace_->wantDark == theme_.dark && std::abs(workspace_->wantScale - theme_.scale) < 1e-3f)
      return;
    bool fonts = std::abs(workspace_->wantScale - theme_.scale) >= 1e-3f;
    applyTheme(theme_, workspace_->wantDark, workspace_->wantScale);
    if (fonts) {
      ImGui_ImplOpenGL3_DestroyFontsTexture();
      loadFonts(theme_);
      ImGui_ImplOpenGL3_CreateFontsTexture();
    }
  }

  void frame() {
    textures_.newFrame();
    workspace_->update();
    keepEdits();
    applyWishes();
    ImGui_ImplOpenGL3_NewFrame();
    ImGui_ImplGlfw_NewFrame();
    std::optional<std::string> screenshot;
    ImGuiIO &io = ImGui::GetIO();
    const bool control = io.KeyCtrl, shift = io.KeyShift, alt = io.KeyAlt;
    std::vector<FastKey> fast = fastKeys_.take();
    for (const FastKey &key : fast)
      if (key.key >= 0) {
        io.KeysDown[key.key] = true;
        io.KeyCtrl |= (key.modifiers & GLFW_MOD_CONTROL) != 0;
        io.KeyShift |= (key.modifiers & GLFW_MOD_SHIFT) != 0;
        io.KeyAlt |= (key.modifiers & GLFW_MOD_ALT) != 0;
      }
    if (runner_)
      screenshot = scripted();
    ImGui::NewFrame();
    for (const FastKey &key : fast)
      if (key.key >= 0)
        io.KeysDown[key.key] = false;
    ImVec2 size = ImGui::GetIO().DisplaySize;
    workspace_->draw(size.x, size.y);
    ImGui::Render();
    if (!fast.empty())
      io.KeyCtrl = control, io.KeyShift = shift, io.KeyAlt = alt;
    if (!runner_ || screenshot || glfwGetTime() - drawnAt_ >= kScriptDrawSeconds)
      paint(screenshot);
  }

  /// Paints Dear ImGui's output for this frame. If `screenshot` is set, saves the frame there.
  void paint(const std::optional<std::string> &screenshot) {
    drawnAt_ = glfwGetTime();
    int width = 0, height = 0;
    glfwGetFramebufferSize(window_, &width, &height);
    gl().viewport(0, 0, width, height);
    ImVec4 ground = toVec4(theme_.ground);
    gl().clearColor(ground.x, ground.y, ground.z, 1);
    gl().clear(GL_COLOR_BUFFER_BIT);
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    if (screenshot)
      if (auto saved = save(*screenshot, width, height); !saved)
        runner_->fail(saved.error());
    glfwSwapBuffers(window_);
  }

  /// Replaces the input of mouse and keys by that of the script. If the script requests a picture of this frame,
  /// returns its path.
  std::optional<std::string> scripted() {
    ImGuiIO &io = ImGui::GetIO();
    ScriptStep step;
    if (workspace_->toOpen.empty())
      step = runner_->next(*workspace_, io.WantTextInput);
    io.DeltaTime = 1.0f / 60;
    io.MousePos = step.pointer;
    io.MouseWheel = step.wheel;
    for (bool &down : io.MouseDown)
      down = false;
    io.MouseDown[0] = step.down;
    for (bool &down : io.KeysDown)
      down = false;
    io.KeyCtrl = io.KeyShift = io.KeyAlt = false;
    if (step.key) {
      io.KeysDown[step.key->key] = true;
      io.KeyCtrl = step.key->control, io.KeyShift = step.key->shift, io.KeyAlt = step.key->alt;
    }
    if (!step.characters.empty())
      io.AddInputCharactersUTF8(step.characters.c_str());
    workspace_->models.console.takeFocus |= step.focusConsole;
    return step.screenshot;
  }

  Result<void> save(const std::string &path, int width, int height) {
    std::vector<uint8_t> pixels(size_t(width) * size_t(height) * 4);
    gl().pixelStorei(GL_PACK_ALIGNMENT, 1);
    gl().readPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
    return saveScreenshot(path, width, height, pixels);
  }

  const WindowOptions &options_;
  Host &host_;
  GLFWwindow *window_ = nullptr;
  bool imgui_ = false;
  Theme theme_;
  GlTextures textures_;
  std::optional<Workspace> workspace_;
  std::optional<ScriptRunner> runner_;
  FastKeys fastKeys_;
  double awakeUntil_ = 1, keptAt_ = 0, drawnAt_ = 0;
  uint64_t keptVersion_ = 0; // the version of the editor's text when the state was last kept
};

} // namespace

int runWindow(const WindowOptions &options, Host &host) {
  std::vector<ScriptCommand> script;
  if (!options.script.empty()) {
    auto source = core::readSource(options.script, core::FileRole::Script);
    if (!source)
      return inputAtFault(source.error());
    auto parsed = parseScript(*source);
    if (!parsed)
      return inputAtFault(parsed.error());
    script = *std::move(parsed);
  }
  return Window(options, host, std::move(script)).run();
}

} // namespace lanescope::viz
