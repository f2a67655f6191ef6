#include "optim/fit/fitted_parameter.hpp"

#include <cmath>

namespace pithball::optim {
namespace {

constexpr ErrorKind error_kinds[] = {ErrorKind::Formal, ErrorKind::Robust, ErrorKind::Jackknife,
                                     ErrorKind::RandomEffects};
constexpr IntervalMethod all_methods[] = {IntervalMethod::Linear, IntervalMethod::Profile, IntervalMethod::Bootstrap,
                                          IntervalMethod::Scan};

}  // namespace

void fields(FieldVisitor& v, FittedParameter& p) {
  v.is("FittedParameter", "a fitted parameter");
  v("name", p.name, "name of the parameter: \"charge\", \"stiffness[12]\"");
  v("value", p.value, "the value that it belongs to: \"stiffness\"");
  v("group", or_null(p.scope.group), "group of particles or springs that share it; null: all, or a single one");
  v("recording", or_null(p.scope.recording), "the recording that it belongs to alone; null: all");
  v("nuisance", p.scope.is_nuisance, "whether it only describes the recording: a clock, a placement, a start");
  v("unit", p.unit, "unit of its numbers, in base units of SI; empty: pure numbers");
  v("initial", p.initial, of_parameter, "physical value at the start of the search");
  v("estimate", p.estimate, of_parameter, "physical value at the end of the search");
  v("standard_error", p.standard_error, of_parameter,
    "standard error of the kind with the widest interval; null: not identifiable, or not computed");
  const auto errors = [&] {
    v("formal", p.errors.formal, of_parameter, "of independent residuals");
    v("robust", p.errors.robust, of_parameter, "of independent or autoregressive frames");
    v("jackknife", p.errors.jackknife, of_parameter, "of independent recordings, at least four");
    v("random_effects", p.errors.random_effects, of_parameter,
      "of recordings that differ by themselves; null also if they agree");
  };
  v.block("standard_errors", "StandardErrors", "standard errors of each kind; null: unknown", errors);
  v("interval_from", as_word(p.errors.widest, error_kinds), "the kind whose standard error is given");
  v("interval", Ends{p.interval.lower, p.interval.upper}, of_parameter,
    "ends of the confidence interval; null: open, or not computed");
  v("upper_limit", p.interval.upper_limit, of_parameter,
    "end of a one-sided interval of a value that is consistent with 0; null: none");
  v("upper_limit_holds", value_if(!std::isnan(p.interval.upper_limit), p.interval.limit_holds),
    "false: the model does not fit, so the limit does not apply to the true value; null: no limit");
  v("interval_by", as_word(p.interval.method, all_methods), "how the interval was computed");
  v("curvature", p.interval.curvature,
    "relative deviation of Δχ² at the ends of the linearized interval from its linear value; null: not checked");
  v("identifiable", p.identifiable, "whether the recordings determine it");
  v("weak_direction", or_null(p.weak_direction), "the undetermined direction that contains it; null: none");
  v("at_bound", p.interval.at_bound, "whether the estimate lies on a bound");
  v("half_step_shift", p.half_step.shift,
    "change of the estimate at half the time step, in standard errors; null: unknown");
  v("extrapolated", p.half_step.extrapolated, of_parameter,
    "the estimate without the integration error; null: unknown");
}

}  // namespace pithball::optim
