#pragma once
#include <functional>
#include <vector>

namespace pithball::experiments {

/// Which figure of a piece's turns counts: the median of the time that passed, which is what users see, or the least
/// processor time (of all threads), which depends least on other programs.
enum class Counted { Median, LeastProcessorTime };

/// Pieces of work to compare, each with the seconds of one run: the median of several, or the least. The pieces take
/// turns, so that whatever else the machine does affects them alike; those shorter than a millisecond are run many
/// times in a turn. Each is run once beforehand. There are at least `rounds` turns, and up to 15 while all together
/// last less than 2 s.
std::vector<double> interleaved_seconds(const std::vector<std::function<void()>>& pieces, int rounds,
                                        Counted counted = Counted::Median);

/// The value in the middle of the sorted ones (the upper of two); 0 if there is none.
double upper_median(std::vector<double> values);

/// Resets the peak memory of the process, where the system allows it.
void reset_peak_memory();

/// The largest memory since then (or since the start) [MiB]: VmHWM; NaN where the system does not report it.
double peak_memory_mib();

}  // namespace pithball::experiments
