#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "datasets/trajectory/h5md.hpp"

namespace pithball::datasets {

/// One snapshot of a trajectory file.
struct H5mdFrame {
  Index step = 0;
  sim::State state;
  std::optional<sim::Roster> roster = {};          ///< who is there, where particles come and go
  std::map<std::string, sim::Vector> values = {};  ///< of each of the body's `changing`, as they are at this state
};

/// A trajectory file, opened and checked as `read_h5md` says: what belongs to all states is in memory, the states stay
/// in the file and are read some at a time. Copies share the file.
class H5mdReader {
 public:
  /// Throws InvalidArgument as `read_h5md` does.
  explicit H5mdReader(const std::string& file);

  const std::string& file() const;
  const H5mdBody& body() const;
  std::size_t size() const { return steps().size(); }  ///< number of states
  const std::vector<Index>& steps() const;             ///< of each state
  const std::vector<double>& times() const;            ///< [s], or in the file's unit
  Index particles(std::size_t state) const;            ///< that are there in this state
  Index most_particles() const;                        ///< in any state
  bool complete() const;                               ///< the run came to its end
  const std::string& length_unit() const;              ///< of the positions, as the file says; empty: it does not
  const std::string& time_unit() const;

  /// A state. Throws InvalidArgument where the file is damaged.
  H5mdFrame frame(std::size_t state) const { return frames(state, 1).front(); }
  /// `count` states from number `first` on, every `stride`-th.
  std::vector<H5mdFrame> frames(std::size_t first, std::size_t count, std::size_t stride = 1) const;
  /// How many states to read at a time: about 16 MB of them, and at least one.
  std::size_t page() const;

 private:
  struct File;
  std::shared_ptr<const File> file_;
};

/// Some states of a trajectory in order, of which a page is in memory at a time.
class H5mdPages {
 public:
  /// The states of these numbers, which ascend.
  H5mdPages(H5mdReader reader, std::vector<std::size_t> numbers)
      : reader_(std::move(reader)), numbers_(std::move(numbers)) {}
  /// All states.
  explicit H5mdPages(H5mdReader reader);
  /// States that are in memory already.
  explicit H5mdPages(std::vector<H5mdFrame> frames);

  std::size_t size() const { return numbers_.size(); }
  /// The k-th of them, until another one is asked for. Throws InvalidArgument where the file is damaged.
  const H5mdFrame& operator[](std::size_t k);
  /// Gives the memory of the page back; the file stays open.
  void release();

 private:
  std::optional<H5mdReader> reader_;
  std::vector<std::size_t> numbers_;
  std::vector<H5mdFrame> page_;
  std::size_t begin_ = 0;  // the number in this order of the page's first state
};

}  // namespace pithball::datasets
