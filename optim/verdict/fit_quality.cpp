#include "optim/verdict/fit_quality.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "optim/measurement/measurement_kinds.hpp"
#include "optim/observation/measurement_model.hpp"
#include "sim/core/error.hpp"
#include "sim/core/text.hpp"

namespace pithball::optim {
namespace {

/// Accumulates a root mean square.
struct MeanSquare {
  double sum = 0;
  Index count = 0;
  void add(double value) {
    sum += value * value;
    ++count;
  }
  double root() const { return std::sqrt(sum / static_cast<double>(count)); }
};

/// Returns the mean of every coordinate over its fitted frames.
Points mean_places(const MeasurementModel& measurement, const Observation& o) {
  Points sum = Points::Zero(3, static_cast<Index>(o.markers.size())), count = sum;
  for (const MeasurementModel::Sample& sample : measurement.samples()) {
    const Vec3 seen = o.sight(static_cast<std::size_t>(sample.frame), sample.marker);
    for (int a = 0; a < 3; ++a) {
      if (std::isnan(seen[a])) continue;
      sum(a, sample.marker) += seen[a];
      count(a, sample.marker) += 1;
    }
  }
  return (sum.array() / count.array().max(1)).matrix();
}

/// The noise estimate to which a misfit is compared.
enum class NoiseOfVerdict { Sigma, Tracks, Unknown };

/// Whether the residuals are no larger than the recording's own noise, except by chance.
bool are_as_large(const MeasurementModel& measurement, const Eigen::Ref<const Vector>& r, const TrackNoise& noise) {
  MeanSquare square;
  for (const MeasurementModel::Sample& sample : measurement.samples())
    for (Index row = sample.first_row; row < sample.first_row + sample.row_count; ++row)
      square.add(r[row] * measurement.row_sigma(row) / noise.sigma(sample.marker, measurement.row(row).component));
  const double chance = beyond_chance * std::sqrt(2 / static_cast<double>(square.count) + 2 / noise.all.degrees);
  return std::abs(square.root() * square.root() - 1) < chance;
}

NoiseOfVerdict choose_noise(const MeasurementModel& measurement, const Observation& o,
                            const Eigen::Ref<const Vector>& r, const TrackNoise& noise, bool absolute_sigma) {
  if (absolute_sigma) return NoiseOfVerdict::Sigma;
  // For exact data, an upper limit of the noise suffices if it is well below a tenth of the motion.
  const bool is_limit = noise.source == NoiseSource::Limit && 3 * noise.all.sigma <= 0.1 * noise.motion;
  const NoiseTrust trust = noise.all.trust;
  if (is_limit || trust == NoiseTrust::Trusted) return NoiseOfVerdict::Tracks;
  if (trust == NoiseTrust::Plausible && are_as_large(measurement, r, noise)) return NoiseOfVerdict::Tracks;
  return o.noise.origin == SigmaOrigin::Written ? NoiseOfVerdict::Sigma : NoiseOfVerdict::Unknown;
}

RecordingMisfit measure(const MeasurementModel& measurement, const Observation& o, const Eigen::Ref<const Vector>& r,
                        const TrackNoise& noise, bool absolute_sigma) {
  RecordingMisfit result;
  result.recording = noise.recording;
  result.kind = noise.kind;
  result.noise_said = noise.sentence();
  const NoiseOfVerdict by = choose_noise(measurement, o, r, noise, absolute_sigma);
  if (by != NoiseOfVerdict::Tracks && noise.all.trust == NoiseTrust::Plausible) {
    TrackNoise motion = noise;
    motion.all.trust = NoiseTrust::Unknown;
    result.noise_said = motion.sentence();
  }
  const Points mean = mean_places(measurement, o);
  MeanSquare misfit, scatter, stated, motion, start;
  Vec3 shift = Vec3::Zero(), seen_often = Vec3::Zero();
  const Index first_frame = measurement.samples().front().frame;
  double until = NAN;
  bool still_fits = by != NoiseOfVerdict::Unknown;
  MeanSquare frame;
  const auto end_frame = [&](std::size_t number) {
    still_fits = still_fits && frame.count > 0 && frame.root() <= 3 * scatter.root();
    if (still_fits) until = o.times[number];
    frame = {};
  };
  for (std::size_t k = 0; k < measurement.samples().size(); ++k) {
    const MeasurementModel::Sample& sample = measurement.samples()[k];
    const Vec3 seen = o.sight(static_cast<std::size_t>(sample.frame), sample.marker);
    const double weight = o.frame_weight.empty() ? 1 : o.frame_weight[sample.frame];
    Index row = sample.first_row;
    for (int a = 0; a < 3; ++a) {
      if (std::isnan(seen[a])) continue;
      const double sigma = measurement.row_sigma(row), off = r[row] * sigma;
      ++row;
      misfit.add(off);
      frame.add(off);
      stated.add(sigma * weight);
      scatter.add(by == NoiseOfVerdict::Sigma    ? sigma * weight
                  : by == NoiseOfVerdict::Tracks ? noise.sigma(sample.marker, a)
                                                 : NAN);
      motion.add(seen[a] - mean(a, sample.marker));
      if (sample.frame == first_frame) start.add(off);
      shift[a] += off;
      ++seen_often[a];
    }
    if (k + 1 == measurement.samples().size() || measurement.samples()[k + 1].frame != sample.frame)
      end_frame(static_cast<std::size_t>(sample.frame));
  }
  result.coordinates = misfit.count;
  result.misfit = misfit.root();
  result.noise = scatter.root();
  result.sigma = stated.root();
  if (by == NoiseOfVerdict::Tracks && noise.source == NoiseSource::Differences)
    result.noise_degrees = noise.all.degrees;
  result.motion = motion.root();
  result.start = start.root();
  // RMS over coordinates of a shift that is the same for all markers and frames.
  result.shift = std::sqrt((shift.array().square() / seen_often.array().max(1)).sum() / seen_often.sum());
  result.fits_until = until;
  return result;
}

}  // namespace

std::string RecordingMisfit::sentence() const {
  std::string sentence = recording + ": misfit " + kind->shown(misfit);
  if (noise > 0) {
    sentence += formatted(", %.3g × the noise of ", misfit / noise) + kind->shown(noise);
  }
  if (motion > 0) {
    sentence += formatted("%s %.2g × the RMS motion", noise > 0 ? " and" : ",", misfit / motion);
  }
  return sentence;
}

double FitQuality::reduced() const {
  return degrees > 0 ? chi_square / static_cast<double>(degrees) : std::numeric_limits<double>::quiet_NaN();
}

bool FitQuality::fits() const {
  return std::ranges::all_of(recordings, [](const RecordingMisfit& recording) { return recording.fits(); });
}

std::string FitQuality::excess() const {
  for (const RecordingMisfit& one : recordings)
    if (!one.fits() || (one.motion > 0 && one.misfit * one.misfit > large_excess * one.motion * one.motion))
      return one.sentence();
  const bool is_large = std::ranges::any_of(recordings, [](const RecordingMisfit& one) {
    return one.misfit * one.misfit > large_excess * one.noise * one.noise;
  });
  return is_large && is_above() ? formatted("reduced χ² %.3g", reduced()) : "";
}

bool FitQuality::is_above() const { return degrees > 0 && is_comparable && reduced() > 1 + tolerance; }

bool FitQuality::is_below() const { return degrees > 0 && is_comparable && reduced() < 1 - tolerance; }

bool FitQuality::has_unknown_noise() const {
  return std::ranges::none_of(recordings, [](const RecordingMisfit& one) { return one.noise > 0; });
}

/// If sigma is not absolute, only residuals smaller by a factor of 3 are reported, the same factor as for a misfit.
constexpr double far_below = 1.0 / 9;

std::vector<std::string> FitQuality::notes() const {
  std::vector<std::string> said;
  for (const RecordingMisfit& recording : recordings)
    if (!recording.fits()) said.push_back("the model does not fit: " + recording.sentence());
  if (!(degrees > 0) || !is_comparable) return said;
  const double scale = std::sqrt(reduced());
  const bool above = is_above(), below = is_below() && (absolute_sigma || reduced() < far_below);
  if (!above && !below) return said;
  std::string text =
      formatted("residuals are %.3g times sigma (reduced χ² %.3g, %ld degrees of freedom)", scale, reduced(), degrees);
  std::string note = text;
  if (absolute_sigma) note += " (absolute_sigma: true): standard errors are wrong by this factor";
  if (above)
    note += is_correlated ? ": autocorrelated noise or an incomplete model"
                          : ": sigma is too small, or the model is incomplete";
  else
    note += absolute_sigma ? ": sigma is too large" : ": sigma is too large; standard errors follow the residuals";
  said.push_back(note);
  return said;
}

FitQuality compute_fit_quality(const std::vector<diff::Scenario>& scenarios,
                               const std::vector<Observation>& observations, const Vector& r,
                               const std::vector<RecordingWhiteness>& whiteness, Index determined,
                               bool absolute_sigma) {
  FitQuality quality;
  quality.absolute_sigma = absolute_sigma;
  quality.chi_square = r.squaredNorm();
  quality.degrees = std::max(0L, static_cast<long>(r.size() - determined));
  Index first_row = 0;
  double effective_rows = 0, track_degrees = 0;
  bool from_tracks = false;
  std::size_t judged = 0;
  for (std::size_t s = 0; s < scenarios.size(); ++s) {
    const Observation& o = observations[s];
    const MeasurementModel measurement(o, scenarios[s], Part::Fit);
    if (measurement.rows() == 0) continue;
    if (judged == whiteness.size() || first_row + measurement.rows() > r.size())
      throw InvalidArgument({"", "fit quality", "residuals and their whiteness must be those of the observations",
                             std::to_string(r.size()) + " residuals, " + std::to_string(whiteness.size()), ""});
    const RecordingWhiteness& color = whiteness[judged++];
    const TrackNoise noise = estimate_track_noise(scenarios[s].name, o);
    quality.recordings.push_back(
        measure(measurement, o, r.segment(first_row, measurement.rows()), noise, absolute_sigma));
    effective_rows += color.effective_part() * static_cast<double>(measurement.rows());
    if (o.noise.origin == SigmaOrigin::Tracks) {
      from_tracks = true;
      if (noise.source == NoiseSource::Differences) track_degrees += noise.all.degrees / color.shared_scatter();
    }
    // Weighted frames have residuals whose scatter differs from 1.
    if (o.noise.origin == SigmaOrigin::Guess || !o.frame_weight.empty()) quality.is_comparable = false;
    if (color.all.is_colored() || color.between.is_common()) quality.is_correlated = true;
    first_row += measurement.rows();
  }
  quality.effective_degrees = static_cast<double>(quality.degrees) * effective_rows / static_cast<double>(r.size());
  const double sigma_degrees = from_tracks ? track_degrees : std::numeric_limits<double>::infinity();
  quality.tolerance = beyond_chance * std::sqrt(2 / quality.effective_degrees + 2 / sigma_degrees);
  return quality;
}

void fields(FieldVisitor& v, RecordingMisfit& one) {
  v.is("Misfit", "misfit of one recording, per coordinate");
  std::string measurement = one.kind->name;
  v("recording", one.recording, "as in the experiment file");
  v("misfit", one.misfit, of_kind, "RMS of model − recorded");
  v("noise", one.noise, of_kind, "the recording's own noise; null: too few uninterrupted frames");
  v("motion", one.motion, of_kind, "RMS of recorded − its mean in time");
  v.computed(
      "misfit_over_noise", [&] { return one.misfit / one.noise; }, "the misfit relative to the noise");
  v.computed(
      "fits", [&] { return one.fits(); }, "false: the misfit is well above the noise and a tenth of the motion");
  v("tracks", one.noise_said, "the recording's own scatter, as a text");
  v("measurement", measurement, "its measurement kind");
  v.after_reading([&] { one.kind = find_measurement_kind(measurement); });
}

void fields(FieldVisitor& v, FitQuality& quality) {
  v.is("Quality", "χ² of the fitted residuals, and the misfit of each recording");
  v("chi_square", quality.chi_square, "sum of the squared residuals in units of sigma");
  v("degrees_of_freedom", quality.degrees, "number of residuals − number of determined values");
  v.computed(
      "reduced_chi_square", [&] { return quality.reduced(); }, "χ² / degrees of freedom");
  v("tolerance", quality.tolerance, "by how much it differs from 1 by chance at most");
  v("sigma_is_scatter", quality.is_comparable, "false: sigma is only a weight between recordings");
  v.computed(
      "fits", [&] { return quality.fits(); }, "whether all recordings fit");
  v("recordings", quality.recordings, "those with fitted frames");
}

}  // namespace pithball::optim
