# SPDX-License-Identifier: MIT
# Settings shared by every target of the project.

function(arenascope_defaults target)
    target_compile_features(${target} PUBLIC cxx_std_20)
    set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
        $<$<BOOL:${ARENASCOPE_WERROR}>:-Werror>)
endfunction()

# Precompiles `headers` for the target where that is wanted.
function(arenascope_precompile target)
    if(ARENASCOPE_PCH)
        target_precompile_headers(${target} PRIVATE ${ARGN})
    endif()
endfunction()
