#include "experiments/bench/chebyshev_candidates.hpp"

#include <Eigen/SVD>
#include <algorithm>
#include <array>
#include <cmath>
#include <random>
namespace pithball::experiments {
namespace {

using sim::Vec3;
using sim::fmm::Offset;

/// Place of node k of the grid.
Vec3 place(const ChebyshevNodes& nodes, int k) {
  const int n = nodes.order();
  const auto along = [&](int j) { return nodes.node[static_cast<std::size_t>(j)]; };
  return {along(k % n), along(k / n % n), along(k / n / n)};
}

Eigen::MatrixXd inverse_distances(const ChebyshevNodes& nodes, const Offset& offset) {
  const int size = nodes.order() * nodes.order() * nodes.order();
  Eigen::Matrix3Xd x(3, size);
  for (int k = 0; k < size; ++k) x.col(k) = place(nodes, k);
  const Vec3 apart(offset[0], offset[1], offset[2]);
  Eigen::MatrixXd matrix(size, size);
  for (int l = 0; l < size; ++l)
    matrix.col(l) =
        (x.colwise() + (apart - Vec3(x.col(l)))).colwise().squaredNorm().cwiseSqrt().cwiseInverse().transpose();
  return matrix;
}

/// Columns: the even functions on the nodes, then the odd ones, orthonormal.
Eigen::MatrixXd even_and_odd(int n) {
  Eigen::MatrixXd basis = Eigen::MatrixXd::Zero(n, n);
  const int even = (n + 1) / 2;
  for (int j = 0; j < even; ++j) {
    const int mirror = n - 1 - j;
    if (j == mirror) {
      basis(j, j) = 1;
    } else {
      basis(j, j) = basis(mirror, j) = basis(j, even + j) = std::sqrt(0.5);
      basis(mirror, even + j) = -std::sqrt(0.5);
    }
  }
  return basis;
}

/// Potentials on the grid of unit charges in distant boxes, in columns. The grid, and the set of all distant boxes, are
/// their own mirror images, so that charges on the positive side of all three planes are enough where functions even
/// and odd in each coordinate are looked at apart.
Eigen::MatrixXd potentials_of_distant_charges(const ChebyshevNodes& nodes, int size, int count) {
  std::vector<Offset> offsets = far_offsets();
  std::erase_if(offsets, [](const Offset& o) { return o[0] < 0 || o[1] < 0 || o[2] < 0; });
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(-0.5, 0.5);
  Eigen::MatrixXd potentials(size, count);
  for (int c = 0; c < count; ++c) {
    const Offset& o = offsets[static_cast<std::size_t>(c) % offsets.size()];
    const Vec3 y(o[0] + uniform(random), o[1] + uniform(random), o[2] + uniform(random));
    for (int k = 0; k < size; ++k) potentials(k, c) = 1 / (place(nodes, k) - y).norm();
  }
  return potentials;
}

/// `vectors` orthonormal functions on the grid that span potentials of distant charges best: a singular value
/// decomposition, taken apart into the eight blocks of functions that are even or odd in x, y and z.
Eigen::MatrixXd basis_of_distant_potentials(const ChebyshevNodes& nodes, int size, int most) {
  const int n = nodes.order(), even = (n + 1) / 2;
  const Eigen::MatrixXd axis = even_and_odd(n);
  const Eigen::MatrixXd potentials = potentials_of_distant_charges(nodes, size, std::max(200, most));
  struct Direction {
    double weight;
    Eigen::VectorXd vector;
  };
  std::vector<Direction> directions;
  for (int block = 0; block < 8; ++block) {
    // Products of columns of `axis`, one for each coordinate.
    std::array<std::vector<int>, 3> columns;
    for (int a = 0; a < 3; ++a)
      for (int j = (block >> a & 1) ? even : 0; j < ((block >> a & 1) ? n : even); ++j)
        columns[static_cast<std::size_t>(a)].push_back(j);
    Eigen::MatrixXd functions(size, columns[0].size() * columns[1].size() * columns[2].size());
    Eigen::Index f = 0;
    for (const int z : columns[2])
      for (const int y : columns[1])
        for (const int x : columns[0]) {
          for (int k = 0; k < size; ++k) functions(k, f) = axis(k % n, x) * axis(k / n % n, y) * axis(k / n / n, z);
          ++f;
        }
    if (f == 0) continue;
    const Eigen::MatrixXd part = functions.transpose() * potentials;
    const Eigen::BDCSVD<Eigen::MatrixXd> svd(part, Eigen::ComputeThinU);
    for (Eigen::Index k = 0; k < svd.singularValues().size(); ++k)
      directions.push_back({svd.singularValues()[k], functions * svd.matrixU().col(k)});
  }
  std::sort(directions.begin(), directions.end(), [](const auto& a, const auto& b) { return a.weight > b.weight; });
  directions.resize(std::min(directions.size(), static_cast<std::size_t>(most)));
  Eigen::MatrixXd basis(size, directions.size());
  for (std::size_t k = 0; k < directions.size(); ++k) basis.col(static_cast<Eigen::Index>(k)) = directions[k].vector;
  return basis;
}

/// matrix · x, column by column.
Eigen::MatrixXd times(const PackedMatrix& matrix, const Eigen::MatrixXd& x) {
  Eigen::MatrixXd y = Eigen::MatrixXd::Zero(matrix.rows(), x.cols());
  std::vector<const double*> from;
  std::vector<double*> to;
  for (Eigen::Index c = 0; c < x.cols(); ++c) {
    from.push_back(x.col(c).data());
    to.push_back(y.col(c).data());
  }
  add_products(matrix, static_cast<int>(x.cols()), from.data(), to.data());
  return y;
}

int largest(const Ranks& ranks) {
  int most = 0;
  for (const auto& [offset, rank] : ranks) most = std::max(most, rank);
  return most;
}

/// Coefficients on the grid of a number of boxes, zero.
class GridValues {
 public:
  GridValues(std::size_t boxes, int size) : values_(Eigen::MatrixXd::Zero(size, static_cast<Eigen::Index>(boxes))) {
    for (Eigen::Index b = 0; b < values_.cols(); ++b) columns_.push_back(values_.col(b).data());
  }
  double* const* data() { return columns_.data(); }
  int boxes() const { return static_cast<int>(columns_.size()); }

