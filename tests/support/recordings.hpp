#pragma once
#include "datasets/manifest/manifest.hpp"
#include "sim/core/error.hpp"
#include "tests/support/places.hpp"
#include "tests/support/skip.hpp"

namespace pithball::tests {

/// A data set of this repository.
inline std::string recordings(const std::string& name) { return in_sources("datasets/recordings/") + name; }

/// The folder of a data set that is not in this repository; the test is skipped where the machine has none.
inline std::string outside_recordings(const std::string& name) {
  try {
    return datasets::find_dataset(datasets::load_manifest(in_sources("datasets/manifest.yaml")), name);
  } catch (const InvalidArgument&) {
    skip("recordings outside the clone: " + name);
  }
}

}  // namespace pithball::tests
