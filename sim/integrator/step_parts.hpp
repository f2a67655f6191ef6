#pragma once
#include <vector>

#include "sim/integrator/integrator.hpp"

namespace pithball::sim {

/// The parts into which a step from the time `from` [s] is divided by what switches in it; empty if nothing does.
///
/// A part ends where forces or their rates of change jump (ends of tables, key frames), so that a pulse shorter than
/// the step has its impulse, and the step its order. A sudden jump gets a part of its own, a few roundings of the time
/// long: no other part then evaluates forces on both sides of it. With `knots`, parts also end at the knots of paths.
std::vector<TimeStep> make_step_parts(const Model& model, double from, const TimeStep& step, bool knots);

/// What is felt as time goes on between two times [s], wherever particles are: forces, key frames, the flow of tracers,
/// and the paths of held particles.
TimeCourse course_of(const Model& model, double from, double to);

}  // namespace pithball::sim
