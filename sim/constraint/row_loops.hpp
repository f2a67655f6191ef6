#pragma once
#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "sim/constraint/constraint.hpp"
#include "sim/constraint/constraint_record.hpp"
#include "sim/core/losses.hpp"
#include "sim/kernel/xpbd.hpp"

namespace pithball::sim {

/// Accumulated effect of a contact since its row was found.
struct ContactPush {
  Vec3 point = Vec3::Zero();   ///< point of contact when the row was last active [m]
  Vec3 normal = Vec3::Zero();  ///< unit vector toward the first particle
  double impulse = 0;          ///< along the normal [N s]
};

/// Rows of one constraint in a substep, and the data that a projection stores for each.
struct ActingRows {
  const Model* model;                   ///< with the values at the time of the state
  double dt;                            ///< of the substep [s]
  const Vector* inverse_mass;           ///< N, 0 for held particles [1/kg]
  std::span<const ConstraintRow> rows;  ///< all of one constraint, not owned, as all arrays here
  std::span<double> lambda;             ///< multipliers [N s²]
  std::span<double> depth;              ///< for contacts: the largest overlap [m]
  std::span<ContactPush> push;          ///< for contacts
  const Points* swept = nullptr;        ///< velocities after all sweeps [m/s], for the book
  Losses* book = nullptr;               ///< for energy removed by contacts; null: no book
};

/// The two loops of a projection over rows of a constraint (`Projection::sweep`, `Projection::exchange_momentum`).
struct RowLoops {
  /// One pass over the rows in order: changes λ and `depth`, and with them x [m] and v [m/s], both 3×N.
  void (*sweep)(const Constraint&, const ActingRows&, Points& x, Points& v);
  /// Restitution and friction of the rows with λ > 0 on v [m/s], with `before` and a [m/s²] as in `Projection`.
  Pushing (*exchange)(const Constraint&, const ActingRows&, const Points& x, const Points& before, const Points& a,
                      Points& v);
};

/// The rows with λ > 0.
class PushingRows {
 public:
  /// `lambda`: the multiplier of each row.
  explicit PushingRows(std::span<const double> lambda)
      : rows_(std::make_unique_for_overwrite<std::size_t[]>(lambda.size())) {
    for (std::size_t r = 0; r < lambda.size(); ++r) {
      rows_[count_] = r;  // always written, kept only if λ > 0: a branch would often be mispredicted
      count_ += static_cast<std::size_t>(lambda[r] > 0);
    }
  }
  const std::size_t* begin() const { return rows_.get(); }         ///< numbers of the rows, ascending
  const std::size_t* end() const { return rows_.get() + count_; }  ///< one past the last of them

 private:
  std::unique_ptr<std::size_t[]> rows_;
  std::size_t count_ = 0;
};

/// The rows of any constraint at the values of a model, through its virtual functions.
struct VirtualRows {
  const Constraint& constraint;  ///< the constraint of the rows
  const Model& model;            ///< the model whose values apply
  const ContactRows* contact;    ///< null: no contacts
  /// C(x) of a row, and ∂C/∂x (`Constraint::evaluate`).
  double evaluate(const ConstraintRow& row, const RowPoints& x, RowPoints& gradient) const {
    return constraint.evaluate(model, row, x, gradient);
  }
  /// Restitution and friction of a row; requires `contact`.
  ContactLaw contact_law(const ConstraintRow& row) const { return contact->contact_law(model, row); }
};

/// Work of each row in a sweep, and of each contact in an exchange of momentum: the loops of `RowLoops` for constraints
/// of class Kind. `particles`: number of particles per row if constant; 0: as in the row.
///
/// For Kind = Constraint they call its virtual functions and those of its abilities. A final class has a member
/// `rows_at(model)` that returns its rows with their values looked up once, as `VirtualRows`; the compiler inlines the
/// functions of these into the loop (`flatten`).
///
/// The loops begin with local copies of what their arguments point to: as far as the compiler knows, a stored vector
/// may change any of it, so that it would be loaded again for each row.
template <class Kind, Index particles = 0>
struct LoopsOf {
  static constexpr bool compiled = !std::is_same_v<Kind, Constraint>;  ///< without virtual calls
  /// Number of particles in the row.
  static Index count(const ConstraintRow& row) { return particles > 0 ? particles : row.count; }
  static Index particle(const ConstraintRow& row, Index k) { return row.particles[k]; }  ///< number of the k-th one

