#include "app/run_folder/folder_record.hpp"

#include <fstream>

#include "fuzz/target.hpp"

/// The record of a folder that is removed by it: whatever it names, what lies elsewhere stays, behind links too.
void pithball::fuzz::folder_record(std::string_view bytes, const std::string&) {
  namespace fs = std::filesystem;
  const fs::path place = scratch_folder(), run = place / "run";
  fs::remove_all(run);
  for (const fs::path& folder : {place / "elsewhere", run / "part"}) fs::create_directories(folder);
  for (const fs::path& file : {place / "beside", place / "elsewhere/kept", run / "part/made"}) std::ofstream{file} << 1;
  fs::create_directory_symlink(place / "elsewhere", run / "link");
  as_file(bytes, "run/record.json");
  if (const auto record = app::read_record(run)) app::remove_own(run, *record);
  require(fs::exists(place / "beside") && fs::exists(place / "elsewhere/kept"), "what lies elsewhere stays");
}
