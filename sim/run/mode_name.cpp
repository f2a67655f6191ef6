#include "sim/run/mode_name.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <vector>

#include "sim/core/dense.hpp"
#include "sim/core/text.hpp"

namespace pithball::sim {
namespace {

constexpr double alike = 1e-6;  // motions that differ relatively by less count as equal; above rounding

std::string direction_name(const Vec3& direction, const Vec3& vertical) {
  const Vec3 d = direction.normalized();
  const auto along = [&](const Vec3& axis) { return std::abs(d.dot(axis)) > 1 - alike; };
  if (!vertical.isZero(0) && along(vertical)) return "the vertical";
  for (int a = 0; a < 3; ++a)
    if (along(Vec3::Unit(a))) return std::string(1, "xyz"[a]);
  const Vec3 shown = d.unaryExpr([](double c) { return std::abs(c) < alike ? 0.0 : c; });
  return "(" + to_text(shown[0]) + ", " + to_text(shown[1]) + ", " + to_text(shown[2]) + ")";
}

/// The direction of the model's uniform gravity; zero if there is none.
Vec3 find_vertical(const Model& model) {
  const auto block = model.values().find("gravity");
  if (!block || model.values().block(*block).size != 3) return Vec3::Zero();
  const Vec3 g = model.values()[*block];
  return g.isZero(0) ? g : Vec3(g.normalized());
}

/// A rigid motion u + ω × (x − center).
struct RigidMotion {
  Vec3 u = Vec3::Zero(), omega = Vec3::Zero(), center = Vec3::Zero();
  Points at(const Points& x) const {
    Points moved(3, x.cols());
    for (Index i = 0; i < x.cols(); ++i) moved.col(i) = u + omega.cross(Vec3(x.col(i) - center));
    return moved;
  }
};

/// Returns the rigid motion that fits these displacements of these particles best (least squares).
RigidMotion nearest_rigid(const Points& x, const Points& moved) {
  RigidMotion rigid;
  rigid.center = x.rowwise().mean();
  const Points offset = x.colwise() - rigid.center;
  const double extent = offset.cwiseAbs().maxCoeff();
  Eigen::MatrixXd A(moved.size(), 6);
  for (Index i = 0; i < x.cols(); ++i)
    for (int c = 0; c < 3; ++c) {
      A.block<3, 1>(3 * i, c) = Vec3::Unit(c);
      A.block<3, 1>(3 * i, 3 + c) = extent > 0 ? Vec3(Vec3::Unit(c).cross(Vec3(offset.col(i) / extent))) : Vec3::Zero();
    }
  const Vector found = solve_least_squares(A, flat(moved)).X;
  rigid.u = found.head<3>();
  if (extent > 0) rigid.omega = found.tail<3>() / extent;
  return rigid;
}

class Namer {
 public:
  Namer(const Model& model, const Points& x) : model_(model), x_(x), vertical_(find_vertical(model)) {
    for (Index i = 0; i < model.particles(); ++i) (model.is_held(i) ? held_ : free_).push_back(i);
  }

  std::string name(const Eigen::MatrixXd& modes, const Vector& push) const {
    for (const RigidMotion& plain : plain_motions()) {
      const Points moved = plain.at(x_);
      const Vector m = flat(moved);
      const double size = m.norm();
      if (!(size > 0)) continue;
      const Vector within = modes * (modes.transpose() * m);
      if ((m - within).norm() <= alike * size && std::abs(push.dot(m)) > alike * size * push.norm())
        return rigid_name(plain, "the body");
    }
    return odd_name(modes * (modes.transpose() * push));
  }

 private:
  /// Returns rotations about simple axes through the pin, or the center if there is no pin, and translations along
  /// axes.
  std::vector<RigidMotion> plain_motions() const {
    std::vector<RigidMotion> plain;
    RigidMotion turn;
    turn.center = held_.empty() ? Vec3(x_(Eigen::all, free_).rowwise().mean()) : Vec3(x_.col(held_.front()));
    std::vector<Vec3> axes{Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()};
    for (std::size_t k = 1; k < held_.size(); ++k)
      if (const Vec3 line = x_.col(held_[k]) - x_.col(held_[0]); !line.isZero(0)) axes.push_back(line.normalized());
    if (!vertical_.isZero(0)) axes.insert(axes.begin(), vertical_);
    for (int a = 0; a < 3 && held_.empty(); ++a) plain.push_back({Vec3::Unit(a), Vec3::Zero(), turn.center});
    for (const Vec3& axis : axes) {
      turn.omega = axis;
      plain.push_back(turn);
    }
    return plain;
  }

  std::string rigid_name(const RigidMotion& rigid, const std::string& who) const {
    const double extent = (x_.colwise() - rigid.center).cwiseAbs().maxCoeff();
    const std::string subject = who == "the body" ? "" : who + " ";
    if (rigid.omega.norm() * extent <= alike * rigid.u.norm())
      return "moves " + subject + "along " + direction_name(rigid.u, vertical_);
    const Vec3 axis = rigid.omega.normalized();
    // A point on the axis, and the number of held particles on it.
    const Vec3 point = rigid.center + rigid.omega.cross(rigid.u) / rigid.omega.squaredNorm();
    std::size_t on_axis = 0;
    for (const Index i : held_) on_axis += axis.cross(Vec3(x_.col(i) - point)).norm() <= alike * extent;
    const std::string through = on_axis == 0   ? who == "the body" ? " through its center" : ""
                                : on_axis == 1 ? " through the pin"
                                               : " through the pins";
    return "turns " + subject + "about " + direction_name(axis, vertical_) + through;
  }

  /// Returns the name of a motion that is not a plain one.
  std::string odd_name(const Vector& motion) const {
    const Points moved = motion.reshaped(3, x_.cols());
    const double largest = moved.colwise().norm().maxCoeff();
    std::vector<Index> moving;
    for (const Index i : free_)
      if (moved.col(i).norm() > alike * largest) moving.push_back(i);
    if (moving.empty()) return "moves";
    const bool whole = moving.size() == free_.size();
    std::vector<Index> part = moving;
    if (whole) part.insert(part.end(), held_.begin(), held_.end());
    const Points x = x_(Eigen::all, part), m = moved(Eigen::all, part);
    const RigidMotion rigid = nearest_rigid(x, m);
    if ((rigid.at(x) - m).norm() <= alike * m.norm()) return rigid_name(rigid, whole ? "the body" : list(moving));
    Index most = 0;
    moved.colwise().norm().maxCoeff(&most);
    return "moves " + list(moving) + ", most of all particle " + std::to_string(most) + " along " +
           direction_name(moved.col(most), vertical_);
  }

  static std::string list(const std::vector<Index>& particles) {
    constexpr std::size_t most_named = 4;
    std::string text = particles.size() == 1 ? "particle " : "particles ";
    for (std::size_t k = 0; k < std::min(particles.size(), most_named); ++k)
      text += (k > 0 ? ", " : "") + std::to_string(particles[k]);
    return particles.size() > most_named ? text + ", …" : text;
  }

  const Model& model_;
  const Points& x_;
  Vec3 vertical_;
  std::vector<Index> held_, free_;
};

}  // namespace

std::string name_mode(const Model& model, const Points& x, const Eigen::MatrixXd& modes, const Vector& push) {
  return Namer(model, x).name(modes, push);
}

}  // namespace pithball::sim