  /// An ability, as Kind if that has it, which makes calls static. Null if absent.
  template <class Ability>
  static auto ability(const Kind& constraint) {
    if constexpr (std::is_base_of_v<Ability, Kind>)
      return &constraint;
    else if constexpr (std::is_same_v<Kind, Constraint>)
      return constraint.template as<Ability>();
    else
      return static_cast<const Ability*>(nullptr);
  }

  /// The rows, at the values of a model.
  static auto rows_at(const Kind& constraint, const Model& model) {
    if constexpr (compiled)
      return constraint.rows_at(model);
    else
      return VirtualRows{constraint, model, ability<ContactRows>(constraint)};
  }

  /// C [m] of a row at all positions x, 3×N, and its gradient for the row's particles.
  static double evaluate(const auto& rows, const ConstraintRow& row, const auto& x, RowPoints& gradient) {
    RowPoints at;
    for (Index k = 0; k < count(row); ++k) at.col(k) = x.col(particle(row, k));
    return rows.evaluate(row, at, gradient);
  }

  /// See `RowLoops::sweep`; `base` must be a Kind.
  [[gnu::flatten]] static void sweep(const Constraint& base, const ActingRows& acting, Points& all_x, Points& all_v) {
    const ActingRows of = acting;
    Eigen::Map<Points> x(all_x.data(), 3, all_x.cols()), v(all_v.data(), 3, all_v.cols());
    const auto& constraint = static_cast<const Kind&>(base);
    const auto rows = rows_at(constraint, *of.model);
    const auto* compliant = ability<CompliantRows>(constraint);
    const bool contact = ability<ContactRows>(constraint) != nullptr,
               inequality = contact || constraint.traits().inequality;
    const double* inverse_mass = of.inverse_mass->data();
    const double frequency = 1 / of.dt;
    RowPoints gradient;
    for (std::size_t r = 0; r < of.rows.size(); ++r) {
      const ConstraintRow& row = of.rows[r];
      double& lambda = of.lambda[r];
      const double C = evaluate(rows, row, x, gradient);
      // In compiled loops over contacts a mispredicted branch costs more than a move by 0.
      if ((!compiled || !contact) && inequality && C >= 0 && lambda == 0) continue;
      double w = 0;
      if (contact) {  // ∇C is n, −n with |n| = 1, or 0 where there is none
        if (gradient.col(0).isZero(0)) continue;
        for (Index k = 0; k < count(row); ++k) w += inverse_mass[particle(row, k)];
      } else {
        for (Index k = 0; k < count(row); ++k) w += inverse_mass[particle(row, k)] * gradient.col(k).squaredNorm();
      }
      const double compliance = compliant ? compliant->compliance(*of.model, row) : 0;
      double change;
      if (compliance == 0) {
        if (w == 0) continue;   // rigid, between held particles: nothing can move
        change = -C * (1 / w);  // computed early, before C is known
      } else {
        double rate = 0;
        for (Index k = 0; k < count(row); ++k) rate += gradient.col(k).dot(v.col(particle(row, k)));
        const double damping = compliant ? compliant->damping(*of.model, row) : 0;
        change = kernel::multiplier_change(C, rate, lambda, w, compliance, damping, of.dt);
      }
      if (inequality) change = std::max(change, -lambda);
      if (contact) of.depth[r] = std::max(of.depth[r], -C);
      lambda += change;
      for (Index k = 0; k < count(row); ++k) {
        const Index i = particle(row, k);
        const Vec3 move = (inverse_mass[i] * change) * gradient.col(k);
        x.col(i) += move;
        v.col(i) += frequency * move;
      }
    }
  }

