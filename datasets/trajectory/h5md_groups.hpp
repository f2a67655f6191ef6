#pragma once
#include <string>
#include <vector>

namespace pithball::datasets {

class Hdf5File;

/// The groups of particles in an H5MD file that have positions, in the order of their names; the convention leaves the
/// names free.
std::vector<std::string> list_particle_groups(const Hdf5File& file);

/// The name of the group to read: `wanted`, or if that is empty `all` or the only one. Throws InvalidArgument if it
/// does not exist or there are several, which are listed, and if the file has another layout: its data sets are named,
/// with what to do with those of SLEAP and DeepLabCut.
std::string find_particle_group(const Hdf5File& file, const std::string& wanted);

/// Throws InvalidArgument that lists several groups, of which the key `particle_group` selects one.
[[noreturn]] void reject_several_groups(const std::string& file, const std::vector<std::string>& groups);

}  // namespace pithball::datasets
