#pragma once
#include <map>
#include <string>
#include <vector>

#include "sim/core/field_list.hpp"

namespace pithball::app {

/// All inputs of a run. Runs with equal records have equal results, so one can continue the other.
struct InputRecord {
  std::string program;                       ///< name, version and build
  std::string command;                       ///< "fit"
  std::string experiment;                    ///< YAML with every key and default
  std::map<std::string, std::string> files;  ///< SHA-256 of every file used by the experiment, by absolute path
};

/// record.json of a run folder: the identity of the run, its progress, and the files that the program created.
struct FolderRecord {
  static constexpr const char* name = "record.json";  ///< file name in the run folder

  std::string id;                ///< unique to this run
  std::string replaces;          ///< the run with the final name while this one is in progress; empty: none
  bool complete = false;         ///< false: in progress, interrupted or killed
  std::vector<std::string> own;  ///< files and folders created by the program, in order
  InputRecord inputs;            ///< of the run, by which a resumed one is recognized

  /// Whether the program created this file or folder: it is in `own`, or the record itself.
  bool owns(const std::string& entry) const;
};

/// `inputs` of record.json.
void fields(FieldVisitor& v, InputRecord& inputs);
/// record.json.
void fields(FieldVisitor& v, FolderRecord& record);

}  // namespace pithball::app
