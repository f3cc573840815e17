#include "app/late/LateParts.h"

#include "core/data/Version.h"
#include "core/gpu/runtime/OwnFile.h"
#include "layouts/support/Text.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <mutex>
#include <string_view>

// LateFunctions.cpp, which late.py makes: the libraries' files; the linker's names of their functions that the program
// calls, and the number of each one's library; and for each the address to which the program's function of that name
// jumps. At first that is code which calls lanescope_late_function.
extern "C" const char *const lanescope_late_libraries[];
extern "C" const char *const lanescope_late_names[];
extern "C" const unsigned char lanescope_late_places[];
extern "C" const unsigned long lanescope_late_count;
extern "C" void *lanescope_late_addresses[];

namespace lanescope::app {
namespace {

constexpr unsigned kCompiler = 0; // the order in app/lanescope/CMakeLists.txt
constexpr unsigned kLibraries = 2;
constexpr int kMachineLacks = 3; // the exit status of app/lanescope/Common.h; 1 would be a finding

void (*compilerIsLoaded)() = nullptr;

[[noreturn]] void end(const char *problem) {
  std::fprintf(stderr, "lanescope: error: cannot load a part of the program: %s; install lanescope again as a whole\n",
               problem);
  std::_Exit(kMachineLacks);
}

void load(unsigned library) {
  const char *name = lanescope_late_libraries[library];
  std::filesystem::path file = core::ownLibrary(name);
  if (file.empty())
    end(text("there is no ", name, " in lib/lanescope beside its folder").c_str());
  void *loaded = ::dlopen(file.c_str(), RTLD_NOW);
  if (!loaded)
    end(::dlerror());
  const auto *version = static_cast<const char *const *>(::dlsym(loaded, "lanescope_part_version"));
  if (!version || std::string_view(*version) != core::kVersion)
    end(text(file.string(), " is of version ", version ? *version : "0", ", and the program of ", core::kVersion)
            .c_str());
  for (unsigned long number = 0; number < lanescope_late_count; ++number) {
    if (lanescope_late_places[number] != library)
      continue;
    void *address = ::dlsym(loaded, lanescope_late_names[number]);
    if (!address)
      end(::dlerror());
    __atomic_store_n(&lanescope_late_addresses[number], address, __ATOMIC_RELEASE);
  }
  if (library == kCompiler && compilerIsLoaded)
    compilerIsLoaded();
}

} // namespace

void whenCompilerIsLoaded(void (*act)()) { compilerIsLoaded = act; }

} // namespace lanescope::app

/// Loads the library of function `number` if no thread has done so. Returns the function's address. Ends the process
/// with a message if the library is missing, or lacks a function that the program calls.
extern "C" void *lanescope_late_function(unsigned long number) {
  using namespace lanescope::app;
  static std::once_flag once[kLibraries];
  unsigned library = lanescope_late_places[number];
  std::call_once(once[library], load, library);
  return __atomic_load_n(&lanescope_late_addresses[number], __ATOMIC_ACQUIRE);
}
