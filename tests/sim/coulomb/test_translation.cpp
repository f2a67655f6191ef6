#include "sim/coulomb/fmm/operators.hpp"

#include <hwy/aligned_allocator.h>

#include <cmath>
#include <random>
#include <set>

#include "sim/coulomb/fmm/translation_kernel.hpp"
#include "tests/sim/coulomb/direct_cases.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::sim;
using namespace pithball::sim::fmm;
using direct_cases::relative_error;
using direct_cases::with_every_instruction_set;

namespace {

/// What `translate` gives for each argument when all go in batches of `batch_size`.
std::vector<Vector> translated(const Translation& t, const std::vector<Vector>& from, int batch_size = Batch::size) {
  std::vector<Vector> to(from.size(), Vector::Zero(from.empty() ? 0 : from.front().size()));
  const auto scratch = hwy::AllocateAligned<double>(translation_scratch(t.order));
  Batch batch;
  for (std::size_t k = 0; k < from.size(); ++k) {
    batch.add(from[k].data(), to[k].data());
    if (batch.count == batch_size) translate(t, batch, scratch.get());
  }
  translate(t, batch, scratch.get());
  return to;
}

Vector translated(const Translation& t, const Vector& from) { return translated(t, std::vector{from}).front(); }

/// Column k is the translation of the k-th unit vector.
Eigen::MatrixXd matrix(const Translation& t, int order) {
  const int size = coefficients(order);
  std::vector<Vector> units;
  for (int k = 0; k < size; ++k) units.push_back(Vector::Unit(size, k));
  const std::vector<Vector> columns = translated(t, units);
  Eigen::MatrixXd m(size, size);
  for (int k = 0; k < size; ++k) m.col(k) = columns[k];
  return m;
}

const Translations& translations_of(int order) {
  static std::map<int, std::unique_ptr<Translations>> made;
  auto& translations = made[order];
  if (!translations) translations = std::make_unique<Translations>(order, [order](int) { return order; });
  return *translations;
}

/// Center of a child from that of its parent, whose side is 2.
Vec3 octant_center(int octant) { return 0.5 * Vec3(octant & 1 ? 1 : -1, octant & 2 ? 1 : -1, octant & 4 ? 1 : -1); }

/// Charges in the unit box around the origin, corners included.
struct Charges {
  explicit Charges(int n) {
    std::mt19937 random(8);
    std::uniform_real_distribution<double> u(-0.5, 0.5);
    for (int j = 0; j < n; ++j) {
      x.emplace_back(u(random), u(random), u(random));
      if (j == 0) x.back() = Vec3(0.5, -0.5, 0.5);
      q.push_back(u(random));
    }
  }
  double potential(const Vec3& at) const {
    double sum = 0;
    for (std::size_t j = 0; j < x.size(); ++j) sum += q[j] / (at - x[j]).norm();
    return sum;
  }
  double size() const {
    double sum = 0;
    for (double charge : q) sum += std::abs(charge);
    return sum;
  }
  Vector multipole(int order, const Vec3& center = Vec3::Zero(), double side = 1) const {
    Vector m = Vector::Zero(coefficients(order));
    for (std::size_t j = 0; j < x.size(); ++j)
      m += q[j] * harmonics_at(Harmonics::Regular, order, (x[j] - center) / side);
    return m;
  }
  std::vector<Vec3> x;
  std::vector<double> q;
};

/// Numbers of all offsets of boxes that do not touch.
std::vector<int> far_offsets() {
  std::vector<int> numbers;
  for (int k = 0; k < static_cast<int>(Translations::offsets); ++k)
    if (!Translations::adjacent(Translations::offset_of(k))) numbers.push_back(k);
  return numbers;
}

Vec3 direction(int number) {
  const Offset o = Translations::offset_of(number);
  return Vec3(o[0], o[1], o[2]);
}

}  // namespace

TEST_CASE("translations: offsets and their numbers belong together", "[sim][coulomb][fmm]") {
  std::set<int> numbers;
  for (int x = -3; x <= 3; ++x)
    for (int y = -3; y <= 3; ++y)
      for (int z = -3; z <= 3; ++z) {
        const int k = Translations::number_of({x, y, z});
        CHECK(Translations::offset_of(k) == Offset{x, y, z});
        numbers.insert(k);
      }
  CHECK(numbers.size() == Translations::offsets);
  CHECK(*numbers.rbegin() == static_cast<int>(Translations::offsets) - 1);
  CHECK(far_offsets().size() == 343 - 27);
}

