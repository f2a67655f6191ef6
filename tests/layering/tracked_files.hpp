#pragma once
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/skip.hpp"

namespace pithball::tests {

/// The files below `root` that git tracks, as paths relative to it. The test is skipped where the source is no git
/// checkout (a release archive).
inline std::vector<std::string> tracked_files(const std::string& root) {
  // A checkout that belongs to another user (a container's mount) is read all the same.
  const std::string command = "git -c safe.directory='*' -C '" + root + "' ls-files 2>/dev/null";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::vector<std::string> files;
  std::string name;
  for (int c = std::fgetc(pipe.get()); c != EOF; c = std::fgetc(pipe.get())) {
    if (c != '\n') {
      name += static_cast<char>(c);
      continue;
    }
    files.push_back(name);
    name.clear();
  }
  if (files.empty()) skip("not a git checkout");
  return files;
}

}  // namespace pithball::tests
