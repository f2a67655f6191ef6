#include "sim/force/chain_bending.hpp"

#include <cmath>

#include "sim/core/error.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {
namespace {

using Corners3 = BendingForce<3>::Places;

/// Two consecutive edges, with the cosine c of their turning angle and its derivatives.
struct Turn {
  double a, b;               // lengths
  Vec3 t, s;                 // directions
  double cosine_plus;        // 1 + c = |s + t|²/2
  double tangent;            // τ = 2 tan(φ/2) = 2 |s − t|/|s + t|
  Vec3 by_first, by_second;  // ∂c by the edges

  explicit Turn(const Corners3& x) {
    const Vec3 e = x.col(1) - x.col(0), f = x.col(2) - x.col(1);
    a = e.norm();
    b = f.norm();
    t = e / a;
    s = f / b;
    const Vec3 bend = s - t;  // s − c t = bend + (1 − c) t, without the cancellation of a small angle
    const double cosine_minus = bend.squaredNorm() / 2;
    cosine_plus = (s + t).squaredNorm() / 2;
    tangent = 2 * std::sqrt(cosine_minus / cosine_plus);
    by_first = (bend + cosine_minus * t) / a;
    by_second = (-bend + cosine_minus * s) / b;
  }

  /// Returns the derivative by the corners, given those by the edges x₁ − x₀ and x₂ − x₁.
  static Corners3 of_corners(const Vec3& first, const Vec3& second) {
    return (Corners3() << -first, first - second, second).finished();
  }

  /// Returns u'(c), where u = (τ − τ₀)²/2. Where the chain is straight, a bent rest shape leaves the bending direction
  /// undefined: the rest shape is then treated as straight.
  double slope(double rest) const { return -4 / (cosine_plus * cosine_plus) * (1 - rest_share(rest)); }
  double curvature(double rest) const {
    const double plus3 = cosine_plus * cosine_plus * cosine_plus, share = rest_share(rest);
    return 8 * (1 - share) / plus3 + (share == 0 ? 0 : 16 * share / (plus3 * cosine_plus * tangent * tangent));
  }

 private:
  double rest_share(double rest) const { return rest == 0 || tangent == 0 ? 0 : rest / tangent; }
};

/// Returns x₀ x₁ x₂ for each particle x₁ with exactly two edges; x₀ and x₂ are the other ends of these edges.
std::vector<std::array<Index, 3>> turns(Index particles, const std::vector<Spring>& edges) {
  std::vector<std::vector<Index>> next(particles);
  for (const Spring& edge : edges) {
    next[edge.i].push_back(edge.j);
    next[edge.j].push_back(edge.i);
  }
  std::vector<std::array<Index, 3>> found;
  for (Index i = 0; i < particles; ++i)
    if (next[i].size() == 2) found.push_back({next[i][0], i, next[i][1]});
  return found;
}

}  // namespace

ChainBending::Angle ChainBending::angle_of(const std::array<Index, 3>& particles, const Points& positions,
                                           bool rests_straight) {
  const Turn turn(positions(Eigen::all, particles));
  if (!(turn.a > 0 && turn.b > 0 && turn.cosine_plus > 0))
    throw InvalidArgument({"", "forces.chain_bending.edges",
                           "must have a length and not fold back where two of them meet",
                           "other edges at particle " + std::to_string(particles[1]), "move the particle"});
  return {particles, 2 / (turn.a + turn.b), rests_straight ? 0 : turn.tangent,
          Vec3(1 / turn.a, -1 / turn.a - 1 / turn.b, 1 / turn.b)};
}

std::vector<ChainBending::Angle> ChainBending::angles_of(const Points& positions, const std::vector<Spring>& edges,
                                                         bool rests_straight) {
  std::vector<Angle> angles;
  for (const auto& particles : turns(positions.cols(), edges))
    angles.push_back(angle_of(particles, positions, rests_straight));
  return angles;
}

ChainBending::ChainBending(double stiffness, const Points& positions, const std::vector<Spring>& edges,
                           bool rests_straight)
    : BendingForce(stiffness, "N m2", angles_of(positions, edges, rests_straight)),
      edges_(edges),
      rests_straight_(rests_straight) {}

std::vector<std::shared_ptr<ForceTerm>> ChainBending::make(Settings& settings) {
  const double stiffness = settings.number("stiffness", "N m2", "bending stiffness B = EI of the rod");
  const std::vector<Spring> edges =
      settings.edges("edges", "edges of the chains; particles where exactly two of them meet resist bending");
  const std::string shape =
      settings.choice("rest_shape", {"drawn", "straight"}, "shape without force: as drawn, or straight", "drawn");
  const Polygons body = settings.body();
  return settings.located("edges", [&] {
    auto force = std::make_shared<ChainBending>(stiffness, body.vertices, edges, shape == "straight");
    if (force->angles().empty() && !settings.describing())
      settings.reject("edges", "must have a particle where exactly two of them meet", "none",
                      "name the edges of a chain");
    return std::vector<std::shared_ptr<ForceTerm>>{force};
  });
}

const ForceTraits& ChainBending::traits() const {
  static const ForceTraits traits{.name = "chain_bending", .energy = EnergyKind::Elastic, .partners = Partners::Listed};
  return traits;
}

std::shared_ptr<ForceTerm> ChainBending::with_particles(const std::vector<ParticleOrigin>& origins) const {
  auto copy = std::make_shared<ChainBending>(*this);
  copy->renumber(origins);
  return copy;
}

double ChainBending::energy_of(const Angle& angle, const Places& x) const {
  const double bent = Turn(x).tangent - angle.rest;
  return bent * bent / 2;
}

