#pragma once
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "app/yaml/tree.hpp"

namespace pithball::app {

struct Provenance;

/// All that a run's results depend on. Runs with equal records make equal results, so that one may go on with what the
/// other left.
struct InputRecord {
  std::string program;                       ///< name, version and build
  std::string command;                       ///< "fit"
  std::string experiment;                    ///< YAML with every key and every default
  std::map<std::string, std::string> files;  ///< SHA-256 of every file that the experiment names, by its absolute name
};

/// Reads every input file once, for its sum.
InputRecord make_input_record(const Tree& filled, const Provenance& provenance);

/// What differs between two records, in words: "the file '/data/tracks.csv' has changed". Empty if nothing does.
std::string difference(const InputRecord& earlier, const InputRecord& now);

nlohmann::ordered_json to_json(const InputRecord& record);
/// Throws nlohmann's exceptions where the document is no record.
InputRecord input_record_of(const nlohmann::ordered_json& json);

}  // namespace pithball::app
