// A program's process from the outside: whatever it sends and however it ends, the run ends with a reason.
#include "repl/program/ProgramProcess.h"

#include "layouts/support/Text.h"
#include "repl/kernel/Kernels.h"
#include "repl/lang/evaluate/Evaluator.h"
#include "repl/session/Session.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <unistd.h>

namespace lanescope::repl {
namespace {

constexpr char kEnded[] = R"({"type":"ended","status":0,"calls":0,"faults":0})";

std::string frameText(std::string_view json, std::string_view blob = "") {
  core::Bytes bytes = core::bytesOf(core::outgoingFrame(json, {std::as_bytes(std::span(blob))}));
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

/// The bytes as octal escapes of printf(1).
std::string escaped(std::string_view bytes) {
  std::string out;
  for (char c : bytes) {
    auto code = static_cast<unsigned char>(c);
    out += {'\\', static_cast<char>('0' + (code >> 6)), static_cast<char>('0' + (code >> 3 & 7)),
            static_cast<char>('0' + (code & 7))};
  }
  return out;
}

struct Outcome {
  ProgramEnd end;
  std::string output;
  size_t calls = 0;
  double seconds = 0;
};

/// The outcome of a run whose process is this shell script. It is stopped after `stopAfter` seconds; 0 means never.
Outcome runOf(const std::string &script, double stopAfter = 0) {
  auto process = ProgramProcess::start({"sh", "-c", script});
  EXPECT_TRUE(process);
  Outcome run;
  std::atomic<bool> stop = false;
  std::thread stopper([&] {
    if (stopAfter > 0) {
      std::this_thread::sleep_for(std::chrono::duration<double>(stopAfter));
      stop = true;
    }
  });
  auto begin = std::chrono::steady_clock::now();
  ProgramEvents events{.output = [&](std::string written) { run.output += written; },
                       .call = [&](const KernelLaunch &) { ++run.calls; }};
  run.end = process->run({.path = "k.py", .text = "import torch\nx = 1\n"}, events, stop);
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  stopper.join();
  return run;
}

std::string said(const Outcome &run) { return run.end.problems.empty() ? "" : render(run.end.problems); }

std::string sends(std::string_view bytes) { return "printf '" + escaped(bytes) + "'; "; }

TEST(ProgramProcess, EndsWell) {
  // Standard output carries messages; the package's host moves the program's own output to standard error.
  Outcome run = runOf("echo out 1>&2; " + sends(frameText(kEnded)));
  EXPECT_EQ(said(run), "");
  EXPECT_EQ(run.end.status, 0);
  EXPECT_EQ(run.output, "out\n");
}

TEST(ProgramProcess, TellsExceptionsAtTheirLines) {
  Outcome run = runOf(sends(frameText(
      R"({"type":"ended","status":1,"calls":3,"faults":1,"exception":{"message":"ValueError: no","line":2,"column":1,"end_column":2,"fault":0}})")));
  ASSERT_EQ(run.end.problems.size(), 1u);
  EXPECT_EQ(run.end.problems[0].message, "ValueError: no");
  EXPECT_EQ(run.end.problems[0].kind, "program");
  EXPECT_EQ(run.end.problems[0].span.source->lineColumn(run.end.problems[0].span.begin).line, 2u);
  EXPECT_EQ(run.end.problems[0].span.end - run.end.problems[0].span.begin, 1u);
  EXPECT_EQ(run.end.calls, 3u);
  EXPECT_EQ(run.end.leftOut, 3u);
}

TEST(ProgramProcess, StopsWhatClosesItsOutputAndGoesOn) {
  Outcome run = runOf("exec sleep 300 >&- 2>&-");
  EXPECT_NE(said(run).find("closed its output and did not end"), std::string::npos) << said(run);
  EXPECT_EQ(run.end.status, 1);
}

TEST(ProgramProcess, RefusesWhatIsNoFrame) {
  std::vector<std::string> all = {
      "Welcome to the machine!\nIt has rules.\n",
      frameText("{"),
      frameText("[]"),
      frameText("{}"),
      frameText(R"({"type":"other"})"),
      frameText(R"({"type":"ended"})"),
      frameText(R"({"type":"ended","status":-1,"calls":0,"faults":0})"),
      frameText(R"({"type":"ended","status":1,"calls":0,"faults":0,"exception":7})"),
      frameText(R"({"type":"call"})"),
      frameText(
          R"({"type":"call","kernel":"k","place":[0,0,9],"device":"e","sources":[{"name":4,"text":1099511627776}]})"),
      std::string("LSW1\xff\xff\xff\xff", 8) + std::string(8, '\xff')};
  for (const std::string &bytes : all) {
    Outcome run = runOf(sends(bytes) + "exec sleep 30");
    EXPECT_NE(said(run), "") << bytes;
    EXPECT_EQ(run.end.status, 1) << bytes;
    EXPECT_LT(run.seconds, 10) << bytes;
    EXPECT_EQ(run.calls, 0u);
  }
}

TEST(ProgramProcess, TellsSuddenDeath) {
  Outcome killed = runOf("kill -SEGV $$");
  EXPECT_NE(said(killed).find("signal 11"), std::string::npos) << said(killed);
  Outcome half = runOf(sends(frameText(kEnded).substr(0, 20)));
  EXPECT_NE(said(half).find("of a message there came"), std::string::npos) << said(half);
  Outcome silent = runOf("exit 3");
  EXPECT_NE(said(silent).find("exit status 3"), std::string::npos) << said(silent);
  EXPECT_EQ(silent.end.status, 1);
}

TEST(ProgramProcess, StopsWhatHangs) {
  Outcome polite = runOf("exec sleep 60", 0.1);
  EXPECT_TRUE(polite.end.interrupted);
  EXPECT_LT(polite.seconds, 5);
  Outcome deaf = runOf("trap '' INT; sleep 60 & while :; do wait; sleep 1; done", 0.1);
  EXPECT_TRUE(deaf.end.interrupted);
  EXPECT_NE(said(deaf).find("stopped"), std::string::npos);
  EXPECT_LT(deaf.seconds, 10);
}

TEST(ProgramProcess, KeepsALimitOfWhatIsWritten) {
  Outcome run = runOf("head -c 50000000 /dev/zero 1>&2; " + sends(frameText(kEnded)));
  EXPECT_EQ(said(run), "");
  EXPECT_GE(run.output.size(), kMostOutput);
  EXPECT_LT(run.output.size(), kMostOutput + 200);
  EXPECT_NE(run.output.find("left out"), std::string::npos);
}

TEST(ProgramProcess, DoesNotWaitForWhatAProgramLeavesBehind) {
  Outcome run = runOf(sends(frameText(kEnded)) + "sleep 60 & exit 0");
  EXPECT_EQ(said(run), "");
  EXPECT_LT(run.seconds, 10);
}

// ------------------------------------------------------------------------------------------------ calls

constexpr char kSnippet[] = R"(@kernel
def double(x: GMEM((64, 64), f32), out: Out((64, 64), f32)):
  with region("work"):
    out[...] = x[...] + x[...]
run(double, ones((64, 64), f32), profile=True)
)";

KernelLaunch launchOf(const SourceRef &source) {
  Session session(
      {.kernels = {.device = "emulator", .keepTexts = true, .recordInputs = true}, .output = [](std::string_view) {}});
  EXPECT_TRUE(session.run(source));
  return session.kernels().launches().back();
}

TEST(KernelCalls, ComeAsTheyWereSent) {
  SourceRef source = Source::make("double.py", kSnippet);
  KernelLaunch sent = launchOf(source);
  auto got = decodeCall(encodeCall(sent));
  ASSERT_TRUE(got) << render(got.error());
  EXPECT_EQ(got->kernel, "double");
  EXPECT_EQ(got->device, sent.device);
  ASSERT_EQ(got->stages->stages.size(), sent.stages->stages.size());
  for (size_t i = 0; i < sent.stages->stages.size(); ++i) {
    const core::Stage &a = sent.stages->stages[i], &b = got->stages->stages[i];
    EXPECT_EQ(a.kind, b.kind);
    EXPECT_EQ(a.text(), b.text());
    ASSERT_EQ(a.origins.size(), b.origins.size());
    for (size_t line = 0; line < a.origins.size(); ++line) {
      EXPECT_EQ(a.origins[line].before, b.origins[line].before);
      ASSERT_EQ(a.origins[line].places.size(), b.origins[line].places.size());
      for (size_t n = 0; n < a.origins[line].places.size(); ++n)
        EXPECT_EQ(a.origins[line].places[n].begin, b.origins[line].places[n].begin);
    }
  }
  ASSERT_TRUE(got->stages->kernel);
  EXPECT_EQ(got->stages->kernel->ptx, sent.stages->kernel->ptx);
  EXPECT_EQ(got->stages->kernel->source->text(), kSnippet);
  ASSERT_EQ(got->inputs.size(), sent.inputs.size());
  EXPECT_EQ(got->inputs[0].bytes, sent.inputs[0].bytes);
  ASSERT_TRUE(got->result && got->result->trace);
  EXPECT_EQ(got->result->outputs[0].bytes, sent.result->outputs[0].bytes);
  EXPECT_EQ(got->result->trace->names, sent.result->trace->names);
}

TEST(KernelCalls, HaveTheirPlacesInTheWholeFile) {
  // The kernel was read from its function's text, in which the lines above it are empty. The whole file has text there.
  std::string above = "# first line\nimport lanescope\n\n";
  SourceRef part = Source::make("k.py", "\n\n\n" + std::string(kSnippet)),
            whole = Source::make("k.py", above + kSnippet);
  KernelLaunch sent = launchOf(part);
  auto got = decodeCall(encodeCall(sent, [&](const std::string &name) { return name == "k.py" ? whole : nullptr; }));
  ASSERT_TRUE(got);
  EXPECT_EQ(got->stages->kernel->source->text(), whole->text());
  const Span &from = sent.stages->kernel->values.front().span, &to = got->stages->kernel->values.front().span;
  EXPECT_EQ(from.source->text().substr(from.begin, from.end - from.begin),
            to.source->text().substr(to.begin, to.end - to.begin));
  EXPECT_EQ(from.source->lineColumn(from.begin).line, to.source->lineColumn(to.begin).line);
  EXPECT_NE(from.begin, to.begin);
}

TEST(KernelCalls, OfAnyBytesGiveAnErrorOrACall) {
  core::Frame frame = encodeCall(launchOf(Source::make("double.py", kSnippet)));
  uint32_t random = 7;
  auto next = [&](size_t below) {
    random = random * 1664525u + 1013904223u;
    return (random >> 8) % below;
  };
  size_t refused = 0;
  for (int i = 0; i < 400; ++i) {
    core::Frame damaged = frame;
    for (int n = 0; n < 4; ++n)
      if (i % 2)
        damaged.json[next(damaged.json.size())] = static_cast<char>("0123456789[]{}\",-x"[next(18)]);
      else
        damaged.blob[next(damaged.blob.size())] = static_cast<std::byte>(next(256));
    if (i % 7 == 0)
      damaged.blob.resize(next(damaged.blob.size()));
    refused += !decodeCall(damaged);
  }
  EXPECT_GT(refused, 100u);
}

TEST(Preloading, IsOfInstalledModulesAlone) {
  EXPECT_EQ(preloadOf("/nowhere/k.py", "import numpy as np\nfrom jax import lax\nimport numpy\n"),
            (std::vector<std::string>{"numpy", "jax"}));
  EXPECT_TRUE(preloadOf("/nowhere/k.py", "import os\nos.environ['XLA_FLAGS'] = ''\nimport jax\n").empty());
}

} // namespace
} // namespace lanescope::repl
