#include "app/result/run_record.hpp"

#include <algorithm>

namespace pithball::app {

bool FolderRecord::owns(const std::string& entry) const {
  return entry == name || std::ranges::find(own, entry) != own.end();
}

void fields(FieldVisitor& v, InputRecord& inputs) {
  v.is("RunInputs", "all inputs of a run, by which one that continues it is recognized");
  v("program", inputs.program, "name, version and build");
  v("command", inputs.command, "the command");
  v("experiment", inputs.experiment, "the experiment with every key and default, as YAML");
  v("files", inputs.files, "SHA-256 of every file that the experiment uses, by absolute path");
}

void fields(FieldVisitor& v, FolderRecord& record) {
  v.is("FolderRecord", "the inputs of a run, and the files that the program created");
  v("id", record.id, "unique to this run");
  v("replaces", record.replaces, "`id` of the run that this one is to replace; empty: none");
  v("complete", record.complete, "false: in progress, interrupted or killed");
  v("own", record.own, "files and folders that the program created, in order");
  v("inputs", record.inputs, "what the run was made from");
}

}  // namespace pithball::app
