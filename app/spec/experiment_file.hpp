#pragma once
#include <string>
#include <vector>

#include "app/spec/experiment_document.hpp"

namespace pithball::app {

/// Reads an experiment file with all that it includes, and applies the overrides. Throws InvalidArgument if a file
/// cannot be read, is no YAML or has a name that is not UTF-8.
ExperimentDocument load_document(const std::string& file, const std::vector<Override>& overrides = {});
/// The same of a text that is no file; file names in it are relative to `source.folder`. It may not include another.
ExperimentDocument parse_document(const std::string& text, const Source& source,
                                  const std::vector<Override>& overrides = {});

}  // namespace pithball::app
