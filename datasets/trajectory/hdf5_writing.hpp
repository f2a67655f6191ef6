#pragma once
#include <hdf5.h>

#include <string>
#include <vector>

#include "datasets/trajectory/hdf5_handle.hpp"
#include "sim/core/types.hpp"

namespace pithball::datasets {

/// Numbers of entries, one for each axis.
using Hdf5Size = std::vector<hsize_t>;

/// A plan for making an object of this class (H5P_GROUP_CREATE, …) that stores no time of day: two runs of one
/// experiment then write the same bytes.
Hdf5Handle timeless(hid_t creation);

/// Makes a group.
Hdf5Handle make_group(hid_t parent, const std::string& path);
/// Opens a dataset that exists.
Hdf5Handle open_dataset(hid_t parent, const std::string& path);
// HDF5 functions of the trajectory writer.

/// A dataspace of this size, which may grow to `largest`, one entry for each axis.
Hdf5Handle simple_space(const Hdf5Size& size, const Hdf5Size& largest = {});

/// Writes an attribute of this type and space.
void write_attribute(hid_t object, const char* name, hid_t type, hid_t space, const void* value);
/// Writes a text as an attribute.
void write_text(hid_t object, const char* name, const std::string& text);
/// The same as a text of variable length, as h5py writes them: MDAnalysis compares units with these only.
void write_variable_text(hid_t object, const char* name, const std::string& text);
/// Writes a list of integers as an attribute.
void write_integers(hid_t object, const char* name, const std::vector<int>& values);
/// Writes an integer as an attribute.
void write_integer(hid_t object, const char* name, int value);
/// This number of copies of the text "none".
void write_nones(hid_t object, const char* name, Hdf5Size::size_type count);

/// A fixed dataset, written at once, with checksums.
Hdf5Handle write_array(hid_t parent, const char* name, hid_t type, const Hdf5Size& size, const void* values);
/// Fill values of a growing dataset: no step, no particle, no number.
double unwritten(hid_t type);
/// An empty dataset that grows along its first axis, by segments of states, and if `widens` along the second too.
Hdf5Handle make_growing(hid_t parent, const char* name, hid_t type, const Hdf5Size& size, sim::Index segment,
                        bool widens = false);

}  // namespace pithball::datasets
