// The program `pithball` with a force of one's own, which experiment files then list and fits find:
//   forces: [harmonic_trap: {stiffness: 3 N/m}]
#include "app/commands/program.hpp"
#include "sim/force/force_registry.hpp"
#include "sim/model/model.hpp"

using namespace pithball;
using sim::Model, sim::Points, sim::State, sim::Values, sim::Variation, sim::Vector;

/// A trap about the origin: F = −κ x, U = κ/2 Σ |x|². Value: `trap` κ [N/m].
class HarmonicTrap final : public sim::ForceTerm {
 public:
  explicit HarmonicTrap(double stiffness) : stiffness_(stiffness) {}

  const sim::ForceTraits& traits() const override {
    static const sim::ForceTraits traits{
        .name = "harmonic_trap", .energy = sim::EnergyKind::External, .partners = sim::Partners::None};
    return traits;
  }
  void declare(const sim::Topology&, Values& values) override {
    block_ =
        values.add({"trap", "N/m", sim::ValueOwner::Term, sim::ValueSign::NonNegative, sim::ValueScaling::Stiffness},
                   Vector::Constant(1, stiffness_));
  }
  void add_force(const Model& model, const State& s, Points& f) const override { f -= model.values()[block_][0] * s.x; }
  std::optional<double> energy(const Model& model, const State& s) const override {
    return model.values()[block_][0] / 2 * s.x.squaredNorm();
  }
  // The derivative in a direction, and its transpose: with them every fit and gradient works.
  void add_jvp(const Model& model, const State& s, const Variation& d, Points& df) const override {
    df -= model.values()[block_][0] * d.x + model.values().of(d.values, block_)[0] * s.x;
  }
  void add_vjp(const Model& model, const State& s, const Points& w, Variation& g) const override {
    g.x -= model.values()[block_][0] * w;
    model.values().of(g.values, block_)[0] -= w.cwiseProduct(s.x).sum();
  }

 private:
  double stiffness_;  // as declared; afterwards the model's values count
  sim::Index block_ = 0;
};

int main(int argc, char** argv) {
  sim::forces().add({"harmonic_trap", "a trap about the origin, F = −κ x", [](sim::Settings& settings) {
                       const double stiffness = settings.number("stiffness", "N/m", "stiffness κ of the trap");
                       return std::vector<std::shared_ptr<sim::ForceTerm>>{std::make_shared<HarmonicTrap>(stiffness)};
                     }});
  return app::run_program({"own_force", "Pithball with a trap.", app::user_commands(), "  own_force list forces"}, argc,
                          argv);
}
