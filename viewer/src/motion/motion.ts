import type { MotionDocument } from '../documents';
import { button, element } from '../dom';
import { formatNumber, formatQuantity } from '../format';
import type { Display, MotionControls, Page } from '../page';
import { announcer } from './announcer';
import { ColorChoice, colorSelect } from './color_choice';
import { coloringsOf } from './coloring';
import { decodeMotion, type DecodedMotion, type Springs } from './decoded_motion';
import { LayerToggles } from './layer_toggles';
import './motion.css';
import './motion_controls.css';
import { Picture } from './picture';
import { particlePicker } from './particle_picker';
import { arrowKeys, colorKey, signKey } from './picture_key';
import { playbackControls } from './playback_controls';
import { playerOf, speedChoices, type Player } from './player';
import { MotionScene } from './scene';
import { shownAtFirst } from './segment_lines';

/** Plays the motion in three dimensions, together with everything else on the page that follows the clock. */
export const motion: Display<MotionDocument> = async (host, content, page) => {
  const { clock } = page;
  clock.extend(content.times[0]!, content.times.at(-1)!);
  const decoded = await decodeMotion(content);
  const scene = new MotionScene(decoded);
  const picture = makePicture(scene, description(content, decoded));
  if (!picture) {
    host.append(element('p', { class: 'problem', role: 'note' }, noWebGl), fineprint(content));
    return;
  }
  const choice = new ColorChoice(coloringsOf(decoded));
  const player = playerOf(clock);
  const arrows = arrowKeys(scene);
  const reset = button({ class: 'motion-reset' }, 'Reset view', () => picture.reset());
  picture.object.append(colorKey(choice, clock), reset, signKey(decoded, arrows.values()) ?? '');

  const layersChanged = () => {
    for (const [layer, key] of arrows) key.hidden = !scene.layers.get(layer)!.visible;
    picture.invalidate();
  };
  layersChanged();
  const toggles = new LayerToggles(scene.layers, layersChanged);
  picture.onDraw(() => scene.seek(clock.time));
  choice.subscribe((coloring) => {
    if (coloring.of === 'springs') toggles.show('springs');
    scene.setColoring(coloring);
    picture.invalidate();
  });
  scene.setTheme(page.theme.name);
  page.theme.subscribe(() => {
    scene.setTheme(page.theme.name);
    picture.refresh();
  });
  clock.subscribe(() => picture.invalidate());
  picture.object.addEventListener('keydown', (event) => {
    if (event.key !== ' ' || event.target !== picture.object) return;
    event.preventDefault();
    player.toggle();
  });

  const settings = element(
    'div',
    { class: 'motion-settings' },
    colorSelect(choice),
    toggles.object,
  );
  const figure = element(
    'div',
    { class: 'motion' },
    picture.object,
    playbackControls(clock, player, content.times),
    settings,
    particlePicker(decoded, picture, clock, content.present ? 'Slot' : 'Particle'),
    element('p', { class: 'motion-fineprint motion-handling' }, handling),
    fineprint(content, decoded.springs),
    announcer(clock, player),
  );
  host.append(figure);
  picture.fit();
  if (page.motion === null) {
    const cancelPlaying = playOnceSeen(picture.object, page, player);
    page.motion = controlsOf(page, content, choice, picture, figure, toggles, () => {
      cancelPlaying();
      player.pause();
    });
  }
};

const noWebGl =
  'This browser offers no WebGL, so the motion cannot be drawn here; everything else on this page works without it.';

const handling =
  'Drag to turn, click and scroll or pinch to zoom, drag with the right button to shift. Keys on the picture: arrows, + and −, Home, space.';

function makePicture(scene: MotionScene, words: string): Picture | null {
  try {
    return new Picture(scene, words);
  } catch (error) {
    console.warn('motion:', error);
    return null;
  }
}

function description({ times }: MotionDocument, { particleCount, springs }: DecodedMotion): string {
  const body = `${particleCount} particles` + (springs ? ` and ${springs.count} springs` : '');
  return `Motion of ${body} from ${formatQuantity(times[0]!, 's')} to ${formatQuantity(times.at(-1)!, 's')}`;
}

/** What was left out and how exact the rest is. */
function fineprint({ thinning }: MotionDocument, springs: Springs | null = null): HTMLElement {
  const { kept, shown, position_error } = thinning;
  const states =
    shown < kept ? `${formatNumber(shown)} of ${formatNumber(kept)} snapshots shown` : `All ${formatNumber(kept)} snapshots shown`;
  const exact = position_error > 0 ? `positions exact to ${formatQuantity(position_error, 'm', 2)}` : 'positions as kept';
  const hidden =
    springs && !shownAtFirst(springs.count)
      ? ` The ${formatNumber(springs.count)} springs are hidden at first, since they take seconds to draw without a graphics card: switch on Springs, or color by a quantity of springs.`
      : '';
  return element('p', { class: 'motion-fineprint' }, `${states}, straight lines between them; ${exact}.${hidden}`);
}

function controlsOf(
  { clock }: Page,
  { times }: MotionDocument,
  choice: ColorChoice,
  picture: Picture,
  figure: HTMLElement,
  toggles: LayerToggles,
  rest: () => void,
): MotionControls {
  return {
    start: times[0]!,
    end: times.at(-1)!,
    playback: (times.at(-1)! - times[0]!) / speedChoices(times.at(-1)! - times[0]!).usual,
    colors: choice.colorings.map(({ name }) => name),
    show(time) {
      rest();
      clock.set(time);
      picture.draw();
    },
    color(name) {
      choice.choose(name);
      picture.draw();
    },
    view(width, height) {
      rest();
      toggles.show('springs');  // here is no box to switch them on
      figure.classList.add('motion-alone');
      document.documentElement.classList.add('motion-covers-page');
      picture.resize(width, height);
    },
  };
}

/** Plays once by itself when most of the picture is on screen, unless the reader prefers things to rest or has moved the time; returns what cancels it. */
function playOnceSeen(target: HTMLElement, { clock }: Page, player: Player): () => void {
  const observer = new IntersectionObserver(
    ([entry]) => {
      if (!entry!.isIntersecting) return;
      observer.disconnect();
      if (clock.time === clock.start) player.play();
    },
    { threshold: 0.6 },
  );
  if (!matchMedia('(prefers-reduced-motion: reduce)').matches) observer.observe(target);
  return () => observer.disconnect();
}
