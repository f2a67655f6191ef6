#include "app/backend/python_server.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/backend/backend.hpp"
#include "app/base/program_folder.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

namespace fs = std::filesystem;

/// Finds the Python named by the environment variable, or else ../TARGET/bin/python relative to the program.
fs::path find_python(const PythonEnvironment& environment, const std::string& user) {
  const char* named = std::getenv(environment.variable.c_str());
  const fs::path python =
      named ? fs::path(named) : program_folder().parent_path() / environment.target / "bin" / "python";
  if (access(python.c_str(), X_OK) == 0) return python;
  throw InvalidArgument({named ? environment.variable : user, "",
                         named ? "must name a program that can be run" : "needs a Python with " + environment.package,
                         "no " + python.string(),
                         "run `make " + environment.target + "`, or set " + environment.variable +
                             " to a Python with " + environment.package});
}

/// Finds a script in share/pithball beside the program, where the template of the report page is, too.
fs::path find_script(const std::string& script, const std::string& user) {
  if (const fs::path file = find_shared_file(script); !file.empty()) return file;
  throw InvalidArgument({"share/pithball/" + script, "", "must be next to the program: it is needed for " + user,
                         "nothing", "build or install the program again"});
}

std::vector<std::string> python_command(const PythonEnvironment& environment, const std::string& user,
                                        const std::string& script, const std::vector<std::string>& arguments) {
  std::vector<std::string> words{find_python(environment, user).string(), find_script(script, user).string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

}  // namespace

PythonServer::PythonServer(const PythonEnvironment& environment, const std::string& user, const std::string& script,
                           const std::vector<std::string>& arguments)
    : python_(python_command(environment, user, script, arguments), {STDIN_FILENO, STDOUT_FILENO}, backend_patience) {}

void PythonServer::write(const nlohmann::json& line) { python_.write(line.dump() + "\n"); }

nlohmann::json PythonServer::read() {
  std::size_t end = 0, searched = 0;
  while ((end = received_.find('\n', searched)) == std::string::npos) {
    searched = received_.size();
    const std::string part = python_.read();
    if (part.empty()) python_.fail("ended too early");
    received_ += part;
  }
  const std::string line = received_.substr(0, end);
  received_.erase(0, end + 1);
  return nlohmann::json::parse(line);
}

}  // namespace pithball::app
