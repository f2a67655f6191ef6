#pragma once
#include <nlohmann/json_fwd.hpp>

#include "app/experiment/fit_spec.hpp"
#include "app/report/section.hpp"

namespace pithball::experiments::paper {

/// The charge of a fit, estimated by JAX MD instead: minimizes L(q) = 1/n Σ |x_i(q) − target_i|² over the final
/// positions of its velocity Verlet at the fit's time step, by JAX's derivative and SciPy's L-BFGS-B.
///
/// The fit must be of the kind of the paper's Figures 6 and 7: one recording with one frame that shows every particle,
/// and one parameter, a charge that all share; throws InvalidArgument otherwise, or where the model has what JAX MD
/// lacks. Parameters and errors of the result are named as those of `fit.json`: {status: converged | not_converged |
/// failed, version, time_step [s], steps, parameters: [{name, initial, estimate [C]}], errors: {fit [m]}, evaluations,
/// seconds, compile_seconds}. `failed`: the run with the starting charge diverges already (`sim::absurd_flight`);
/// estimate and error are null then.
nlohmann::ordered_json estimate_charge_by_jax_md(const app::FitSpec& fit);

/// Throws as `estimate_charge_by_jax_md` does for a fit of another kind, without starting anything.
void require_charge_of_final_positions(const app::FitSpec& fit);

/// The result as one table, "JAX MD".
app::Sections jax_md_charge_sections(const nlohmann::ordered_json& result);

}  // namespace pithball::experiments::paper
