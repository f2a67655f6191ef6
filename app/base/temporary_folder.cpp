#include "app/base/temporary_folder.hpp"

#include <unistd.h>

#include <cstdlib>
#include <stdexcept>
#include <system_error>

namespace pithball::app {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder(const std::string& purpose) {
  std::string pattern = (fs::temp_directory_path() / ("pithball-" + purpose + "-XXXXXX")).string();
  if (!mkdtemp(pattern.data()))
    throw std::runtime_error("cannot create a folder in " + fs::temp_directory_path().string());
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace pithball::app
