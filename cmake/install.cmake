# SPDX-License-Identifier: MIT
# What `cmake --install` puts where: headers, libraries, the command, pkg-config files, a CMake package, licences.
# The build and the tests link static libraries, which show their internals to each other. The shared ones are made of
# the same objects, and show only what is marked SN_API.
include(CMakeDependentOption)
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
cmake_dependent_option(SN_INSTALL_SHARED "Build and install shared libraries beside the static ones" ON
  "NOT SN_SANITIZE;NOT SN_FUZZ;UNIX OR WIN32" OFF)

set_target_properties(sinew PROPERTIES EXPORT_NAME sinew_static)
set(SN_INSTALL_LIBRARIES sinew)
if(NOT SN_RUNTIME_ONLY)
  set_target_properties(sinew_author PROPERTIES EXPORT_NAME author_static)
  set_target_properties(sinew_gpu PROPERTIES EXPORT_NAME gpu_static)
  list(APPEND SN_INSTALL_LIBRARIES sinew_author sinew_gpu)
endif()

if(SN_INSTALL_SHARED)
  add_library(sinew_shared SHARED $<TARGET_OBJECTS:sinew>)
  target_link_libraries(sinew_shared PRIVATE ${SN_SYSTEM_LIBRARIES})
  set_target_properties(sinew_shared PROPERTIES OUTPUT_NAME sinew EXPORT_NAME sinew)
  set(SN_SHARED_LIBRARIES sinew_shared)

  if(NOT SN_RUNTIME_ONLY)
    # The others have their own, hidden copies of what they need of the host's internals; but not of what has state,
    # host/base/base.c and host/world: that is taken from libsinew.so, which stands first.
    add_library(sinew_author_shared SHARED $<TARGET_OBJECTS:sinew_author>)
    target_link_libraries(sinew_author_shared PUBLIC sinew_shared PRIVATE sinew ${SN_AUTHOR_LIBRARIES} m)
    add_library(sinew_gpu_shared SHARED $<TARGET_OBJECTS:sinew_gpu>)
    target_link_libraries(sinew_gpu_shared PUBLIC sinew_shared PRIVATE sinew
      PUBLIC $<BUILD_INTERFACE:PkgConfig::VULKAN> $<INSTALL_INTERFACE:vulkan> PRIVATE m)
    foreach(library author gpu)
      target_link_options(sinew_${library}_shared PRIVATE "LINKER:--exclude-libs,$<TARGET_FILE_NAME:sinew>")
      set_target_properties(sinew_${library}_shared PROPERTIES OUTPUT_NAME sinew_${library} EXPORT_NAME ${library}
        INSTALL_RPATH "$ORIGIN")
    endforeach()
    list(APPEND SN_SHARED_LIBRARIES sinew_author_shared sinew_gpu_shared)

    # Templates of C++ headers are visible whatever the compiler is told.
    target_link_options(sinew_author_shared PRIVATE "LINKER:--version-script,${CMAKE_CURRENT_LIST_DIR}/exports.map")
  endif()

  foreach(library ${SN_SHARED_LIBRARIES})
    if(UNIX AND NOT APPLE)
      target_link_options(${library} PRIVATE "LINKER:-z,defs")
    endif()
    set_target_properties(${library} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
      LINKER_LANGUAGE C)
    if(WIN32)
      set_target_properties(${library} PROPERTIES PREFIX "")
    endif()
  endforeach()
  list(APPEND SN_INSTALL_LIBRARIES ${SN_SHARED_LIBRARIES})
endif()

if(NOT SN_RUNTIME_ONLY)
  install(TARGETS sinew_tool)
  if(SN_FBX)
    install(TARGETS sinew_read_fbx DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/sinew)
  endif()
  # The page of `sinew puppet --web`, and what adds MediaPipe to it, which is not installed.
  set(SN_PAGE_FOLDER ${CMAKE_INSTALL_DATADIR}/sinew/puppet-page)
  install(DIRECTORY tools/puppet-page/ DESTINATION ${SN_PAGE_FOLDER} PATTERN build EXCLUDE)
  install(PROGRAMS tools/puppet-page/build DESTINATION ${SN_PAGE_FOLDER})
endif()
install(TARGETS ${SN_INSTALL_LIBRARIES} EXPORT sinew INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/sinew DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES LICENSE licences/GPL-2.txt licences/GPL-3.txt licences/LICENCES.md TYPE DOC)

