#include "datasets/film/ring_pieces.hpp"

#include <cmath>

#include "datasets/film/spot_fit.hpp"

namespace pithball::datasets {
namespace {

/// Pieces are arcs: each reaches about as far as the gap to the next.
constexpr double piece_gap = 2;  // of the sum of their RMS radii
/// Spots farther from the middle than this many radii belong to something else: a piece lies near one radius, and the
/// middle of a few pieces is off by a part of it.
constexpr double farthest_piece = 1.7;

bool are_linked(const Spot& a, const Spot& b) {
  const double far = piece_gap * (a.size() + b.size()), dx = a.x - b.x, dy = a.y - b.y;
  return (a.height < 0) == (b.height < 0) && dx * dx + dy * dy < far * far;
}

/// A ring with the center and height of a spot, whose mean squared distance of its light is given.
Spot ring_of_size(const Spot& spot, double square) {
  constexpr double narrow = 0.3;  // width beside the radius
  const double radius = std::sqrt(square / (1 + narrow * narrow));
  return {SpotForm::Ring, spot.x, spot.y, spot.height, {radius, narrow * radius, 0}};
}

}  // namespace

std::vector<Spot> pieces_of(const std::vector<Spot>& spots, const std::vector<std::size_t>& group) {
  std::vector<Spot> pieces;
  for (const std::size_t k : group) pieces.push_back(spots[k]);
  return pieces;
}

std::vector<std::vector<std::size_t>> find_ring_pieces(const std::vector<Spot>& spots) {
  std::vector<std::vector<std::size_t>> groups;
  std::vector<bool> is_taken(spots.size(), false);
  for (std::size_t first = 0; first < spots.size(); ++first) {
    if (is_taken[first]) continue;
    std::vector<std::size_t> group{first};
    is_taken[first] = true;
    for (std::size_t next = 0; next < group.size(); ++next)
      for (std::size_t k = first + 1; k < spots.size(); ++k)
        if (!is_taken[k] && are_linked(spots[group[next]], spots[k])) {
          is_taken[k] = true;
          group.push_back(k);
        }
    if (group.size() < 2) continue;
    const Spot ring = ring_of(pieces_of(spots, group));
    std::erase_if(group, [&](std::size_t k) {
      return std::hypot(spots[k].x - ring.x, spots[k].y - ring.y) > farthest_piece * ring.shape[0];
    });
    if (group.size() >= 2) groups.push_back(std::move(group));
  }
  return groups;
}

Spot ring_of(const std::vector<Spot>& pieces) {
  Spot ring{SpotForm::Ring, 0, 0, 0, Eigen::Vector3d::Zero()};
  double light = 0;
  for (const Spot& piece : pieces) light += piece.integral();
  for (const Spot& piece : pieces) {
    ring.x += piece.x * piece.integral() / light;
    ring.y += piece.y * piece.integral() / light;
    ring.height += piece.height / static_cast<double>(pieces.size());
  }
  double square = 0;
  for (const Spot& piece : pieces) {
    const double dx = piece.x - ring.x, dy = piece.y - ring.y;
    square += (dx * dx + dy * dy + piece.size() * piece.size()) * piece.integral() / light;
  }
  return ring_of_size(ring, square);
}

Spot ring_around(const Picture& picture, const Spot& piece, double noise) {
  constexpr int rounds = 5;
  Spot ring = piece;
  double square = 0;
  for (int round = 0; round < rounds; ++round) {
    const SpotWindow window(picture, Spot::round(ring.x, ring.y, piece.height, piece.size()));
    if (window.x.size() == 0) break;
    const double mean = window.brightness.mean(), sign = piece.height < 0 ? -1 : 1;
    const Eigen::ArrayXd above = sign * (window.brightness - mean);
    const Eigen::ArrayXd light = (above > noise / window.bin).select(above, 0.0);
    const double sum = light.sum();
    if (sum == 0) break;
    ring.x = (light * window.x).sum() / sum;
    ring.y = (light * window.y).sum() / sum;
    square = (light * ((window.x - ring.x).square() + (window.y - ring.y).square())).sum() / sum;
  }
  return ring_of_size(ring, square);
}

double bayesian_information(double chi_square, double parameters, double pixels) {
  return chi_square + parameters * std::log(pixels);
}

}  // namespace pithball::datasets
