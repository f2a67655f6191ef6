#include "datasets/trajectory/h5md_reader.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <sstream>
#include <utility>

#include "datasets/trajectory/h5md_groups.hpp"
#include "datasets/trajectory/hdf5_reader.hpp"
#include "sim/core/error.hpp"

namespace pithball::datasets {

namespace {

[[noreturn]] void reject_trajectory(const std::string& file, const std::string& what, const std::string& required,
                                    const std::string& got, const std::string& remedy) {
  throw InvalidArgument({file, what, required, got, remedy});
}

std::vector<std::string> split_names(const std::string& text) {
  std::vector<std::string> names;
  std::istringstream lines(text);
  for (std::string name; std::getline(lines, name);) names.push_back(name);
  return names;
}

/// The first n numbers of a row, of rows of `stride` numbers.
sim::Vector part_of(const std::vector<double>& numbers, std::size_t row, std::uint64_t stride, Index n) {
  return Eigen::Map<const sim::Vector>(numbers.data() + row * stride, n);
}

}  // namespace

/// The open file, and what belongs to all states.
struct H5mdReader::File {
  Hdf5File hdf5;
  H5mdBody body;
  std::vector<Index> step;
  std::vector<double> time;
  std::vector<Index> counts;  // of the particles in each state, where they come and go
  std::string length_unit, time_unit;
  bool complete = true;

  Hdf5Array position, velocity, step_list, time_list;
  bool has_velocity = false;
  std::vector<std::string> changing;      // names
  std::vector<Hdf5Array> changing_lists;  // [frames][values] of each
  std::vector<Hdf5Array> roster_lists;    // id, like, birth_time, death_time, mass, charge, and the attributes

  std::string particles_group;  // "/particles/all"

  File(const std::string& name, const std::string& group) : hdf5(name) {
    particles_group = "/particles/" + find_particle_group(hdf5, group);
    open_states();
    open_body();
    settle_length();
    read_first_values();
  }

  bool come_and_go() const { return !roster_lists.empty(); }
  std::uint64_t width() const { return position.size()[1]; }
  Index particles(std::size_t state) const { return come_and_go() ? counts[state] : static_cast<Index>(width()); }

  /// Everything that has a row for each state.
  template <class Visit>
  void visit_lists(const Visit& visit) const {
    for (const Hdf5Array* list : {&position, &step_list, &time_list}) visit(*list);
    if (has_velocity) visit(velocity);
    for (const Hdf5Array& list : changing_lists) visit(list);
    for (const Hdf5Array& list : roster_lists) visit(list);
  }

  void open_states() {
    position = hdf5.array(particles_group + "/position/value");
    position.require_rank(3, "[frames][particles][3]");
    if (position.size()[2] != 3)
      reject_trajectory(hdf5.name(), "position", "must be an array [frames][particles][3]", "another shape",
                        "give a three-dimensional trajectory");
    step_list = hdf5.array(particles_group + "/position/step");
    time_list = hdf5.array(particles_group + "/position/time");
    step_list.require_rank(1, "[frames]");
    time_list.require_rank(1, "[frames]");
    has_velocity = hdf5.has(particles_group + "/velocity/value");
    if (!has_velocity) return;
    velocity = hdf5.array(particles_group + "/velocity/value");
    velocity.require_rank(3, "[frames][particles][3]");
    const bool may_be_torn =
        hdf5.has(particles_group + "/like/value");  // a killed run may have widened some lists only
    if ((velocity.size()[1] != width() && !may_be_torn) || velocity.size()[2] != 3)
      reject_trajectory(hdf5.name(), "velocity", "must have the shape of position", "another shape",
                        "write the file again");
  }

  void open_body() {
    length_unit = hdf5.text(particles_group + "/position/value", "unit").value_or("");
    time_unit = hdf5.text(particles_group + "/position/time", "unit").value_or("");
    body.author = hdf5.text("/h5md/author", "name").value_or("");
    body.program = hdf5.text("/h5md/creator", "name").value_or("");
    body.program_version = hdf5.text("/h5md/creator", "version").value_or("");
    complete = hdf5.integer("/parameters", "complete").value_or(1) != 0;
    if (hdf5.has(particles_group + "/like/value"))
      open_rosters();
    else
      for (const auto& [name, list] : {std::pair("mass", &H5mdBody::mass), std::pair("charge", &H5mdBody::charge)})
        open_values(particles_group, name, list, width());
    if (hdf5.has("/connectivity/springs")) open_springs();
  }