# pkg-config: the prefix is found from the file's own place, so that the tree may be moved. Without shared libraries
# nobody says --static, and what is private becomes public.
set(SN_PC_FOLDER ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH SN_PC_UP "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
string(REGEX REPLACE "/$" "" SN_PC_UP "${SN_PC_UP}")
set(SN_PC_INCLUDEDIR "\${prefix}")
cmake_path(APPEND SN_PC_INCLUDEDIR "${CMAKE_INSTALL_INCLUDEDIR}")
set(SN_PC_LIBDIR "\${prefix}")
cmake_path(APPEND SN_PC_LIBDIR "${CMAKE_INSTALL_LIBDIR}")
set(SN_PC_PRIVATE_LIBS "-lm")
if(UNIX)
  string(APPEND SN_PC_PRIVATE_LIBS " -pthread")
endif()
list(TRANSFORM SN_AUTHOR_PLAIN_LIBRARIES PREPEND "-l" OUTPUT_VARIABLE SN_PC_AUTHOR_PRIVATE_LIBS)
string(REPLACE ";" " " SN_PC_AUTHOR_PRIVATE_LIBS "${SN_PC_AUTHOR_PRIVATE_LIBS} -lm")
set(SN_PC_AUTHOR_PRIVATE_REQUIRES "jansson, libpng, libjpeg, libwebp, yaml-0.1")
if(NOT SN_INSTALL_SHARED)
  foreach(list SN_PC_PRIVATE_LIBS SN_PC_AUTHOR_PRIVATE_LIBS SN_PC_AUTHOR_PRIVATE_REQUIRES)
    string(REPLACE PRIVATE PUBLIC public ${list})
    set(${public} "${${list}}")
    set(${list} "")
  endforeach()
  string(PREPEND SN_PC_AUTHOR_PUBLIC_REQUIRES ", ")
endif()
set(SN_AUTHOR_LICENCE GPL-2.0-or-later)
if(SN_DRACO) # whose Apache-2.0 goes with version 3
  set(SN_AUTHOR_LICENCE GPL-3.0-or-later)
endif()
set(SN_PC_NAMES sinew)
if(NOT SN_RUNTIME_ONLY)
  list(APPEND SN_PC_NAMES sinew-author sinew-gpu)
endif()
foreach(name ${SN_PC_NAMES})
  configure_file(cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/cmake/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/cmake/${name}.pc DESTINATION ${SN_PC_FOLDER})
endforeach()

# CMake: sinew::sinew, sinew::author and sinew::gpu, and all as _static. Until 1.0 a minor version may break what was.
set(SN_PACKAGE_FOLDER ${CMAKE_INSTALL_LIBDIR}/cmake/sinew)
configure_package_config_file(cmake/sinew-config.cmake.in ${PROJECT_BINARY_DIR}/cmake/sinew-config.cmake
  INSTALL_DESTINATION ${SN_PACKAGE_FOLDER})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/sinew-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cmake/sinew-config.cmake ${PROJECT_BINARY_DIR}/cmake/sinew-config-version.cmake
  DESTINATION ${SN_PACKAGE_FOLDER})
install(EXPORT sinew NAMESPACE sinew:: FILE sinew-targets.cmake DESTINATION ${SN_PACKAGE_FOLDER})

# Everything that is installed, for `cmake --build BUILD --target sinew_installed && cmake --install BUILD`.
add_custom_target(sinew_installed)
add_dependencies(sinew_installed ${SN_INSTALL_LIBRARIES})
if(NOT SN_RUNTIME_ONLY)
  add_dependencies(sinew_installed sinew_tool)
endif()

# Packages, by `cpack` in the build folder; tools/release makes all of them.
if(PROJECT_IS_TOP_LEVEL)
  set(CPACK_PACKAGE_CONTACT "Sinew developers")
  set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "physically based flesh for rigged characters")
  set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
  set(CPACK_PACKAGE_FILE_NAME "sinew-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}")
  string(TOLOWER "${CPACK_PACKAGE_FILE_NAME}" CPACK_PACKAGE_FILE_NAME)
  set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
  set(CPACK_STRIP_FILES ON)
  set(CPACK_VERBATIM_VARIABLES ON)
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PACKAGE_SECTION graphics)
  include(CPack)
endif()
