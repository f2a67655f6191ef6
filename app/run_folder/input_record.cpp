#include "app/run_folder/input_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "app/base/version.hpp"
#include "app/run_folder/run_folder.hpp"
#include "datasets/manifest/sha256.hpp"

namespace pithball::app {

namespace fs = std::filesystem;

namespace {

/// The files below an input, which may be a folder of frames.
std::vector<fs::path> files_of(const fs::path& input) {
  if (!fs::is_directory(input)) return {input};
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(input))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

/// The experiment alone, as text.
std::string experiment_text(Tree document) {
  std::erase_if(document.entries, [](const Tree& entry) { return entry.key == "provenance"; });
  return to_yaml(document);
}

}  // namespace

InputRecord make_input_record(const Tree& filled, const Provenance& provenance) {
  InputRecord record{program_build(), provenance.command, experiment_text(filled), {}};
  for (const fs::path& input : provenance.inputs)
    for (const fs::path& file : files_of(input)) record.files[file.string()] = datasets::sha256_of_file(file.string());
  return record;
}

std::string difference(const InputRecord& earlier, const InputRecord& now) {
  if (earlier.command != now.command)
    return fmt::format("it was made by the command '{}', not by '{}'", earlier.command, now.command);
  if (earlier.experiment != now.experiment) return "the experiment has changed (see its run.yaml)";
  for (const auto& [file, sum] : now.files) {
    const auto before = earlier.files.find(file);
    if (before == earlier.files.end()) return fmt::format("it was made without the file '{}'", file);
    if (before->second != sum) return fmt::format("the file '{}' has changed", file);
  }
  for (const auto& [file, sum] : earlier.files)
    if (!now.files.contains(file)) return fmt::format("it was made from the file '{}', too", file);
  if (earlier.program != now.program)
    return fmt::format("it was made by another program version: {}, and this is {}", earlier.program, now.program);
  return "";
}

}  // namespace pithball::app
