import { expect, test } from 'vitest';
import type { Fact } from '../src/documents';
import { sortFacts } from '../src/summary/summary';

const fact = (label: string, value: Fact['value'] = 1): Fact => ({ label, value });
const labels = (facts: Fact[]) => facts.map(({ label }) => label);

test('sortFacts: five numbers, those that tell how good the run is first; in the order of the document', () => {
  const names = ['particles', 'springs', 'time step', 'completed steps', 'simulated time', 'mean energy error', 'largest energy error'];
  const { main, rest } = sortFacts([...names.map((name) => fact(name)), fact('integrator', 'verlet')]);
  expect(labels(main)).toEqual(['particles', 'springs', 'time step', 'mean energy error', 'largest energy error']);
  expect(labels(rest)).toEqual(['completed steps', 'simulated time', 'integrator']);
});

test('sortFacts: unknown numbers and words are not among the five', () => {
  const { main, rest } = sortFacts([fact('energy error', null), fact('solver', 'direct'), fact('a'), fact('b')]);
  expect([labels(main), labels(rest)]).toEqual([['a', 'b'], ['energy error', 'solver']]);
});

test('sortFacts: notes are never folded, and one fact alone is not either', () => {
  const { main, notes, rest } = sortFacts([...'abcdef'].map((name) => fact(name)).concat(fact('note', 'Look at this.')));
  expect([main.length, labels(notes), rest.length]).toEqual([6, ['note'], 0]);
});
