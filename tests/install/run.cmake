# Installs the build into a prefix of its own, then builds and runs a project that knows only that prefix: as usual, for
# this very processor, without optimisation for one with AVX2, and with AddressSanitizer. Eigen's own defaults for memory
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
  message(FATAL_ERROR "the recordings are not installed with their licences")
endif()
run(${CHECK_PROGRAMS} ${WORK}/prefix/bin/pithball)

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
