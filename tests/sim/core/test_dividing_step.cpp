#include "sim/core/dividing_step.hpp"

#include <cmath>

#include "tests/support/catch.hpp"

using pithball::sim::dividing_step;

TEST_CASE("dividing step: it divides the present one, and is as short as wanted but not much shorter", "[sim][core]") {
  CHECK(dividing_step(1e-3, 4.9e-5) == Approx(2.5e-5));
  CHECK(dividing_step(0.1, 0.0052) == Approx(5e-3));
  CHECK(dividing_step(2, 1) == 1);
  CHECK(dividing_step(2, 3) == 2);
  for (const double scale : {1e-18, 1.0, 1e12})
    for (double wanted = 1; wanted > 1e-4; wanted *= 0.93) {
      CAPTURE(scale, wanted);
      const double step = dividing_step(scale, scale * wanted), parts = scale / step;
      CHECK(step <= scale * wanted * (1 + 1e-12));
      CHECK(step > scale * wanted / 2.1);
      CHECK(parts == Approx(std::round(parts)).epsilon(1e-12));
    }
}
