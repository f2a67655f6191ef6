#include "app/run/value_functions.hpp"

#include "python/binding/arrays.hpp"

namespace pithball::python {
namespace {

using namespace nb::literals;
using app::ValueResidual;

nb::tuple to_pair(const app::LogDensity& density) { return nb::make_tuple(density.value, to_array(density.gradient)); }

}  // namespace

void bind_residual(nb::module_& module) {
  nb::class_<ValueResidual>(module, "ValueResidual", "The residuals of a fit as a function of values.")
      .def_prop_ro("names",
                   [](const ValueResidual& self) { return collect(self.values(), &optim::ParameterInfo::name); })
      .def_prop_ro("units",
                   [](const ValueResidual& self) { return collect(self.values(), &optim::ParameterInfo::unit); })
      .def_prop_ro("notes", &ValueResidual::notes)
      .def_prop_ro("data_rows", [](const ValueResidual& self) { return static_cast<long>(self.data_rows()); })
      .def_prop_ro("rows", [](const ValueResidual& self) { return static_cast<long>(self.rows()); })
      .def_prop_ro(
          "start", [](const ValueResidual& self) { return to_array(self.start()); }, nb::rv_policy::automatic)
      .def_prop_ro(
          "lower",
          [](const ValueResidual& self) { return to_array(collect(self.values(), &optim::ParameterInfo::lower)); },
          nb::rv_policy::automatic)
      .def_prop_ro(
          "upper",
          [](const ValueResidual& self) { return to_array(collect(self.values(), &optim::ParameterInfo::upper)); },
          nb::rv_policy::automatic)
      .def(
          "doubts",
          [](const ValueResidual& self, const Numbers& theta) {
            const Vector p = to_vector(theta);
            return released([&] { return self.doubts(p); });
          },
          "theta"_a, "Why derivatives at θ are not those of the motion.")
      .def(
          "residual",
          [](const ValueResidual& self, const Numbers& theta) {
            const Vector p = to_vector(theta);
            return to_array(released([&] { return self.residual(p); }));
          },
          "theta"_a)
      .def(
          "jacobian",
          [](const ValueResidual& self, const Numbers& theta) {
            const Vector p = to_vector(theta);
            // Python's last index runs fastest.
            Eigen::MatrixXd J = released([&] { return Eigen::MatrixXd(self.jacobian(p).transpose()); });
            const std::vector<std::size_t> shape{static_cast<std::size_t>(J.cols()),
                                                 static_cast<std::size_t>(J.rows())};
            return to_array(std::move(J), shape);
          },
          "theta"_a)
      .def(
          "pull_back",
          [](const ValueResidual& self, const Numbers& theta, const Numbers& w) {
            const Vector p = to_vector(theta), weights = to_vector(w);
            return to_array(released([&] { return self.pull_back(p, weights); }));
          },
          "theta"_a, "w"_a)
      .def(
          "normal_product",
          [](const ValueResidual& self, const Numbers& theta, const Numbers& d) {
            const Vector p = to_vector(theta), direction = to_vector(d);
            return to_array(released([&] { return self.normal_product(p, direction); }));
          },
          "theta"_a, "d"_a)
      .def(
          "log_likelihood",
          [](const ValueResidual& self, const Numbers& theta) {
            const Vector p = to_vector(theta);
            return to_pair(released([&] { return self.log_likelihood(p); }));
          },
          "theta"_a)
      .def(
          "log_prior",
          [](const ValueResidual& self, const Numbers& theta) { return to_pair(self.log_prior(to_vector(theta))); },
          "theta"_a);
}

}  // namespace pithball::python