TEST_CASE("translations: a multipole becomes a local expansion, up to what the order leaves out",
          "[sim][coulomb][fmm]") {
  const Charges charges(20);
  const Vec3 at(0.31, -0.22, 0.4);
  for (const int order : {1, 4, 9, 20, 32}) {
    const Vector multipole = charges.multipole(order);
    double worst = 0;
    with_every_instruction_set([&] {
      for (const int k : far_offsets()) {
        const Vec3 d = direction(k);
        const Vector local = translated(translations_of(order).multipole_to_local(k), multipole);
        const double got = local.dot(harmonics_at(Harmonics::Regular, order, at)), want = charges.potential(d + at);
        // The series in (|y| + |x|)/d with |y| ≤ √3/2 the corner, geometric from its first term left out: with both
        // points in opposite corners of the nearest pair it hardly converges, so x is nearer to the center.
        const double ratio = (std::sqrt(0.75) + at.norm()) / d.norm();
        const double bound = charges.size() / d.norm() * std::pow(ratio, order + 1) / (1 - ratio);
        CAPTURE(order, d.transpose());
        CHECK(std::abs(got - want) < bound + 1e-14 * charges.size());  // rounding
        worst = std::max(worst, std::abs(got - want) / charges.size());
      }
    });
    // The bound above is pessimistic (all charges in one corner); what random charges leave is far less.
    CHECK(worst < 3 * std::pow(0.6, order + 1));
    if (order < 20) CHECK(worst > 1e-4 * std::pow(0.6, order + 1));
  }
}

TEST_CASE("translations: multipole to local has the entries of the addition theorem", "[sim][coulomb][fmm]") {
  // 1/|d + x − y| = Σ_nm R_nm(x) ∂-combinations of 1/|d|: the local coefficient of degree n from a multipole of degree
  // k is exact, whatever the order; so the low coefficients of a charge in the center are harmonics of d.
  for (const int order : {3, 12}) {
    const Vector center = Vector::Unit(coefficients(order), 0);
    with_every_instruction_set([&] {
      for (const int k : far_offsets()) {
        const Vector local = translated(translations_of(order).multipole_to_local(k), center);
        const Vector want = harmonics_at(Harmonics::Irregular, order, -direction(k));
        CHECK(relative_error(local, want) < 1e-14 * order);  // rotation there and back
      }
    });
  }
}

TEST_CASE("translations: a multipole moves to the parent exactly", "[sim][coulomb][fmm]") {
  const Charges charges(20);
  for (const int order : {1, 4, 9, 20, 32})
    for (int octant = 0; octant < 8; ++octant) {
      const Vector child = charges.multipole(order);
      const Vector want = charges.multipole(order, -octant_center(octant), 2);
      with_every_instruction_set([&] {
        const Vector parent = translated(translations_of(order).multipole_to_parent(octant), child);
        CAPTURE(order, octant);
        // The parent's terms are sums over k ≤ n with positive weights up to |y|ⁿ: some roundings for each degree.
        CHECK(relative_error(parent, want) < 1e-14 * (order + 1));
      });
    }
}

TEST_CASE("translations: a local expansion moves to the child exactly", "[sim][coulomb][fmm]") {
  std::mt19937 random(9);
  std::uniform_real_distribution<double> u(-0.5, 0.5);
  for (const int order : {1, 4, 9, 20, 32}) {
    const Vector parent = Vector::NullaryExpr(coefficients(order), [&] { return u(random); });
    for (int octant = 0; octant < 8; ++octant)
      with_every_instruction_set([&] {
        const Vector child = translated(translations_of(order).local_to_child(octant), parent);
        for (int sample = 0; sample < 5; ++sample) {
          const Vec3 at(u(random), u(random), u(random));  // in the child, side 1
          const Vector h = harmonics_at(Harmonics::Regular, order, (at + octant_center(octant)) / 2);
          const double got = child.dot(harmonics_at(Harmonics::Regular, order, at)), want = parent.dot(h) / 2;
          CAPTURE(order, octant);
          // Harmonics of one degree at |u| ≤ √3/2 times coefficients of size 1/2; a few roundings for each degree.
          CHECK(std::abs(got - want) < 1e-15 * (order + 1) * (parent.norm() + child.norm()));
        }
      });
  }
}

