#pragma once
#include <cstddef>
#include <vector>

#include "datasets/film/spot.hpp"

namespace pithball::datasets {

/// Groups of two or more spots of one sign that are so near to one another that they may be pieces of a ring: their
/// numbers in the list. Of a group that reaches farther than a ring would, the spots around its middle.
std::vector<std::vector<std::size_t>> find_ring_pieces(const std::vector<Spot>& spots);

/// The spots with these numbers in the list.
std::vector<Spot> pieces_of(const std::vector<Spot>& spots, const std::vector<std::size_t>& group);

/// The ring whose light has the center and the RMS radius of the light of all spots: from it a fit may start.
Spot ring_of(const std::vector<Spot>& pieces);

/// The ring that the light around a spot suggests, of whose arc it may be a part: from the spot on, the center goes to
/// that of the light in a window around it, which must stand out of the noise of a pixel, five times.
Spot ring_around(const Picture& picture, const Spot& piece, double noise);

/// χ² and a penalty for each of `parameters` that were fitted to `pixels` (Schwarz, Ann. Stat. 6, 461, 1978): of two
/// descriptions of the same pixels the one with less of it is taken.
double bayesian_information(double chi_square, double parameters, double pixels);

}  // namespace pithball::datasets
