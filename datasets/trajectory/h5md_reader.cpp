#include "datasets/trajectory/h5md_reader.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "datasets/text/nearest.hpp"
#include "datasets/trajectory/h5md_lists.hpp"
#include "datasets/trajectory/hdf5_reader.hpp"
#include "sim/core/error.hpp"

namespace pithball::datasets {
namespace {

constexpr std::size_t most_groups = 1000, most_named = 8, deepest = 4;

/// Appends "/tracks [2][2][13][1100]" and the like for each dataset in a group, up to a limit.
void name_arrays(const Hdf5File& file, const std::string& group, std::size_t depth, std::vector<std::string>& names) {
  for (const Hdf5Member& member : file.members(group, 4 * most_named)) {
    if (names.size() > most_named) return;
    const std::string path = (group == "/" ? "" : group) + "/" + member.name;
    if (member.is_group && depth < deepest) name_arrays(file, path, depth + 1, names);
    if (!member.is_array) continue;
    std::string name = path + " ";
    for (const std::uint64_t length : member.size) name += "[" + std::to_string(length) + "]";
    names.push_back(member.size.empty() ? path : name);
  }
}

[[noreturn]] void reject_layout(const Hdf5File& file) {
  std::vector<std::string> arrays;
  name_arrays(file, "/", 1, arrays);
  if (arrays.size() > most_named) arrays.back() = "…";
  const auto has = [&](const char* object) {
    return std::ranges::any_of(file.members("/", most_groups), [&](const Hdf5Member& m) { return m.name == object; });
  };
  std::string program, remedy = "export the positions as a table (CSV) or as .npy [frames][markers][3]";
  if (has("track_names") || has("tracks_json")) {
    program = " of SLEAP";
    remedy = "write the tracks as CSV: `sleap-convert --format analysis.csv`";
  } else if (has("df_with_missing")) {
    program = " of DeepLabCut";
    remedy = "give the CSV that DeepLabCut writes beside it (`save_as_csv=True`)";
  }
  throw InvalidArgument({file.name(), "trajectory",
                         "must contain the positions of particles in the H5MD layout, /particles/NAME/position",
                         "HDF5" + program + " with " + (arrays.empty() ? "no data sets" : joined(arrays)), remedy});
}

}  // namespace

std::vector<std::string> list_particle_groups(const Hdf5File& file) {
  std::vector<std::string> groups;
  for (const Hdf5Member& member : file.members("/particles", most_groups))
    if (member.is_group && file.has("/particles/" + member.name + "/position/value")) groups.push_back(member.name);
  return groups;
}

std::string find_particle_group(const Hdf5File& file, const std::string& wanted) {
  const std::string usual = wanted.empty() ? "all" : wanted;
  if (file.has("/particles/" + usual + "/position/value")) return usual;
  const std::vector<std::string> groups = list_particle_groups(file);
  if (groups.empty()) reject_layout(file);
  if (!wanted.empty())
    throw InvalidArgument({file.name(), "particle_group", "must be a group of particles with positions",
                           "'" + wanted + "'", suggestion(wanted, groups)});
  if (groups.size() > 1) reject_several_groups(file.name(), groups);
  return groups.front();
}

void reject_several_groups(const std::string& file, const std::vector<std::string>& groups) {
  throw InvalidArgument({file, "particle_group", "must be given where a file has several groups of particles",
                         joined(groups), "write `particle_group: " + groups.front() + "`"});
}

/// The open file, and the data common to all states.
struct H5mdReader::File {
  Hdf5File hdf5;
  H5mdLists lists;
  H5mdStates states;
  H5mdBody body;
  std::string length_unit, time_unit;
  bool complete = true;

  File(const std::string& name, const std::string& group) : hdf5(name) {
    const std::string particles = "/particles/" + find_particle_group(hdf5, group);
    lists = open_motion(hdf5, particles);
    length_unit = hdf5.text(particles + "/position/value", "unit").value_or("");
    time_unit = hdf5.text(particles + "/position/time", "unit").value_or("");
    body = read_origin(hdf5);
    complete = hdf5.integer("/parameters", "complete").value_or(1) != 0;
    open_values(hdf5, particles, lists, body);
    states = find_states(lists, complete);
    add_first_values(hdf5.name(), lists, states, body);
  }

  Index particles(std::size_t state) const {
    return lists.come_and_go() ? states.counts[state] : static_cast<Index>(lists.width());
  }

  std::vector<H5mdFrame> frames(const Hdf5Rows& rows) const {
    std::vector<H5mdFrame> read(rows.count);
    const std::vector<double> x = lists.position.doubles(rows);
    const std::vector<double> v = lists.velocity ? lists.velocity->doubles(rows) : std::vector<double>(x.size(), 0.0);
    for (std::size_t k = 0; k < read.size(); ++k) {
      const std::size_t number = rows.first + k * rows.stride;
      const auto block = [&](const std::vector<double>& values) {
        const std::uint64_t stride = values.size() / rows.count;
        return sim::Points(Eigen::Map<const sim::Points>(values.data() + k * stride, 3, particles(number)));
      };
      read[k].step = states.step[number];
      read[k].state = {states.time[number], block(x), block(v)};
    }
    for (std::size_t c = 0; c < lists.changing.size(); ++c) {
      const std::vector<double> values = lists.changing[c].doubles(rows);
      const std::uint64_t count = lists.changing[c].size()[1];
      for (std::size_t k = 0; k < read.size(); ++k) read[k].values[body.changing[c]] = part_of(values, k, count, count);
    }
    if (lists.come_and_go()) add_rosters(rows, read);
    return read;
  }

