# Copies the sources of the page into the build folder, fetches what package-lock.json names, builds one HTML file.
# cmake -DNPM=… -DSOURCE=… -DWORK=… -DPAGE=… -DFILES=… -P build_page.cmake
# A machine without a network gets no page and a message, not a failed build; a page that does not compile fails it.
file(REMOVE ${PAGE})
file(REMOVE_RECURSE ${WORK}/src ${WORK}/dev ${WORK}/test ${WORK}/dist)
foreach(name IN LISTS FILES)
  get_filename_component(folder ${name} DIRECTORY)
  file(COPY ${SOURCE}/${name} DESTINATION ${WORK}/${folder})
endforeach()

# Packages are fetched again only when their list has changed.
set(fetched ${WORK}/node_modules/.package-lock.sha256)
file(SHA256 ${WORK}/package-lock.json wanted)
set(present "")
if(EXISTS ${fetched})
  file(READ ${fetched} present)
endif()
if(NOT present STREQUAL wanted)
  execute_process(COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund --prefer-offline --loglevel=error --fetch-retries=1 --fetch-timeout=60000
                  WORKING_DIRECTORY ${WORK} TIMEOUT 300 RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(said MATCHES "EUSAGE")
    message(FATAL_ERROR "${said}\npackage-lock.json does not fit package.json")
  elseif(NOT status EQUAL 0)
    message("${said}\nnpm could not fetch the packages of the reports' page, so `pithball report` has no page to fill; "
            "everything else is built. Once there is a network, build again.")
    file(REMOVE_RECURSE ${WORK}/node_modules)
    return()
  endif()
  file(WRITE ${fetched} ${wanted})
endif()

execute_process(COMMAND ${NPM} run --silent build WORKING_DIRECTORY ${WORK} TIMEOUT 300 RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${said}\nthe page of the reports does not build")
endif()
get_filename_component(folder ${PAGE} DIRECTORY)
file(MAKE_DIRECTORY ${folder})
file(COPY_FILE ${WORK}/dist/report.html ${PAGE})
