#pragma once
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "optim/residual.hpp"

namespace pithball::optim {

/// One evaluation of a residual (values: r, derivative: J) or an objective (values: L, derivative: gradient as a row).
struct JournalEntry {
  Evaluation outcome;
  Vector values;
  Eigen::MatrixXd derivative;  ///< 0×0 if it was not asked for
};

/// Every evaluation of a search, kept on disk as it is made, so that a killed search can be repeated without computing
/// anything twice: minimisers are deterministic, so the same questions come again and known answers are read from here.
/// Answers count for exactly the same θ, bit by bit. The file begins with the physical values of the start, by which
/// another problem is told apart.
class Journal {
 public:
  /// Reads the evaluations of an earlier, interrupted search of the same problem; a last one that was cut off is
  /// ignored. Throws InvalidArgument if the file cannot be read or belongs to a problem with another start.
  static std::map<std::vector<double>, JournalEntry> load(const std::string& file, const Vector& start);
  /// Begins a file with what is known already and keeps appending to it; throws InvalidArgument if it cannot be
  /// written.
  Journal(const std::string& file, const Vector& start, std::map<std::vector<double>, JournalEntry> known);

  const JournalEntry* find(const Vector& theta, bool with_derivative) const;
  void append(const Vector& theta, const JournalEntry& entry);

 private:
  struct Close {
    void operator()(std::FILE* f) const { std::fclose(f); }
  };
  std::unique_ptr<std::FILE, Close> file_;
  std::map<std::vector<double>, JournalEntry> known_;
};

/// A residual whose evaluations go through a journal. Both must outlive it.
class JournaledResidual final : public Residual {
 public:
  JournaledResidual(const Residual& residual, Journal& journal) : residual_(residual), journal_(journal) {}
  Index rows() const override { return residual_.rows(); }
  Index parameters() const override { return residual_.parameters(); }
  Evaluation evaluate(const Vector& theta, Vector& r, Eigen::MatrixXd* jacobian) const override;

 private:
  const Residual& residual_;
  Journal& journal_;
};

/// The same for an objective.
class JournaledObjective final : public Objective {
 public:
  JournaledObjective(const Objective& objective, Journal& journal) : objective_(objective), journal_(journal) {}
  Index parameters() const override { return objective_.parameters(); }
  Evaluation evaluate(const Vector& theta, double& loss, Vector* gradient) const override;

 private:
  const Objective& objective_;
  Journal& journal_;
};

}  // namespace pithball::optim
