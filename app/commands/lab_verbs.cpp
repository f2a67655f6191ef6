#include "app/commands/lab_verbs.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "app/base/print_message.hpp"
#include "app/base/program_folder.hpp"
#include "app/commands/command.hpp"

namespace pithball::app {

const std::vector<std::string>& lab_verbs() {
  static const std::vector<std::string> verbs{"study", "cases", "demos", "paper", "bench"};
  return verbs;
}

bool is_lab_verb(int argc, char** argv) {
  return argc > 1 && std::ranges::find(lab_verbs(), argv[1]) != lab_verbs().end();
}

int start_lab(char** argv) {
  const std::string lab = (program_folder() / "pithball-lab").string();
  print_message("pithball {0}: this command is now `pithball-lab {0}`; starting it\n", argv[1]);
  execv(lab.c_str(), argv);
  print_message("pithball {0}: cannot start {1}: {2}; build it with `make program`, or install it next to pithball\n",
                argv[1], lab, std::strerror(errno));
  return InputWrong;
}

}  // namespace pithball::app
