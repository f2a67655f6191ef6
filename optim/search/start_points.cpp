#include "optim/search/start_points.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <random>
#include <set>

#include "sim/core/error.hpp"

namespace pithball::optim {
namespace {

[[noreturn]] void reject_starts(const std::string& what, const std::string& required, double got,
                                const std::string& remedy) {
  throw InvalidArgument({"", what, required, std::to_string(got), remedy});
}

/// Draws positions, from 0 to 1, in the range of each parameter: one in each of as many equal parts as there are
/// points, in random order.
class LatinHypercube {
 public:
  LatinHypercube(std::size_t points, std::uint64_t seed) : random_(seed), part_(points) {}

  /// Returns the position of each point in the range of the next parameter.
  std::vector<double> shares() {
    std::iota(part_.begin(), part_.end(), std::size_t{0});
    for (std::size_t n = part_.size() - 1; n > 0; --n)  // Fisher & Yates; std::shuffle differs between libraries
      std::swap(part_[n], part_[uniform() * static_cast<double>(n + 1)]);
    std::vector<double> shares;
    for (const std::size_t part : part_) shares.push_back((part + uniform()) / part_.size());
    return shares;
  }

 private:
  double uniform() { return ((random_() >> 11) + 0.5) * 0x1p-53; }

  std::mt19937_64 random_;
  std::vector<std::size_t> part_;
};

/// Whether θ has two bounds: a logarithm has none at 0.
bool has_bounds(const ParameterInfo& info) {
  return std::isfinite(info.transform.theta(info.lower)) && std::isfinite(info.transform.theta(info.upper));
}

/// Whether a value of a recording is a vector in this unit: the rotation vector of a placement in rad, whose components
/// are angles, not sizes, or its translation in m.
bool is_vector_in(const std::string& unit, const std::string& name) {
  return std::ranges::any_of(recording_frame_values(), [&](const RecordingFrameValue& value) {
    return value.name == name && value.unit == unit && value.size == 3;
  });
}

bool is_open(const ParameterInfo& info) {
  return !info.is_nuisance && std::isinf(info.lower) && std::isinf(info.upper);
}

/// Whether a parameter is part of a placement's rotation without bounds, for which random rotations are drawn.
bool is_free_rotation(const ParameterInfo& info) { return is_open(info) && is_vector_in("rad", info.value); }

/// Returns the parameters without bounds that are components of the placement vector in this unit, in the recording of
/// `alike`.
std::vector<Index> vector_of(const ParameterMap& map, const std::string& unit, const ParameterInfo& alike) {
  std::vector<Index> found;
  for (Index k = 0; k < map.size(); ++k) {
    const ParameterInfo& info = map.info()[k];
    if (is_open(info) && is_vector_in(unit, info.value) && info.recording == alike.recording) found.push_back(k);
  }
  return found;
}

/// Returns the rotation vector [rad] of a random rotation, uniformly distributed if a, b and c are, from 0 to 1
/// (Shoemake 1992, Uniform random rotations, Graphics Gems III).
Vec3 random_rotation(double a, double b, double c) {
  constexpr double turn = 2 * std::numbers::pi;
  Vec3 axis(std::sqrt(1 - a) * std::sin(turn * b), std::sqrt(1 - a) * std::cos(turn * b),
            std::sqrt(a) * std::sin(turn * c));
  double w = std::sqrt(a) * std::cos(turn * c);
  if (w < 0) {  // the same rotation, by at most half a turn
    axis = -axis;
    w = -w;
  }
  const double sine = axis.norm();
  return sine > 0 ? Vec3(2 * std::atan2(sine, w) / sine * axis) : Vec3(Vec3::Zero());
}

/// Returns θ of a parameter at a position, from 0 to 1, in its range.
double point_of_range(const ParameterInfo& info, double range, double factor, double share) {
  const double lower = info.transform.theta(info.lower), upper = info.transform.theta(info.upper);
  if (has_bounds(info)) return lower + share * (upper - lower);
  if (info.initial != 0)
    return std::clamp(info.transform.theta(info.initial * std::pow(factor, 2 * share - 1)), lower, upper);
  const double from = std::max(lower, -range), to = std::min(upper, range);
  return from + share * (to - from);
}

Vec3 physical_vector(const ParameterMap& map, const Vector& theta, const std::vector<Index>& parameters) {
  Vec3 value;
  for (int i = 0; i < 3; ++i) value[i] = map.info()[parameters[i]].transform.value(theta[parameters[i]]);
  return value;
}

/// Turns a placement about the middle of the body, not about the recording's origin, so that a camera still sees the
/// body: t ← t + (c − t₀) − R R₀ᵀ (c − t₀), with c the middle and R₀, t₀ the placement at the start.
void turn_about_body(const ParameterMap& map, const std::vector<Index>& turned, const std::vector<Index>& moved,
                     Vector& theta) {
  const auto rotation_of = [&](const Vector& at) {
    RecordingFrame frame;
    frame.rotation = physical_vector(map, at, turned);
    return frame.rotation_matrix();
  };
  const auto scenario = std::ranges::find(map.scenarios(), map.info()[turned[0]].recording, &diff::Scenario::name);
  const diff::Scenario& shown = scenario == map.scenarios().end() ? map.scenarios().front() : *scenario;
  const Vec3 middle = (shown.rest_near ? *shown.rest_near : shown.initial.x).rowwise().mean();
  const Vector start = map.initial();
  const Vec3 arm = middle - physical_vector(map, start, moved);
  const Vec3 place =
      physical_vector(map, theta, moved) + arm - rotation_of(theta) * rotation_of(start).transpose() * arm;
  for (int i = 0; i < 3; ++i) theta[moved[i]] = map.info()[moved[i]].transform.theta(place[i]);
}

/// Returns Σ ((y − ȳ)/σ)² over the fitted samples of a recording.
double spread_of(const Observation& seen) {
  const auto components = static_cast<int>(kind_of(seen).components.size());
  double spread = 0;
  for (int a = 0; a < components; ++a) {
    double weight = 0, mean = 0, square = 0;  // running sums, weighted by 1/σ²
    for (std::size_t f = 0; f < seen.times.size(); ++f)
      for (Index m = 0; m < static_cast<Index>(seen.markers.size()); ++m) {
        const double y = seen.sight(f, m)[a];
        if (!std::isfinite(y) || seen.part(f, m) != Part::Fit) continue;
        const double w = 1 / (seen.noise.component_sigma(m, a) * seen.noise.component_sigma(m, a));
        const double before = y - mean;
        weight += w;
        mean += before * w / weight;
        square += w * before * (y - mean);
      }
    spread += square;
  }
  return spread;
}

}  // namespace

void check_starts(const SearchStarts& starts) {
  constexpr Index most = 100'000;  // each start is a search
  if (starts.count < 1 || starts.count > most)
    reject_starts("starts.count", "must be from 1 to " + std::to_string(most), starts.count, "");
  if (!(starts.factor > 1) || !std::isfinite(starts.factor))
    reject_starts("starts.factor", "must be > 1", starts.factor, "write 3");
}

bool needs_range(const ParameterMap& map, Index parameter) {
  const ParameterInfo& info = map.info()[parameter];
  return !info.is_nuisance && info.initial == 0 && !has_bounds(info) && !is_free_rotation(info);
}

Vector recorded_ranges(const TrajectoryResidual& residual, const std::vector<Observation>& observations,
                       const Vector& theta) {
  Vector r;
  Eigen::MatrixXd J;
  if (!residual.evaluate(theta, r, &J).ok()) return {};
  Vector size = Vector::Zero(theta.size());
  for (std::size_t s = 0; s < observations.size(); ++s) {
    const Index first = residual.first_row(s), rows = residual.first_row(s + 1) - first;
    if (rows == 0) continue;
    const double seen = spread_of(observations[s]) + r.segment(first, rows).squaredNorm();
    for (const Index k : residual.map().active(static_cast<Index>(s))) size[k] += seen;
  }
  return size.cwiseSqrt().cwiseQuotient(J.colwise().norm().transpose());
}

std::vector<Vector> make_start_points(const ParameterMap& map, const SearchStarts& starts, const Vector& ranges) {
  check_starts(starts);
  std::vector<Vector> points(starts.count, map.initial());
  if (starts.count == 1) return points;
  LatinHypercube hypercube(points.size() - 1, starts.seed);
  std::set<Index> drawn;
  std::vector<std::vector<Index>> rotations;
  for (Index k = 0; k < map.size(); ++k) {
    const ParameterInfo& info = map.info()[k];
    if (info.is_nuisance || drawn.count(k) > 0) continue;
    if (const std::vector<Index> turned = is_free_rotation(info) ? vector_of(map, "rad", info) : std::vector<Index>();
        turned.size() == 3) {
      const std::vector<double> a = hypercube.shares(), b = hypercube.shares(), c = hypercube.shares();
      for (std::size_t n = 1; n < points.size(); ++n) {
        const Vec3 rotation = random_rotation(a[n - 1], b[n - 1], c[n - 1]);
        for (int i = 0; i < 3; ++i) points[n][turned[i]] = map.info()[turned[i]].transform.theta(rotation[i]);
      }
      drawn.insert(turned.begin(), turned.end());
      rotations.push_back(turned);
      continue;
    }
    double range = ranges.size() > 0 ? ranges[k] : std::numeric_limits<double>::quiet_NaN();
    if (is_free_rotation(info)) range = info.transform.theta(std::numbers::pi);
    if (needs_range(map, k) && !(range > 0 && std::isfinite(range)))
      reject_starts(info.name,
                    "must have two bounds or a start other than 0, because the recordings do not show how large it may "
                    "be, so that starting points can be drawn",
                    info.initial, "write `bounds: [lower, upper]`");
    const std::vector<double> shares = hypercube.shares();
    for (std::size_t n = 1; n < points.size(); ++n)
      points[n][k] = point_of_range(info, range, starts.factor, shares[n - 1]);
  }
  for (const std::vector<Index>& turned : rotations)
    if (const std::vector<Index> moved = vector_of(map, "m", map.info()[turned[0]]); moved.size() == 3)
      std::for_each(points.begin() + 1, points.end(),
                    [&](Vector& theta) { turn_about_body(map, turned, moved, theta); });
  return points;
}

}  // namespace pithball::optim
