#pragma once
// Arrays and lists that go in and out of Python.
#include <Eigen/Core>

#include "optim/parameter/parameter_map.hpp"
#include "python/binding/binding.hpp"

namespace pithball::python {

using optim::Vector;
using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

inline Vector to_vector(const Numbers& numbers) {
  return Eigen::Map<const Vector>(numbers.data(), static_cast<Eigen::Index>(numbers.shape(0)));
}

inline nb::ndarray<nb::numpy, double> to_array(const Vector& numbers) {
  return to_array(Eigen::MatrixXd(numbers), {static_cast<std::size_t>(numbers.size())});
}

/// One number of each value.
inline Vector collect(const std::vector<optim::ParameterInfo>& values, double optim::ParameterInfo::*number) {
  Vector found(static_cast<Eigen::Index>(values.size()));
  for (Eigen::Index k = 0; k < found.size(); ++k) found[k] = values[k].*number;
  return found;
}

template <class Item>
std::vector<std::string> collect(const std::vector<Item>& items, std::string Item::*text) {
  std::vector<std::string> found;
  for (const Item& item : items) found.push_back(item.*text);
  return found;
}

}  // namespace pithball::python
