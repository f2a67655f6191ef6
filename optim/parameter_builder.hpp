#pragma once
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "optim/parameter_map.hpp"
#include "optim/value_entries.hpp"

namespace pithball::optim {

/// Resolves declarations against scenarios: the first half of making a ParameterMap. Appends to the lists it is given.
class ParameterBuilder {
 public:
  ParameterBuilder(const std::vector<diff::Scenario>& scenarios, std::vector<ParameterInfo>& info,
                   std::vector<std::vector<ParameterEntry>>& entries)
      : scenarios_(scenarios), info_(info), entries_(entries) {}

  /// Throws InvalidArgument as ParameterMap does.
  void add(const Parameter& declaration);

 private:
  /// What is collected while one declaration is resolved.
  struct Collection {
    std::size_t first = 0;                                              ///< number of its first parameter
    std::set<Index> selected;                                           ///< owners; empty: all
    std::map<Index, std::string> group_of;                              ///< owner → group
    std::map<std::tuple<std::string, std::string, int>, Index> number;  ///< (recording, group, component) → parameter
    std::vector<double> sum, members;  ///< of (given − offset)/weight by parameter, for the mean
    sim::ValueSign sign = sim::ValueSign::Any;
    bool is_known = false;  ///< whether any scenario has such a value
  };

  void check(const Parameter& d) const;
  void collect(const Parameter& d, Index scenario, Collection& collection);
  Index parameter_of(const Parameter& d, const ValueEntry& entry, const std::string& unit, const std::string& recording,
                     const std::string& group, Collection& collection);
  void settle_bounds(const Parameter& d, const Collection& collection);
  void settle_transforms(const Parameter& d, const Collection& collection);

  const std::vector<diff::Scenario>& scenarios_;
  std::vector<ParameterInfo>& info_;
  std::vector<std::vector<ParameterEntry>>& entries_;
};

}  // namespace pithball::optim
