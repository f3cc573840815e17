extern "C" const char *const lanescope_part_version;

/// The version of the shared library that contains this. The program compares it with its own before it calls the
/// library.
extern "C" const char *const lanescope_part_version = LANESCOPE_VERSION;
