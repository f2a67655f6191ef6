import { button, element } from '../dom';
import type { Clock } from '../page';
import type { DecodedMotion } from './decoded_motion';
import { particleAt, particleOfText, placeInPicture } from './nearest_particle';
import { particleFacts } from './particle_facts';
import type { Picture } from './picture';
import './particle_picker.css';

/** A pointer that moved by more than this between down and up turned the picture [px]. */
const clickSlop = 4;

/**
 * Tells about the particle under the pointer, and keeps telling about the one that was clicked or asked for by its number;
 * a ring in the picture shows which it is. Where particles come and go, what has a number is a place (the noun).
 */
export function particlePicker(motion: DecodedMotion, picture: Picture, clock: Clock, noun: string): HTMLElement {
  const { particleCount } = motion;
  const ring = element('div', { class: 'motion-pick-ring', hidden: true, 'aria-hidden': true });
  picture.stage.append(ring);
  const words = element('p', { class: 'motion-picked number' });
  const search = element('input', {
    type: 'number', min: 0, max: particleCount - 1, step: 1, placeholder: `0 to ${particleCount - 1}`, inputmode: 'numeric',
  });
  let kept: number | null = null;
  let hovered: number | null = null;

  const show = () => {
    const index = hovered ?? kept;
    clear.hidden = kept === null;
    if (index === null) {
      ring.hidden = true;
      words.replaceChildren(hint);
      return;
    }
    const parts = particleFacts(motion, index, clock.time).map(({ label, text }) =>
      element('span', { class: 'motion-picked-fact' }, label === '' ? null : element('span', { class: 'unit' }, `${label} `), text),
    );
    words.replaceChildren(element('strong', {}, `${noun} ${index}`), ...parts);
    const [x, y, z] = motion.positions.values.subarray(3 * index, 3 * index + 3);
    const view = picture.pickView();
    const place = placeInPicture(view, x!, y!, z!);
    ring.hidden = place === null;
    if (!place) return;
    const size = Math.max(16, 3 * view.radius * (view.scale / place.depth));
    ring.style.cssText = `left: ${place.left}px; top: ${place.top}px; width: ${size}px; height: ${size}px`;
  };
  const keep = (index: number | null) => {
    kept = index;
    hovered = null;
    search.value = index === null ? '' : String(index);
    search.removeAttribute('aria-invalid');
    show();
  };
  const clear = button({ class: 'motion-unpick', hidden: true }, 'Deselect', () => keep(null));

  const under = (event: PointerEvent) => {
    const { left, top } = picture.stage.getBoundingClientRect();
    const found = particleAt(picture.pickView(), motion.positions.values, event.clientX - left, event.clientY - top);
    return found < 0 ? null : found;
  };
  let down: PointerEvent | null = null;
  picture.stage.addEventListener('pointerdown', (event) => (down = event.isPrimary && event.button === 0 ? event : null));
  picture.stage.addEventListener('pointerup', (event) => {
    const moved = down ? Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) : Infinity;
    down = null;
    if (moved <= clickSlop) keep(under(event));
  });
  picture.stage.addEventListener('pointermove', (event) => {
    if (event.pointerType === 'touch' || event.buttons !== 0) return;
    hovered = under(event);
    picture.stage.classList.toggle('on-particle', hovered !== null);
    show();
  });
  picture.stage.addEventListener('pointerleave', () => {
    hovered = null;
    show();
  });
  picture.object.addEventListener('keydown', (event) => event.key === 'Escape' && keep(null));
  search.addEventListener('input', () => {
    const wanted = particleOfText(search.value, particleCount);
    if (wanted === null && search.value !== '') search.setAttribute('aria-invalid', 'true');
    else search.removeAttribute('aria-invalid');
    kept = wanted;
    hovered = null;
    show();
  });
  picture.afterDraw(show);
  const field = element('label', { class: 'motion-field' }, noun, search);
  return element('div', { class: 'motion-picker' }, field, clear, words);
}

const hint = 'Point at a particle to read its values, click to keep it, or type its number (counted from 0).';