  void open_springs() {
    const Hdf5Array springs = hdf5.array("/connectivity/springs");
    springs.require_rank(2, "[springs][2]");
    if (springs.size()[1] != 2)
      reject_trajectory(hdf5.name(), "springs", "must be pairs", std::to_string(springs.size()[1]) + " numbers each",
                        "write two particles for each spring");
    const std::vector<std::int64_t> pairs = springs.integers();
    for (std::size_t s = 0; s < pairs.size(); s += 2) body.springs.push_back({pairs[s], pairs[s + 1]});
    for (const auto& [name, list] :
         {std::pair("stiffness", &H5mdBody::stiffness), std::pair("rest_length", &H5mdBody::rest_length)})
      open_values("/connectivity", name, list, springs.size()[0]);
  }

  /// An element of the convention: one list of `count` numbers, or where it changes with time, a list for each state.
  /// Other programs may have one number for all, which is no list.
  void open_values(const std::string& group, const std::string& name, sim::Vector H5mdBody::*list,
                   std::uint64_t count) {
    const std::string path = group + "/" + name;
    if (!hdf5.has(path)) return;
    const bool changes = hdf5.has(path + "/value");
    Hdf5Array values = hdf5.array(changes ? path + "/value" : path);
    if (!changes && values.size().size() != 1) return;
    if (changes) values.require_rank(2, "[frames][values]");
    if (values.size().back() != count)
      reject_trajectory(hdf5.name(), path, "must have a number for each of " + std::to_string(count),
                        std::to_string(values.size().back()), "write the file again");
    if (changes) {
      body.changing.push_back(name);
      changing_lists.push_back(std::move(values));
      return;
    }
    const std::vector<double> numbers = values.doubles();
    body.*list = part_of(numbers, 0, 0, numbers.size());
  }

  void open_rosters() {
    body.attributes = split_names(hdf5.text(particles_group, "attributes").value_or(""));
    std::vector<std::string> names{"id", "like", "birth_time", "death_time", "mass", "charge"};
    names.insert(names.end(), body.attributes->begin(), body.attributes->end());
    for (const std::string& name : names) {
      roster_lists.push_back(hdf5.array(particles_group + "/" + name + "/value"));
      roster_lists.back().require_rank(2, "[frames][particles]");
    }
  }

  /// How many states the file holds: of a killed run those that all lists hold.
  void settle_length() {
    std::uint64_t length = position.size()[0];
    visit_lists([&](const Hdf5Array& list) { length = std::min(length, list.size()[0]); });
    if (!complete) length = without_torn_end(length);
    visit_lists([&](const Hdf5Array& list) { list.require_stored(length); });
    const std::vector<std::int64_t> steps = step_list.integers({0, length});
    // Of a killed run, room that was made and not filled has step −1 (0 in files of earlier versions).
    const auto filled = complete ? steps.end() : std::ranges::find_if(steps, [](std::int64_t n) { return n < 0; });
    const auto last = complete ? filled : std::adjacent_find(steps.begin(), filled, std::greater_equal<>());
    step.assign(steps.begin(), last == filled ? filled : last + 1);
    time = time_list.doubles({0, step.size()});
    if (come_and_go()) count_particles();
  }

  /// A killed run may have torn what it wrote last: what cannot be read at the end is cut off.
  std::uint64_t without_torn_end(std::uint64_t length) const {
    for (bool torn = true; torn && length > 0;) {
      torn = false;
      visit_lists([&](const Hdf5Array& list) {
        if (torn) return;
        try {
          list.doubles({length - 1, 1});
        } catch (const UnreadHdf5&) {
          throw;  // nothing is known of the file
        } catch (const InvalidArgument&) {
          torn = true;
          length = (length - 1) / list.rows_in_chunk() * list.rows_in_chunk();
        }
      });
    }
    return length;
  }

  /// Ids are −1 for empty slots; a state without particles is space that a killed run allocated but did not fill.
  void count_particles() {
    std::uint64_t places = width();
    if (has_velocity) places = std::min(places, velocity.size()[1]);
    for (const Hdf5Array& list : roster_lists) places = std::min(places, list.size()[1]);
    const Hdf5Array& id = roster_lists.front();
    bool filled = places > 0;
    for (std::size_t first = 0; filled && first < step.size(); first += page()) {
      const std::size_t rows = std::min(page(), step.size() - first);
      const std::vector<std::int64_t> ids = id.integers({first, rows});
      for (std::size_t k = 0; filled && k < rows; ++k) {
        const auto row = ids.begin() + (k * id.size()[1]);
        const auto end = row + places;
        const Index n = std::find_if(row, end, [](std::int64_t i) { return i < 0; }) - row;
        filled = n > 0;
        if (filled) counts.push_back(n);
      }
    }
    step.resize(counts.size());
    time.resize(counts.size());
  }

