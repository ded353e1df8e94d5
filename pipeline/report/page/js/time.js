// Time: the window that all pictures over it share, their axis, gaps and movement; lanes of
// tasks and exceptions, and how much new code was executed as the trace went on. From data.times,
// one of a source, each on an axis of its own from 0 to its length.

import {colour, css, drawSoon, picture, write} from './canvas.js';
import {button, caption, labelled, make, soft} from './elements.js';
import {largest, sums, view} from './model.js';
import {figures, number, shareOf, words} from './table.js';
import {counted, cut, thousands} from './text.js';

export const AXIS = 20;
const LANE = 22;

/** The left edge of all pictures over time. */
export function margin(width) {
  return Math.round(Math.min(150, width * 0.24));
}

/** Sets what of the time is seen in all pictures over it. */
export function setTime(from, to) {
  moveWindow(view.time, view.data.times[view.time.index].length, from, to);
  drawSoon(view.time.pictures);
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

/** Ticks at 1, 2 or 5 times a power of ten, as many as have room, and a line down from each. */
export function drawAxis(pen, window, scale, width, height, unit) {
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
  pen.fillStyle = css(colour('soft'));
  write(pen, unit, 4, AXIS / 2, scale.left - 4);
}

/** Where trace is not continuous. */
export function drawGaps(pen, gaps, scale, width, height) {
  pen.strokeStyle = css(colour('lost'));
  pen.lineWidth = 1.5;
  pen.setLineDash([4, 3]);
  let before = -1;
  for (const gap of gaps) {
    const x = Math.round(scale.x(gap));
    if (x < scale.left || x > width || x === before) continue;
    before = x;
    pen.beginPath();
    pen.moveTo(x + 0.5, 0);
    pen.lineTo(x + 0.5, height);
    pen.stroke();
  }
  pen.setLineDash([]);
}

/** Lets a picture over time be zoomed by Ctrl and wheel, and dragged. on() says if it is one now. */
export function movable(canvas, on) {
  const scale = () => scaleOf(view.time, margin(canvas.clientWidth), canvas.clientWidth);
  canvas.addEventListener('wheel', event => {
    if (!event.ctrlKey || !on()) return;
    event.preventDefault();
    zoomTime(1.25 ** (event.deltaY / 100), scale().value(event.offsetX));
  }, {passive: false});
  let drag = null;
  canvas.addEventListener('pointerdown', event => {
    if (on()) drag = {x: event.clientX, from: view.time.from, moved: false};
  });
  canvas.addEventListener('pointermove', event => {
    if (!drag || (event.buttons & 1) === 0) return;
    const by = event.clientX - drag.x;
    if (!drag.moved && Math.abs(by) < 4) return;
    if (!drag.moved) canvas.setPointerCapture(event.pointerId);
    drag.moved = true;
    const wide = view.time.to - view.time.from;
    const from = drag.from - by / scale().each;
    setTime(from, from + wide);
  });
  // A click that ends a drag chooses nothing.
  canvas.addEventListener('click', event => {
    if (drag?.moved) event.stopImmediatePropagation();
    drag = null;
  }, {capture: true});
}

function zoomTime(factor, around = (view.time.from + view.time.to) / 2) {
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
function overTime(place, name, head, height, change, draw) {
  const time = () => view.data.times[view.time.index];
  const fold = figures(name);
  change(fold, time());
  const box = make('div', {class: 'deep', role: 'region', tabindex: '0', 'aria-label': name});
  place.append(head, box, fold);
  const {canvas, again} = picture(box, {'aria-label': `${head.textContent} The same figures are in the table below.`}, height, (pen, width, tall) => {
    const scale = scaleOf(view.time, margin(width), width);
    drawAxis(pen, view.time, scale, width, tall, time().unit);
    draw(pen, scale, width, tall);
    drawGaps(pen, time().gaps ?? [], scale, width, tall);
  });
  canvas.addEventListener('dblclick', () => setTime(0, time().length));
  movable(canvas, () => true);
  view.time.pictures.push(again);
  view.time.changed.push(() => {
    change(fold, time());
    again();
  });
}

/** When each task ran and each exception was handled, on the axis of the flame graph in time order. */
export function drawLanes(place, data) {
  if (!data.times?.length) return;
  let lanes = [];
  const title = make('strong');
  overTime(place, 'lanes', caption(title), () => AXIS + Math.max(lanes.length, 1) * LANE + 2, (fold, time) => {
    lanes = (time.lanes ?? []).map(lane => ({...lane, start: sums(lane.start), took: lane.took ?? []}));
    title.textContent = `Tasks and exceptions over ${time.unit}`;
    showLanes(fold, lanes, time);
  }, (pen, scale, width) => paintLanes(pen, lanes, scale, width));
}

function paintLanes(pen, lanes, scale, width) {
  lanes.forEach((lane, row) => {
    const y = AXIS + row * LANE;
    pen.fillStyle = css(colour('ink'));
    write(pen, lane.name, 4, y + LANE / 2, scale.left - 8);
    pen.fillStyle = css(colour(lane.exception ? 'exception' : 'task'));
    let drawn = -1;
    for (let i = 0; i < lane.start.length; i++) {
      const from = Math.max(scale.x(lane.start[i]), scale.left);
      const to = Math.min(scale.x(lane.start[i] + lane.took[i]), width);
      if (to < scale.left || from > width || to <= drawn) continue;
      drawn = Math.max(to, from + 1.2);
      pen.fillRect(from, y + 3, drawn - from, LANE - 6);
    }
  });
}

function showLanes(fold, lanes, {length, unit}) {
  fold.show([
    words('lane', i => lanes[i].name),
    words('of', i => (lanes[i].exception ? 'exceptions' : 'a task')),
    number('turns or entries', i => lanes[i].turns),
    number(unit, i => lanes[i].all),
    shareOf(i => lanes[i].all, length),
  ], lanes.length);
}

/** New instructions over the trace, as steps: was the trace long enough? */
export function drawGrowth(place, data) {
  if (!data.times?.some(time => time.growth?.at?.length)) return;
  let [at, count] = [[], []];
  const said = soft();
  overTime(place, 'growth', caption(make('strong', {}, 'Was the trace long enough?'), said), () => AXIS + 90, (fold, {growth, unit, length}) => {
    at = sums(growth?.at);
    count = growth?.count ?? [];
    const last = at.length - 1;
    said.textContent = last < 0 ? '' : `${counted(count[last], 'instruction')} seen; last new one at ${thousands(at[last])} of ${thousands(length)} ${unit}.`;
    fold.show([number(`at, ${unit}`, i => at[i]), number('instructions seen', i => count[i])], at.length);
  }, (pen, scale, width, height) => paintGrowth(pen, at, count, scale, width, height));
}

function paintGrowth(pen, at, count, scale, width, height) {
  const most = Math.max(largest(count), 1);
  const y = n => height - 4 - n / most * (height - AXIS - 10);
  pen.fillStyle = css(colour('soft'));
  pen.textAlign = 'right';
  for (const n of [0, most]) pen.fillText(thousands(n), scale.left - 6, Math.min(y(n), height - 7));
  pen.strokeStyle = css(colour('line'));
  pen.strokeRect(scale.left, y(0), width, 0);
  pen.save();
  pen.beginPath();
  pen.rect(scale.left, 0, width, height);
  pen.clip();
  pen.beginPath();
  pen.moveTo(scale.x(0), y(0));
  for (let i = 0; i < at.length; i++) {
    pen.lineTo(scale.x(at[i]), y(count[i - 1] ?? 0));
    pen.lineTo(scale.x(at[i]), y(count[i]));
  }
  pen.lineTo(Math.max(width, scale.x(view.data.times[view.time.index].length)), y(count[count.length - 1]));
  pen.strokeStyle = css(colour('covered'));
  pen.lineWidth = 2;
  pen.stroke();
  pen.restore();
}
