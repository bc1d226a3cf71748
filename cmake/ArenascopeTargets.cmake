# SPDX-License-Identifier: MIT
# Settings shared by every target of the project.

function(arenascope_defaults target)
    target_compile_features(${target} PUBLIC cxx_std_20)
    set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
        $<$<BOOL:${ARENASCOPE_WERROR}>:-Werror>)
endfunction()
