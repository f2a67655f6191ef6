#include "experiments/captured/trunk_decay/truss.hpp"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <cmath>

#include "datasets/mesh/mesh_generator.hpp"
#include "sim/force/dry_friction.hpp"
#include "sim/force/gravity.hpp"
#include "sim/force/spring_damper.hpp"
#include "sim/force/spring_force.hpp"

namespace pithball::experiments::trunk_decay {
namespace {

constexpr Index sides = 3;
constexpr double radius = 0.03;
constexpr double stiction_velocity = 0.01;  // at which dry friction is smoothed [m/s]; small swings reach 0.07 m/s
const std::vector<double> ring_depth{0, 0.053, 0.106, 0.1545, 0.203, 0.2625, 0.322};  // two bays to each disc
constexpr std::array<Index, 3> disc_ring{2, 4, 6};

/// The cubic spline through values at four depths, with zero slope at the first and zero curvature at the last.
class BendingCurve {
 public:
  BendingCurve(const std::array<double, 4>& s, const std::array<double, 4>& u) : s_(s), u_(u) {
    // Second derivatives m from continuity of slopes; first row: u'(s0) = 0, last row: m3 = 0.
    Eigen::Matrix4d A = Eigen::Matrix4d::Zero();
    Eigen::Vector4d b = Eigen::Vector4d::Zero();
    const auto h = [&](std::size_t k) { return s[k + 1] - s[k]; };
    const auto d = [&](std::size_t k) { return (u[k + 1] - u[k]) / h(k); };
    A(0, 0) = h(0) / 3;
    A(0, 1) = h(0) / 6;
    b[0] = d(0);
    for (Index k = 1; k < 3; ++k) {
      const std::size_t i = k;
      A(k, k - 1) = h(i - 1) / 6;
      A(k, k) = (h(i - 1) + h(i)) / 3;
      A(k, k + 1) = h(i) / 6;
      b[k] = d(i) - d(i - 1);
    }
    A(3, 3) = 1;
    m_ = A.fullPivLu().solve(b);
  }
  double value(double s) const {
    const auto [k, h, a, c] = place(s);
    return a * u_[k] + c * u_[k + 1] + h * h / 6 * ((a * a * a - a) * m(k) + (c * c * c - c) * m(k + 1));
  }
  double slope(double s) const {
    const auto [k, h, a, c] = place(s);
    return (u_[k + 1] - u_[k]) / h + h / 6 * (-(3 * a * a - 1) * m(k) + (3 * c * c - 1) * m(k + 1));
  }

