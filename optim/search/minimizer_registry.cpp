#include "optim/search/minimizer_registry.hpp"

#include "optim/search/gauss_newton.hpp"
#include "optim/search/geodesic.hpp"
#include "optim/search/lbfgs.hpp"
#include "optim/search/levenberg_marquardt.hpp"

namespace pithball::optim {
namespace {

std::vector<MinimizerInfo> built_in_minimizers() {
  return {
      {.name = "levenberg_marquardt",
       .summary = "the full Jacobian by tangents, for few values",
       .uses_jacobian = true,
       .is_for_few = true,
       .minimize = levenberg_marquardt},
      {.name = "geodesic",
       .summary = "likewise, with geodesic acceleration, for tens to hundreds",
       .uses_jacobian = true,
       .minimize = geodesic},
      {.name = "gauss_newton",
       .summary = "products of the Jacobian and its transpose, for many",
       .minimize = gauss_newton},
      {.name = "lbfgs",
       .summary = "the gradient alone, by the adjoint, for many",
       .minimize =
           [](const Residual& residual, const Vector& start, const Bounds& bounds, const MinimizerOptions& options,
              const MinimizerWatch& watch) { return lbfgs(LeastSquares(residual), start, bounds, options, watch); }},
  };
}

}  // namespace

sim::Registry<MinimizerInfo>& minimizers() {
  static sim::Registry<MinimizerInfo> registry("fit.solver", built_in_minimizers());
  return registry;
}

const MinimizerInfo& choose_minimizer(const std::string& wanted, Index parameters) {
  constexpr Index tens = 30;
  if (wanted != automatic_minimizer) return minimizers().at(wanted);
  return minimizers().at(parameters < tens ? "levenberg_marquardt" : "geodesic");
}

}  // namespace pithball::optim
