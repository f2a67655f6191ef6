#include "experiments/run/new_file.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include "sim/core/error.hpp"

namespace pithball::experiments {

namespace fs = std::filesystem;

void require_new_file(const std::string& name) {
  std::error_code ignored;
  if (fs::exists(name, ignored))
    throw InvalidArgument({name, "", "must not exist yet", "an existing file", "remove it or choose another name"});
  if (!fs::is_directory(fs::absolute(name).parent_path(), ignored))
    throw InvalidArgument({name, "", "must be a name that can be written", "", "check that its folder exists"});
}

void replace_file(const std::string& name, const std::string& content) {
  const std::string partial = name + ".partial";
  std::ofstream out(partial, std::ios::binary | std::ios::trunc);
  if (!out) throw InvalidArgument({name, "", "must be a name that can be written", "", "check that its folder exists"});
  out << content;
  out.close();
  if (!out) {
    fs::remove(partial);
    throw std::runtime_error(fmt::format("cannot write {}: is the disk full?", name));
  }
  fs::rename(partial, name);
}

void write_new_file(const std::string& name, const std::string& content) {
  require_new_file(name);
  replace_file(name, content);
}

}  // namespace pithball::experiments
