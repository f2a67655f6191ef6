#include "sim/coulomb/ddef/ddef_plan.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cstdint>
#include <limits>

#include "sim/core/parallel_for.hpp"

namespace pithball::sim {

void add_sums(const KernelSources& sources, Index first, Index last, const direct::Channels& targets, double softening2,
              direct::Channels& sums) {
  if (first == last) return;
  direct::Job job;
  for (int c = 0; c < targets.size(); ++c) job.target[c] = targets[c];
  for (int c = 0; c < sums.size(); ++c) job.sum[c] = sums[c];
  job.source = sources.at(first);
  job.sources = last - first;
  job.softening2 = softening2;
  direct::run(sources.kernel, job, 0, targets.padded());
}

direct::Channels sum_with_gaps(const KernelSources& sources, const std::vector<Index>& block_begin,
                               const direct::Channels& targets, Index count,
                               const std::function<std::span<const Index>(Index target)>& left_out, double softening2) {
  // The targets of a tile read the same sources while these are in the cache; each target has one bit of the mask.
  constexpr Index tile = 4 * direct::group;
  static_assert(tile <= 64);
  direct::Channels sums(sources.sums(), direct::padded_size(count));
  const double pairs = static_cast<double>(count) * static_cast<double>(block_begin.back());
  parallel_for((count + tile - 1) / tile, pairs, [&](Index t) {
    const Index begin = t * tile, size = std::min(tile, count - begin);
    direct::Channels here = zero_channels(targets.size(), size), result = zero_channels(sums.size(), size);
    direct::Channels scratch(sums.size(), result.padded());
    for (int c = 0; c < targets.size(); ++c) std::copy_n(targets[c] + begin, size, here[c]);

    struct Gap {
      Index block;
      std::uint64_t targets;
    };
    std::vector<Gap> gaps;
    for (Index i = 0; i < size; ++i)
      for (const Index block : left_out(begin + i)) gaps.push_back({block, std::uint64_t{1} << i});
    std::sort(gaps.begin(), gaps.end(), [](const Gap& a, const Gap& b) { return a.block < b.block; });

    const auto source = [&](Index block) { return block_begin[block]; };
    Index next = 0;  // the first block that is not summed yet
    for (std::size_t g = 0; g < gaps.size();) {
      const Index block = gaps[g].block;
      std::uint64_t without = 0;
      for (; g < gaps.size() && gaps[g].block == block; ++g) without |= gaps[g].targets;
      add_sums(sources, source(next), source(block), here, softening2, result);
      // Sums for all targets of the tile, which takes no longer; targets that skip this block discard the result.
      scratch.set_zero();
      add_sums(sources, source(block), source(block + 1), here, softening2, scratch);
      for (int c = 0; c < sums.size(); ++c)
        for (Index i = 0; i < size; ++i)
          if (!(without >> i & 1)) result[c][i] += scratch[c][i];
      next = block + 1;
    }
    add_sums(sources, source(next), block_begin.back(), here, softening2, result);
    for (int c = 0; c < sums.size(); ++c) std::copy_n(result[c], size, sums[c] + begin);
  });
  return sums;
}

namespace {

using direct::Channels;
using direct::Kernel;

Vec3 vector_at(const Channels& channels, int first, Index i) {
  return {channels[first][i], channels[first + 1][i], channels[first + 2][i]};
}

}  // namespace

DdefPlan::DdefPlan(const Points& x, std::shared_ptr<const DdefStructure> structure, const DdefOptions& options,
                   double softening)
    : structure_(std::move(structure)),
      interpolates_(options.far_field == DdefFarField::Interpolate),
      softening2_(softening * softening),
      n_(structure_->points()),
      x_(zero_channels(3, n_)),
      weight_(4, n_),
      weight_gradient_(3, 4 * structure_->cells()) {
  for (Index slot = 0; slot < n_; ++slot)
    for (int a = 0; a < 3; ++a) x_[a][slot] = x(a, structure_->point(slot));
  for_cells([&](Index cell, Index begin, Index end) {
    const std::array<Index, 4>& corner = structure_->corners(cell);
    const Vec3 origin = structure_->vertices().col(corner[0]);
    Mat3 edges;
    for (int a = 0; a < 3; ++a)
      edges.col(a) = structure_->vertices().col(corner[static_cast<std::size_t>(a) + 1]) - origin;
    auto gradient = weight_gradient_.middleCols<4>(4 * cell);
    gradient.rightCols<3>() = edges.inverse().transpose();
    gradient.col(0) = -gradient.rightCols<3>().rowwise().sum();
    for (Index slot = begin; slot < end; ++slot) {
      weight_.col(slot) = gradient.transpose() * (vector_at(x_, 0, slot) - origin);
      weight_(0, slot) += 1;
    }
  });
}

template <class Work>
void DdefPlan::for_cells(Work work) const {
  // The most expensive of these loops pairs the points of a cell with those of the cells around it; cells contain a
  // few points each.
  constexpr double pairs_per_point = 100;
  constexpr Index cells_at_once = 8;
  const auto work_on = [&](Index cell) { work(cell, structure_->first_slot(cell), structure_->first_slot(cell + 1)); };
  parallel_for(structure_->cells(), pairs_per_point * n_, work_on, cells_at_once);
}

KernelSources DdefPlan::make_sources(Kernel kernel, const std::function<bool(Index, double*)>& fill_record) const {
  KernelSources sources(kernel, n_);
  for (Index slot = 0; slot < n_; ++slot) {
    double* s = sources.at(slot);
    Vec3::Map(s) = vector_at(x_, 0, slot);
    sources.acts[slot] = fill_record(structure_->point(slot), s + 3);
  }
  return sources;
}

KernelSources DdefPlan::charges(Kernel kernel, const Vector& charge) const {
  return make_sources(kernel, [&](Index i, double* s) {
    s[0] = charge[i];
    return s[0] != 0;
  });
}

KernelSources DdefPlan::dipoles(Kernel kernel, const Points& dipole) const {
  return make_sources(kernel, [&](Index i, double* s) {
    Vec3::Map(s) = dipole.col(i);
    return !dipole.col(i).isZero(0);
  });
}

DdefPlan::CornerSums DdefPlan::far_sums(const KernelSources& sources) const {
  const DdefStructure& at = *structure_;
  // At each vertex, the sum over all charges except those of the cells around it …
  Channels vertices = zero_channels(3, at.vertices().cols());
  direct::fill(vertices, 0, at.vertices());
  const Channels all = sum_with_gaps(
      sources, at.first_slots(), vertices, at.vertices().cols(), [&](Index k) { return at.cells_at_vertex()[k]; },
      softening2_);
  // … and the sum over the charges of each cell, at the vertices where these are counted twice.
  const IndexLists& twice = at.counted_twice_at();
  Eigen::MatrixXd again(sources.sums(), twice.items());
  for_cells([&](Index cell, Index begin, Index end) {
    const std::span<const Index> where = twice[cell];
    if (where.empty()) return;
    const Index count = where.size();
    Channels targets = zero_channels(3, count), sums = zero_channels(sources.sums(), count);
    direct::fill(targets, 0, vertex_points(where));
    add_sums(sources, begin, end, targets, softening2_, sums);
    for (int c = 0; c < sums.size(); ++c)
      for (Index p = 0; p < count; ++p) again(c, twice.begin(cell) + p) = sums[c][p];
  });

  CornerSums corner_sums(sources.sums(), 4 * at.cells());
  for_cells([&](Index cell, Index, Index) {
    for (int a = 0; a < 4; ++a) {
      const Index k = at.corners(cell)[a];
      auto sum = corner_sums.col(4 * cell + a);
      for (int c = 0; c < all.size(); ++c) sum[c] = all[c][k];
      if (twice.items() == 0) continue;
      for (const Index other : at.near_cells()[cell]) {
        const std::span<const Index> where = twice[other];
        const auto found = std::lower_bound(where.begin(), where.end(), k);
        if (found != where.end() && *found == k) sum -= again.col(twice.begin(other) + (found - where.begin()));
      }
    }
  });
  return corner_sums;
}

Channels DdefPlan::far_dipoles(const CornerSums& corner_dipoles) const {
  const DdefStructure& at = *structure_;
  // Total dipole at each vertex over all cells that use it …
  Points at_vertex = Points::Zero(3, at.vertices().cols());
  for (Index cell = 0; cell < at.cells(); ++cell)
    for (int a = 0; a < 4; ++a) at_vertex.col(at.corners(cell)[a]) += corner_dipoles.col(4 * cell + a);
  const auto dipole_sources = [](const Points& places, const Points& moments) {
    KernelSources sources(Kernel::DipoleBoth, places.cols());
    for (Index k = 0; k < places.cols(); ++k) {
      Vec3::Map(sources.at(k)) = places.col(k);
      Vec3::Map(sources.at(k) + 3) = moments.col(k);
    }
    return sources;
  };
  std::vector<Index> each(static_cast<std::size_t>(at.vertices().cols()) + 1);
  for (std::size_t k = 0; k < each.size(); ++k) each[k] = k;
  Channels sums = sum_with_gaps(
      dipole_sources(at.vertices(), at_vertex), each, x_, n_,
      [&](Index slot) { return std::span<const Index>(at.corners(at.cell_of_point(at.point(slot)))); }, softening2_);

  // … minus the contributions of near cells, which the far field of a cell must not include.
  const IndexLists& twice = at.counted_twice_at();
  for_cells([&](Index cell, Index begin, Index end) {
    const std::span<const Index> where = twice[cell];
    if (where.empty()) return;
    Points moments = Points::Zero(3, where.size());
    for (const Index other : at.near_cells()[cell])
      for (int a = 0; a < 4; ++a) {
        const Index k = at.corners(other)[a];
        const auto found = std::lower_bound(where.begin(), where.end(), k);
        if (found != where.end() && *found == k)
          moments.col(found - where.begin()) -= corner_dipoles.col(4 * other + a);
      }
    Channels targets = zero_channels(3, end - begin), here = zero_channels(sums.size(), end - begin);
    for (int c = 0; c < 3; ++c) std::copy(x_[c] + begin, x_[c] + end, targets[c]);
    add_sums(dipole_sources(vertex_points(where), moments), 0, moments.cols(), targets, softening2_, here);
    for (int c = 0; c < sums.size(); ++c)
      for (Index i = 0; i < end - begin; ++i) sums[c][begin + i] += here[c][i];
  });
  return sums;
}

Channels DdefPlan::near_sums(const KernelSources& sources, const Channels* more) const {
  const DdefStructure& at = *structure_;
  const Index record = sources.record();
  Channels result = zero_channels(sources.sums(), n_);
  for_cells([&](Index cell, Index begin, Index end) {
    std::vector<double> records, target;  // sources, and the index of each among the targets (−1: none)
    const auto gather = [&](Index from, bool own) {
      for (Index slot = at.first_slot(from); slot < at.first_slot(from + 1); ++slot) {
        if (!sources.acts[slot]) continue;
        records.insert(records.end(), sources.at(slot), sources.at(slot) + record);
        target.push_back(own ? (slot - begin) : -1.0);
      }
    };
    for (const Index other : at.near_cells()[cell])
      if (other != cell) gather(other, false);
    gather(cell, true);

    Channels targets = zero_channels(3 + (more ? more->size() : 0), end - begin);
    Channels sums = zero_channels(sources.sums(), end - begin);
    for (int c = 0; c < targets.size(); ++c) {
      const double* from = c < 3 ? x_[c] : (*more)[c - 3];
      std::copy(from + begin, from + end, targets[c]);
    }
    direct::Job job;
    for (int c = 0; c < targets.size(); ++c) job.target[c] = targets[c];
    for (int c = 0; c < sums.size(); ++c) job.sum[c] = sums[c];
    job.source = records.data();
    job.source_index = target.data();
    job.sources = target.size();
    job.softening2 = softening2_;
    direct::run(sources.kernel, job, 0, targets.padded());
    for (int c = 0; c < sums.size(); ++c) std::copy_n(sums[c], end - begin, result[c] + begin);
  });
  return result;
}

void DdefPlan::add_interpolated(const CornerSums& corner_sums, Channels& sums) const {
  for_cells([&](Index cell, Index begin, Index end) {
    for (Index slot = begin; slot < end; ++slot)
      for (int c = 0; c < sums.size(); ++c)
        sums[c][slot] += corner_sums.row(c).segment<4>(4 * cell).dot(weight_.col(slot));
  });
}

Points DdefPlan::vertex_points(std::span<const Index> vertices) const {
  Points points(3, static_cast<Index>(vertices.size()));
  Index column = 0;
  for (const Index k : vertices) points.col(column++) = structure_->vertices().col(k);
  return points;
}

void DdefPlan::evaluate(const CoulombSources& sources, const CoulombResult& result) const {
  // Gradients and field are computed in one pass; the potential then takes a second one.
  const bool gradient = result.field_gradient, field = result.field && !gradient, potential = result.potential;
  const auto sum = [&](const KernelSources& from) {
    Channels sums = near_sums(from);
    if (interpolates_) add_interpolated(far_sums(from), sums);
    return sums;
  };
  const auto add = [&](const auto& sources_of, Kernel just_field, Kernel just_potential, Kernel both,
                       Kernel with_gradient) {
    if (gradient) {
      const Channels sums = sum(sources_of(with_gradient));
      for (Index slot = 0; slot < n_; ++slot) {
        const Index i = structure_->point(slot);
        if (result.field) result.field->col(i) += coulomb_constant * vector_at(sums, 0, slot);
        for (int k = 0; k < 6; ++k) (*result.field_gradient)(k, i) += coulomb_constant * sums[3 + k][slot];
      }
    }
    if (!field && !potential) return;
    const Channels sums = sum(sources_of(!potential ? just_field : field ? both : just_potential));
    for (Index slot = 0; slot < n_; ++slot) {
      const Index i = structure_->point(slot);
      if (field) result.field->col(i) += coulomb_constant * vector_at(sums, 0, slot);
      if (potential) (*result.potential)[i] += coulomb_constant * sums[field ? 3 : 0][slot];
    }
  };
  if (sources.charge)
    add([&](Kernel k) { return charges(k, *sources.charge); }, Kernel::ChargeField, Kernel::ChargePotential,
        Kernel::ChargeBoth, Kernel::ChargeFieldGradient);
  if (sources.dipole)
    add([&](Kernel k) { return dipoles(k, *sources.dipole); }, Kernel::DipoleField, Kernel::DipolePotential,
        Kernel::DipoleBoth, Kernel::DipoleFieldGradient);
}

void DdefPlan::force_jvp(const Vector& charge, const Points& dx, const Vector& dcharge, Points& df) const {
  Channels more = zero_channels(5, n_);
  for (Index slot = 0; slot < n_; ++slot) {
    const Index i = structure_->point(slot);
    for (int a = 0; a < 3; ++a) more[a][slot] = dx(a, i);
    more[3][slot] = charge[i];
    more[4][slot] = dcharge[i];
  }
  const Channels near = near_sums(make_sources(Kernel::Jvp,
                                               [&](Index i, double* s) {
                                                 Vec3::Map(s) = dx.col(i);
                                                 s[3] = charge[i];
                                                 s[4] = dcharge[i];
                                                 return s[3] != 0 || s[4] != 0;
                                               }),
                                  &more);
  for (Index slot = 0; slot < n_; ++slot)
    df.col(structure_->point(slot)) += coulomb_constant * vector_at(near, 0, slot);
  if (!interpolates_) return;

  // f_i = q_i Σ_a λ_a(x_i) F_a, where a source that moves by δx changes F like a dipole q δx:
  // δf_i = Σ_a (δq_i λ_a + q_i ∇λ_a·δx_i) F_a + q_i Σ_a λ_a δF_a
  const CornerSums far = far_sums(charges(Kernel::ChargeField, charge));
  const CornerSums change = far_sums(charges(Kernel::ChargeField, dcharge)) +
                            far_sums(dipoles(Kernel::DipoleField, dx * charge.asDiagonal()));
  for_cells([&](Index cell, Index begin, Index end) {
    const auto f = far.middleCols<4>(4 * cell), df_corner = change.middleCols<4>(4 * cell);
    for (Index slot = begin; slot < end; ++slot) {
      const Index i = structure_->point(slot);
      const Eigen::Vector4d dweight = weight_gradient_.middleCols<4>(4 * cell).transpose() * dx.col(i);
      df.col(i) += coulomb_constant * (f * (dcharge[i] * weight_.col(slot) + charge[i] * dweight) +
                                       charge[i] * (df_corner * weight_.col(slot)));
    }
  });
}

void DdefPlan::force_vjp(const Vector& charge, const Points& w, Points& dx, Vector& dcharge) const {
  // Nearness is symmetric, so the near sum has the derivative of exact pairs.
  Channels more = zero_channels(3, n_);
  for (Index slot = 0; slot < n_; ++slot)
    for (int a = 0; a < 3; ++a) more[a][slot] = w(a, structure_->point(slot));
  const Channels near = near_sums(make_sources(Kernel::Vjp,
                                               [&](Index i, double* s) {
                                                 Vec3::Map(s) = w.col(i);
                                                 s[3] = charge[i];
                                                 return s[3] != 0;
                                               }),
                                  &more);
  for (Index slot = 0; slot < n_; ++slot) {
    const Index i = structure_->point(slot);
    dx.col(i) += coulomb_constant * charge[i] * vector_at(near, 0, slot);
    dcharge[i] += coulomb_constant * near[3][slot];
  }
  if (!interpolates_) return;

  // As a target: through q_i and λ_a(x_i). The gradient of the loss with respect to F_a is W_a = Σ_i q_i λ_a(x_i) w_i.
  const CornerSums far = far_sums(charges(Kernel::ChargeField, charge));
  CornerSums corner_w = CornerSums::Zero(3, 4 * structure_->cells());
  for_cells([&](Index cell, Index begin, Index end) {
    const auto f = far.middleCols<4>(4 * cell);
    for (Index slot = begin; slot < end; ++slot) {
      const Index i = structure_->point(slot);
      const Eigen::Vector4d along = f.transpose() * w.col(i);
      dx.col(i) += coulomb_constant * charge[i] * (weight_gradient_.middleCols<4>(4 * cell) * along);
      dcharge[i] += coulomb_constant * along.dot(weight_.col(slot));
      corner_w.middleCols<4>(4 * cell) += charge[i] * w.col(i) * weight_.col(slot).transpose();
    }
  });
  // As a source: Σ_a W_a·F_a contains q_j W_a·(y − x_j)/ρ³, which is −q_j times the potential of a dipole W_a at y.
  const Channels seen = far_dipoles(corner_w);
  for (Index slot = 0; slot < n_; ++slot) {
    const Index j = structure_->point(slot);
    dx.col(j) += coulomb_constant * charge[j] * vector_at(seen, 0, slot);
    dcharge[j] -= coulomb_constant * seen[3][slot];
  }
}

}  // namespace pithball::sim
