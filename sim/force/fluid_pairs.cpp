#include "sim/force/fluid_pairs.hpp"

#include "sim/core/text.hpp"
#include "sim/force/pair_force.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {

FluidPairs FluidPairs::read(Settings& settings) {
  const double length = settings.number(
      "smoothing_length", "m",
      "smoothing length h of the kernel, whose support is 2h; usually 1.2 to 1.5 times the particle spacing");
  if (!(length > 0)) settings.reject("smoothing_length", "must be > 0 m", to_text(length), "1.3 particle distances");
  const std::string name =
      settings.choice("kernel", {"wendland_c2", "cubic_spline"}, "smoothing kernel", "wendland_c2");
  const Index dimensions = settings.integer(
      "dimensions", "number of dimensions: 3, or 2 for particles in a plane with masses per meter", Index{3});
  if (dimensions != 2 && dimensions != 3)
    settings.reject("dimensions", "must be 2 or 3", std::to_string(dimensions), "omit it for 3");
  const int d = dimensions;
  const Kernel kernel =
      name == "cubic_spline" ? Kernel(kernel::CubicSpline(length, d)) : Kernel(kernel::WendlandC2(length, d));
  return {read_neighbors(settings, 2 * length, "the kernel's support 2h"), kernel, length, d};
}

Vector FluidPairs::density(const PairRows& rows, const Vector& mass) const {
  const double own = std::visit([](const auto& kernel) { return kernel(0).value; }, kernel_);
  Vector rho = own * mass;
  visit(rows, [&](Index i, Index j, const Vec3&, const kernel::Smoothed& W) {
    rho[i] += mass[j] * W.value;
    rho[j] += mass[i] * W.value;
  });
  return rho;
}

Vector FluidPairs::density(const Model& model, const Points& x) const {
  const PairRows near = rows(x);
  return near.scattered(density(near, near.gathered(Vector(model.mass()))));
}

}  // namespace pithball::sim
