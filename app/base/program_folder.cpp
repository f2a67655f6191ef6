#include "app/base/program_folder.hpp"

#include <system_error>
#include <utility>

namespace pithball::app {

namespace fs = std::filesystem;

namespace {

fs::path& shared_folder() {
  static fs::path folder;
  return folder;
}

}  // namespace

fs::path program_folder() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored).parent_path();
}

fs::path find_shared_file(const fs::path& name) {
  std::error_code ignored;
  if (!shared_folder().empty() && fs::exists(shared_folder() / name, ignored)) return shared_folder() / name;
  const fs::path folder = program_folder();
  for (const fs::path& place : {folder, folder.parent_path()})
    if (const fs::path file = place / "share" / "pithball" / name; fs::exists(file, ignored)) return file;
  return {};
}

void use_shared_folder(fs::path folder) { shared_folder() = std::move(folder); }

}  // namespace pithball::app
