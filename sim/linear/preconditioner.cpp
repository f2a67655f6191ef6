#include "sim/linear/preconditioner.hpp"

#include <cholmod.h>
#include <dlfcn.h>

#include <new>
#include <stdexcept>

namespace pithball::sim {
namespace {

/// Factorizations of this size took up to seven times longer with two OpenBLAS threads than with one. Which BLAS
/// CHOLMOD uses depends on the system, so the function is looked up at run time.
void hold_blas_to_one_thread() {
  static const bool done = [] {
    if (void* symbol = dlsym(RTLD_DEFAULT, "openblas_set_num_threads")) reinterpret_cast<void (*)(int)>(symbol)(1);
    return true;
  }();
  (void)done;
}

/// Restricts OpenMP to one thread during its lifetime, for the calling thread only. CHOLMOD starts OpenMP threads even
/// for short loops, and they spin while they wait for each other: on a processor shared with other programs, a
/// factorization then loses many times what the threads save.
class NoOpenMpThreads {
 public:
  NoOpenMpThreads() {
    if (!get_ || !set_) return;
    before_ = get_();
    set_(0);
  }
  ~NoOpenMpThreads() {
    if (get_ && set_) set_(before_);
  }
  NoOpenMpThreads(const NoOpenMpThreads&) = delete;
  NoOpenMpThreads& operator=(const NoOpenMpThreads&) = delete;

 private:
  template <class Function>
  static Function find(const char* name) {
    return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
  }
  static inline const auto get_ = find<int (*)()>("omp_get_max_active_levels");
  static inline const auto set_ = find<void (*)(int)>("omp_set_max_active_levels");
  int before_ = 0;
};

/// A CHOLMOD workspace; one for each call, because a workspace must not be shared between threads.
struct Workspace {
  NoOpenMpThreads alone;
  cholmod_common common;
  Workspace() {
    hold_blas_to_one_thread();
    cholmod_start(&common);
    common.final_ll = 1;  // LLᵀ, so that an indefinite matrix is detected
    common.print = 0;
    common.error_handler = nullptr;
  }
  ~Workspace() { cholmod_finish(&common); }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  void check(const void* result) const {
    if (common.status == CHOLMOD_OUT_OF_MEMORY) throw std::bad_alloc();
    if (!result) throw std::runtime_error("CHOLMOD failed with status " + std::to_string(common.status));
  }
};

/// CHOLMOD's view of an Eigen matrix (no copy); only the lower triangle is read.
cholmod_sparse view(const SparseMatrix& A) {
  cholmod_sparse s{};
  s.nrow = A.rows();
  s.ncol = A.cols();
  s.nzmax = A.nonZeros();
  s.p = const_cast<int*>(A.outerIndexPtr());
  s.i = const_cast<int*>(A.innerIndexPtr());
  s.x = const_cast<double*>(A.valuePtr());
  s.stype = -1;
  s.itype = CHOLMOD_INT;
  s.xtype = CHOLMOD_REAL;
  s.dtype = CHOLMOD_DOUBLE;
  s.sorted = 1;
  s.packed = 1;
  return s;
}

struct FreeFactor {
  void operator()(cholmod_factor* factor) const {
    Workspace w;
    cholmod_free_factor(&factor, &w.common);
  }
};
using FactorPointer = std::unique_ptr<cholmod_factor, FreeFactor>;

}  // namespace

struct CholeskyFactor::Data {
  FactorPointer factor;
};

struct CholeskyAnalysis::Data {
  FactorPointer symbolic;
  double nonzeros = 0, flops = 0;
};

CholeskyAnalysis::CholeskyAnalysis(const SparseMatrix& pattern) {
  Workspace w;
  cholmod_sparse A = view(pattern);
  auto data = std::make_shared<Data>();
  data->symbolic.reset(cholmod_analyze(&A, &w.common));
  w.check(data->symbolic.get());
  data->nonzeros = w.common.lnz;
  data->flops = w.common.fl;
  data_ = std::move(data);
}

double CholeskyAnalysis::factor_nonzeros() const { return data_->nonzeros; }
double CholeskyAnalysis::factor_flops() const { return data_->flops; }

std::optional<CholeskyFactor> CholeskyAnalysis::factorize(const SparseMatrix& matrix) const {
  Workspace w;
  cholmod_sparse A = view(matrix);
  FactorPointer factor(cholmod_copy_factor(data_->symbolic.get(), &w.common));
  w.check(factor.get());
  cholmod_factorize(&A, factor.get(), &w.common);
  if (w.common.status == CHOLMOD_OUT_OF_MEMORY) throw std::bad_alloc();
  if (w.common.status != CHOLMOD_OK || factor->minor < factor->n) return {};
  auto data = std::make_shared<CholeskyFactor::Data>();
  data->factor = std::move(factor);
  CholeskyFactor result;
  result.data_ = std::move(data);
  return result;
}

Eigen::MatrixXd CholeskyFactor::solve(const Eigen::Ref<const Eigen::MatrixXd>& b) const {
  Workspace w;
  const Eigen::MatrixXd packed = b;
  cholmod_dense rhs{};
  rhs.nrow = packed.rows();
  rhs.ncol = packed.cols();
  rhs.d = rhs.nrow;
  rhs.nzmax = rhs.nrow * rhs.ncol;
  rhs.x = const_cast<double*>(packed.data());
  rhs.xtype = CHOLMOD_REAL;
  rhs.dtype = CHOLMOD_DOUBLE;
  cholmod_dense* x = cholmod_solve(CHOLMOD_A, data_->factor.get(), &rhs, &w.common);
  w.check(x);
  Eigen::MatrixXd result = Eigen::Map<const Eigen::MatrixXd>(static_cast<const double*>(x->x), b.rows(), b.cols());
  cholmod_free_dense(&x, &w.common);
  return result;
}

std::size_t CholeskyFactor::bytes() const {
  const cholmod_factor& f = *data_->factor;
  return f.is_super ? f.xsize * sizeof(double) + f.ssize * sizeof(int) : f.nzmax * (sizeof(double) + sizeof(int));
}

void BlockJacobi::compute(const BlockMatrix& A) {
  inverse_.resize(6, A.particles());
  for (Index i = 0; i < A.particles(); ++i)
    inverse_.col(i) = A.is_held(i) ? SymmetricBlock(SymmetricBlock::Zero()) : inverse(A.symmetric_diagonal(i));
}

void BlockJacobi::apply(const Points& r, Points& z) const {
  for (Index i = 0; i < r.cols(); ++i) z.col(i) = multiply_symmetric(inverse_.data() + 6 * i, r.col(i));
}

void ScalarFactor::apply(const Points& r, Points& z) const {
  z = factor_.solve(r.transpose()).transpose();
  for (Index i = 0; i < z.cols(); ++i)
    if (held_[i]) z.col(i).setZero();
}

void BlockFactor::apply(const Points& r, Points& z) const { flat(z) = factor_.solve(flat(r)); }

}  // namespace pithball::sim
