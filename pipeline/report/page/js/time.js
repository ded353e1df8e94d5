// Time: the window that all pictures over it share, their axis, gaps and movement. From
// data.times, one of a source, each on an axis of its own from 0 to its length.

import {colour, css, drawSoon, mixed, picture, write} from './canvas.js';
import {button, labelled, make} from './elements.js';
import {timeKey} from './keys.js';
import {snapped} from './ledger.js';
import {sums, view} from './model.js';
import {figures} from './table.js';
import {counted, cut, thousands} from './text.js';
import {goTo, setState} from './url.js';

export const AXIS = 20;

/** The left edge of all pictures over time. */
export function margin(width) {
  return Math.round(Math.min(150, width * 0.24));
}

/** Sets what of the time is seen in all pictures over it and, when it stays so, in the address. */
export function setTime(from, to) {
  const {time} = view;
  const {length} = view.data.times[time.index];
  moveWindow(time, length, from, to);
  drawSoon(time.pictures);
  clearTimeout(time.writes);
  const all = time.index === 0 && time.from <= 0 && time.to >= length;
  time.writes = setTimeout(() => setState({t: all ? '' : timeKey(time.index, time.from, time.to)}, false), 300);
}

export function moveWindow(window, length, from, to) {
  const wide = Math.min(Math.max(to - from, Math.min(20, length)), length);
  window.from = Math.min(Math.max(from, 0), length - wide);
  window.to = window.from + wide;
}

export function setSource(index) {
  const {length} = view.data.times[index];
  view.time.index = index;
  moveWindow(view.time, length, 0, length);
  for (const change of view.time.changed) change();
}

/** Where a window lies on a picture: x of a value, and the value at x. */
export function scaleOf(window, left, width) {
  const each = (width - left) / Math.max(window.to - window.from, 1e-9);
  return {left, each, x: value => left + (value - window.from) * each, value: x => window.from + (x - left) / each};
}

/**
 * Ticks at 1, 2 or 5 times a power of ten, as many as have room, and a line down from each. Where the page has single
 * instructions the axis is marked.
 */
export function drawAxis(pen, window, scale, width, height, unit, detail) {
  const room = 90 / scale.each;
  const power = 10 ** Math.floor(Math.log10(room));
  const step = Math.max([1, 2, 5, 10].find(n => n * power >= room) * power, 1);
  pen.textAlign = 'left';
  for (let at = Math.ceil(window.from / step) * step; at <= window.to; at += step) {
    const x = scale.x(at);
    pen.fillStyle = css(colour('line'));
    pen.fillRect(Math.round(x), 0, 1, height);
    pen.fillStyle = css(colour('soft'));
    const text = thousands(at);
    if (x + 4 + pen.measureText(text).width < width) pen.fillText(text, x + 4, AXIS / 2);
  }
  pen.fillStyle = css(colour('own'));
  detail?.from.forEach((from, w) => {
    const [x, end] = [Math.max(scale.x(from), scale.left), scale.x(detail.until[w])];
    if (from >= 0 && end >= scale.left && x <= width) pen.fillRect(x, AXIS - 4, Math.max(end - x, 2), 3);
  });
  pen.fillStyle = css(colour('soft'));
  write(pen, unit, 4, AXIS / 2, scale.left - 4);
}

/** Time in which nothing was traced, though cycles were counted, is grey. It is below what else is drawn. */
export function drawOff(pen, off, scale, width, height) {
  pen.textAlign = 'left';
  sums(off?.start).forEach((start, i) => {
    const from = Math.max(scale.x(start), scale.left);
    const wide = Math.min(scale.x(start + off.took[i]), width) - from;
    if (!(wide > 0)) return;
    pen.fillStyle = css(mixed(colour('page'), colour('unseen'), 0.6));
    pen.fillRect(from, AXIS, wide, height - AXIS);
    pen.fillStyle = css(colour('ink'));
    write(pen, 'not traced', from + 4, AXIS + 9, wide - 6);
  });
}

