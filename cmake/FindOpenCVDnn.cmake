# SPDX-License-Identifier: MIT
# OpenCV's dnn module with what it needs, from the lean development packages: those have no OpenCVConfig.cmake, which only
# the package of all modules (four times the size) brings. Defines OpenCVDnn_FOUND, OpenCVDnn_VERSION and the targets
# OpenCVDnn::core, OpenCVDnn::imgproc, OpenCVDnn::imgcodecs and OpenCVDnn::dnn (which links all of them).
find_path(OpenCVDnn_INCLUDE_DIR opencv2/dnn.hpp PATH_SUFFIXES opencv4)
set(_opencvdnn_modules core imgproc imgcodecs dnn)
set(_opencvdnn_required OpenCVDnn_INCLUDE_DIR)
foreach(_module IN LISTS _opencvdnn_modules)
    find_library(OpenCVDnn_${_module}_LIBRARY opencv_${_module})
    list(APPEND _opencvdnn_required OpenCVDnn_${_module}_LIBRARY)
endforeach()

if(OpenCVDnn_INCLUDE_DIR AND EXISTS "${OpenCVDnn_INCLUDE_DIR}/opencv2/core/version.hpp")
    file(STRINGS "${OpenCVDnn_INCLUDE_DIR}/opencv2/core/version.hpp" _opencvdnn_lines
        REGEX "^#define CV_VERSION_(MAJOR|MINOR|REVISION)[ \t]+[0-9]+")
    list(TRANSFORM _opencvdnn_lines REPLACE "^.*[ \t]([0-9]+)[ \t]*$" "\\1")
    list(JOIN _opencvdnn_lines "." OpenCVDnn_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OpenCVDnn REQUIRED_VARS ${_opencvdnn_required} VERSION_VAR OpenCVDnn_VERSION)
mark_as_advanced(${_opencvdnn_required})

if(OpenCVDnn_FOUND AND NOT TARGET OpenCVDnn::dnn)
    foreach(_module IN LISTS _opencvdnn_modules)
        add_library(OpenCVDnn::${_module} UNKNOWN IMPORTED)
        set_target_properties(OpenCVDnn::${_module} PROPERTIES
            IMPORTED_LOCATION "${OpenCVDnn_${_module}_LIBRARY}"
            INTERFACE_INCLUDE_DIRECTORIES "${OpenCVDnn_INCLUDE_DIR}")
    endforeach()
    set_target_properties(OpenCVDnn::dnn PROPERTIES
        INTERFACE_LINK_LIBRARIES "OpenCVDnn::imgcodecs;OpenCVDnn::imgproc;OpenCVDnn::core")
endif()
unset(_module)
unset(_opencvdnn_modules)
unset(_opencvdnn_required)
unset(_opencvdnn_lines)
