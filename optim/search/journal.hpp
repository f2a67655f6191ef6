#pragma once
#include <memory>
#include <optional>
#include <string>

#include "optim/residual/residual.hpp"
#include "optim/search/ledger.hpp"

namespace pithball::optim {

/// One evaluation of a residual (values: r, derivative: J) or an objective (values: L, derivative: gradient as a row),
/// or one product of a linearization (values).
struct JournalEntry {
  Evaluation outcome;          ///< success, or why it failed
  Vector values;               ///< empty if it failed
  Eigen::MatrixXd derivative;  ///< 0×0 if it was not requested
};

/// Stores every evaluation of a search on disk, so that a killed search can be repeated without repeating computations:
/// minimizers are deterministic, so the same requests occur again and are answered from here. A request must match bit
/// by bit: θ, its stage, and for a product its kind and factor.
class Journal {
 public:
  /// Opens or creates the file. `start`: the physical initial values, which identify the problem. Throws
  /// InvalidArgument if the file belongs to another problem or cannot be written.
  Journal(const std::string& file, const Vector& start);

  /// The stored answer; empty if there is none, or none with the derivative that is requested.
  std::optional<JournalEntry> find(const Vector& question, bool with_derivative) const;
  /// Stores an answer, replacing an earlier one. Throws std::runtime_error on a write error.
  void add(const Vector& question, const JournalEntry& entry);

 private:
  Ledger ledger_;
};

/// A residual whose evaluations are stored in a journal. Both must outlive it. The stage distinguishes several
/// residuals in one journal.
class JournaledResidual final : public Residual {
 public:
  /// `stage` is part of every request: give each residual its own.
  JournaledResidual(const Residual& residual, Journal& journal, std::size_t stage = 0)
      : residual_(residual), journal_(journal), stage_(stage) {}
  Index rows() const override { return residual_.rows(); }
  Index parameters() const override { return residual_.parameters(); }
  Evaluation evaluate(const Vector& theta, Vector& r, Eigen::MatrixXd* jacobian) const override;
  /// The linearization for `gauss_newton`, with stored products; the run is recorded at the first product that is not
  /// in the journal.
  Evaluation linearize(const Vector& theta, std::unique_ptr<Linearization>& at) const override;

 private:
  const Residual& residual_;
  Journal& journal_;
  double stage_;
};

}  // namespace pithball::optim
