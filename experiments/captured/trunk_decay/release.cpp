#include "experiments/captured/trunk_decay/release.hpp"

#include <algorithm>
#include <cmath>

#include "datasets/capture/capture_reader.hpp"
#include "experiments/captured/signal.hpp"
#include "experiments/claim/statistics.hpp"
#include "sim/core/dense.hpp"

namespace pithball::experiments::trunk_decay {

Points Release::tip(Index first, Index count) const {
  const Index last = std::min(first + count, frames());
  Points path(3, std::max<Index>(last - first, 0));
  for (Index k = first; k < last; ++k) path.col(k - first) = displacement[k].col(2);
  return path;
}

std::vector<Release> read_releases(const std::string& folder, Index load) {
  const std::string file = folder + "/observations_manual_decay_" + std::to_string(load) + "g.csv";
  std::vector<Release> releases;
  for (const auto& segment : datasets::list_segments(file, "ID")) {
    datasets::CaptureSpec spec;
    spec.file = file;
    spec.rate = frame_rate;
    spec.rows.segment = {{"ID", segment.value}};
    const datasets::Capture capture = datasets::read_capture(spec);
    constexpr Index still = 30;
    Points rest = Points::Zero(3, 3);
    for (Index f = capture.frames() - still; f < capture.frames(); ++f) rest += capture.positions[f] / still;
    Release r;
    r.load = load;
    r.id = std::stol(segment.value);
    for (const Points& frame : capture.positions) r.displacement.push_back(frame - rest);
    for (Index f = 0; f < r.frames(); ++f)
      if (r.displacement[f].col(2).norm() > small_swing) r.start = f + 1;
    releases.push_back(std::move(r));
  }
  screen(releases);
  return releases;
}

void screen(std::vector<Release>& releases) {
  std::vector<double> frequencies, decays;
  for (Release& r : releases) {
    if (r.start + window_frames > r.frames()) {
      r.left_out = "small-swing part shorter than " + std::to_string(window_frames) + " frames";
      continue;
    }
    const DampedSinusoid s = fit_damped_sinusoid(r.tip(r.start, window_frames), frame_rate);
    r.frequency = s.frequency;
    r.decay = s.decay;
    frequencies.push_back(s.frequency);
    decays.push_back(s.decay);
  }
  const double f = median(frequencies), a = median(decays);
  for (Release& r : releases) {
    if (!r.left_out.empty()) continue;
    if (std::abs(r.frequency / f - 1) > 0.08)
      r.left_out = "frequency more than 8 % from the load's median";
    else if (std::abs(r.decay / a - 1) > 0.5)
      r.left_out = "decay more than 50 % from the load's median";
  }
}

StartState start_state(const Release& release, Index frame) {
  constexpr Index half = 3;
  Eigen::MatrixXd powers(2 * half + 1, 3), samples(2 * half + 1, 9);
  for (Index k = -half; k <= half; ++k) {
    const double t = k / frame_rate;
    powers.row(k + half) << 1, t, t * t;
    samples.row(k + half) = sim::flat(release.displacement[frame + k]).transpose();
  }
  const Eigen::MatrixXd c = sim::solve_least_squares(powers, samples).X;
  return {c.row(0).reshaped(3, 3), c.row(1).reshaped(3, 3)};
}

Index first_opposite_peak(const Release& release) {
  const auto along = [&] {
    Index farthest = 0;
    for (Index f = 0; f < release.frames(); ++f)
      if (release.tip(f, 1).norm() > release.tip(farthest, 1).norm()) farthest = f;
    const Vec3 n = release.tip(farthest, 1).col(0).normalized();
    std::vector<double> d;
    for (Index f = farthest; f < release.frames(); ++f) d.push_back(release.tip(f, 1).col(0).dot(n));
    return std::pair(farthest, d);
  };
  const auto [farthest, d] = along();
  const auto first = std::find_if(d.begin(), d.end(), [](double v) { return v < 0; });
  const auto second = std::find_if(first, d.end(), [](double v) { return v >= 0; });
  return farthest + (std::min_element(first, second) - d.begin());
}

}  // namespace pithball::experiments::trunk_decay
