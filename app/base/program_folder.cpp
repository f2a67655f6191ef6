#include "app/base/program_folder.hpp"

#include <system_error>

namespace pithball::app {

namespace fs = std::filesystem;

fs::path program_folder() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored).parent_path();
}

fs::path find_shared_file(const fs::path& name) {
  std::error_code ignored;
  const fs::path folder = program_folder();
  for (const fs::path& place : {folder, folder.parent_path()})
    if (const fs::path file = place / "share" / "pithball" / name; fs::exists(file, ignored)) return file;
  return {};
}

}  // namespace pithball::app
