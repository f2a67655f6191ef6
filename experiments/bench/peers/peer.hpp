#pragma once
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "app/backend/python_server.hpp"

namespace pithball::experiments {

/// Another program at the work of a script of this folder, in the Python of `make peers`; turns.py says how they talk.
class Peer {
 public:
  /// Starts the script and gives it its input. What is not installed is `missing`.
  Peer(const std::string& script, const nlohmann::json& input);

  const std::string& missing() const { return missing_; }  ///< why the program is not there; empty: it is
  const std::string& version() const { return version_; }  ///< as its package reports it
  /// Lets it do the work once with these settings, and returns its answer; "seconds" is the processor time [s].
  nlohmann::json turn(const nlohmann::json& settings);

 private:
  std::unique_ptr<app::PythonServer> python_;  ///< null where there is no Python
  std::string missing_, version_;
};

}  // namespace pithball::experiments