 private:
  Eigen::MatrixXd values_;
  std::vector<double*> columns_;
};

}  // namespace

ChebyshevGrid::ChebyshevGrid(int nodes) : nodes_(nodes) {
  for (const Offset& offset : representatives())
    matrices_.emplace(offset, PackedMatrix(inverse_distances(nodes_, offset)));
}

void ChebyshevGrid::add_moments(const PointRanges& boxes, const double* charge, double* const* coefficient) const {
  for (std::size_t b = 0; b < boxes.size(); ++b) experiments::add_moments(nodes_, boxes[b], charge, coefficient[b]);
}

void ChebyshevGrid::add_field(const double* const* coefficient, const PointRanges& boxes, double* const* field) const {
  for (std::size_t b = 0; b < boxes.size(); ++b) experiments::add_field(nodes_, coefficient[b], boxes[b], field);
}

ChebyshevBasis::ChebyshevBasis(std::shared_ptr<const ChebyshevGrid> of, int most)
    : grid(std::move(of)), vectors(basis_of_distant_potentials(grid->nodes(), grid->size(), most)) {
  const PackedMatrix transposed(vectors.transpose());
  for (const Offset& offset : representatives())
    matrices.emplace(offset, times(transposed, times(grid->matrix(offset), vectors)));
}

CompressedChebyshev::CompressedChebyshev(std::shared_ptr<const ChebyshevBasis> basis, const Ranks& ranks)
    : basis_(std::move(basis)),
      to_rank_(basis_->vectors.leftCols(largest(ranks)).transpose()),
      to_grid_(basis_->vectors.leftCols(largest(ranks))) {
  for (const auto& [offset, rank] : ranks)
    matrices_.emplace(offset, PackedMatrix(basis_->matrices.at(offset).topLeftCorner(rank, rank)));
}

void CompressedChebyshev::add_moments(const PointRanges& boxes, const double* charge,
                                      double* const* coefficient) const {
  GridValues on_grid(boxes.size(), basis_->grid->size());
  basis_->grid->add_moments(boxes, charge, on_grid.data());
  add_products(to_rank_, on_grid.boxes(), on_grid.data(), coefficient);
}

void CompressedChebyshev::add_field(const double* const* coefficient, const PointRanges& boxes,
                                    double* const* field) const {
  GridValues on_grid(boxes.size(), basis_->grid->size());
  add_products(to_grid_, on_grid.boxes(), coefficient, on_grid.data());
  basis_->grid->add_field(on_grid.data(), boxes, field);
}

}  // namespace pithball::experiments
