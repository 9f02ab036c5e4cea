# SPDX-License-Identifier: Apache-2.0
include(CheckCCompilerFlag)
include(CheckPIESupported)
check_pie_supported(LANGUAGES C)

option(FB_WERROR "Treat warnings as errors (developers and CI only)" OFF)
set(FB_SANITIZE "" CACHE STRING "Comma list for -fsanitize=, e.g. address,undefined")

# Known to GCC >= 12 and Clang >= 14, so not probed.
set(fb_flags
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wundef
  -Wformat=2 -Wcast-qual -Wcast-align -Wwrite-strings -Wpointer-arith
  -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition
  -Wmissing-declarations -Wredundant-decls -Wnested-externs -Wvla
  -Wimplicit-fallthrough -Wnull-dereference -Wdouble-promotion -Wswitch-enum
  -Werror=implicit -Werror=incompatible-pointer-types -Werror=int-conversion
  -Werror=format-security -Werror=return-type
  -fstack-protector-strong -fstack-clash-protection -fno-strict-aliasing
  -fno-strict-overflow -fno-delete-null-pointer-checks -fno-common)

# One compiler, one version or one CPU only: kept where the probe succeeds.
foreach(flag IN ITEMS
    -Wduplicated-cond -Wduplicated-branches -Wlogical-op -Wjump-misses-init
    -Warith-conversion -Wtrampolines -Wbidi-chars=any -fcf-protection=full
    -mbranch-protection=standard -fstrict-flex-arrays=3
    -ftrivial-auto-var-init=zero -fzero-init-padding-bits=all)
  string(MAKE_C_IDENTIFIER "FB_HAVE${flag}" var)
  check_c_compiler_flag("-Werror ${flag}" ${var})
  if(${var})
    list(APPEND fb_flags ${flag})
  endif()
endforeach()

# One call gives a target the house language level, warnings, hardening and
# the sanitizers of the active preset. PRIVATE: nothing leaks to consumers.
function(fb_target name)
  set_target_properties(${name} PROPERTIES
    C_STANDARD 11 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF
    POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden
    COMPILE_WARNING_AS_ERROR ${FB_WERROR})
  target_compile_definitions(${name} PRIVATE _GNU_SOURCE)
  target_compile_options(${name} PRIVATE ${fb_flags})
  target_link_options(${name} PRIVATE
    -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack -Wl,--as-needed)
  if(FB_SANITIZE)
    target_compile_options(${name} PRIVATE
      -O1 -fsanitize=${FB_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${name} PRIVATE -fsanitize=${FB_SANITIZE})
  else()
    target_compile_options(${name} PRIVATE
      $<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE$<SEMICOLON>-D_FORTIFY_SOURCE=3>)
  endif()
endfunction()
