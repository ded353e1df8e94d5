// Canvases: as wide as the place that they stand in, at the density of the screen, in the
// colours of the scheme, which report.css defines.

import {make} from './elements.js';
import {view} from './model.js';

const TASKS = Array.from({length: 8}, (_, i) => `task${i}`); // colours

export function safely(place, draw) {
  try {
    draw();
  } catch (error) {
    console.error(error);
    if (!place.querySelector('.failed')) place.append(make('p', {class: 'failed'}, `This could not be drawn: ${error.message}`));
  }
}

/** Draws pictures before the next frame of the screen, each once. */
export function drawSoon(pictures) {
  if (view.waiting.size === 0) {
    requestAnimationFrame(() => {
      view.waiting.forEach(draw => draw());
      view.waiting.clear();
    });
  }
  pictures.forEach(draw => view.waiting.add(draw));
}

/**
 * A canvas as wide as the place it stands in. draw(pen, width, height) draws in CSS pixels, at
 * the density of the screen; height(width) is asked before.
 */
export function picture(place, attributes, height, draw) {
  const canvas = make('canvas', {role: 'img', ...attributes});
  place.append(canvas);
  const again = () => safely(place, () => {
    const width = canvas.parentElement.clientWidth;
    const tall = height(width);
    const density = Math.min(devicePixelRatio || 1, 3);
    canvas.width = Math.round(width * density);
    canvas.height = Math.round(tall * density);
    const pen = canvas.getContext('2d');
    pen.setTransform(density, 0, 0, density, 0, 0);
    pen.font = '11px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace';
    pen.textBaseline = 'middle';
    draw(pen, width, tall);
  });
  view.pictures.push(again);
  again();
  return {canvas, again};
}

export function readColours() {
  const computed = getComputedStyle(document.documentElement);
  for (const name of ['page', 'ink', 'soft', 'line', 'covered', 'reached', 'unseen', 'lost', 'heat', 'own', 'exception', ...TASKS]) {
    const text = computed.getPropertyValue(`--${name}`).trim();
    view.colours.set(name, [1, 3, 5].map(i => parseInt(text.slice(i, i + 2), 16)));
  }
}

/** The colour that a task has in all pictures: by its rank among those that took most, and the least if it has none. */
export function taskColour(name) {
  return colour(TASKS[Math.max(view.data.tasks?.name.indexOf(name) ?? 0, 0) % TASKS.length]);
}

/** A colour of the scheme, as red, green, blue. */
export function colour(name) {
  return view.colours.get(name);
}

export function mixed(a, b, share) {
  return a.map((part, i) => Math.round(part + (b[i] - part) * share));
}

/** A colour by hue in degrees, saturation and lightness (CSS Color 4, §7.1). */
export function fromHue(hue, saturation, lightness) {
  return [0, 8, 4].map(n => {
    const k = (n + hue / 30) % 12;
    return Math.round(255 * (lightness - saturation * Math.min(lightness, 1 - lightness) * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  });
}

export function css(rgb) {
  return `rgb(${rgb.join()})`;
}

/** Black or white, whichever is readable on a colour: at least 4.58 to 1 (WCAG 2, relative luminance). */
export function inkOn(rgb) {
  const [r, g, b] = rgb.map(part => (part <= 10 ? part / 3294 : ((part / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? '#000' : '#fff';
}

/** Text as far as it fits into a width; font is of one width. */
export function write(pen, text, x, y, width) {
  const letters = Math.floor(width / pen.measureText('0').width);
  if (letters < 2) return;
  pen.fillText(text.length <= letters ? text : `${Array.from(text.slice(0, letters - 1)).join('')}…`, x, y);
}