/** Where trace is not continuous: a line each; gaps nearer than 3 pixels are one hatched band with their number. */
export function drawGaps(pen, gaps, scale, width, height) {
  const bands = [];
  for (const gap of gaps ?? []) {
    const x = Math.round(scale.x(gap));
    if (x < scale.left || x > width) continue;
    const last = bands[bands.length - 1];
    if (last && x - last.to < 3) [last.to, last.count] = [x, last.count + 1];
    else bands.push({from: x, to: x, count: 1});
  }
  pen.strokeStyle = pen.fillStyle = css(colour('lost'));
  for (const {from, to, count} of bands) {
    pen.lineWidth = 1.5;
    pen.setLineDash([4, 3]);
    for (const x of count === 1 ? [from] : [from, to]) drawLine(pen, x + 0.5, 0, x + 0.5, height);
    pen.setLineDash([]);
    if (count === 1) continue;
    pen.save();
    pen.beginPath();
    pen.rect(from, 0, to - from, height);
    pen.clip();
    pen.lineWidth = 1;
    pen.globalAlpha = 0.35;
    for (let x = from - height; x < to; x += 8) drawLine(pen, x, height, x + height, 0);
    pen.restore();
    pen.textAlign = 'left';
    const told = [counted(count, 'gap'), thousands(count)].find(text => pen.measureText(text).width < to - from - 4);
    if (told) pen.fillText(told, from + 3, height - 8);
  }
}

/** The chosen range, and the chosen instruction. */
export function drawMark(pen, scale, height) {
  const {range} = view.time;
  if (range && range.index === view.time.index) {
    const [from, to] = [Math.max(scale.x(range.from), scale.left), Math.max(scale.x(range.to), scale.left)];
    pen.save();
    pen.globalAlpha = 0.25;
    pen.fillStyle = css(colour('own'));
    pen.fillRect(from, 0, to - from, height);
    pen.restore();
  }
  const x = scale.x(view.time.mark);
  if (view.time.mark < 0 || x < scale.left) return;
  pen.fillStyle = css(colour('ink'));
  pen.fillRect(Math.round(x) - 1, 0, 2, height);
}

function drawLine(pen, x1, y1, x2, y2) {
  pen.beginPath();
  pen.moveTo(x1, y1);
  pen.lineTo(x2, y2);
  pen.stroke();
}

/**
 * Lets a picture over time be zoomed by Ctrl and wheel, or by two fingers. Dragging chooses a range or,
 * with Shift, moves. on() says if the picture is one over time now.
 */
export function movable(canvas, on) {
  const scale = () => scaleOf(view.time, margin(canvas.clientWidth), canvas.clientWidth);
  canvas.addEventListener('wheel', event => {
    if (!event.ctrlKey || !on()) return;
    event.preventDefault();
    zoomTime(1.25 ** (event.deltaY / 100), scale().value(event.offsetX));
  }, {passive: false});
  const fingers = new Map(); // by pointer: its x, and the value that it took hold of there
  let drag = null;
  canvas.addEventListener('pointerdown', event => {
    if (!on() || event.button !== 0) return;
    fingers.set(event.pointerId, {x: event.offsetX, at: scale().value(event.offsetX)});
    drag = fingers.size > 1 ? null : {x: event.clientX, at: scale().value(event.offsetX), from: view.time.from, moved: false};
  });
  for (const end of ['pointerup', 'pointercancel']) canvas.addEventListener(end, event => fingers.delete(event.pointerId));
  canvas.addEventListener('pointermove', event => {
    if (fingers.size > 1 && fingers.has(event.pointerId)) {
      fingers.get(event.pointerId).x = event.offsetX;
      pinch(canvas, ...fingers.values());
      return;
    }
    if (!drag || (event.buttons & 1) === 0) return;
    const by = event.clientX - drag.x;
    if (!drag.moved && Math.abs(by) < 4) return;
    if (!drag.moved) canvas.setPointerCapture(event.pointerId);
    drag.moved = true;
    const {time} = view;
    if (event.shiftKey) {
      const from = drag.from - by / scale().each;
      setTime(from, from + time.to - time.from);
      return;
    }
    const ends = [drag.at, scale().value(event.offsetX)].map(at => Math.min(Math.max(at, time.from), time.to)).sort((a, b) => a - b);
    time.range = snapped(time.index, ...ends);
    drawSoon(time.pictures);
  });
  // A click that ends a drag chooses nothing else.
  canvas.addEventListener('click', event => {
    if (drag?.moved) {
      event.stopImmediatePropagation();
      const {range} = view.time;
      if (range && range.to > range.from) goTo({range: timeKey(range.index, range.from, range.to)});
    }
    drag = null;
  }, {capture: true});
}