  void add_rosters(const Hdf5Rows& rows, std::vector<H5mdFrame>& read) const {
    const std::vector<std::int64_t> id = lists.rosters[0].integers(rows), like = lists.rosters[1].integers(rows);
    const std::vector<double> birth = lists.rosters[2].doubles(rows), death = lists.rosters[3].doubles(rows);
    for (std::size_t k = 0; k < read.size(); ++k) {
      const Index n = read[k].state.x.cols();
      const auto fill = [&](auto& list, const auto& values) {
        const auto first = values.begin() + static_cast<std::ptrdiff_t>(k * (values.size() / read.size()));
        list.assign(first, first + n);
      };
      sim::Roster& roster = read[k].roster.emplace();
      fill(roster.id, id);
      fill(roster.like, like);
      fill(roster.birth_time, birth);
      fill(roster.death_time, death);
      roster.attributes.resize(body.attributes->size(), n);
      if (std::ranges::any_of(roster.like, [&](Index i) { return i < 0 || i >= states.counts.front(); }))
        throw InvalidArgument({hdf5.name(), "like", "must name particles of the first state", "another number",
                               "the file is damaged; run the simulation again"});
    }
    for (std::size_t a = 0; a < body.attributes->size(); ++a) {
      const std::vector<double> values = lists.rosters[6 + a].doubles(rows);
      for (std::size_t k = 0; k < read.size(); ++k)
        read[k].roster->attributes.row(a) =
            part_of(values, k, values.size() / read.size(), read[k].state.x.cols()).transpose();
    }
  }
};

H5mdReader::H5mdReader(const std::string& file, const std::string& group)
    : file_(std::make_shared<const File>(file, group)) {}

const std::string& H5mdReader::file() const { return file_->hdf5.name(); }
const H5mdBody& H5mdReader::body() const { return file_->body; }
const std::vector<Index>& H5mdReader::steps() const { return file_->states.step; }
const std::vector<double>& H5mdReader::times() const { return file_->states.time; }
Index H5mdReader::particles(std::size_t state) const { return file_->particles(state); }
Index H5mdReader::most_particles() const {
  if (!file_->lists.come_and_go()) return file_->lists.width();
  return file_->states.counts.empty() ? 0 : std::ranges::max(file_->states.counts);
}
bool H5mdReader::complete() const { return file_->complete; }
const std::string& H5mdReader::length_unit() const { return file_->length_unit; }
const std::string& H5mdReader::time_unit() const { return file_->time_unit; }
std::size_t H5mdReader::page() const { return file_->lists.page(); }

std::vector<H5mdFrame> H5mdReader::frames(std::size_t first, std::size_t count, std::size_t stride) const {
  if (count == 0) return {};
  if (stride == 0 || first >= size() || count - 1 > (size() - 1 - first) / stride)
    throw std::out_of_range("H5mdReader: states beyond the last one");
  return file_->frames({first, count, stride});
}

H5mdPages::H5mdPages(H5mdReader reader) : reader_(std::move(reader)), numbers_(reader_->size()) {
  std::iota(numbers_.begin(), numbers_.end(), std::size_t{0});
}

H5mdPages::H5mdPages(std::vector<H5mdFrame> frames) : numbers_(frames.size()), page_(std::move(frames)) {
  std::iota(numbers_.begin(), numbers_.end(), std::size_t{0});
}

const H5mdFrame& H5mdPages::operator[](std::size_t k) {
  if (k >= begin_ && k - begin_ < page_.size()) return page_[k - begin_];
  if (!reader_ || k >= size()) throw std::out_of_range("H5mdPages: a state beyond the last one");
  // States at equal intervals are read at once.
  const std::size_t stride = k + 1 < size() ? numbers_[k + 1] - numbers_[k] : 1;
  std::size_t count = 1;
  while (count < reader_->page() && k + count < size() && numbers_[k + count] - numbers_[k + count - 1] == stride)
    ++count;
  page_.clear();  // frees memory for the next one
  page_ = reader_->frames(numbers_[k], count, stride);
  begin_ = k;
  return page_.front();
}

void H5mdPages::release() {
  if (reader_) page_ = {};
}

H5mdTrajectory read_h5md(const std::string& file) {
  const H5mdReader reader(file);
  H5mdTrajectory found;
  found.body = reader.body();
  found.length_unit = reader.length_unit();
  found.time_unit = reader.time_unit();
  found.trajectory.complete = reader.complete();
  for (const std::string& name : found.body.changing) found.over_time[name];
  for (std::size_t first = 0; first < reader.size(); first += reader.page())
    for (H5mdFrame& frame : reader.frames(first, std::min(reader.page(), reader.size() - first))) {
      found.trajectory.step.push_back(frame.step);
      found.trajectory.states.push_back(std::move(frame.state));
      if (frame.roster) found.trajectory.rosters.push_back(*std::move(frame.roster));
      for (auto& [name, values] : frame.values) found.over_time[name].push_back(std::move(values));
    }
  return found;
}

}  // namespace pithball::datasets
