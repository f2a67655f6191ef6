#pragma once
#include <array>
#include <cstddef>
#include <numeric>

namespace pithball::sim {

/// Kinds of energy loss: energy leaving the body other than into motion and potentials. Energy gain is negative.
enum class LossKind {
  Drag,         ///< to a medium: linear and quadratic drag (wind can add energy)
  Dampers,      ///< internal friction: of springs, links, viscous fluids
  Friction,     ///< dry friction, and tangential friction of contacts
  Drivers,      ///< supports of driven particles, nonconservative forces, time-dependent potentials
  Contacts,     ///< bounces, and dampers of contacts
  Thermostats,  ///< baths and thermostats
  Events,       ///< emitted and removed particles, broken links
};

/// Names of the kinds, in order: columns of energy.csv.
inline constexpr std::array<const char*, 7> loss_names{"drag",     "dampers",     "friction", "drivers",
                                                       "contacts", "thermostats", "events"};

/// Energy removed by each kind [J], or a power [W].
class Losses {
 public:
  /// Energy removed by a kind [J], negative if it was added; 0 at first.
  double& operator[](LossKind kind) { return of_kind_[static_cast<std::size_t>(kind)]; }
  double operator[](LossKind kind) const { return of_kind_[static_cast<std::size_t>(kind)]; }  ///< the same, read-only
  /// The same by index, in the order of `loss_names`.
  double& operator[](std::size_t kind) { return of_kind_[kind]; }
  double operator[](std::size_t kind) const { return of_kind_[kind]; }  ///< the same, read-only

  double sum() const { return std::accumulate(of_kind_.begin(), of_kind_.end(), 0.0); }  ///< over all kinds [J]
  /// Adds a multiple of another book: `factor` 1, or a duration [s] for powers.
  void add(double factor, const Losses& other) {
    for (std::size_t k = 0; k < of_kind_.size(); ++k) of_kind_[k] += factor * other.of_kind_[k];
  }

 private:
  std::array<double, loss_names.size()> of_kind_{};
};

}  // namespace pithball::sim
