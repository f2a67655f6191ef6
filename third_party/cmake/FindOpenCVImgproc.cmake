# Finds OpenCV's modules core and imgproc; defines OpenCVImgproc::OpenCVImgproc. (Debian's CMake file of OpenCV comes with a
# package that installs all of its modules.)
find_path(OPENCV_IMGPROC_INCLUDE_DIR opencv2/imgproc.hpp PATH_SUFFIXES opencv4)
find_library(OPENCV_IMGPROC_LIBRARY opencv_imgproc)
find_library(OPENCV_CORE_LIBRARY opencv_core)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OpenCVImgproc REQUIRED_VARS OPENCV_IMGPROC_LIBRARY OPENCV_CORE_LIBRARY
                                  OPENCV_IMGPROC_INCLUDE_DIR)
if(OpenCVImgproc_FOUND AND NOT TARGET OpenCVImgproc::OpenCVImgproc)
  add_library(OpenCVImgproc::OpenCVImgproc UNKNOWN IMPORTED)
  set_target_properties(OpenCVImgproc::OpenCVImgproc PROPERTIES IMPORTED_LOCATION ${OPENCV_IMGPROC_LIBRARY}
                        INTERFACE_INCLUDE_DIRECTORIES ${OPENCV_IMGPROC_INCLUDE_DIR}
                        INTERFACE_LINK_LIBRARIES ${OPENCV_CORE_LIBRARY})
endif()
mark_as_advanced(OPENCV_IMGPROC_INCLUDE_DIR OPENCV_IMGPROC_LIBRARY OPENCV_CORE_LIBRARY)
