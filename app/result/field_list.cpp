#include "app/result/field_list.hpp"

#include "app/result/not_known.hpp"

namespace pithball::app {

void visit_value(FieldVisitor& v, sim::Vector& x) {
  std::vector<double> numbers(x.begin(), x.end());
  visit_value(v, numbers);
  if (v.is_reading()) x = Eigen::Map<const sim::Vector>(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
}

void visit_value(FieldVisitor& v, Ends& x) {
  const auto end = [&](bool is_there, double& value) {
    const bool is_known = v.nullable(is_there, [&] { v.number(value); });
    if (v.is_reading() && !is_known) value = not_known;
  };
  v.tuple(2, [&](std::size_t k) { k == 0 ? end(x.has_lower, x.lower) : end(x.has_upper, x.upper); });
}

void visit_value(FieldVisitor& v, TextEnds& x) {
  v.tuple(2, [&](std::size_t k) { v.text_or_null(k == 0 ? x.lower : x.upper); });
}

void visit_value(FieldVisitor& v, OneOrMany& x) {
  const bool is_one = x.values.size() > 0 && (x.values.array() == x.values[0]).all();
  const auto one = [&] {
    double value = is_one ? x.values[0] : not_known;
    v.number(value);
    if (v.is_reading()) x.values = sim::Vector::Constant(1, value);
  };
  v.either(is_one, one, [&] { visit_value(v, x.values); });
}

void visit_value(FieldVisitor& v, Zipped& x) {
  const auto resize = [&](std::size_t size) {
    x.first.resize(size);
    x.second.resize(size);
  };
  v.list({x.first.size(), resize,
          [&](std::size_t k) { v.tuple(2, [&](std::size_t of) { v.number(of == 0 ? x.first[k] : x.second[k]); }); }});
}

void visit_value(FieldVisitor& v, std::array<double, 3>& x) {
  v.tuple(3, [&](std::size_t k) { v.number(x[k]); });
}

void visit_value(FieldVisitor& v, std::map<std::string, std::string>& x) {
  std::vector<std::pair<std::string, std::string>> entries(x.begin(), x.end());
  ByName<std::string> named{entries, true};
  visit_value(v, named);
  if (v.is_reading()) x = {entries.begin(), entries.end()};
}

}  // namespace pithball::app
