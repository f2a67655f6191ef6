#pragma once

namespace pithball::optim {

/// P(|T| ≤ t) of Student's t distribution with an integer number of degrees of freedom ≥ 1, t ≥ 0; a finite sum
/// (Abramowitz & Stegun, 26.7.3 and 26.7.4).
double student_t_probability(double t, long degrees);

/// The t with P(|T| ≤ t) = probability, in (0, 1): half the width of a two-sided interval in standard errors. Beyond
/// 1,000 degrees of freedom from the expansion about the normal quantile (Abramowitz & Stegun, 26.7.5; error below 1e-9
/// there).
double student_t_quantile(double probability, long degrees);

/// The t ≥ 0 with P(T ≤ t) = probability: the distance of a one-sided limit in standard errors, 1.645 for many degrees
/// of freedom at 0.95. 0 for a probability up to one half.
double one_sided_quantile(double probability, long degrees);

}  // namespace pithball::optim
