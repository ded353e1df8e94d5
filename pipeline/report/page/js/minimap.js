// The whole of the time above its lanes, as small as it gets, and in it the window that the pictures
// over time show, as a box: it is dragged, its edges are, and wheel, two fingers and keys move it.
// What ran is painted from the lanes of data.times.

import {colour, css, picture} from './canvas.js';
import {make} from './elements.js';
import {view} from './model.js';
import {thousands} from './text.js';
import {AXIS, drawAxis, drawGaps, drawMark, drawOff, margin, scaleOf, setTime, steerTime, zoomTime} from './time.js';

const STRIP = 18; // height of what ran
const EDGE = 6; // pixels from an edge at which that is dragged

/** Draws the minimap into a place. paint(pen, scale, width, y, height) paints what ran. */
export function drawMinimap(place, paint) {
  const time = () => view.data.times[view.time.index];
  const box = make('div', {class: 'minimap'});
  place.before(box);
  const whole = width => scaleOf({from: 0, to: time().length}, margin(width), width);
  const {canvas, again} = picture(box, {
    role: 'slider', tabindex: '0', 'aria-label': 'Window of the time: arrow keys, or A and D, move it, W and S zoom, Home shows all',
  }, () => AXIS + STRIP, (pen, width, height) => {
    const {length, detail, gaps, off} = time();
    const scale = whole(width);
    drawAxis(pen, {from: 0, to: length}, scale, width, height, 'the whole', detail);
    drawOff(pen, off, scale, width, height);
    paint(pen, scale, width, AXIS + 2, STRIP - 4);
    drawGaps(pen, gaps, scale, width, height);
    drawMark(pen, scale, height);
    drawBox(pen, scale, width, height);
  });
  const show = () => {
    again();
    tellWindow(canvas, time());
  };
  show();
  view.time.pictures.push(show);
  view.time.changed.push(show);
  listenMinimap(canvas, time, () => whole(canvas.clientWidth));
}

/** What is not in the window is pale. */
function drawBox(pen, scale, width, height) {
  const from = scale.x(view.time.from);
  const wide = Math.max(scale.x(view.time.to) - from, 3);
  pen.save();
  pen.globalAlpha = 0.6;
  pen.fillStyle = css(colour('page'));
  pen.fillRect(scale.left, 0, from - scale.left, height);
  pen.fillRect(from + wide, 0, width - from - wide, height);
  pen.restore();
  pen.strokeStyle = css(colour('ink'));
  pen.lineWidth = 1.5;
  pen.strokeRect(from + 1, 1, wide - 2, height - 2);
}

function tellWindow(canvas, {length, unit}) {
  const [from, to] = [Math.round(view.time.from), Math.round(view.time.to)];
  for (const [name, value] of [['min', 0], ['max', length], ['now', from]]) canvas.setAttribute(`aria-value${name}`, value);
  canvas.setAttribute('aria-valuetext', `${unit} ${thousands(from)} to ${thousands(to)} of ${thousands(length)}`);
}

function listenMinimap(canvas, time, scale) {
  const fingers = new Map(); // by pointer: the value that it is on
  const value = event => Math.min(Math.max(scale().value(event.offsetX), 0), time().length);
  let drag = null;
  canvas.addEventListener('pointerdown', event => {
    if (event.button !== 0) return;
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, value(event));
    drag = dragged(scale(), event.offsetX, value(event), time().length);
  });
  canvas.addEventListener('pointermove', event => {
    if (!fingers.has(event.pointerId)) return;
    fingers.set(event.pointerId, value(event));
    setTime(...(fingers.size > 1 ? Array.from(fingers.values()).slice(0, 2).sort((a, b) => a - b) : drag(value(event))));
  });
  for (const end of ['pointerup', 'pointercancel']) canvas.addEventListener(end, event => fingers.delete(event.pointerId));
  canvas.addEventListener('dblclick', () => setTime(0, time().length));
  canvas.addEventListener('wheel', event => {
    if (event.deltaY === 0) return;
    event.preventDefault();
    zoomTime(1.25 ** (event.deltaY / 100), value(event));
  }, {passive: false});
  canvas.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Home') setTime(0, time().length);
    else if (!steerTime({ArrowLeft: 'a', ArrowRight: 'd', ArrowUp: 'w', ArrowDown: 's'}[event.key] ?? event.key)) return;
    event.preventDefault();
  });
}

/**
 * What the window becomes as a pointer goes on from a point: an edge follows it, or the box does. If the window is all of
 * the time, it becomes what the pointer went over. Beside the box that comes to the pointer first.
 */
function dragged({x}, at, start, length) {
  let {from, to} = view.time;
  if (to - from >= length) return value => [Math.min(start, value), Math.max(start, value)];
  if (x(to) - x(from) > 3 * EDGE) {
    if (Math.abs(at - x(from)) < EDGE) return value => [Math.min(value, to), to];
    if (Math.abs(at - x(to)) < EDGE) return value => [from, Math.max(value, from)];
  }
  if (start < from || start > to) {
    const half = (to - from) / 2;
    setTime(start - half, start + half);
    ({from, to} = view.time);
  }
  return value => [from + value - start, to + value - start];
}
