#pragma once
#include "app/result/result_description.hpp"

namespace pithball::app {

/// The files of results of all commands and the ranking that `compare` prints, and what their keys mean.
const ResultDescription& result_files();

}  // namespace pithball::app
