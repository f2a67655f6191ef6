#include "app/run_folder/finished_fit.hpp"

#include <cmath>

#include "sim/core/error.hpp"

namespace pithball::app {

const FitRecord& finished_fit(const Run& run) {
  const auto* results = std::get_if<FitResults>(&run.results);
  if (!results)
    throw InvalidArgument({run.folder.string(), "", "must be the run folder of a finished fit",
                           run.summary.command.empty() ? "another one" : "one of `" + run.summary.command + "`",
                           "run `pithball fit` first"});
  if (results->fit.estimates.parameters.empty() || std::isnan(results->fit.goodness.quality.chi_square))
    throw InvalidArgument({run.folder.string(), "fit.json", "must hold a fitted value and its misfit", "none",
                           "fit at least one value with this version"});
  return results->fit;
}

}  // namespace pithball::app
