#include "sim/force/pair_force.hpp"

#include <algorithm>

#include "sim/core/error.hpp"
#include "sim/core/text.hpp"
#include "sim/force/closest_approach.hpp"
#include "sim/model/model.hpp"
#include "sim/neighbors/neighbor_registry.hpp"
#include "sim/neighbors/spatial_order.hpp"

namespace pithball::sim {
namespace {

using Number = NeighborList::Number;

/// Returns the rows of a list in the given order of particles; partners are numbered by this order.
NeighborList renumbered(const NeighborList& list, const std::vector<Number>& particle) {
  std::vector<Number> place(particle.size());
  for (std::size_t p = 0; p < particle.size(); ++p) place[particle[p]] = static_cast<Number>(p);
  NeighborList result;
  result.begin.reserve(list.begin.size());
  result.partner.resize(list.partner.size());
  Number* next = result.partner.data();
  constexpr std::size_t ahead = 8;  // rows are scattered in memory: upcoming ones are prefetched
  for (std::size_t p = 0; p < particle.size(); ++p) {
    if (p + 4 * ahead < particle.size()) __builtin_prefetch(list.begin.data() + particle[p + 4 * ahead]);
    if (p + ahead < particle.size()) {
      const Number* const row = list.partner.data() + list.begin[particle[p + ahead]];
      __builtin_prefetch(row);
      __builtin_prefetch(row + 16);  // the next cache line of 64 B
    }
    for (const Number j : list.row(particle[p])) *next++ = place[j];
    result.begin.push_back(next - result.partner.data());
  }
  return result;
}

}  // namespace

PairRows::PairRows(const NeighborSearch& search, const Points& x, double cutoff)
    : cutoff_(cutoff), x_(&x), particle_(spatial_order(x, cutoff)), list_(search.candidates(x, cutoff)) {
  if (!particle_.empty()) {
    sorted_ = gathered(x);
    list_ = std::make_shared<NeighborList>(renumbered(*list_, particle_));
  }
  for (Index i = 0; i < list_->points(); ++i) longest_ = std::max(longest_, list_->row(i).size());
}

Vector PairRows::gathered(const Vector& of_particles) const {
  if (particle_.empty()) return of_particles;
  return of_particles(particle_);
}

Points PairRows::gathered(const Points& of_particles) const {
  if (particle_.empty()) return of_particles;
  return of_particles(Eigen::all, particle_);
}

Vector PairRows::scattered(const Vector& of_places) const {
  Vector of_particles(of_places.size());
  for (Index p = 0; p < of_places.size(); ++p) of_particles[particle(p)] = of_places[p];
  return of_particles;
}

void PairRows::add_scattered(const Points& of_places, Points& of_particles) const {
  for (Index p = 0; p < of_places.cols(); ++p) of_particles.col(particle(p)) += of_places.col(p);
}

std::shared_ptr<const NeighborSearch> read_neighbors(Settings& settings, double reach, const std::string& reach_name) {
  std::vector<std::string> methods;
  for (const NeighborMethod& method : neighbor_methods()) methods.push_back(method.name);
  const std::string method = settings.choice(
      "neighbors", methods, "how pairs are found; affects only the run time (docs/interactions.md)", "auto");
  const std::string meaning = "Verlet skin: neighbor lists extend beyond " + reach_name +
                              " by this distance and are rebuilt when a particle has moved by half of it; 0: rebuilt "
                              "for every evaluation";
  if (settings.describing()) settings.document("skin", "number [m]", "0.12 of " + reach_name, meaning);
  const double skin = settings.number("skin", "m", meaning, 0.12 * reach);
  if (!(skin >= 0))
    settings.reject("skin", "must be >= 0 m", to_text(skin), "a tenth of " + reach_name + " is a good start");
  return make_neighbor_search(method, skin);
}

PairRange read_pair_range(Settings& settings, std::optional<double> usual_cutoff, const std::string& cutoff_meaning) {
  const double cutoff = settings.number("cutoff", "m", cutoff_meaning, usual_cutoff);
  if (!(cutoff > 0)) settings.reject("cutoff", "must be > 0 m", to_text(cutoff), "give the range of the force");
  return {cutoff, read_neighbors(settings, cutoff, "the cutoff")};
}

void PairForce::declare(const Topology&, Values& values) {
  blocks_.clear();
  for (const LawValue& v : law_values_)
    blocks_.push_back(
        values.add({v.name, v.unit, ValueOwner::Term, v.sign, v.scaling}, Vector::Constant(1, v.initial)));
}

Vector PairForce::theta(const Model& model) const {
  Vector theta(static_cast<Index>(blocks_.size()));
  for (std::size_t p = 0; p < blocks_.size(); ++p) theta[p] = model.values()[blocks_[p]][0];
  return theta;
}

void PairForce::validate(const Model& model, const State& s) const {
  const Vector at = theta(model);
  std::vector<double> push(static_cast<std::size_t>(model.particles()));
  const PairRows rows(*range_.search, s.x, range_.cutoff);
  rows.for_each([&](const PairRow& row) {
    compute_pushes(at, row.count, row.r2.data(), push.data());
    for (std::size_t k = 0; k < row.count; ++k)
      if (!std::isfinite(push[k]))
        throw InvalidArgument(
            {"", "forces." + traits().name, "needs a finite force between all particles closer than the cutoff",
             "particles " + std::to_string(rows.particle(row.i)) + " and " + std::to_string(rows.particle(row.j[k])) +
                 " " + to_text(std::sqrt(row.r2[k])) + " m apart",
             "move one of them"});
  });
}

void PairForce::add_force(const Model& model, const State& s, Points& f) const {
  const Vector at = theta(model);
  std::vector<double> push(model.particles());
  const PairRows rows(*range_.search, s.x, range_.cutoff);
  rows.add_to(f, [&](Points& of_places) {
    double* const force = of_places.data();
    rows.for_each([&](const PairRow& row) {
      compute_pushes(at, row.count, row.r2.data(), push.data());
      double sum_x = 0, sum_y = 0, sum_z = 0;
      for (std::size_t k = 0; k < row.count; ++k) {
        const double fx = push[k] * row.x[k], fy = push[k] * row.y[k], fz = push[k] * row.z[k];
        sum_x += fx, sum_y += fy, sum_z += fz;
        double* const on_j = force + 3 * static_cast<std::size_t>(row.j[k]);
        on_j[0] -= fx, on_j[1] -= fy, on_j[2] -= fz;
      }
      of_places.col(row.i) += Vec3(sum_x, sum_y, sum_z);
    });
  });
}

std::optional<double> PairForce::energy(const Model& model, const State& s) const {
  const Vector at = theta(model);
  const double cutoff2 = range_.cutoff * range_.cutoff;
  double beyond, sum = 0;
  compute_energies(at, 1, &cutoff2, &beyond);
  std::vector<double> energies(model.particles());
  PairRows(*range_.search, s.x, range_.cutoff).for_each([&](const PairRow& row) {
    compute_energies(at, row.count, row.r2.data(), energies.data());
    double of_row = 0;
    for (std::size_t k = 0; k < row.count; ++k) of_row += energies[k] - beyond;
    sum += of_row;
  });
  return sum;
}

/// Calls body(row, linearized law) for each row.
template <class Body>
void PairForce::for_each_linearized_row(const Model& model, const PairRows& rows, Body body) const {
  const std::size_t n = model.particles();
  const Vector at = theta(model);
  Linearized law{std::vector<double>(n), std::vector<double>(n),
                 std::vector<std::vector<double>>(blocks_.size(), std::vector<double>(n))};
  rows.for_each([&](const PairRow& row) {
    linearize(at, row.count, row.r2.data(), law);
    body(row, static_cast<const Linearized&>(law));
  });
}

void PairForce::add_jvp(const Model& model, const State& s, const Variation& d, Points& df) const {
  const Values& values = model.values();
  const PairRows rows(*range_.search, s.x, range_.cutoff);
  const Points dx = rows.gathered(d.x);
  rows.add_to(df, [&](Points& sum) {
    for_each_linearized_row(model, rows, [&](const PairRow& row, const Linearized& law) {
      for (std::size_t k = 0; k < row.count; ++k) {
        const Vec3 r = row.separation(k), dr = dx.col(row.i) - dx.col(row.j[k]);
        double along = law.push_slope[k] * r.dot(dr);
        for (std::size_t p = 0; p < blocks_.size(); ++p)
          along += law.by_value[p][k] * values.of(d.values, blocks_[p])[0];
        const Vec3 change = law.push[k] * dr + along * r;
        sum.col(row.i) += change;
        sum.col(row.j[k]) -= change;
      }
    });
  });
}

double PairForce::shortest_time(const Model& model, const State& s, const Points& a) const {
  return std::min(ForceTerm::shortest_time(model, s, a), closest_approach(model, s, a, everyone(model)));
}

double PairForce::time_to_touch(const Model& model, const State& s, const Points& a) const {
  return closest_approach(model, s, a, everyone(model), {}, cutoff() / 100);
}

void PairForce::add_vjp(const Model& model, const State& s, const Points& w, Variation& g) const {
  const Values& values = model.values();
  Vector by_value = Vector::Zero(blocks_.size());
  const PairRows rows(*range_.search, s.x, range_.cutoff);
  const Points at = rows.gathered(w);
  rows.add_to(g.x, [&](Points& sum) {
    for_each_linearized_row(model, rows, [&](const PairRow& row, const Linearized& law) {
      for (std::size_t k = 0; k < row.count; ++k) {
        const Vec3 r = row.separation(k), u = at.col(row.i) - at.col(row.j[k]);
        const double along = r.dot(u);
        const Vec3 change = law.push[k] * u + law.push_slope[k] * along * r;
        sum.col(row.i) += change;
        sum.col(row.j[k]) -= change;
        for (std::size_t p = 0; p < blocks_.size(); ++p) by_value[p] += law.by_value[p][k] * along;
      }
    });
  });
  for (std::size_t p = 0; p < blocks_.size(); ++p) values.of(g.values, blocks_[p])[0] += by_value[p];
}

}  // namespace pithball::sim
