#include "experiments/bench/peers/comparison.hpp"

#include <ctime>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "experiments/claim/statistics.hpp"
#include "sim/core/error.hpp"
#include "sim/core/parallel_for.hpp"

namespace pithball::experiments {

PairedTimes paired_times(const std::vector<double>& own, const std::vector<double>& theirs) {
  std::vector<double> ratios;
  for (std::size_t k = 0; k < own.size(); ++k) ratios.push_back(theirs[k] / own[k]);
  return {median(own), median(theirs), median(ratios)};
}

PairedTimes take_turns(int repeats, const std::function<double()>& own, const std::function<double()>& theirs) {
  std::vector<double> ours, others;
  for (int turn = 0; turn < repeats; ++turn) {
    ours.push_back(own());
    others.push_back(theirs());
  }
  return paired_times(ours, others);
}

double processor_seconds(const std::function<void()>& work) {
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

PeerSizes quick_sizes() {
  return {.motion = 0.2,
          .charges = 60,
          .steps = 5,
          .points = 2000,
          .errors = {1e-6},
          .melt = {.cells = 5, .steps = 20},
          .repeats = 1};
}

const std::vector<PeerWork>& peer_works() {
  static const std::vector<PeerWork> all{
      {"stiffness", "one stiffness fitted to a captured motion", compare_stiffness},
      {"gradient", "gradient of a loss of 1,000 charges' motion", compare_gradient},
      {"charges", "potential and field of 100,000 charges at equal error", compare_charges},
      {"melt", "time steps of a Lennard-Jones melt", compare_melt},
  };
  return all;
}

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

OneProcessor::OneProcessor() : threads_(sim::max_threads()) {
  cpu_set_t here;
  CPU_ZERO(&here);
  const int processor = sched_getcpu();
  if (processor >= 0) CPU_SET(processor, &here);
  if (sched_getaffinity(0, sizeof earlier_, &earlier_) != 0 || sched_setaffinity(0, sizeof here, &here) != 0)
    throw std::runtime_error("bench peers: the system does not let a program choose its processor");
  sim::set_max_threads(1);
}

OneProcessor::~OneProcessor() {
  sched_setaffinity(0, sizeof earlier_, &earlier_);
  sim::set_max_threads(threads_);
}

}  // namespace pithball::experiments