  /// The body as it is in the first state; without states, values that change are not known.
  void read_first_values() {
    if (come_and_go() && !step.empty()) {
      const std::vector<double> mass = roster_lists[4].doubles({0, 1}), charge = roster_lists[5].doubles({0, 1});
      body.mass = part_of(mass, 0, 0, counts.front());
      body.charge = part_of(charge, 0, 0, counts.front());
    }
    for (std::size_t k = 0; k < changing_lists.size(); ++k) {
      const Hdf5Array& list = changing_lists[k];
      const Index count = list.size()[1];
      sim::Vector first = sim::Vector::Constant(count, std::numeric_limits<double>::quiet_NaN());
      if (!step.empty()) first = part_of(list.doubles({0, 1}), 0, 0, count);
      for (const auto& [name, values] :
           {std::pair("mass", &H5mdBody::mass), std::pair("charge", &H5mdBody::charge),
            std::pair("stiffness", &H5mdBody::stiffness), std::pair("rest_length", &H5mdBody::rest_length)})
        if (body.changing[k] == name) body.*values = first;
    }
    check_springs();
  }

  /// Springs tie particles of the first state, by their numbers.
  void check_springs() const {
    if (body.springs.empty() || (come_and_go() && step.empty())) return;
    const Index n = come_and_go() ? counts.front() : static_cast<Index>(width());
    for (const sim::Spring& spring : body.springs)
      if (spring.i < 0 || spring.i >= n || spring.j < 0 || spring.j >= n)
        reject_trajectory(hdf5.name(), "springs", "must connect particles 0.." + std::to_string(n - 1),
                          std::to_string(spring.i) + "-" + std::to_string(spring.j),
                          "the file is damaged; run the simulation again");
  }

  std::size_t page() const {
    constexpr std::uint64_t bytes = std::uint64_t{16} << 20;
    const std::uint64_t numbers = (has_velocity ? 6 : 3) + roster_lists.size();
    const std::uint64_t row = std::max<std::uint64_t>(1, numbers * sizeof(double) * width());
    const std::uint64_t chunk = std::max<std::uint64_t>(1, position.rows_in_chunk());
    const std::uint64_t rows = std::max<std::uint64_t>(1, bytes / row);
    return rows > chunk ? rows / chunk * chunk : rows;
  }

  std::vector<H5mdFrame> frames(const Hdf5Rows& rows) const {
    std::vector<H5mdFrame> read(rows.count);
    const std::vector<double> x = position.doubles(rows);
    const std::vector<double> v = has_velocity ? velocity.doubles(rows) : std::vector<double>(x.size(), 0.0);
    for (std::size_t k = 0; k < read.size(); ++k) {
      const std::size_t number = rows.first + k * rows.stride;
      const auto block = [&](const std::vector<double>& values) {
        const std::uint64_t stride = values.size() / rows.count;
        return sim::Points(Eigen::Map<const sim::Points>(values.data() + k * stride, 3, particles(number)));
      };
      read[k].step = step[number];
      read[k].state = {time[number], block(x), block(v)};
    }
    for (std::size_t c = 0; c < changing_lists.size(); ++c) {
      const std::vector<double> values = changing_lists[c].doubles(rows);
      const std::uint64_t count = changing_lists[c].size()[1];
      for (std::size_t k = 0; k < read.size(); ++k) read[k].values[body.changing[c]] = part_of(values, k, count, count);
    }
    if (come_and_go()) add_rosters(rows, read);
    return read;
  }

  void add_rosters(const Hdf5Rows& rows, std::vector<H5mdFrame>& read) const {
    const std::vector<std::int64_t> id = roster_lists[0].integers(rows), like = roster_lists[1].integers(rows);
    const std::vector<double> birth = roster_lists[2].doubles(rows), death = roster_lists[3].doubles(rows);
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
      if (std::ranges::any_of(roster.like, [&](Index i) { return i < 0 || i >= counts.front(); }))
        reject_trajectory(hdf5.name(), "like", "must name particles of the first state", "another number",
                          "the file is damaged; run the simulation again");
    }
    for (std::size_t a = 0; a < body.attributes->size(); ++a) {
      const std::vector<double> values = roster_lists[6 + a].doubles(rows);
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
const std::vector<Index>& H5mdReader::steps() const { return file_->step; }
const std::vector<double>& H5mdReader::times() const { return file_->time; }
Index H5mdReader::particles(std::size_t state) const { return file_->particles(state); }
Index H5mdReader::most_particles() const {
  if (!file_->come_and_go()) return file_->width();
  return file_->counts.empty() ? 0 : std::ranges::max(file_->counts);
}
bool H5mdReader::complete() const { return file_->complete; }
const std::string& H5mdReader::length_unit() const { return file_->length_unit; }
const std::string& H5mdReader::time_unit() const { return file_->time_unit; }
std::size_t H5mdReader::page() const { return file_->page(); }

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
  // States at equal distances are read together.
  const std::size_t stride = k + 1 < size() ? numbers_[k + 1] - numbers_[k] : 1;
  std::size_t count = 1;
  while (count < reader_->page() && k + count < size() && numbers_[k + count] - numbers_[k + count - 1] == stride)
    ++count;
  page_.clear();  // before the next one takes memory
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
