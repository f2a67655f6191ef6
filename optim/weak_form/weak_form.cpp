#include "optim/weak_form/weak_form.hpp"

#include <algorithm>
#include <cmath>

#include "sim/core/parallel_for.hpp"

namespace pithball::optim {
namespace {

constexpr Index frames_at_once = 8;  // linearized in parallel

/// The forces at a frame.
struct FrameForces {
  Points force, column;
};

/// Sums over a window whose frames are not all there yet.
struct OpenWindow {
  Index first = 0;  ///< its first frame
  Points A, b;      ///< 3×(columns), 3×N
};

/// The sums of one half width along the recordings of a body: windows, and what they add to the equations.
class WindowSums {
 public:
  WindowSums(const ForceColumns& forces, const Vector& sigma) : forces_(forces), weight_(sigma) {
    const auto mass = forces.model().mass();
    for (Index i = 0; i < weight_.size(); ++i) weight_[i] = sigma[i] > 0 ? 1 / (mass[i] * sigma[i]) : 0;
    find_pairs();
  }

  void begin(const BodyTrack& track, Index half_width) {
    test_ = TestFunction(half_width, track.interval);
    track_ = &track;
    open_.clear();
  }

  void add(Index frame, const FrameForces& at) {
    const Index length = test_.frames(), frames = track_->frames.size();
    if (frame % test_.stride() == 0 && frame + length <= frames) {
      const Index columns = forces_.columns().size();
      open_.push_back({frame, Points::Zero(3, columns), Points::Zero(3, weight_.size())});
    }
    for (OpenWindow& window : open_) add(window, track_->frames[frame].x, at, frame - window.first);
    if (!open_.empty() && open_.front().first + length == frame + 1) {
      close(open_.front());
      open_.erase(open_.begin());
    }
  }

  void add_to(WeakFormEquations& sums) const {
    sums.normal += normal_;
    for (std::size_t c = 0; c < right_.size(); ++c) sums.right[forces_.columns()[c].parameter] += right_[c];
    sums.square += square_;
    sums.rows += rows_;
  }

 private:
  /// Pairs of columns that have a particle in common, and their places in the normal matrix.
  void find_pairs() {
    const std::vector<ForceColumn>& columns = forces_.columns();
    std::vector<Eigen::Triplet<double>> places;
    for (std::size_t a = 0; a < columns.size(); ++a)
      for (std::size_t b = a; b < columns.size() && columns[b].particle == columns[a].particle; ++b) {
        pairs_.push_back({static_cast<Index>(b), static_cast<Index>(a), 0});
        places.emplace_back(columns[b].parameter, columns[a].parameter, 0);
      }
    right_.assign(columns.size(), 0);
    const Index parameters = forces_.parameters();
    normal_.resize(parameters, parameters);
    normal_.setFromTriplets(places.begin(), places.end());
    for (Pair& pair : pairs_) {
      const Index row = columns[pair.a].parameter, column = columns[pair.b].parameter;
      const auto* begin = normal_.innerIndexPtr() + normal_.outerIndexPtr()[column];
      const auto* end = normal_.innerIndexPtr() + normal_.outerIndexPtr()[column + 1];
      pair.place = std::lower_bound(begin, end, row) - normal_.innerIndexPtr();
    }
  }

  void add(OpenWindow& window, const Points& x, const FrameForces& at, Index n) const {
    const double inertia = test_.inertia[n], force = test_.force[n];
    window.A += force * at.column;
    window.b -= force * at.force;
    window.b += inertia * x * forces_.model().mass().asDiagonal();
    const std::vector<ForceColumn>& columns = forces_.columns();
    for (std::size_t c = 0; c < columns.size(); ++c)
      if (columns[c].mass != 0) window.A.col(c) -= inertia * columns[c].mass * x.col(columns[c].particle);
  }

  void close(OpenWindow& window) {
    const std::vector<ForceColumn>& columns = forces_.columns();
    for (std::size_t c = 0; c < columns.size(); ++c) window.A.col(c) *= weight_[columns[c].particle];
    window.b *= weight_.asDiagonal();
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const Index i = columns[c].particle;
      right_[c] += window.A.col(c).dot(window.b.col(i));
      if (c > 0 && columns[c - 1].particle == i) continue;
      square_ += window.b.col(i).squaredNorm();
      rows_ += 3;
    }
    for (const Pair& pair : pairs_) normal_.valuePtr()[pair.place] += window.A.col(pair.a).dot(window.A.col(pair.b));
  }

  /// Of columns a ≥ b.
  struct Pair {
    Index a, b, place;
  };

  const ForceColumns& forces_;
  Vector weight_;  ///< N
  TestFunction test_{0, 1};
  const BodyTrack* track_ = nullptr;
  std::vector<OpenWindow> open_;
  std::vector<Pair> pairs_;
  Eigen::SparseMatrix<double> normal_;
  std::vector<double> right_;  ///< by column
  double square_ = 0;
  Index rows_ = 0;
};

}  // namespace

TestFunction::TestFunction(Index half_width, double interval) {
  const Index middle = half_width + 1, count = 2 * half_width + 3;
  const double reach = static_cast<double>(middle);
  const auto bump = [&](Index n) {
    const double s = static_cast<double>(n - middle) / reach;
    return std::abs(s) < 1 ? std::pow(1 - s * s, 3) : 0;
  };
  inertia.resize(count);
  force.resize(count);
  for (Index n = 0; n < count; ++n) {
    const double difference = bump(n - 1) - 2 * bump(n) + bump(n + 1);
    inertia[n] = difference / (interval * interval);
    force[n] = bump(n) + difference / 12;
  }
}

WeakFormEquations::WeakFormEquations(Index parameters)
    : normal(parameters, parameters), right(Vector::Zero(parameters)) {}

void add_weak_form(const ForceColumns& forces, const RecordedBody& body, const std::vector<Index>& half_widths,
                   std::vector<WeakFormEquations>& sums) {
  const Index widths = half_widths.size(), columns = forces.columns().size();
  std::vector<WindowSums> windows(half_widths.size(), WindowSums(forces, body.sigma));
  std::vector<FrameForces> at(frames_at_once);
  for (const BodyTrack& track : body.tracks) {
    for (std::size_t w = 0; w < half_widths.size(); ++w) windows[w].begin(track, half_widths[w]);
    const Index frames = track.frames.size();
    for (Index first = 0; first < frames; first += frames_at_once) {
      const Index count = std::min(frames_at_once, frames - first);
      const double pairs = static_cast<double>(count * columns);  // of one direction; there are several
      sim::parallel_for(count, 10 * pairs,
                        [&](Index n) { forces.compute(track.frames[first + n], at[n].force, at[n].column); });
      sim::parallel_for(widths, pairs * static_cast<double>(widths), [&](Index w) {
        for (Index n = 0; n < count; ++n) windows[w].add(first + n, at[n]);
      });
    }
  }
  for (std::size_t w = 0; w < half_widths.size(); ++w) windows[w].add_to(sums[w]);
}

}  // namespace pithball::optim
