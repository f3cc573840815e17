// The graphs that a program launches, so that their kernels can be recorded one after another.
//
//   graphs.instantiated(exec, graph);                   // after cuGraphInstantiate
//   auto copy = graphs.find(exec);                      // at cuGraphLaunch
//   for (size_t n : copy->kernels()) …copy->step(n)…    // its kernels, in an order that the graph permits
//   copy->run(n, stream, perThread);                    // runs only this node
//
// A clone of the graph is kept, because the program may destroy the graph. The clone's nodes run alone by disabling all
// others (cuGraphNodeSetEnabled), which the driver permits for kernels, copies and fills.
#pragma once

#include "core/gpu/record/RealDriver.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace lanescope::core::record {

class GraphCopy {
public:
  /// `clone` is owned by this object.
  explicit GraphCopy(Graph *clone) : clone_(clone) {}
  GraphCopy(const GraphCopy &) = delete;
  GraphCopy &operator=(const GraphCopy &) = delete;
  ~GraphCopy();

  struct Step {
    GraphNode *node = nullptr;
    bool kernel = false;
    KernelNodeParams parameters{};
    std::vector<LaunchAttribute> attributes; // cooperative, cluster
  };
  /// The nodes that do work, in an order that the graph permits; empty if the graph cannot be read.
  const std::vector<Step> &steps();
  /// The reason why its nodes cannot run one after another; empty: they can.
  const std::string &problem();
  /// Runs one step alone. Call it only if there is no problem.
  Status run(size_t step, Stream *stream, bool perThread);
  /// Applies a change of a kernel node that the program made to its executable graph.
  void change(GraphNode *original, const KernelNodeParams &parameters);

  /// Launches that need no look at the nodes, because nothing in the graph is to be recorded any more. The recorder's
  /// lock guards the members.
  struct Counted {
    std::vector<std::string> kinds; // a line of the recorder's table for each kernel
    uint64_t launches = 0;
  };
  std::shared_ptr<Counted> counted;
  uint64_t settledIn = 0; // the generation of the recorder's settings in which nothing is to be recorded; 0: none

private:
  void read();
  std::string prepare();

  Graph *clone_;
  GraphExec *exec_ = nullptr; // runs the clone; made at the first run, with all steps disabled
  std::vector<Step> steps_;
  bool read_ = false;
  std::string problem_;
};

class Graphs {
public:
  void instantiated(GraphExec *exec, Graph *graph);
  void changed(GraphExec *exec, GraphNode *node, const KernelNodeParams *parameters);
  /// Forgets the graph: the program destroyed it, or changed it in a way that is not followed.
  void forget(GraphExec *exec);
  /// Returns null if the graph is not known.
  std::shared_ptr<GraphCopy> find(GraphExec *exec);

private:
  std::mutex lock_;
  std::map<GraphExec *, std::shared_ptr<GraphCopy>> copies_;
};

} // namespace lanescope::core::record