  /// See `RowLoops::exchange`; `base` must be a Kind with the ability `ContactRows`, if it has a row with λ > 0.
  [[gnu::flatten]] static Pushing exchange(const Constraint& base, const ActingRows& acting, const Points& all_x,
                                           const Points& all_before, const Points& all_a, Points& all_v) {
    const ActingRows of = acting;
    const auto local = [](const Points& all) { return Eigen::Map<const Points>(all.data(), 3, all.cols()); };
    const auto x = local(all_x), before = local(all_before), a = local(all_a),
               swept_v = local(of.swept ? *of.swept : all_v);
    Eigen::Map<Points> v(all_v.data(), 3, all_v.cols());
    const auto rows = rows_at(static_cast<const Kind&>(base), *of.model);
    const double* inverse_mass = of.inverse_mass->data();
    const double frequency = 1 / of.dt;
    Pushing all;
    Losses book;
    RowPoints gradient;
    for (const std::size_t r : PushingRows(of.lambda)) {
      const ConstraintRow& row = of.rows[r];
      const bool two = count(row) > 1;
      const Index i = particle(row, 0), j = two ? particle(row, 1) : i;
      const double w_i = inverse_mass[i], w_j = two ? inverse_mass[j] : 0, reduced_mass = 1 / (w_i + w_j);
      const auto relative = [&](const auto& vectors) -> Vec3 {
        return two ? Vec3(vectors.col(i) - vectors.col(j)) : Vec3(vectors.col(i));
      };
      evaluate(rows, row, x, gradient);
      const Vec3 n = gradient.col(0), u = relative(v);
      const ContactLaw law = rows.contact_law(row);

      const double v_n = n.dot(u), approach = -n.dot(relative(before));
      const double slow = 2 * of.dt * std::abs(n.dot(relative(a))), bouncing = approach > slow ? approach : 0;
      // Particles that already separate, in an overlap caused by another row, keep their speed −approach.
      const double rebound = std::max(-approach, law.restitution * bouncing) - v_n;
      const double impulse = std::max(0.0, frequency * of.lambda[r] + reduced_mass * rebound);
      Vec3 change = reduced_mass * rebound * n;
      if (of.book) {  // from sweeps and bounce: an impulse times the mean of the speeds before and after it
        const double swept = frequency * of.lambda[r];
        book[LossKind::Contacts] -=
            swept * n.dot(relative(before) + relative(swept_v)) / 2 + reduced_mass * rebound * (v_n + rebound / 2);
      }
      if (law.friction > 0 || law.slip < 1) {
        const Vec3 v_t = u - v_n * n;
        const double speed = v_t.norm();
        // A contact caused only by rounding keeps slipping as before.
        const double slip = approach > 1e-9 * speed ? law.slip : 1;
        const double left = slip * std::max(0.0, speed - law.friction * impulse / reduced_mass);
        if (speed > 0) change += reduced_mass * (left / speed - 1) * v_t;
        book[LossKind::Friction] += reduced_mass / 2 * (speed - left) * (speed + left);
      }
      if (of.book) {  // supports bear the forces on driven particles
        const Vec3 all_of_it = frequency * of.lambda[r] * n + change;
        if (w_i == 0) book[LossKind::Drivers] += all_of_it.dot(v.col(i));
        if (two && w_j == 0) book[LossKind::Drivers] -= all_of_it.dot(v.col(j));
      }
      v.col(i) += w_i * change;
      if (two) v.col(j) -= w_j * change;

      ContactPush& push = of.push[r];
      push.point = x.col(i) - law.radius * n;
      push.normal = n;
      push.impulse += impulse;
      all.deepest = std::max(all.deepest, of.depth[r]);
      ++all.contacts;
    }
    if (of.book) of.book->add(1, book);
    return all;
  }

  static RowLoops loops() { return {sweep, exchange}; }  ///< both, for `Constraint::loops`
};

}  // namespace pithball::sim
