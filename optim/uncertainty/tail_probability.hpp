#pragma once

namespace pithball::optim {

/// P(F > f) of the F distribution with q and ν degrees of freedom, both > 0, f ≥ 0: I_x(ν/2, q/2) with
/// x = ν/(ν + q f) (Abramowitz & Stegun, 26.6.2). Accurate relative to itself, however small it is. For q = 1 it is
/// P(|T| > √f) of Student's t with ν degrees of freedom.
double f_tail(double f, double q, double degrees);

}  // namespace pithball::optim
