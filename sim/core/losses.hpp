#pragma once
#include <array>
#include <cstddef>
#include <numeric>

namespace pithball::sim {

/// Where energy goes that leaves a body otherwise than into its motion and its potentials. What comes in is negative.
enum class LossKind {
  Drag,         ///< into a medium: linear and quadratic drag (a wind can bring energy in)
  Dampers,      ///< inner friction: of springs, links, viscous fluids
  Friction,     ///< dry friction, and what contacts brake along their plane
  Drivers,      ///< supports of driven particles, forces without a potential, potentials that change with time
  Contacts,     ///< bounces, and dampers that act in contact
  Thermostats,  ///< kicks of baths and thermostats
  Events,       ///< particles that are emitted or taken, links that break
};

/// The kinds' names, in their order: columns of energy.csv.
inline constexpr std::array<const char*, 7> loss_names{"drag",     "dampers",     "friction", "drivers",
                                                       "contacts", "thermostats", "events"};

/// Energy taken out by each kind [J], or a power [W].
class Losses {
 public:
  double& operator[](LossKind kind) { return of_kind_[static_cast<std::size_t>(kind)]; }
  double operator[](LossKind kind) const { return of_kind_[static_cast<std::size_t>(kind)]; }
  /// The same by number, in the order of `loss_names`.
  double& operator[](std::size_t kind) { return of_kind_[kind]; }
  double operator[](std::size_t kind) const { return of_kind_[kind]; }

  double sum() const { return std::accumulate(of_kind_.begin(), of_kind_.end(), 0.0); }
  void add(double factor, const Losses& other) {
    for (std::size_t k = 0; k < of_kind_.size(); ++k) of_kind_[k] += factor * other.of_kind_[k];
  }

 private:
  std::array<double, loss_names.size()> of_kind_{};
};

}  // namespace pithball::sim
