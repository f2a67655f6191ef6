# Installs the build into a prefix of its own, then builds and runs a project that knows only that prefix: as usual, for
# this very processor, without optimization for one with AVX2, and with AddressSanitizer. Eigen's own defaults for memory
# differ between these.
# cmake -DBUILD=… -DWORK=… -DCONSUMER=… -DCHECK_PROGRAMS=… -P run.cmake
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(build_and_run folder flags)
  message(STATUS "the stranger's project with ${flags}")
  run(${CMAKE_COMMAND} -S ${CONSUMER} -B ${folder} -G Ninja -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_BUILD_TYPE=None
      "-DCMAKE_CXX_FLAGS=${flags}")
  run(${CMAKE_COMMAND} --build ${folder})
  run(${folder}/consumer)
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
if(NOT EXISTS ${WORK}/prefix/share/pithball/recordings/double_pendulum_ibm/LICENSE.pdf)
  message(FATAL_ERROR "the recordings are not installed with their licenses")
endif()
if(EXISTS ${WORK}/prefix/pithball)
  message(FATAL_ERROR "the module of the Python package is installed beside the programs")
endif()
run(${CHECK_PROGRAMS} ${WORK}/prefix/bin/pithball)

# A shell completes what the program has.
run(bash -c "source ${WORK}/prefix/share/bash-completion/completions/pithball
COMP_WORDS=(pithball data ge); COMP_CWORD=2; _pithball; test \"\${COMPREPLY[*]}\" = get
COMP_WORDS=(pithball fit a.yaml --hal); COMP_CWORD=3; _pithball; test \"\${COMPREPLY[*]}\" = --halve-step")
find_program(HELP2MAN help2man)
if(HELP2MAN AND NOT EXISTS ${WORK}/prefix/share/man/man1/pithball-fit.1)
  message(FATAL_ERROR "the manual pages are not installed")
endif()

# Each example is a project of its own too; and `sim` alone needs none of the libraries that its users may not have.
function(build_example name)
  set(folder ${WORK}/examples-${name})
  run(${CMAKE_COMMAND} -S ${folder}-source -B ${folder} -G Ninja -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_BUILD_TYPE=None
      -DCMAKE_CXX_FLAGS=-O1 ${ARGN})
  run(${CMAKE_COMMAND} --build ${folder})
endfunction()

message(STATUS "the simulation alone, without the libraries that the others need")
file(MAKE_DIRECTORY ${WORK}/examples-sim-source)
file(COPY ${EXAMPLES}/simulate.cpp DESTINATION ${WORK}/examples-sim-source)
file(WRITE ${WORK}/examples-sim-source/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)
project(alone LANGUAGES CXX)
find_package(pithball 0.1 REQUIRED COMPONENTS sim)
if(TARGET pithball::optim OR TARGET pithball::datasets OR NOT TARGET pithball::sim)
  message(FATAL_ERROR \"COMPONENTS sim must define pithball::sim alone\")
endif()
add_executable(simulate simulate.cpp)
target_link_libraries(simulate PRIVATE pithball::sim)
")
set(absent)
foreach(package Ceres CGAL HDF5 OpenSSL LibZip yaml-cpp fmt ZLIB UDUNITS2 nlohmann_json)
  list(APPEND absent -DCMAKE_DISABLE_FIND_PACKAGE_${package}=ON)
endforeach()
build_example(sim ${absent})
run(${WORK}/examples-sim/simulate)

message(STATUS "the examples")
file(COPY ${EXAMPLES}/ DESTINATION ${WORK}/examples-all-source)
build_example(all)
foreach(example simulate gradient fit)
  run(${WORK}/examples-all/${example})
endforeach()
run(${WORK}/examples-all/experiment ${CONFIGS}/torus-release.yaml simulation.duration=1.5)

message(STATUS "a program with a force of its own: it simulates, and finds the stiffness of its trap")
file(WRITE ${WORK}/trap.yaml "name: trap
system: {vertices: [[0.1, 0, 0]], mass: 10 g, velocities: [[0, 0.2, 0]], springs: none}
forces: [harmonic_trap: {stiffness: 3 N/m}]
simulation: {time_step: 1 ms, duration: 1 s}
output: {every: 20}
")
file(WRITE ${WORK}/fit.yaml "name: trap
system: {vertices: [[0.1, 0, 0]], mass: 10 g, velocities: [[0, 0.2, 0]], springs: none}
forces: [harmonic_trap: {stiffness: 1 N/m}]
simulation: {time_step: 1 ms, duration: 1 s}
fit: {recordings: [{file: motion/trajectory.h5, format: h5md, markers: [0]}], parameters: [trap]}
")
run(${WORK}/examples-all/own_force simulate ${WORK}/trap.yaml --out ${WORK}/motion)
execute_process(COMMAND ${WORK}/examples-all/own_force fit ${WORK}/fit.yaml --out ${WORK}/fitted
                OUTPUT_VARIABLE found ERROR_VARIABLE found COMMAND_ERROR_IS_FATAL ANY)
if(NOT found MATCHES "trap \\[N/m\\] +1 +3 ")
  message(FATAL_ERROR "the trap of 3 N/m was not found:\n${found}")
endif()

build_and_run(${WORK}/usual "-O3 -DNDEBUG")
build_and_run(${WORK}/native "-O2 -march=native")
set(ENV{ASAN_OPTIONS} detect_leaks=0)  # needs more rights than a test may have
build_and_run(${WORK}/sanitized "-O1 -fsanitize=address")
file(STRINGS /proc/cpuinfo avx2 REGEX "^flags.* avx2( |$)" LIMIT_COUNT 1)
if(avx2)
  build_and_run(${WORK}/avx2 "-O0 -mavx2")
else()
  message(STATUS "left out, for this processor has no AVX2: -O0 -mavx2")
endif()
