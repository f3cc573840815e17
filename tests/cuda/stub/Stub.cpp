// Functions of the driver's names that look up the driver's own, as libraries of XLA export them. Such a library may
// come before the driver's.
#include <dlfcn.h>

namespace {

template <typename... Arguments> int own(const char *name, Arguments... arguments) {
  void *found = ::dlsym(::dlopen("libcuda.so.1", RTLD_LAZY), name);
  return found ? reinterpret_cast<int (*)(Arguments...)>(found)(arguments...) : 1;
}

} // namespace

extern "C" {
int cuGraphLaunch(void *graph, void *stream) { return own("cuGraphLaunch", graph, stream); }
int cuGraphExecDestroy(void *graph) { return own("cuGraphExecDestroy", graph); }
int cuGraphNodeSetEnabled(void *graph, void *node, unsigned enabled) {
  return own("cuGraphNodeSetEnabled", graph, node, enabled);
}
}
