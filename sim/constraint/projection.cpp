#include "sim/constraint/projection.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "sim/model/model.hpp"

namespace pithball::sim {
namespace {

constexpr double spare = 1.25;  // factor on the expected reach: a larger one gives fewer searches but more rows

}  // namespace

Projection::Projection(const Model& model) : inverse_mass_(model.mass().cwiseInverse()) {
  for (const Held& held : model.topology().held) inverse_mass_[held.particle] = 0;
  for (const auto& constraint : model.constraints()) {
    parts_.push_back({constraint.get(), constraint->loops(), constraint->as<ContactRows>() != nullptr});
    searches_ = searches_ || constraint->traits().inequality;
    can_break_ = can_break_ || constraint->as<BreakableRows>();
  }
}

void Projection::begin_substep(const Model& model, const Points& x, const Points& v, const Points& a,
                               double time_left) {
  const bool first = reach_.distance.size() == 0;
  if (first || (searches_ && reach_.is_left_by(x))) {
    // Faster particles may hit a slow one, so every reach is at least that of the root mean square speed.
    const double usual = std::sqrt(v.squaredNorm() / std::max<Index>(1, v.cols()));
    reach_.distance =
        spare * time_left *
        (v.colwise().norm().array().max(usual) + time_left * a.colwise().norm().array()).matrix().transpose();
    reach_.from = x;
    find_rows(model, x);
  }
  std::fill(lambda_.begin(), lambda_.end(), 0.0);
}

void Projection::find_rows(const Model& model, const Points& x) {
  keep_contacts();
  rows_.clear();
  for (Part& part : parts_) {
    part.first = rows_.size();
    part.constraint->add_rows(model, x, reach_.distance, rows_);
    part.last = rows_.size();
  }
  lambda_.assign(rows_.size(), 0);
  keep_whole_rows();
}

void Projection::keep_whole_rows() {
  if (!gone_.empty()) {
    std::size_t kept = 0;
    for (std::size_t c = 0; c < parts_.size(); ++c) {
      const std::size_t first = kept;
      for (std::size_t r = parts_[c].first; r < parts_[c].last; ++r) {
        if (gone_.count({static_cast<Index>(c), rows_[r].item})) continue;
        rows_[kept] = rows_[r];
        lambda_[kept++] = lambda_[r];
      }
      parts_[c].first = first;
      parts_[c].last = kept;
    }
    rows_.resize(kept);
    lambda_.resize(kept);
  }
  depth_.assign(rows_.size(), 0);
  push_.assign(rows_.size(), {});
}

ActingRows Projection::acting(const Model& model, const Part& part, double dt, const Points* swept, Losses* book) {
  const std::size_t count = part.last - part.first;
  return {&model,
          dt,
          &inverse_mass_,
          {rows_.data() + part.first, count},
          {lambda_.data() + part.first, count},
          {depth_.data() + part.first, count},
          {push_.data() + part.first, count},
          swept,
          book};
}

void Projection::sweep(const Model& model, double dt, Points& x, Points& v) {
  for (const Part& part : parts_) part.loops.sweep(*part.constraint, acting(model, part, dt), x, v);
}

void Projection::exchange_momentum(const Swept& substep, const Points& a, Points& v, Losses* book) {
  const auto& [model, dt, x, before] = substep;
  const Points swept = book ? v : Points();
  Index active = 0;
  for (const Part& part : parts_) {
    if (!part.contact) continue;
    const Pushing of_part =
        part.loops.exchange(*part.constraint, acting(model, part, dt, &swept, book), x, before, a, v);
    active += of_part.contacts;
    pushing_.deepest = std::max(pushing_.deepest, of_part.deepest);
  }
  pushing_.contacts = std::max(pushing_.contacts, active);
}

void Projection::book_links(const Swept& substep, const Model& was, const Points& v, Losses& book) const {
  const auto& [model, dt, x, before] = substep;
  RowPoints gradient;
  for (const RowForce& acting : forces_of([](const Part& part) { return !part.contact; }, dt)) {
    const Constraint& constraint = *parts_[acting.constraint].constraint;
    const ConstraintRow& row = acting.row;
    const double impulse = acting.force * dt;
    const double earlier = constraint.evaluate(was, row, row_points(row, x), gradient),
                 C = constraint.evaluate(model, row, row_points(row, x), gradient);
    double rate_before = 0, rate = 0;
    for (Index k = 0; k < row.count; ++k) {
      const Index i = row.particles[k];
      rate_before += gradient.col(k).dot(before.col(i));
      rate += gradient.col(k).dot(v.col(i));
      if (inverse_mass_[i] == 0) book[LossKind::Drivers] += impulse * gradient.col(k).dot(v.col(i));
    }
    book[LossKind::Drivers] += impulse * (C - earlier);
    const double compliance = row_compliance(constraint, model, row),
                 compliance_before = row_compliance(constraint, was, row);
    if (!(compliance > 0 && compliance_before > 0)) continue;
    book[LossKind::Drivers] -= C * C / 2 * (1 / compliance - 1 / compliance_before);
    book[LossKind::Dampers] += row_damping(constraint, model, row) * dt * rate * (rate_before + rate) / 2;
  }
}

std::vector<RowForce> Projection::take_broken(const Model& model, double dt) {
  std::vector<RowForce> broken;
  if (!can_break_) return broken;
  for (const RowForce& row : forces(dt)) {
    const auto* breakable = parts_[row.constraint].constraint->as<BreakableRows>();
    if (breakable && -row.force > breakable->strength(model, row.row)) broken.push_back(row);
  }
  if (broken.empty()) return broken;
  for (const RowForce& row : broken) gone_.insert({row.constraint, row.row.item});
  keep_contacts();
  keep_whole_rows();
  return broken;
}

std::vector<RowForce> Projection::forces(double dt) const {
  return forces_of([](const Part&) { return true; }, dt);
}

template <class Select>
std::vector<RowForce> Projection::forces_of(Select select, double dt) const {
  std::vector<RowForce> acting;
  for (std::size_t c = 0; c < parts_.size(); ++c)
    for (std::size_t r = parts_[c].first; select(parts_[c]) && r < parts_[c].last; ++r)
      if (lambda_[r] != 0) acting.push_back({static_cast<Index>(c), rows_[r], lambda_[r] / (dt * dt)});
  return acting;
}

template <class Visit>
void Projection::for_each_contact(Visit visit) const {
  for (std::size_t c = 0; c < parts_.size(); ++c)
    for (std::size_t r = parts_[c].first; r < parts_[c].last; ++r)
      if (push_[r].impulse > 0)
        visit(ContactRecord{static_cast<Index>(c), rows_[r], push_[r].point, push_[r].normal, depth_[r],
                            push_[r].impulse});
}

void Projection::keep_contacts() {
  for_each_contact([&](const ContactRecord& contact) { contacts_.push_back(contact); });
}

std::vector<ContactRecord> Projection::contacts() const {
  std::map<std::pair<Index, Index>, ContactRecord> merged;
  const auto add = [&](const ContactRecord& contact) {
    const auto [at, fresh] = merged.try_emplace({contact.constraint, contact.row.item}, contact);
    if (fresh) return;
    const double depth = std::max(at->second.depth, contact.depth), impulse = at->second.impulse + contact.impulse;
    at->second = contact;  // the later contact has the later point
    at->second.depth = depth;
    at->second.impulse = impulse;
  };
  for (const ContactRecord& contact : contacts_) add(contact);
  for_each_contact(add);
  std::vector<ContactRecord> list;
  for (const auto& [key, contact] : merged) list.push_back(contact);
  return list;
}

}  // namespace pithball::sim
