import { formatQuantity } from '../format';
import type { DecodedMotion } from './decoded_motion';

/** Numbers of the document have the digits of float32, not more. */
const stored = (value: number) => Number(value.toPrecision(7));

export interface ParticleFact {
  label: string;
  text: string;
}

/** What the document tells about one particle at an instant [s]. */
export function particleFacts(motion: DecodedMotion, index: number, time: number): ParticleFact[] {
  const position = [...motion.positions.seek(time).subarray(3 * index, 3 * index + 3)];
  if (position.some(Number.isNaN)) return [{ label: '', text: 'not there at this time' }];
  const facts: ParticleFact[] = [
    { label: 'position', text: `(${position.map((x) => formatQuantity(stored(x), 'm')).join(', ')})` },
    { label: 'speed', text: formatQuantity(stored(motion.speed.seek(time)[index]!), 'm/s') },
  ];
  for (const { label, unit, of, values } of motion.quantities) {
    if (of !== 'particles') continue;
    const value = values instanceof Float64Array ? values[index]! : values.seek(time)[index]!;
    facts.push({ label, text: Number.isNaN(value) ? 'none' : formatQuantity(stored(value), unit) });
  }
  if (motion.springs) {
    const { pairs } = motion.springs;
    const springs = pairs.reduce((count, end) => count + (end === index ? 1 : 0), 0);
    facts.push({ label: 'springs', text: String(springs) });
  }
  const groups = motion.groups.filter(({ particles }) => particles.has(index)).map(({ name }) => name);
  if (groups.length > 0) facts.push({ label: groups.length > 1 ? 'groups' : 'group', text: groups.join(', ') });
  if (motion.pinned.includes(index)) facts.push({ label: '', text: 'pinned' });
  return facts;
}
