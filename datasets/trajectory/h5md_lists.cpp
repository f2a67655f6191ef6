#include "datasets/trajectory/h5md_lists.hpp"

#include <algorithm>
#include <limits>
#include <sstream>
#include <utility>

#include "sim/core/error.hpp"

namespace pithball::datasets {
namespace {

std::vector<std::string> split_names(const std::string& text) {
  std::vector<std::string> names;
  std::istringstream lines(text);
  for (std::string name; std::getline(lines, name);) names.push_back(name);
  return names;
}

/// An element of the convention, with a number for each of `count` particles or springs.
struct ListedValue {
  std::string group, name;
  sim::Vector H5mdBody::*values;
  std::uint64_t count;
};

/// Opens one list of numbers or, for values that change with time, one list per state. Files of other programs may have
/// one number for all, which is not a list.
void open_value(const Hdf5File& hdf5, const ListedValue& listed, H5mdLists& lists, H5mdBody& body) {
  const std::string path = listed.group + "/" + listed.name;
  if (!hdf5.has(path)) return;
  const bool changes = hdf5.has(path + "/value");
  Hdf5Array values = hdf5.array(changes ? path + "/value" : path);
  if (!changes && values.size().size() != 1) return;
  if (changes) values.require_rank(2, "[frames][values]");
  if (values.size().back() != listed.count)
    throw InvalidArgument({hdf5.name(), path, "must have a number for each of " + std::to_string(listed.count),
                           std::to_string(values.size().back()), "write the file again"});
  if (changes) {
    body.changing.push_back(listed.name);
    lists.changing.push_back(std::move(values));
    return;
  }
  const std::vector<double> numbers = values.doubles();
  body.*listed.values = part_of(numbers, 0, 0, numbers.size());
}

void open_springs(const Hdf5File& hdf5, H5mdLists& lists, H5mdBody& body) {
  const Hdf5Array springs = hdf5.array("/connectivity/springs");
  springs.require_rank(2, "[springs][2]");
  if (springs.size()[1] != 2)
    throw InvalidArgument({hdf5.name(), "springs", "must be pairs", std::to_string(springs.size()[1]) + " numbers each",
                           "write two particles for each spring"});
  const std::vector<std::int64_t> pairs = springs.integers();
  for (std::size_t s = 0; s < pairs.size(); s += 2) body.springs.push_back({pairs[s], pairs[s + 1]});
  for (const auto& [name, list] :
       {std::pair("stiffness", &H5mdBody::stiffness), std::pair("rest_length", &H5mdBody::rest_length)})
    open_value(hdf5, {"/connectivity", name, list, springs.size()[0]}, lists, body);
}

void open_rosters(const Hdf5File& hdf5, const std::string& group, H5mdLists& lists, H5mdBody& body) {
  body.attributes = split_names(hdf5.text(group, "attributes").value_or(""));
  std::vector<std::string> names{"id", "like", "birth_time", "death_time", "mass", "charge"};
  names.insert(names.end(), body.attributes->begin(), body.attributes->end());
  for (const std::string& name : names) {
    lists.rosters.push_back(hdf5.array(group + "/" + name + "/value"));
    lists.rosters.back().require_rank(2, "[frames][particles]");
  }
}

/// Returns the length of the lists without an unreadable end: a killed run may have left its last chunks incomplete.
std::uint64_t without_torn_end(const H5mdLists& lists, std::uint64_t length) {
  for (bool torn = true; torn && length > 0;) {
    torn = false;
    lists.visit([&](const Hdf5Array& list) {
      if (torn) return;
      try {
        list.doubles({length - 1, 1});
      } catch (const UnreadHdf5&) {
        throw;  // the content of the file is unknown
      } catch (const InvalidArgument&) {
        torn = true;
        length = (length - 1) / list.rows_in_chunk() * list.rows_in_chunk();
      }
    });
  }
  return length;
}

/// Counts the particles of each state. Empty slots have the id −1; a state without particles is space that a killed run
/// allocated but did not fill.
void count_particles(const H5mdLists& lists, H5mdStates& states) {
  std::uint64_t places = lists.width();
  if (lists.velocity) places = std::min(places, lists.velocity->size()[1]);
  for (const Hdf5Array& list : lists.rosters) places = std::min(places, list.size()[1]);
  const Hdf5Array& id = lists.rosters.front();
  const std::size_t page = lists.page();
  bool filled = places > 0;
  for (std::size_t first = 0; filled && first < states.step.size(); first += page) {
    const std::size_t rows = std::min(page, states.step.size() - first);
    const std::vector<std::int64_t> ids = id.integers({first, rows});
    for (std::size_t k = 0; filled && k < rows; ++k) {
      const auto row = ids.begin() + (k * id.size()[1]);
      const auto end = row + places;
      const Index n = std::find_if(row, end, [](std::int64_t i) { return i < 0; }) - row;
      filled = n > 0;
      if (filled) states.counts.push_back(n);
    }
  }
  states.step.resize(states.counts.size());
  states.time.resize(states.counts.size());
}

/// Checks that springs refer to existing particles: their ends are numbers of particles in the first state.
void check_springs(const std::string& file, const H5mdLists& lists, const H5mdStates& states, const H5mdBody& body) {
  if (body.springs.empty() || (lists.come_and_go() && states.step.empty())) return;
  const Index n = lists.come_and_go() ? states.counts.front() : static_cast<Index>(lists.width());
  for (const sim::Spring& spring : body.springs)
    if (spring.i < 0 || spring.i >= n || spring.j < 0 || spring.j >= n)
      throw InvalidArgument({file, "springs", "must connect particles 0.." + std::to_string(n - 1),
                             std::to_string(spring.i) + "-" + std::to_string(spring.j),
                             "the file is damaged; run the simulation again"});
}

}  // namespace

std::size_t H5mdLists::page() const {
  constexpr std::uint64_t bytes = std::uint64_t{16} << 20;
  const std::uint64_t numbers = (velocity ? 6 : 3) + rosters.size();
  const std::uint64_t row = std::max<std::uint64_t>(1, numbers * sizeof(double) * width());
  const std::uint64_t chunk = std::max<std::uint64_t>(1, position.rows_in_chunk());
  const std::uint64_t rows = std::max<std::uint64_t>(1, bytes / row);
  return rows > chunk ? rows / chunk * chunk : rows;
}

sim::Vector part_of(const std::vector<double>& numbers, std::size_t row, std::uint64_t stride, Index n) {
  return Eigen::Map<const sim::Vector>(numbers.data() + row * stride, n);
}

H5mdLists open_motion(const Hdf5File& hdf5, const std::string& group) {
  H5mdLists lists;
  lists.position = hdf5.array(group + "/position/value");
  lists.position.require_rank(3, "[frames][particles][3]");
  if (lists.position.size()[2] != 3)
    throw InvalidArgument({hdf5.name(), "position", "must be an array [frames][particles][3]", "another shape",
                           "give a three-dimensional trajectory"});
  lists.step = hdf5.array(group + "/position/step");
  lists.time = hdf5.array(group + "/position/time");
  lists.step.require_rank(1, "[frames]");
  lists.time.require_rank(1, "[frames]");
  if (!hdf5.has(group + "/velocity/value")) return lists;
  const Hdf5Array& velocity = lists.velocity.emplace(hdf5.array(group + "/velocity/value"));
  velocity.require_rank(3, "[frames][particles][3]");
  const bool may_be_torn = hdf5.has(group + "/like/value");  // a killed run may have widened only some lists
  if ((velocity.size()[1] != lists.width() && !may_be_torn) || velocity.size()[2] != 3)
    throw InvalidArgument(
        {hdf5.name(), "velocity", "must have the shape of position", "another shape", "write the file again"});
  return lists;
}

H5mdBody read_origin(const Hdf5File& hdf5) {
  H5mdBody body;
  body.author = hdf5.text("/h5md/author", "name").value_or("");
  body.program = hdf5.text("/h5md/creator", "name").value_or("");
  body.program_version = hdf5.text("/h5md/creator", "version").value_or("");
  return body;
}

void open_values(const Hdf5File& hdf5, const std::string& group, H5mdLists& lists, H5mdBody& body) {
  if (hdf5.has(group + "/like/value"))
    open_rosters(hdf5, group, lists, body);
  else
    for (const auto& [name, list] : {std::pair("mass", &H5mdBody::mass), std::pair("charge", &H5mdBody::charge)})
      open_value(hdf5, {group, name, list, lists.width()}, lists, body);
  if (hdf5.has("/connectivity/springs")) open_springs(hdf5, lists, body);
}

H5mdStates find_states(const H5mdLists& lists, bool complete) {
  std::uint64_t length = lists.position.size()[0];
  lists.visit([&](const Hdf5Array& list) { length = std::min(length, list.size()[0]); });
  if (!complete) length = without_torn_end(lists, length);
  lists.visit([&](const Hdf5Array& list) { list.require_stored(length); });
  const std::vector<std::int64_t> steps = lists.step.integers({0, length});
  // After a killed run, space that was allocated but not filled has step −1.
  const auto filled = complete ? steps.end() : std::ranges::find_if(steps, [](std::int64_t n) { return n < 0; });
  const auto last = complete ? filled : std::adjacent_find(steps.begin(), filled, std::greater_equal<>());
  H5mdStates states;
  states.step.assign(steps.begin(), last == filled ? filled : last + 1);
  states.time = lists.time.doubles({0, states.step.size()});
  if (lists.come_and_go()) count_particles(lists, states);
  return states;
}

void add_first_values(const std::string& file, const H5mdLists& lists, const H5mdStates& states, H5mdBody& body) {
  if (lists.come_and_go() && !states.step.empty()) {
    const std::vector<double> mass = lists.rosters[4].doubles({0, 1}), charge = lists.rosters[5].doubles({0, 1});
    body.mass = part_of(mass, 0, 0, states.counts.front());
    body.charge = part_of(charge, 0, 0, states.counts.front());
  }
  for (std::size_t k = 0; k < lists.changing.size(); ++k) {
    const Hdf5Array& list = lists.changing[k];
    const Index count = list.size()[1];
    sim::Vector first = sim::Vector::Constant(count, std::numeric_limits<double>::quiet_NaN());
    if (!states.step.empty()) first = part_of(list.doubles({0, 1}), 0, 0, count);
    for (const auto& [name, values] :
         {std::pair("mass", &H5mdBody::mass), std::pair("charge", &H5mdBody::charge),
          std::pair("stiffness", &H5mdBody::stiffness), std::pair("rest_length", &H5mdBody::rest_length)})
      if (body.changing[k] == name) body.*values = first;
  }
  check_springs(file, lists, states, body);
}

}  // namespace pithball::datasets
