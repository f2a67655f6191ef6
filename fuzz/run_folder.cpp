#include <filesystem>
#include <fstream>

#include "app/report/sections.hpp"
#include "fuzz/target.hpp"

/// `kind`: the file that the input stands for, in one of the run folders that the build leaves: "fit/fit.json". The
/// sections of the report are made from what is read.
void pithball::fuzz::run_folder(std::string_view bytes, const std::string& kind) {
  namespace fs = std::filesystem;
  static const fs::path runs = [] {
    fs::copy(PITHBALL_FUZZ_RUNS, scratch_folder() + "/runs", fs::copy_options::recursive);
    return scratch_folder() + "/runs";
  }();
  std::ofstream(runs / kind, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  const fs::path folder = runs / fs::path(kind).parent_path();
  require(!app::make_sections(app::read_run(folder), {}).empty(), "a report has sections");
}
