#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "datasets/trajectory/h5md.hpp"
#include "datasets/trajectory/hdf5_reader.hpp"

namespace pithball::datasets {

/// The datasets of a trajectory that have a row for each state.
struct H5mdLists {
  Hdf5Array position;                    ///< [frames][particles][3]
  Hdf5Array step;                        ///< [frames], numbers of time steps
  Hdf5Array time;                        ///< [frames]
  std::optional<Hdf5Array> velocity;     ///< [frames][particles][3]; empty: not stored
  std::vector<Hdf5Array> changing = {};  ///< [frames][values], of each of `H5mdBody::changing`
  /// [frames][particles]: id, like, birth_time, death_time, mass, charge, and the attributes; empty: particles stay.
  std::vector<Hdf5Array> rosters = {};

  /// Whether the number of particles changes.
  bool come_and_go() const { return !rosters.empty(); }
  /// Number of places for particles in each state.
  std::uint64_t width() const { return position.size()[1]; }
  /// Number of states to read at a time: about 16 MB of them, and at least one.
  std::size_t page() const;
  /// Calls visit(list) for each of them.
  template <class Visit>
  void visit(const Visit& visit) const {
    for (const Hdf5Array* list : {&position, &step, &time}) visit(*list);
    if (velocity) visit(*velocity);
    for (const Hdf5Array& list : changing) visit(list);
    for (const Hdf5Array& list : rosters) visit(list);
  }
};

/// The states in a trajectory: what `H5mdLists` does not hold about each.
struct H5mdStates {
  std::vector<Index> step;    ///< number of time steps before each
  std::vector<double> time;   ///< in the unit of the file
  std::vector<Index> counts;  ///< of the particles in each state, where they come and go
};

/// The first n numbers of a row, of rows of `stride` numbers.
sim::Vector part_of(const std::vector<double>& numbers, std::size_t row, std::uint64_t stride, Index n);

/// Opens position, step and time, and velocity if there is one, of the particles of a group ("/particles/all"). Throws
/// InvalidArgument if one is missing or has another shape.
H5mdLists open_motion(const Hdf5File& hdf5, const std::string& group);

/// A body of which only author, program and its version are known: those that the file names.
H5mdBody read_origin(const Hdf5File& hdf5);

/// Adds to the body what all states have in common, and to the lists the datasets that change from state to state.
/// Throws InvalidArgument if one has another shape.
void open_values(const Hdf5File& hdf5, const std::string& group, H5mdLists& lists, H5mdBody& body);

/// The states in all of these lists. Of a run that is not `complete`, those that were written.
H5mdStates find_states(const H5mdLists& lists, bool complete);

/// Adds to the body its values in the first state; without states, values that change are not known. Throws
/// InvalidArgument, which names the file, if springs join anything but particles of that state.
void add_first_values(const std::string& file, const H5mdLists& lists, const H5mdStates& states, H5mdBody& body);

}  // namespace pithball::datasets
