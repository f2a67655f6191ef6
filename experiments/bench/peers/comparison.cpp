#include "experiments/bench/peers/comparison.hpp"

#include <ctime>

#include "experiments/claim/statistics.hpp"

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

}  // namespace pithball::experiments
