#include "sim/constraint/projection.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "sim/kernel/xpbd.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {
namespace {

constexpr double spare = 1.25;  // reach beyond what speeds let expect: fewer searches against more rows

}  // namespace

Projection::Projection(const Model& model) : inverse_mass_(model.mass().cwiseInverse()) {
  for (const Held& held : model.topology().held) inverse_mass_[held.particle] = 0;
  for (const auto& constraint : model.constraints()) {
    kinds_.push_back({constraint.get(), constraint->traits().inequality, constraint->traits().contact});
    searches_ = searches_ || constraint->traits().inequality;
    can_break_ = can_break_ || constraint->can_break();
  }
}

void Projection::begin_substep(const Model& model, const Points& x, const Points& v, const Points& a,
                               double time_left) {
  const bool first = reach_.size() == 0;
  if (first ||
      (searches_ && ((x - found_at_).colwise().squaredNorm().transpose().array() > reach_.array().square()).any())) {
    // Whoever is slow may be struck by others, so that nobody's reach is below the usual one.
    const double usual = std::sqrt(v.squaredNorm() / static_cast<double>(std::max<Index>(1, v.cols())));
    reach_ = spare * time_left *
             (v.colwise().norm().array().max(usual) + time_left * a.colwise().norm().array()).matrix().transpose();
    found_at_ = x;
    find_rows(model, x);
  }
  for (Row& row : rows_) row.lambda = 0;
  touched_.clear();
}

void Projection::find_rows(const Model& model, const Points& x) {
  keep_contacts();
  rows_.clear();
  std::vector<ConstraintRow> found;
  for (std::size_t c = 0; c < model.constraints().size(); ++c) {
    const auto number = static_cast<Index>(c);
    found.clear();
    model.constraints()[c]->add_rows(model, x, reach_, found);
    for (const ConstraintRow& row : found)
      if (gone_.empty() || !gone_.count({number, row.item})) rows_.push_back({number, row, 0});
  }
  records_.assign(rows_.size(), {});
}

void Projection::sweep(const Model& model, double dt, Points& x, Points& v) {
  RowPoints gradient;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    Row& projected = rows_[r];
    const auto& [owner, inequality, contact] = kinds_[static_cast<std::size_t>(projected.constraint)];
    const Constraint& constraint = *owner;
    const ConstraintRow& row = projected.row;
    const double C = constraint.evaluate(model, row, row_points(row, x), gradient);
    if (inequality && C >= 0 && projected.lambda == 0) continue;
    double w = 0, rate = 0;
    for (Index k = 0; k < row.count; ++k) {
      const Index i = row.particles[static_cast<std::size_t>(k)];
      w += inverse_mass_[i] * gradient.col(k).squaredNorm();
      rate += gradient.col(k).dot(v.col(i));
    }
    const double compliance = constraint.compliance(model, row);
    if (w == 0 && compliance == 0) continue;  // rigid, between held particles: nothing can give way
    double change =
        kernel::multiplier_change(C, rate, projected.lambda, w, compliance, constraint.damping(model, row), dt);
    if (inequality) change = std::max(change, -projected.lambda);
    if (contact) {
      if (projected.lambda == 0) touched_.push_back(r);
      records_[r].depth = std::max(records_[r].depth, -C);
    }
    projected.lambda += change;
    for (Index k = 0; k < row.count; ++k) {
      const Index i = row.particles[static_cast<std::size_t>(k)];
      const Vec3 move = inverse_mass_[i] * change * gradient.col(k);
      x.col(i) += move;
      v.col(i) += move / dt;
    }
  }
}