TEST_CASE("translations: a result depends neither on the lane nor on the number in the batch", "[sim][coulomb][fmm]") {
  constexpr int order = 7;
  std::mt19937 random(10);
  std::normal_distribution<double> normal;
  std::vector<Vector> from;
  for (int k = 0; k < 37; ++k) from.push_back(Vector::NullaryExpr(coefficients(order), [&] { return normal(random); }));
  from[20] = from[3];  // the same in another lane
  const Translations& t = translations_of(order);
  with_every_instruction_set([&] {
    for (const Translation* translation : {&t.multipole_to_local(Translations::number_of({2, -1, 3})),
                                           &t.multipole_to_local(Translations::number_of({0, 0, -2})),
                                           &t.multipole_to_parent(5), &t.local_to_child(2)}) {
      const std::vector<Vector> want = translated(*translation, from);
      REQUIRE(want[0].norm() > 0);
      CHECK(want[20] == want[3]);
      for (const int batch_size : {1, 3, 8, 15}) CHECK(translated(*translation, from, batch_size) == want);
    }
  });
}

TEST_CASE("translations: results are added and an empty batch does nothing", "[sim][coulomb][fmm]") {
  constexpr int order = 4;
  const Translation& t = translations_of(order).multipole_to_parent(1);
  const Vector from = Vector::LinSpaced(coefficients(order), 1, 2);
  const Vector once = translated(t, from);
  Vector to = once;
  const auto scratch = hwy::AllocateAligned<double>(translation_scratch(order));
  Batch batch;
  translate(t, batch, scratch.get());
  batch.add(from.data(), to.data());
  translate(t, batch, scratch.get());
  CHECK(batch.count == 0);
  CHECK(to == 2 * once);
}

TEST_CASE("translations: the way back is the transpose", "[sim][coulomb][fmm]") {
  // Without it, the matrix of the whole sum would not be symmetric and energy not conserved.
  constexpr int order = 8;
  const Translations& t = translations_of(order);
  with_every_instruction_set([&] {
    for (const int k : far_offsets()) {
      Offset back = Translations::offset_of(k);
      for (int& component : back) component = -component;
      const Eigen::MatrixXd there = matrix(t.multipole_to_local(k), order);
      const Eigen::MatrixXd again = matrix(t.multipole_to_local(Translations::number_of(back)), order);
      CAPTURE(direction(k).transpose());
      REQUIRE(there.norm() > 0.1);
      CHECK((again - there.transpose()).norm() < 1e-14 * order * there.norm());  // rotation there and back
      for (int n = 0; n <= order; ++n)
        for (int m = 0; m <= order; ++m) {
          const auto block = [&](const Eigen::MatrixXd& of) {
            return of.block(cosine(n, 0), cosine(m, 0), 2 * n + 1, 2 * m + 1);
          };
          const double sign = (n + m) % 2 ? -1 : 1;
          CHECK((block(again) - sign * block(there)).norm() < 1e-14 * order * there.norm());
        }
    }
    for (int octant = 0; octant < 8; ++octant) {
      const Eigen::MatrixXd up = matrix(t.multipole_to_parent(octant), order);
      const Eigen::MatrixXd down = matrix(t.local_to_child(octant), order);
      // Potentials are 1/side times the sum, and sides differ by 2.
      CHECK((2 * down - up.transpose()).norm() < 1e-14 * order * up.norm());
    }
  });
}

TEST_CASE("translations: with a reduced order only its degrees are read and written", "[sim][coulomb][fmm]") {
  constexpr int order = 9, reduced = 5;
  const Translations t(order, [](int) { return reduced; });
  const int k = Translations::number_of({-3, 2, 0});
  CHECK(t.order() == order);
  CHECK(t.multipole_to_local(k).order == reduced);
  CHECK(t.multipole_to_parent(0).order == order);
  with_every_instruction_set([&] {
    const Eigen::MatrixXd got = matrix(t.multipole_to_local(k), order);
    const Eigen::MatrixXd want = matrix(translations_of(reduced).multipole_to_local(k), reduced);
    const int size = coefficients(reduced);
    CHECK(got.topLeftCorner(size, size) == want);
    CHECK(got.norm() == Approx(want.norm()).epsilon(1e-15));
  });
}
