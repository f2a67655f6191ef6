#pragma once
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "optim/parameter/parameter_map.hpp"
#include "optim/parameter/value_entries.hpp"

namespace pithball::optim {

/// Resolves declarations against scenarios: the first half of creating a ParameterMap. Appends to the given lists.
class ParameterBuilder {
 public:
  /// All four must outlive this object; `info` and `entries` (one list for each scenario) are appended to.
  ParameterBuilder(const std::vector<diff::Scenario>& scenarios, const std::vector<RecordingFrame>& recording_frames,
                   std::vector<ParameterInfo>& info, std::vector<std::vector<ParameterEntry>>& entries)
      : scenarios_(scenarios), recording_frames_(recording_frames), info_(info), entries_(entries) {}

  /// Returns the values of the entries, if some differ that share a parameter. Throws InvalidArgument as ParameterMap
  /// does.
  std::optional<DifferingValues> add(const Parameter& declaration);
  /// Resolves a tied declaration; after all others.
  void tie(const Parameter& declaration);

 private:
  /// The key by which entries share a parameter.
  struct Sharers {
    std::string recording, group;
    int component = -1;
    std::optional<double> key_time;
    auto operator<=>(const Sharers&) const = default;
  };
  /// The values of entries that share a parameter, without their known parts.
  struct Range {
    double lowest = std::numeric_limits<double>::infinity(), highest = -std::numeric_limits<double>::infinity();
    double size = 0;  ///< the largest value or known part
    void add(double value, double offset);
    /// Whether they differ by more than the rounding of value − offset.
    bool differs() const;
  };
  /// What a declaration says of the owners of its entries.
  struct Owners {
    std::set<Index> selected;               ///< empty: all
    std::map<Index, std::string> group_of;  ///< owner → group
    std::map<Index, std::vector<std::pair<Index, double>>>
        control;  ///< owner → owners of control points, their weights
  };
  /// What the parameters of a declaration do to values that differ.
  struct Mode {
    bool is_factor = false;  ///< factor mode
    std::optional<DifferingValues> differing;
    std::set<Sharers> keeps_zeros;  ///< their entries that are 0 stay 0, the others are one value
  };
  /// What is known of a declared value as such.
  struct ValueTraits {
    std::string unit;
    sim::ValueSign sign = sim::ValueSign::Any;
    sim::ValueScaling scaling = sim::ValueScaling::Unstated;
  };
  /// The values that a parameter starts from.
  struct GivenValues {
    double mean = 0, count = 0;  ///< of (given − offset)/scale
    Range scales;                ///< of (given − offset) in factor mode
  };
  /// The parameters of one declaration, while it is resolved.
  struct Collection {
    Owners owners;
    Mode mode;
    std::size_t first = 0;                  ///< number of its first parameter
    std::map<Sharers, Index> number;        ///< → parameter
    std::vector<GivenValues> given;         ///< by parameter
    std::optional<ValueTraits> value = {};  ///< none: no scenario has such a value
  };
  /// The resolved entry of a declaration in a scenario.
  struct Resolved {
    std::size_t scenario = 0, entry = 0;  ///< number in entries_[scenario]
    sim::ValueOwner of = sim::ValueOwner::Particle;
    ValueEntry value;
  };

  void check(const Parameter& d) const;
  static bool is_selected(const Parameter& d, const std::set<Index>& selected, const ValueEntry& entry);
  std::vector<Index> chosen_scenarios(const Parameter& d) const;
  /// What names the parameters of a recording: its name, its label, or nothing.
  std::string recording_of(const Parameter& d, std::size_t scenario) const;
  /// Calls take(entry, value without its known part, known part) for every selected entry of a scenario.
  template <class Take>
  void each_entry(const Parameter& d, const ValueEntries& found, std::size_t scenario, const std::set<Index>& selected,
                  Take take) const;
  Owners find_owners(const Parameter& d) const;
  Mode find_mode(const Parameter& d, const Owners& owners) const;
  void place_control_points(const Parameter& d, Index scenario, Owners& declared) const;
  void collect(const Parameter& d, Index scenario, Collection& collection);
  /// The group of an entry that is not between control points: that of its own parameter, empty where all share one;
  /// none: it is in no group.
  static std::optional<std::string> group_of(const Parameter& d, Index owner, const Owners& owners);
  /// The parameters of an entry, created if necessary; none if it is in no group.
  std::vector<ParameterShare> shares_of(const Parameter& d, const ValueEntry& entry, const std::string& recording,
                                        Collection& collection);
  Index parameter_of(const Parameter& d, const Sharers& sharers, Collection& collection);
  void settle_bounds(const Parameter& d, const Collection& collection);
  /// Bounds of a factor that keep every entry between the declared ones.
  void bound_each_entry(const Parameter& d, const Collection& collection);
  void settle_transforms(const Parameter& d, const Collection& collection);
  void tie_scenario(const Parameter& d, std::size_t scenario, const std::set<Index>& selected);

  const std::vector<diff::Scenario>& scenarios_;
  const std::vector<RecordingFrame>& recording_frames_;
  std::vector<ParameterInfo>& info_;
  std::vector<std::vector<ParameterEntry>>& entries_;
  std::map<std::string, std::vector<Resolved>> resolved_;  ///< by printed name of the declaration
};

}  // namespace pithball::optim
