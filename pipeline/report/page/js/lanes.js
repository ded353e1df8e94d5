// Lanes: when each task ran and each exception was handled, and how much new code was executed as
// the trace went on, on the axis of the flame graph in time order. From the lanes and the growth
// of data.times.

import {colour, css, taskColour, write} from './canvas.js';
import {instructionAt} from './detail.js';
import {caption, make, soft} from './elements.js';
import {drawMinimap} from './minimap.js';
import {largest, sums, view} from './model.js';
import {number, shareOf, words} from './table.js';
import {counted, cut, percent, thousands} from './text.js';
import {AXIS, margin, overTime, scaleOf} from './time.js';
import {goTo} from './url.js';

const LANE = 22;

/** When each task ran and each exception was handled, on the axis of the flame graph in time order. */
export function drawLanes(place, data) {
  if (!data.times?.length) return;
  let lanes = [];
  const title = make('strong');
  const live = make('p', {class: 'live', 'aria-live': 'polite'});
  const canvas = overTime(place, 'lanes', caption(title), () => AXIS + Math.max(lanes.length, 1) * LANE + 2, (fold, time) => {
    lanes = (time.lanes ?? []).map(lane => ({...lane, start: sums(lane.start), took: lane.took ?? []}));
    title.textContent = `Tasks and exceptions over ${time.unit}`;
    live.textContent = '';
    showLanes(fold, lanes, time);
  }, (pen, scale, width) => paintLanes(pen, lanes, scale, width));
  canvas.parentElement.after(live);
  drawMinimap(canvas.parentElement, (pen, scale, width, y, height) => lanes.forEach(lane => paintTurns(pen, lane, scale, width, y, height)));
  const at = event => turnAt(lanes, canvas, event);
  canvas.addEventListener('pointermove', event => {
    const {lane, start, took} = at(event) ?? {};
    canvas.setAttribute('title', lane ? aboutTurn(lane, start, took) : '');
  });
  canvas.addEventListener('click', event => {
    const seq = instructionAt(view.time.index, scaleOf(view.time, margin(canvas.clientWidth), canvas.clientWidth).value(event.offsetX));
    if (seq) goTo({seq});
    const {lane, start, took} = at(event) ?? {};
    if (lane) live.textContent = aboutTurn(lane, start, took);
  });
}

/** How long a turn took, and all of its task or exception. */
function aboutTurn(lane, start, took) {
  const {length, unit} = view.data.times[view.time.index];
  return `${cut(lane.name)}: ${thousands(took)} ${unit} from ${thousands(start)} on; in all ${thousands(lane.all)} ${unit}, ${percent(lane.all, length)} %, in ${lane.exception && lane.turns !== 1 ? `${thousands(lane.turns)} entries` : counted(lane.turns, lane.exception ? 'entry' : 'turn')}.`;
}

/** The turn of a task, or the exception, that a pointer is on. */
function turnAt(lanes, canvas, event) {
  const lane = lanes[Math.floor((event.offsetY - AXIS) / LANE)];
  if (!lane) return null;
  const scale = scaleOf(view.time, margin(canvas.clientWidth), canvas.clientWidth);
  const [at, near] = [scale.value(event.offsetX), 2 / scale.each];
  const i = lane.start.findLastIndex((start, n) => start - near <= at && at <= start + lane.took[n] + near);
  return i < 0 ? null : {lane, start: lane.start[i], took: lane.took[i]};
}

function paintLanes(pen, lanes, scale, width) {
  lanes.forEach((lane, row) => {
    const y = AXIS + row * LANE;
    pen.fillStyle = css(colour('ink'));
    write(pen, lane.name, 4, y + LANE / 2, scale.left - 8);
    paintTurns(pen, lane, scale, width, y + 3, LANE - 6);
  });
}

function paintTurns(pen, lane, scale, width, y, height) {
  pen.fillStyle = css(lane.exception ? colour('exception') : taskColour(lane.name));
  let drawn = -1;
  for (let i = 0; i < lane.start.length; i++) {
    const from = Math.max(scale.x(lane.start[i]), scale.left);
    const to = Math.min(scale.x(lane.start[i] + lane.took[i]), width);
    if (to < scale.left || from > width || to <= drawn) continue;
    drawn = Math.max(to, from + 1.2);
    pen.fillRect(from, y, drawn - from, height);
  }
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
