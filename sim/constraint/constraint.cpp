#include "sim/constraint/constraint.hpp"

#include "sim/constraint/row_loops.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {

RowLoops Constraint::loops() const { return LoopsOf<Constraint>::loops(); }

double row_compliance(const Constraint& constraint, const Model& model, const ConstraintRow& row) {
  const auto* compliant = constraint.as<CompliantRows>();
  return compliant ? compliant->compliance(model, row) : 0;
}

double row_damping(const Constraint& constraint, const Model& model, const ConstraintRow& row) {
  const auto* compliant = constraint.as<CompliantRows>();
  return compliant ? compliant->damping(model, row) : 0;
}

double stored_energy(const Constraint& constraint, const Model& model, const Points& x) {
  std::vector<ConstraintRow> rows;
  constraint.add_rows(model, x, Vector::Zero(x.cols()), rows);
  double energy = 0;
  for (const ConstraintRow& row : rows) energy += stored_energy(constraint, model, row, x);
  return energy;
}

double stored_energy(const Constraint& constraint, const Model& model, const ConstraintRow& row, const Points& x) {
  const double compliance = row_compliance(constraint, model, row);
  if (!(compliance > 0)) return 0;
  RowPoints gradient;
  const double C = constraint.evaluate(model, row, row_points(row, x), gradient);
  return !constraint.traits().inequality || C < 0 ? C * C / (2 * compliance) : 0;
}

}  // namespace pithball::sim