/** Sets the window so that the values that two fingers took hold of are where these are. */
function pinch(canvas, a, b) {
  const each = (b.x - a.x) / (b.at - a.at);
  if (!(each > 0) || !Number.isFinite(each)) return;
  const from = a.at - (a.x - margin(canvas.clientWidth)) / each;
  setTime(from, from + (canvas.clientWidth - margin(canvas.clientWidth)) / each);
}

/** Zooms by W and S, and moves by A and D. It returns whether it knows the key. */
export function steerTime(key) {
  const {from, to} = view.time;
  const by = (to - from) / 4;
  switch (key.toLowerCase()) {
    case 'w': zoomTime(0.5); break;
    case 's': zoomTime(2); break;
    case 'a': setTime(from - by, to - by); break;
    case 'd': setTime(from + by, to + by); break;
    default: return false;
  }
  return true;
}

export function zoomTime(factor, around = (view.time.from + view.time.to) / 2) {
  const {from, to} = view.time;
  setTime(around - (around - from) * factor, around + (to - around) * factor);
}

export function timeSteps() {
  const pan = share => {
    const by = share * (view.time.to - view.time.from);
    setTime(view.time.from + by, view.time.to + by);
  };
  const step = (sign, name, act) => button(sign, {'aria-label': name}, act);
  return make('span', {role: 'group', class: 'choice', 'aria-label': 'Window of the time'},
    step('+', 'zoom in', () => zoomTime(0.5)), step('−', 'zoom out', () => zoomTime(2)), step('◂', 'earlier', () => pan(-0.5)), step('▸', 'later', () => pan(0.5)));
}

/** Chooses the source that the pictures over time are of; hidden if there is one. */
export function sourceSelect(times) {
  const select = make('select');
  times.forEach((time, i) => select.append(make('option', {value: i}, cut(time.name, 60))));
  select.addEventListener('change', () => setSource(Number(select.value)));
  view.time.changed.push(() => { select.value = view.time.index; });
  const label = labelled('Source', select);
  label.hidden = times.length < 2;
  return label;
}

/**
 * A canvas over the window of the time, with axis, gaps and a fold-out of its figures. change(fold,
 * time) is called when another source is chosen, draw(pen, scale, width, height) to draw.
 */
export function overTime(place, name, head, height, change, draw) {
  const time = () => view.data.times[view.time.index];
  const fold = figures(name);
  change(fold, time());
  const box = make('div', {class: 'deep', role: 'region', tabindex: '0', 'aria-label': name});
  place.append(head, box, fold);
  const {canvas, again} = picture(box, {'aria-label': `${head.textContent} The same figures are in the table below.`}, height, (pen, width, tall) => {
    const scale = scaleOf(view.time, margin(width), width);
    drawAxis(pen, view.time, scale, width, tall, time().unit, time().detail);
    drawOff(pen, time().off, scale, width, tall);
    draw(pen, scale, width, tall);
    drawMark(pen, scale, tall);
    drawGaps(pen, time().gaps, scale, width, tall);
  });
  canvas.addEventListener('dblclick', () => setTime(0, time().length));
  box.addEventListener('keydown', event => {
    if (!event.ctrlKey && !event.metaKey && !event.altKey && steerTime(event.key)) event.preventDefault();
  });
  movable(canvas, () => true);
  view.time.pictures.push(again);
  view.time.changed.push(() => {
    change(fold, time());
    again();
  });
  return canvas;
}