ChainBending::Places ChainBending::gradient_of(const Angle& angle, const Places& x) const {
  const Turn turn(x);
  return turn.slope(angle.rest) * Turn::of_corners(turn.by_first, turn.by_second);
}

ChainBending::Matrix ChainBending::hessian_of(const Angle& angle, const Places& x) const {
  const Turn turn(x);
  const auto& [a, b, t, s] = std::tie(turn.a, turn.b, turn.t, turn.s);
  const double c = turn.cosine_plus - 1;
  const Mat3 across_t = Mat3::Identity() - t * t.transpose(), across_s = Mat3::Identity() - s * s.transpose();
  const Vec3 g = turn.by_first, h = turn.by_second;
  // Second derivatives of c by the edges e and f.
  const Mat3 ee = -(t * g.transpose() + g * t.transpose()) / a - c / (a * a) * across_t;
  const Mat3 ff = -(s * h.transpose() + h * s.transpose()) / b - c / (b * b) * across_s;
  const Mat3 ef = across_t * across_s / (a * b);
  Matrix H;
  H << ee, ef - ee, -ef,  //
      ef.transpose() - ee, ee - ef - ef.transpose() + ff, ef - ff, -ef.transpose(), ef.transpose() - ff, ff;
  const Places gradient = Turn::of_corners(g, h);
  return turn.slope(angle.rest) * H +
         turn.curvature(angle.rest) * gradient.reshaped() * gradient.reshaped().transpose();
}

bool ChainBending::is_defined(const Angle&, const Places& x) const {
  const Turn turn(x);
  return turn.a > 0 && turn.b > 0 && turn.cosine_plus > 0;
}

namespace {

using Two = std::array<double, 2>;

/// B = 1/(s₁/B₁ + s₂/B₂), written so that a chain without stiffness acts as a free hinge.
double in_series(const Two& B, const Two& share) {
  const double sum = share[0] * B[1] + share[1] * B[0];
  return sum > 0 ? B[0] * B[1] / sum : 0;
}

/// ∂B/∂B₁ and ∂B/∂B₂; where B₁ = B₂ = 0, their limits along B₁ = B₂.
Two slopes_in_series(const Two& B, const Two& share) {
  const double sum = share[0] * B[1] + share[1] * B[0];
  if (!(sum > 0)) return share;
  return {share[0] * (B[1] / sum) * (B[1] / sum), share[1] * (B[0] / sum) * (B[0] / sum)};
}

/// An edge of a chain, from one particle to the next.
struct ChainEdge {
  std::shared_ptr<const ChainBending> chain;
  Index next;
};

}  // namespace

ChainJoint::ChainJoint(std::shared_ptr<const ChainBending> first, std::shared_ptr<const ChainBending> second,
                       const std::array<Index, 3>& particles, const Points& positions)
    : ChainBending(angle_of(particles, positions, first->rests_straight() && second->rests_straight())),
      chains_{std::move(first), std::move(second)} {
  const auto length = [&](int a, int b) { return (positions.col(particles[a]) - positions.col(particles[b])).norm(); };
  shares_[0] = length(0, 1) / (length(0, 1) + length(1, 2));
  shares_[1] = 1 - shares_[0];
}

void ChainJoint::declare(const Topology&, Values&) {
  for (int c = 0; c < 2; ++c) blocks_[c] = chains_[c]->stiffness_block();
}

std::shared_ptr<ForceTerm> ChainJoint::with_particles(const std::vector<ParticleOrigin>& origins) const {
  auto copy = std::make_shared<ChainJoint>(*this);
  copy->renumber(origins);
  return copy;
}

double ChainJoint::stiffness(const Model& model) const {
  return in_series({model.values()[blocks_[0]][0], model.values()[blocks_[1]][0]}, shares_);
}

double ChainJoint::stiffness_jvp(const Model& model, const Vector& dvalues) const {
  const Two slopes = slopes_in_series({model.values()[blocks_[0]][0], model.values()[blocks_[1]][0]}, shares_);
  double change = 0;
  for (int c = 0; c < 2; ++c) change += slopes[c] * model.values().of(dvalues, blocks_[c])[0];
  return change;
}

void ChainJoint::add_stiffness_vjp(const Model& model, double by_stiffness, Vector& g) const {
  const Two slopes = slopes_in_series({model.values()[blocks_[0]][0], model.values()[blocks_[1]][0]}, shares_);
  for (int c = 0; c < 2; ++c) model.values().of(g, blocks_[c])[0] += by_stiffness * slopes[c];
}

std::vector<std::shared_ptr<ForceTerm>> make_chain_joints(const std::vector<std::shared_ptr<ForceTerm>>& terms,
                                                          const Points& positions) {
  std::vector<std::vector<ChainEdge>> at(positions.cols());
  for (const auto& term : terms)
    if (const auto chain = std::dynamic_pointer_cast<const ChainBending>(term))
      for (const Spring& edge : chain->edges()) {
        at[edge.i].push_back({chain, edge.j});
        at[edge.j].push_back({chain, edge.i});
      }
  std::vector<std::shared_ptr<ForceTerm>> joints;
  for (Index i = 0; i < positions.cols(); ++i)
    if (at[i].size() == 2 && at[i][0].chain != at[i][1].chain && at[i][0].next != at[i][1].next)
      joints.push_back(std::make_shared<ChainJoint>(at[i][0].chain, at[i][1].chain,
                                                    std::array{at[i][0].next, i, at[i][1].next}, positions));
  return joints;
}

}  // namespace pithball::sim