void Projection::exchange_momentum(const Model& model, double dt, const Points& x, const Points& before,
                                   const Points& a, Points& v) {
  RowPoints gradient;
  Index pushing = 0;
  std::sort(touched_.begin(), touched_.end());
  touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
  for (const std::size_t r : touched_) {
    const Row& projected = rows_[r];
    if (!(projected.lambda > 0)) continue;
    const Constraint& constraint = *kinds_[static_cast<std::size_t>(projected.constraint)].constraint;
    const ConstraintRow& row = projected.row;
    const Index i = row.particles[0], j = row.count > 1 ? row.particles[1] : -1;
    const double w_i = inverse_mass_[i], w_j = j < 0 ? 0 : inverse_mass_[j], w = w_i + w_j;
    const auto relative = [&](const Points& of) -> Vec3 {
      return j < 0 ? Vec3(of.col(i)) : Vec3(of.col(i) - of.col(j));
    };
    constraint.evaluate(model, row, row_points(row, x), gradient);
    const Vec3 n = gradient.col(0), u = relative(v);
    const ContactLaw law = constraint.contact_law(model, row);

    const double v_n = n.dot(u), approach = -n.dot(relative(before));
    const bool bounces = approach > 2 * dt * std::abs(n.dot(relative(a)));
    // Those who separate already, in an overlap that another row made, keep the speed at which they do.
    const double target = approach < 0 ? -approach : bounces ? law.restitution * approach : 0;
    const double rebound = target - v_n;
    const double impulse = std::max(0.0, projected.lambda / dt + rebound / w);
    const Vec3 v_t = u - v_n * n;
    const double speed = v_t.norm();
    // What only rounding brings into contact slips on as it did.
    const double slip = approach > 1e-9 * speed ? law.slip : 1;
    const double left = slip * std::max(0.0, speed - law.friction * impulse * w);
    const Vec3 change = rebound * n + (speed > 0 ? left / speed - 1 : 0) * v_t;
    v.col(i) += w_i / w * change;
    if (j >= 0) v.col(j) -= w_j / w * change;

    ContactRecord& record = records_[r];
    record.constraint = projected.constraint;
    record.row = row;
    record.normal = n;
    record.point = x.col(i) - law.radius * n;
    record.impulse += impulse;
    deepest_ = std::max(deepest_, record.depth);
    ++pushing;
  }
  most_contacts_ = std::max(most_contacts_, pushing);
}

std::vector<RowForce> Projection::take_broken(const Model& model, double dt) {
  std::vector<RowForce> broken;
  if (!can_break_) return broken;
  for (const Row& row : rows_) {
    const double force = row.lambda / (dt * dt);
    const Constraint& constraint = *kinds_[static_cast<std::size_t>(row.constraint)].constraint;
    if (-force > constraint.strength(model, row.row)) broken.push_back({row.constraint, row.row, force});
  }
  if (broken.empty()) return broken;
  for (const RowForce& row : broken) gone_.insert({row.constraint, row.row.item});
  keep_contacts();
  std::erase_if(rows_, [&](const Row& row) { return gone_.count({row.constraint, row.row.item}) > 0; });
  records_.assign(rows_.size(), {});
  return broken;
}

std::vector<RowForce> Projection::forces(double dt) const {
  std::vector<RowForce> acting;
  for (const Row& row : rows_)
    if (row.lambda != 0) acting.push_back({row.constraint, row.row, row.lambda / (dt * dt)});
  return acting;
}

void Projection::keep_contacts() {
  for (const ContactRecord& record : records_)
    if (record.impulse > 0) contacts_.push_back(record);
}

std::vector<ContactRecord> Projection::contacts() const {
  std::map<std::pair<Index, Index>, ContactRecord> merged;
  const auto add = [&](const ContactRecord& contact) {
    const auto [at, fresh] = merged.try_emplace({contact.constraint, contact.row.item}, contact);
    if (fresh) return;
    const double depth = std::max(at->second.depth, contact.depth), impulse = at->second.impulse + contact.impulse;
    at->second = contact;  // later ones know the later point
    at->second.depth = depth;
    at->second.impulse = impulse;
  };
  for (const ContactRecord& contact : contacts_) add(contact);
  for (const ContactRecord& record : records_)
    if (record.impulse > 0) add(record);
  std::vector<ContactRecord> list;
  for (const auto& [key, contact] : merged) list.push_back(contact);
  return list;
}

}  // namespace pithball::sim
