#include "optim/observation/walk_whitening.hpp"

#include <cmath>

namespace pithball::optim {

void WalkWhitening::add(const std::vector<Reading>& readings, double rate) {
  std::vector<Link> chain;
  double variance = 0, before = 0;
  for (const Reading& reading : readings) {
    variance += rate * (reading.time - before);
    before = reading.time;
    const double square = variance + reading.sigma * reading.sigma;
    const double gain = variance / square;
    chain.push_back({reading.row, reading.sigma, gain, std::sqrt(square)});
    variance *= 1 - gain;
  }
  chains_.push_back(std::move(chain));
}

void WalkWhitening::apply(Eigen::Ref<Eigen::MatrixXd> scaled) const {
  for (const std::vector<Link>& chain : chains_) {
    Eigen::RowVectorXd mean = Eigen::RowVectorXd::Zero(scaled.cols());
    for (const Link& at : chain) {
      const Eigen::RowVectorXd innovation = at.sigma * scaled.row(at.row) - mean;
      mean += at.gain * innovation;
      scaled.row(at.row) = innovation / at.root;
    }
  }
}

void WalkWhitening::apply_transposed(Eigen::Ref<Vector> w) const {
  for (const std::vector<Link>& chain : chains_) {
    double of_mean = 0;  // ∂L/∂m of the next reading
    for (auto at = chain.rbegin(); at != chain.rend(); ++at) {
      const double of_innovation = w[at->row] / at->root + at->gain * of_mean;
      w[at->row] = at->sigma * of_innovation;
      of_mean -= of_innovation;
    }
  }
}

}  // namespace pithball::optim
