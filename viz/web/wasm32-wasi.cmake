# WebAssembly for browsers, with Debian's clang-22, lld-22, libc++-22-dev-wasm32, libc++abi-22-dev-wasm32,
# libclang-rt-22-dev-wasm32 and wasi-libc.
set(CMAKE_SYSTEM_NAME WASI)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
set(CMAKE_CXX_COMPILER_TARGET wasm32-wasi)
set(CMAKE_CXX_FLAGS_INIT "-Wno-deprecated") # clang 22 prefers the name wasm32-wasip1, but Debian's folders have the old one
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY) # a program would need `main`
