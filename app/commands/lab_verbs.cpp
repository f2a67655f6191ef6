#include "app/commands/lab_verbs.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "app/commands/command.hpp"

namespace pithball::app {

bool is_lab_verb(int argc, char** argv) {
  constexpr std::array<std::string_view, 5> verbs{"study", "cases", "demos", "paper", "bench"};
  return argc > 1 && std::ranges::find(verbs, argv[1]) != verbs.end();
}

int start_lab(char** argv) {
  std::error_code absent;
  const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe", absent);
  const std::string lab = (own.parent_path() / "pithball-lab").string();
  fmt::print(stderr, "pithball {0}: is `pithball-lab {0}` now, which is started\n", argv[1]);
  std::fflush(stderr);
  execv(lab.c_str(), argv);
  fmt::print(stderr, "pithball {0}: cannot start {1}: {2}; install it beside pithball\n", argv[1], lab,
             std::strerror(errno));
  return InputWrong;
}

}  // namespace pithball::app
