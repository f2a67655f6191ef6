#include "optim/uncertainty/common_unit.hpp"

#include "python/binding/arrays.hpp"

namespace pithball::python {
namespace {

using namespace nb::literals;

Vector quantogram(const optim::MeasuredValues& values, const Vector& units) {
  Vector found(units.size());
  for (Eigen::Index j = 0; j < units.size(); ++j) found[j] = optim::quantogram(values, units[j]);
  return found;
}

nb::dict to_dict(const optim::CommonUnit& found) {
  nb::dict result;
  result["status"] = optim::word_of(found.status);
  result["unit"] = found.unit;
  result["error"] = found.error;
  result["statistical_error"] = found.statistical_error;
  result["peak"] = found.peak;
  result["p_value"] = found.p_value;
  result["share"] = found.share;
  result["power"] = found.power;
  result["smallest_resolvable"] = found.smallest_resolvable;
  result["multiples"] = found.multiples;
  result["misfit"] = found.misfit;
  result["set_aside"] = static_cast<long>(found.set_aside);
  return result;
}

}  // namespace

void bind_common_unit(nb::module_& module) {
  using optim::UnitSearch;
  nb::class_<UnitSearch>(module, "UnitSearch", "Where a common unit is sought, and what counts as found.")
      .def(nb::init<>())
      .def_rw("low", &UnitSearch::low)
      .def_rw("high", &UnitSearch::high)
      .def_rw("level", &UnitSearch::level)
      .def_rw("supposed", &UnitSearch::supposed)
      .def_rw("scale_error", &UnitSearch::scale_error)
      .def_rw("simulations", &UnitSearch::simulations)
      .def_rw("seed", &UnitSearch::seed);
  module.def(
      "quantogram",
      [](const Numbers& values, const Numbers& errors, const Numbers& units) {
        const optim::MeasuredValues measured{to_vector(values), to_vector(errors)};
        const Vector at = to_vector(units);
        return to_array(released([&] { return quantogram(measured, at); }));
      },
      "values"_a, "errors"_a, "units"_a);
  module.def(
      "common_unit",
      [](const Numbers& values, const Numbers& errors, const UnitSearch& search) {
        const optim::MeasuredValues measured{to_vector(values), to_vector(errors)};
        return to_dict(released([&] { return optim::find_common_unit(measured, search); }));
      },
      "values"_a, "errors"_a, "search"_a);
}

}  // namespace pithball::python
