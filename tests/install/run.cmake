# Installs the build into a prefix of its own, then builds and runs a project that knows only that prefix.
# cmake -DBUILD=… -DWORK=… -DCONSUMER=… -P run.cmake
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
if(NOT EXISTS ${WORK}/prefix/share/pithball/recordings/double_pendulum_ibm/LICENSE.pdf)
  message(FATAL_ERROR "the recordings are not installed with their licences")
endif()
run(${CMAKE_COMMAND} -S ${CONSUMER} -B ${WORK}/build -G Ninja -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_BUILD_TYPE=Release)
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/consumer)
