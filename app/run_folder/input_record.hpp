#pragma once
#include <string>

#include "app/result/run_record.hpp"
#include "app/yaml/tree.hpp"

namespace pithball::app {

struct Provenance;

/// Computes the checksum of every input file.
InputRecord make_input_record(const Tree& filled, const Provenance& provenance);

/// The difference between two records in words: "the file '/data/tracks.csv' has changed". Empty if they are equal.
std::string difference(const InputRecord& earlier, const InputRecord& now);

}  // namespace pithball::app
