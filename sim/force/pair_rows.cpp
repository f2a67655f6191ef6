#include "sim/force/pair_rows.hpp"

#include <algorithm>

#include "sim/neighbors/spatial_order.hpp"

namespace pithball::sim {
namespace {

using Number = NeighborList::Number;

/// The rows of a list in the order given, the partners by their places in it.
NeighborList renumbered(const NeighborList& list, const std::vector<Number>& particle) {
  std::vector<Number> place(particle.size());
  for (std::size_t p = 0; p < particle.size(); ++p) place[particle[p]] = static_cast<Number>(p);
  NeighborList result;
  result.begin.reserve(list.begin.size());
  result.partner.resize(list.partner.size());
  Number* next = result.partner.data();
  constexpr std::size_t ahead = 8;  // rows lie anywhere in memory: those to come are asked for in time
  for (std::size_t p = 0; p < particle.size(); ++p) {
    if (p + 4 * ahead < particle.size()) __builtin_prefetch(list.begin.data() + particle[p + 4 * ahead]);
    if (p + ahead < particle.size()) {
      const Number* const row = list.partner.data() + list.begin[particle[p + ahead]];
      __builtin_prefetch(row);
      __builtin_prefetch(row + 16);  // a line of 64 B further
    }
    for (const Number j : list.row(particle[p])) *next++ = place[j];
    result.begin.push_back(next - result.partner.data());
  }
  return result;
}

}  // namespace

PairRows::PairRows(const NeighborSearch& search, const Points& x, double cutoff)
    : cutoff_(cutoff), x_(&x), particle_(spatial_order(x, cutoff)), list_(search.candidates(x, cutoff)) {
  if (!particle_.empty()) {
    sorted_ = gathered(x);
    list_ = std::make_shared<NeighborList>(renumbered(*list_, particle_));
  }
  for (Index i = 0; i < list_->points(); ++i) longest_ = std::max(longest_, list_->row(i).size());
}

Vector PairRows::gathered(const Vector& of_particles) const {
  if (particle_.empty()) return of_particles;
  return of_particles(particle_);
}

Points PairRows::gathered(const Points& of_particles) const {
  if (particle_.empty()) return of_particles;
  return of_particles(Eigen::all, particle_);
}

Vector PairRows::scattered(const Vector& of_places) const {
  Vector of_particles(of_places.size());
  for (Index p = 0; p < of_places.size(); ++p) of_particles[particle(p)] = of_places[p];
  return of_particles;
}

void PairRows::add_scattered(const Points& of_places, Points& of_particles) const {
  for (Index p = 0; p < of_places.cols(); ++p) of_particles.col(particle(p)) += of_places.col(p);
}

}  // namespace pithball::sim
