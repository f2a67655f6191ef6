# Writes, at installation, completion scripts and manual pages below ${share}, from what ${program} and the program of
# experiments beside it say of themselves. Without help2man there are no manual pages.
find_program(HELP2MAN help2man)
if(NOT HELP2MAN)
  message(STATUS "no manual pages: help2man is missing (Debian: apt install help2man)")
endif()

function(write_manual name words)
  execute_process(COMMAND ${HELP2MAN} --no-info --no-discard-stderr --section 1 --version-string "${version}" --output ${share}/man/man1/${name}.1
                          "${words}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()

foreach(executable ${program} ${program}-lab)
  get_filename_component(name ${executable} NAME)
  foreach(shell bash fish)
    execute_process(COMMAND ${executable} completion ${shell} OUTPUT_VARIABLE script COMMAND_ERROR_IS_FATAL ANY)
    if(shell STREQUAL bash)
      file(WRITE ${share}/bash-completion/completions/${name} "${script}")
      # The commands of the program, a name each, stand in the script.
      string(REGEX MATCHALL "\n    '[a-z-]+'" commands "${script}")
    else()
      file(WRITE ${share}/fish/vendor_completions.d/${name}.fish "${script}")
    endif()
  endforeach()
  if(HELP2MAN)
    file(MAKE_DIRECTORY ${share}/man/man1)
    execute_process(COMMAND ${executable} --version OUTPUT_VARIABLE version OUTPUT_STRIP_TRAILING_WHITESPACE)
    write_manual(${name} ${executable})
    foreach(command ${commands})
      string(REGEX REPLACE "[^a-z-]" "" command "${command}")
      write_manual(${name}-${command} "${executable} ${command}")
    endforeach()
  endif()
endforeach()
