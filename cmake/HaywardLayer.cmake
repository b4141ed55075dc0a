# What every target shares: warnings, sanitizers, and the two ways a library is built.
add_library(hayward_flags INTERFACE)
target_compile_options(hayward_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wimplicit-fallthrough -Werror
  -fno-omit-frame-pointer)
target_include_directories(hayward_flags INTERFACE "${PROJECT_SOURCE_DIR}")
if(HAYWARD_SANITIZE)
  target_compile_options(hayward_flags INTERFACE -fsanitize=${HAYWARD_SANITIZE} -fno-sanitize-recover=all)
  target_link_options(hayward_flags INTERFACE -fsanitize=${HAYWARD_SANITIZE})
  if(HAYWARD_SANITIZE MATCHES "undefined")
    target_compile_options(hayward_flags INTERFACE -fno-sanitize=vptr)  # pure targets have no RTTI
  endif()
endif()
if(HAYWARD_FUZZ)
  target_compile_options(hayward_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# hayward_library(NAME [PURE] [DIRS dir...] [LINKS lib...]): a static library of the *.cc in DIRS
# (GLOB: a file added is a file built). PURE: no exceptions, no RTTI.
function(hayward_library name)
  cmake_parse_arguments(arg "PURE" "" "LINKS;DIRS" ${ARGN})
  if(NOT arg_DIRS)
    set(arg_DIRS .)
  endif()
  set(patterns)
  foreach(dir ${arg_DIRS})
    list(APPEND patterns "${CMAKE_CURRENT_SOURCE_DIR}/${dir}/*.cc")
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS ${patterns})
  add_library(${name} STATIC ${sources})
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  target_link_libraries(${name} PUBLIC hayward_flags ${arg_LINKS})
  if(arg_PURE)
    target_compile_options(${name} PRIVATE -fno-exceptions -fno-rtti)
  endif()
endfunction()
