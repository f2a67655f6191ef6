#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "app/base/child_process.hpp"

namespace pithball::app {

/// A Python environment that `make` installs beside the program's folder, and what it is for.
struct PythonEnvironment {
  std::string target;    ///< of make, and name of its folder: "baselines" for build/baselines beside build/release
  std::string variable;  ///< environment variable that can name another Python: "PITHBALL_BASELINES_PYTHON"
  std::string package;   ///< what the Python must contain, for messages: "the package jax_md"
};

/// A Python script in a process of its own, with which lines of JSON are exchanged.
class PythonServer {
 public:
  /// Starts a script of share/pithball with these arguments. Throws InvalidArgument, which names `user`, if the script
  /// or the Python is missing.
  PythonServer(const PythonEnvironment& environment, const std::string& user, const std::string& script,
               const std::vector<std::string>& arguments = {});

  /// Sends one line; throws as ChildProcess does.
  void write(const nlohmann::json& line);
  /// The next line that the script printed; throws std::runtime_error if it ended without one.
  nlohmann::json read();

 private:
  ChildProcess python_;
  std::string received_;
};

}  // namespace pithball::app
