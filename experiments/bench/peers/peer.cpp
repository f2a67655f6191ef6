#include "experiments/bench/peers/peer.hpp"

#include <nlohmann/json.hpp>

#include "sim/core/error.hpp"

namespace pithball::experiments {

using nlohmann::json;

Peer::Peer(const std::string& script, const json& input) {
  static const app::PythonEnvironment peers{"peers", "PITHBALL_PEERS_PYTHON", "the packages of the peers"};
  try {
    python_ = std::make_unique<app::PythonServer>(peers, script, "peers/" + script);
  } catch (const InvalidArgument& absent) {
    missing_ = absent.what();
    return;
  }
  const json hello = python_->read();
  missing_ = hello.value("missing", "");
  version_ = hello.value("version", "");
  if (missing_.empty()) python_->write(input);
}

json Peer::turn(const json& settings) {
  python_->write(settings);
  return python_->read();
}

}  // namespace pithball::experiments
