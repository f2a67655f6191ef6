#include "optim/fit/frame_spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace pithball::optim {
namespace {

/// Places per width of a line, so that no line falls between them.
constexpr double places_per_line = 4;
/// More places cost more than the few runs that they are to save.
constexpr double most_places = 4096;

}  // namespace

FrameSpectrum::FrameSpectrum(const TrajectoryResidual& residual) : series_(residual.rows()) {
  for (std::size_t s = 0; s < residual.map().scenarios().size(); ++s) {
    const MeasurementModel& measurement = residual.measurement(s);
    if (measurement.rows() == 0) continue;
    const Index first_row = residual.first_row(s);
    const double begin = measurement.samples().front().time;
    Index frame = -1;
    for (const MeasurementModel::Sample& sample : measurement.samples()) {
      const Index row = first_row + sample.first_row;
      if (std::exchange(frame, sample.frame) != sample.frame) frames_.push_back({sample.time, row, row});
      frames_.back().end = row + sample.row_count;
      for (Index i = 0; i < sample.row_count; ++i)
        series_[row + i] = series_count_ + 3 * sample.marker + measurement.row(sample.first_row + i).component;
      duration_ = std::max(duration_, sample.time - begin);
    }
    series_count_ += 3 * measurement.markers();
  }
}

double FrameSpectrum::power(const Vector& y, double frequency) const {
  Vector cosine = Vector::Zero(series_count_), sine = Vector::Zero(series_count_);
  for (const SeenFrame& frame : frames_) {
    const double phase = 2 * std::numbers::pi * frequency * frame.time, c = std::cos(phase), s = std::sin(phase);
    for (Index row = frame.first; row < frame.end; ++row) {
      cosine[series_[row]] += c * y[row];
      sine[series_[row]] += s * y[row];
    }
  }
  return cosine.squaredNorm() + sine.squaredNorm();
}

std::vector<double> FrameSpectrum::peaks(const Vector& y, double lowest, double highest) const {
  if (!(duration_ > 0 && lowest < highest)) return {};
  const double step = std::max(1 / (places_per_line * duration_), (highest - lowest) / most_places);
  std::vector<double> powers;
  for (double f = lowest - step; f <= highest + step; f += step) powers.push_back(power(y, f));
  std::vector<std::pair<double, double>> found;
  for (std::size_t n = 1; n + 1 < powers.size(); ++n) {
    const double before = powers[n - 1], here = powers[n], after = powers[n + 1];
    if (!(here > before && here >= after)) continue;
    const double bend = before - 2 * here + after, shift = bend < 0 ? 0.5 * (before - after) / bend : 0;
    found.emplace_back(here, lowest + step * (static_cast<double>(n) - 1 + shift));
  }
  std::ranges::stable_sort(found, std::greater<>(), &std::pair<double, double>::first);
  std::vector<double> frequencies;
  for (const auto& [power_there, frequency] : found) frequencies.push_back(frequency);
  return frequencies;
}

}  // namespace pithball::optim