 private:
  struct Place {
    std::size_t k;
    double h, a, c;
  };
  Place place(double s) const {
    std::size_t k = 0;
    while (k < 2 && s > s_[k + 1]) ++k;
    const double h = s_[k + 1] - s_[k];
    return {k, h, (s_[k + 1] - s) / h, (s - s_[k]) / h};
  }
  double m(std::size_t k) const { return m_[k]; }
  std::array<double, 4> s_, u_;
  Eigen::Vector4d m_;
};

double linear(const std::array<double, 4>& s, const std::array<double, 4>& u, double at) {
  std::size_t k = 0;
  while (k < 2 && at > s[k + 1]) ++k;
  return u[k] + (u[k + 1] - u[k]) * (at - s[k]) / (s[k + 1] - s[k]);
}

}  // namespace

Truss::Truss() {
  datasets::BeamShape shape;
  shape.radius = radius;
  shape.sides = sides;
  shape.axis = -Vec3::UnitY();
  shape.side = Vec3::UnitX();
  shape.ring_positions = ring_depth;
  const datasets::Mesh mesh = datasets::make_beam(shape);
  vertices_ = mesh.vertices;
  springs_ = mesh.springs;
  lengths_ = mesh.spring_lengths();
  const Index rings = ring_depth.size();
  share_.resize(vertices_.cols());
  for (Index r = 0; r < rings; ++r) {
    const auto at = [&](Index k) { return ring_depth[std::clamp<Index>(k, 0, rings - 1)]; };
    const double tributary = (at(r + 1) - at(r - 1)) / 2;
    share_.segment(sides * r, sides).setConstant(tributary / ring_depth.back() / sides);
  }
}

sim::Vector Truss::load_mass(Index load) const {
  sim::Vector m = sim::Vector::Zero(vertices_.cols());
  m.tail(sides).setConstant(static_cast<double>(load) / 1000 / sides);
  return m;
}

std::vector<Index> Truss::free_vertices() const {
  std::vector<Index> free;
  for (Index i = sides; i < vertices_.cols(); ++i) free.push_back(i);
  return free;
}

/// Returns displacements (or velocities) of all vertices from those of the three discs. A bending curve through mount
/// and discs gives the transverse components; the component along the body is interpolated linearly. Each section is
/// rotated by the slope of the curve, so that the truss starts bent, not sheared. Velocities use the rotation to first
/// order.
Points Truss::lift(const Points& discs, bool rotate) const {
  const std::array<double, 4> s{0, ring_depth[2], ring_depth[4], ring_depth[6]};
  const auto through = [&](int c) { return std::array<double, 4>{0, discs(c, 0), discs(c, 1), discs(c, 2)}; };
  const BendingCurve x(s, through(0)), z(s, through(2));
  Points out(3, vertices_.cols());
  for (std::size_t r = 0; r < ring_depth.size(); ++r) {
    const double depth = ring_depth[r];
    const Vec3 u(x.value(depth), linear(s, through(1), depth), z.value(depth));
    const double sx = x.slope(depth), sz = z.slope(depth);  // with respect to depth = −y
    for (Index k = 0; k < sides; ++k) {
      const Index i = sides * static_cast<Index>(r) + k;
      const Vec3 offset(vertices_(0, i), 0, vertices_(2, i));
      const Vec3 turned =
          rotate ? Vec3(Eigen::Quaterniond::FromTwoVectors(-Vec3::UnitY(), Vec3(sx, -1, sz)) * offset - offset)
                 : Vec3(0, sx * offset[0] + sz * offset[2], 0);
      out.col(i) = u + turned;
    }
  }
  return out;
}

diff::Scenario Truss::scenario(const Release& release, Index first, Index frames, double time_step) const {
  sim::Topology topology{.particles = vertices_.cols(), .springs = springs_, .held = {}};
  for (Index i = 0; i < sides; ++i) topology.held.push_back({i, {}});
  const sim::Vector stiffness = rigidity * lengths_.cwiseInverse(), damping = viscosity * lengths_.cwiseInverse();
  std::vector<std::shared_ptr<sim::ForceTerm>> terms{std::make_shared<sim::SpringForce>(stiffness, lengths_),
                                                     std::make_shared<sim::SpringDamper>(damping),
                                                     std::make_shared<sim::Gravity>(Vec3(0, -9.81, 0))};
  if (rubbing > 0)
    terms.push_back(
        std::make_shared<sim::DryFriction>(sim::Vector::Constant(vertices_.cols(), rubbing), stiction_velocity));
  const StartState start = start_state(release, first);
  diff::Scenario s{.name = release.label(),
                   .model = sim::Model(topology, own_mass * share_ + load_mass(release.load),
                                       sim::Vector::Zero(vertices_.cols()), terms),
                   .initial = {0, lift(start.displacement, true), lift(start.velocity, false)},
                   .rest_near = vertices_,
                   .integrator = "imex_midpoint",
                   .time_step = time_step,
                   .steps = std::lround((frames - 1) / frame_rate / time_step),
                   .stage = {}};
  s.initial.x.leftCols(sides).setZero();
  s.initial.v.leftCols(sides).setZero();
  return s;
}

optim::Observation Truss::observation(const Release& release, Index first, Index frames, const diff::Scenario& scenario,
                                      double growth) const {
  optim::Observation o;
  o.reference.kind = optim::Reference::Kind::Start;
  o.reference.observed = Points::Zero(3, 3);
  for (std::size_t b = 0; b < disc_ring.size(); ++b) {
    optim::Marker marker{"disc" + std::to_string(b + 1), {}};
    for (Index k = 0; k < sides; ++k) {
      const Index i = sides * disc_ring[b] + k;
      marker.vertices.emplace_back(i, 1.0 / sides);
      o.reference.observed.col(b) += scenario.initial.x.col(i) / sides;
    }
    o.markers.push_back(std::move(marker));
  }
  o.noise.sigma = sim::Vector::Constant(3, 1e-3);
  for (Index k = 0; k < frames && first + k < release.frames(); ++k) {
    const double t = k / frame_rate;
    o.times.push_back(t);
    o.positions.push_back(release.displacement[first + k]);
    o.frame_weight.push_back(std::exp(growth * t));
  }
  return o;
}

}  // namespace pithball::experiments::trunk_decay
