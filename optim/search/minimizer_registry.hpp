#pragma once
#include <string>

#include "optim/search/minimizer.hpp"
#include "sim/core/registry.hpp"

namespace pithball::optim {

/// A minimizer of least squares ½|r(θ)|² within bounds.
struct MinimizerInfo {
  std::string name;            ///< the word in experiment files: "geodesic"
  std::string summary;         ///< one phrase: what it computes, and for how many values
  bool uses_jacobian = false;  ///< whether it computes the whole Jacobian at every point of its search
  /// Whether it is for few values: the weak form's estimate is then not tried as a start, and derivatives are computed
  /// together with the residuals of a trial (`KnownResidual::compute_derivatives_ahead`).
  bool is_for_few = false;
  MinimizerReport (*minimize)(const Residual&, const Vector& start, const Bounds&, const MinimizerOptions&,
                              const MinimizerWatch&) = nullptr;  ///< searches
};

/// All minimizers; a program may add its own.
sim::Registry<MinimizerInfo>& minimizers();

/// The word that leaves the choice to the number of values.
inline constexpr const char* automatic_minimizer = "auto";

/// The minimizer of this name; for `auto` that for a fit with this many parameters: `geodesic` from 30 on, where a
/// Jacobian costs many runs and some values are hardly determined, such as single stiffnesses; otherwise
/// `levenberg_marquardt`. Throws InvalidArgument for other names.
const MinimizerInfo& choose_minimizer(const std::string& wanted, Index parameters);

}  // namespace pithball::optim
