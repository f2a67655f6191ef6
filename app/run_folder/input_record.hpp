#pragma once
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "app/yaml/tree.hpp"

namespace pithball::app {

struct Provenance;

/// All inputs of a run. Runs with equal records have equal results, so one can continue the other.
struct InputRecord {
  std::string program;                       ///< name, version and build
  std::string command;                       ///< "fit"
  std::string experiment;                    ///< YAML with every key and default
  std::map<std::string, std::string> files;  ///< SHA-256 of every file used by the experiment, by absolute path
};

/// Computes the checksum of every input file.
InputRecord make_input_record(const Tree& filled, const Provenance& provenance);

/// The difference between two records in words: "the file '/data/tracks.csv' has changed". Empty if they are equal.
std::string difference(const InputRecord& earlier, const InputRecord& now);

/// The record as a run folder keeps it, for the run that continues this one.
nlohmann::ordered_json to_json(const InputRecord& record);
/// Throws nlohmann's exceptions on another document.
InputRecord input_record_of(const nlohmann::ordered_json& json);

}  // namespace pithball::app
