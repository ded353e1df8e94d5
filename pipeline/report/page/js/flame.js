// The flame graph: merged, from data.flame, the call trees of all tasks added up; or in time
// order, from the spans of data.times, on the axis of the lanes. Both become a shape: for each
// frame its depth, start and length. Of two runs, change is the merged one, in colours of how much the
// share of each path changed: data.flame.change.

import {colour, css, fromHue, inkOn, mixed, picture, taskColour, write} from './canvas.js';
import {instructionAt} from './detail.js';
import {button, caption, choice, labelled, leading, make, named, soft} from './elements.js';
import {timeOf} from './keys.js';
import {largest, octets, sums, view} from './model.js';
import {figures, number, shareOf, words} from './table.js';
import {counted, cut, percent, points, thousands} from './text.js';
import {AXIS, drawAxis, drawGaps, drawMark, drawOff, margin, movable, moveWindow, scaleOf, setSource, setTime, sourceSelect, steerTime, timeSteps} from './time.js';
import {goTo, onState, setState} from './url.js';

const FRAME = 18; // height of a frame
const DEEP = 250; // frames above one another that are drawn

/** Merged: all call trees added up. In time order: what one source did, on the axis of the lanes. */
export function drawFlame(place, data) {
  const times = data.times ?? [];
  if (times[0]) moveWindow(view.time, times[0].length, 0, times[0].length);
  const modes = [data.flame && 'merged', data.flame && 'sandwich', data.flame?.change && 'change', times.length > 0 && 'in time order'].filter(Boolean);
  if (modes.length === 0) return;
  const flame = {
    mode: modes[0], of: -1, unit: data.flame?.cycles ? 'cycles' : 'instructions', text: '', shape: null, chosen: -1,
    live: make('p', {class: 'live', 'aria-live': 'polite'}),
    figures: figures('flame graph'),
    steps: timeSteps(),
    deep: soft(),
    legend: make('p', {class: 'soft'}),
  };
  const change = () => {
    setShape(flame, data);
    flame.picture.again();
  };
  flame.modes = choice('Flame graph', modes, flame.mode, mode => goTo(mode === 'in time order' ? {flame: 'ordered'} : {
    t: '', flame: mode === 'sandwich' ? `sandwich:${data.flame.frames.name[sandwiched(flame)]}` : mode === 'change' ? 'change' : '',
  }));
  flame.units = choice('Unit', ['cycles', 'instructions'], flame.unit, unit => {
    flame.unit = unit;
    change();
  });
  const search = make('input', {type: 'search', placeholder: 'name', autocomplete: 'off', spellcheck: 'false'});
  search.addEventListener('input', () => {
    flame.text = search.value.toLowerCase();
    flame.picture.again();
    flame.live.textContent = searched(flame);
  });
  const all = button('Reset', {}, () => {
    search.value = flame.text = '';
    goTo({t: '', flame: '', range: '', seq: ''});
    zoomFlame(flame, -1);
  });
  const box = make('div', {class: 'deep'});
  place.append(caption(flame.modes, flame.units, sourceSelect(times), labelled('Search', search), flame.steps, all), flame.legend, box, flame.live);
  setShape(flame, data);
  flame.picture = picture(box, {
    role: 'application', tabindex: '0', 'aria-roledescription': 'flame graph',
    'aria-label': 'Flame graph: arrow keys choose a frame, Enter zooms to it, Escape shows all',
  }, () => flame.shape.top + flame.shape.rows * FRAME + 2, (pen, width, height) => paintFlame(pen, flame, width, height));
  listen(flame);
  place.append(make('p', {class: 'soft'}, 'Click a frame to zoom; arrow keys, Enter and Escape do the same. In time order, and in the lanes: drag over a range for what ran in it, Shift and drag to move, Ctrl and wheel or W and S to zoom.'), flame.deep, flame.figures);
  view.time.pictures.push(() => flame.mode === 'in time order' && flame.picture.again());
  view.time.changed.push(change);
  const setMode = mode => {
    flame.mode = modes.includes(mode) ? mode : modes[0];
    flame.modes.press(flame.mode);
    change();
  };
  onState('flame', key => {
    const [mode, name] = key.split(/:(.*)/s);
    const frame = data.flame?.frames.name.indexOf(name) ?? -1;
    if (mode === 'sandwich' && frame >= 0) flame.of = frame;
    setMode({ordered: 'in time order', sandwich: 'sandwich', change: 'change'}[mode] ?? 'merged');
  });
  onState('t', key => {
    const [index, from, to] = timeOf(data, key) ?? [view.time.index, 0, times[view.time.index]?.length];
    if (!times[index]) return;
    if (index !== view.time.index) setSource(index);
    setTime(from, to);
    if (key === '') return;
    setState({flame: ''}, false);
    setMode('in time order');
    document.getElementById('time').scrollIntoView();
    flame.picture.canvas.focus({preventScroll: true});
  });
}

/**
 * What a flame graph draws: a rectangle for each frame at its depth, from start to start + took
 * of length. window is what of it is seen.
 */
function mergedShape(flame, took, unit) {
  const count = took.length;
  const parent = new Int32Array(count);
  const depth = new Uint16Array(count);
  const start = new Float64Array(count);
  const own = Float64Array.from(took);
  for (let i = 0; i < count; i++) {
    parent[i] = flame.parent[i] > 0 ? i - flame.parent[i] : -1;
    if (parent[i] < 0) continue;
    depth[i] = depth[parent[i]] + 1;
    own[parent[i]] -= took[i];
  }
  // Largest first: a parent comes before its children, and they stand in it by size.
  const order = Uint32Array.from({length: count}, (_, i) => i).sort((a, b) => took[b] - took[a] || a - b);
  const free = new Float64Array(count);
  let length = 0;
  for (const i of order) {
    start[i] = parent[i] < 0 ? length : free[parent[i]];
    free[i] = start[i];
    if (parent[i] < 0) length += took[i];
    else free[parent[i]] += took[i];
  }
  const shape = shapeOf(flame.frames, flame.frame, depth, start, took);
  return {...shape, own, calls: flame.calls, order, length, unit, window: {from: 0, to: length}, gaps: [], left: () => 0, top: 0};
}

/** The frame that a sandwich is of: what is chosen, else what it was of, else what took most by itself. */
function sandwiched({shape, chosen, mode, of, unit}) {
  if (chosen >= 0 && mode === 'merged') return shape.frame[chosen];
  if (of >= 0) return of;
  const {flame} = view.data;
  const own = mergedShape(flame, flame[unit], unit).own;
  const sum = new Float64Array(flame.frames.name.length);
  let best = 0;
  own.forEach((n, i) => {
    const frame = flame.frame[i];
    sum[frame] += n;
    if (sum[frame] > sum[best]) best = frame;
  });
  return best;
}

/**
 * One frame with all that called it above and all that it called below: paths to it, and paths
 * from it, are each one tree. A frame below itself counts once, in the outermost.
 */
function sandwichShape(flame, took, unit, of) {
  const count = took.length;
  const node = frame => ({frame, took: 0, calls: 0, own: 0, next: new Map()});
  const [callees, callers] = [node(of), node(of)];
  const below = new Array(count).fill(null); // by node of the flame: where it is among the callees
  const own = Float64Array.from(took);
  for (let i = 0; i < count; i++) if (flame.parent[i] > 0) own[i - flame.parent[i]] -= took[i];
  const step = (tree, frame) => tree.next.get(frame) ?? tree.next.set(frame, node(frame)).get(frame);
  const add = (tree, i) => {
    tree.took += took[i];
    tree.calls += flame.calls[i];
  };
  for (let i = 0; i < count; i++) {
    const parent = flame.parent[i] > 0 ? i - flame.parent[i] : -1;
    const inside = parent < 0 ? null : below[parent];
    if (inside) below[i] = step(inside, flame.frame[i]);
    else if (flame.frame[i] === of) below[i] = callees;
    else continue;
    add(below[i], i);
    below[i].own += own[i];
    if (inside) continue;
    let tree = callers;
    for (let up = parent; up >= 0; up = flame.parent[up] > 0 ? up - flame.parent[up] : -1) add(tree = step(tree, flame.frame[up]), i);
  }
  const list = []; // of {tree, depth, start}
  const lay = (tree, depth, start, by) => {
    const stack = [[tree, depth, start]];
    while (stack.length > 0) {
      const [{next}, depth, first] = stack.pop();
      let at = first;
      for (const child of Array.from(next.values()).sort((a, b) => b.took - a.took)) {
        list.push({tree: child, depth: depth + by, start: at});
        stack.push([child, depth + by, at]);
        at += child.took;
      }
    }
  };
  list.push({tree: callees, depth: 0, start: 0});
  lay(callers, 0, 0, -1);
  lay(callees, 0, 0, 1);
  const up = Math.max(0, -list.reduce((least, n) => Math.min(least, n.depth), 0)); // rows above
  const column = f => Array.from(list, f);
  const shape = shapeOf(flame.frames, column(n => n.tree.frame), column(n => n.depth + up), column(n => n.start), column(n => n.tree.took));
  return {
    ...shape, own: column(n => n.tree.own), calls: column(n => n.tree.calls), order: Uint32Array.from({length: list.length}, (_, i) => i),
    length: callees.took, unit, window: {from: 0, to: callees.took}, gaps: [], left: () => 0, top: 0,
  };
}

function orderedShape(time) {
  const shape = shapeOf(time.frames, time.frame ?? [], octets(time.depth), sums(time.start), time.took ?? []);
  return {...shape, length: time.length, unit: time.unit, window: view.time, gaps: time.gaps, off: time.off, detail: time.detail, left: margin, top: AXIS};
}

function shapeOf({name, function: of, kind}, frame, depth, start, took) {
  const frames = {name: name ?? [], function: of ?? [], kind: octets(kind)};
  return {frames, frame, depth, start, took, rows: Math.min(largest(depth) + 1, DEEP)};
}

function setShape(flame, data) {
  const merged = flame.mode !== 'in time order';
  const unit = flame.mode === 'change' ? data.flame.change_unit : flame.unit;
  if (flame.mode === 'sandwich') flame.shape = sandwichShape(data.flame, data.flame[unit], unit, flame.of = sandwiched(flame));
  else flame.shape = merged ? mergedShape(data.flame, data.flame[unit], unit) : orderedShape(data.times[view.time.index]);
  if (flame.mode === 'change') flame.shape.change = data.flame.change;
  flame.chosen = -1;
  flame.units.hidden = !merged || !data.flame.cycles || flame.mode === 'change';
  flame.steps.hidden = merged;
  flame.deep.textContent = largest(flame.shape.depth) >= DEEP ? `Frames over ${DEEP} others are not drawn.` : '';
  flame.legend.hidden = !flame.shape.change;
  flame.legend.textContent = flame.shape.change ? `Red and +: a larger share of all ${unit} than in ${data.before.name}; blue and −: a smaller one; the stronger, the more. Each frame says by how many percentage points.` : '';
  flame.live.textContent = searched(flame);
  showShape(flame.figures, flame.shape);
}

function showShape(fold, shape) {
  const {frames, frame, depth, start, took, own, calls, length, unit, order, change} = shape;
  const name = words('frame', i => frames.name[frame[i]]);
  const share = shareOf(i => took[i], length);
  const columns = own
    ? [name, number(`${unit}, with callees`, i => took[i]), share, number(`own ${unit}`, i => own[i]), number('calls', i => calls[i]), number('depth', i => depth[i])]
    : [name, number(`start, ${unit}`, i => start[i]), number(unit, i => took[i]), share, number('depth', i => depth[i])];
  if (change) columns.push({head: 'change', title: 'in percentage points', key: i => Math.abs(change[i]), cell: i => points(change[i]), csv: i => [String(change[i])]});
  fold.show(columns, took.length, own ? 1 : -1, order);
}

function paintFlame(pen, {shape, text, chosen}, width, height) {
  const {frames, frame, depth, start, took, window, top, change} = shape;
  const most = largest(change?.map(Math.abs)) || 1;
  const scale = scaleOf(window, shape.left(width), width);
  if (top > 0) {
    drawAxis(pen, window, scale, width, height, shape.unit, shape.detail);
    drawOff(pen, shape.off, scale, width, height);
  }
  const found = text ? matches(frames, text) : null;
  const drawn = new Uint8Array(shape.rows * (width + 1)); // pixels of frames too thin to be seen: one of them each
  for (let i = 0; i < took.length; i++) {
    if (start[i] >= window.to || start[i] + took[i] <= window.from || depth[i] >= shape.rows) continue;
    const from = Math.max(scale.x(start[i]), scale.left);
    let wide = Math.min(scale.x(start[i] + took[i]), width) - from;
    if (wide < 1) {
      const pixel = depth[i] * (width + 1) + Math.floor(from);
      if (drawn[pixel]) continue;
      drawn[pixel] = 1;
      wide = 1;
    }
    let rgb = change ? changeColour(change[i], most) : frameColour(frames, frame[i]);
    if (found) rgb = found[frame[i]] ? colour('covered') : mixed(rgb, colour('page'), 0.7);
    pen.fillStyle = css(rgb);
    const y = top + depth[i] * FRAME;
    pen.fillRect(from, y, wide > 3 ? wide - 0.6 : wide, FRAME - 1);
    if (wide > 20) {
      pen.fillStyle = inkOn(rgb);
      write(pen, frames.name[frame[i]] + changeText(shape, i), from + 3, y + FRAME / 2, wide - 5);
    }
    if (i === chosen) outline(pen, from, y, wide);
  }
  if (top > 0) drawMark(pen, scale, height);
  drawGaps(pen, shape.gaps, scale, width, height);
}

function outline(pen, x, y, wide) {
  pen.strokeStyle = css(colour('ink'));
  pen.lineWidth = 2;
  pen.strokeRect(x + 1, y + 1, Math.max(wide - 2, 1), FRAME - 3);
}

/** Warm for functions, by name, so that one has one colour everywhere; that of its lane for a task. */
function frameColour(frames, f) {
  const kind = frames.kind[f];
  if (kind === 1) return taskColour(frames.name[f]);
  if (kind > 1) return colour(kind === 2 ? 'exception' : 'unseen');
  const name = frames.name[f];
  let hash = 0;
  for (let i = 0; i < name.length && i < 120; i++) hash = (Math.imul(hash, 31) + name.charCodeAt(i)) >>> 0;
  const dark = inkOn(colour('page')) === '#fff';
  return fromHue(16 + hash % 38, 0.75, (dark ? 0.3 : 0.6) + (hash % 13) / 130);
}

/** Red for a larger share than before, blue for a smaller one, by the root of the change. */
function changeColour(change, most) {
  return mixed(colour('unseen'), colour(change > 0 ? 'lost' : 'covered'), Math.sqrt(Math.abs(change) / most));
}

/** How the share of a frame changed: " +3.1 points"; nothing where that is not shown or not known. */
function changeText({change, frames, frame}, i) {
  return change && frames.kind[frame[i]] !== 3 ? ` ${points(change[i])} points` : '';
}

/** For each frame, 1 if its name has the text. */
function matches(frames, text) {
  return Uint8Array.from(frames.name, name => (name.toLowerCase().includes(text) ? 1 : 0));
}

/** What is found, and its share of the whole: a frame within a found one counts once. */
function searched({shape, text}) {
  if (text === '') return '';
  const found = matches(shape.frames, text);
  const {start, took, depth, frame} = shape;
  const hits = Array.from(took.keys()).filter(i => found[frame[i]]).sort((a, b) => start[a] - start[b] || depth[a] - depth[b]);
  const count = hits.length;
  let [sum, until] = [0, -1];
  for (const i of hits) {
    if (start[i] < until) continue;
    sum += took[i];
    until = start[i] + took[i];
  }
  if (count === 0) return `No frame has “${cut(text, 60)}” in its name.`;
  return `${counted(count, 'frame')} with “${cut(text, 60)}”: ${percent(sum, shape.length)} % of ${thousands(shape.length)} ${shape.unit}.`;
}

/** Zooms to a frame, -1 to all of them. */
function zoomFlame(flame, i) {
  const {shape} = flame;
  flame.chosen = i;
  const [from, to] = i < 0 ? [0, shape.length] : [shape.start[i], shape.start[i] + shape.took[i]];
  if (shape.window === view.time) setTime(from, to);
  else moveWindow(shape.window, shape.length, from, to);
  tell(flame, i);
  flame.picture.again();
}

/** Says what a frame is, and leads to its source. */
function tell({live, shape}, i) {
  live.replaceChildren();
  if (i < 0) return;
  const {frames, frame} = shape;
  const f = frames.function[frame[i]] ?? -1;
  const name = frames.name[frame[i]];
  const {file, line} = view.data.functions;
  live.append(f >= 0 ? leading(name, name, file[f], line[f]) : named(name), `: ${aboutFrame(shape, i)}.`);
}

/** What a frame took, and how long the calls of its function did. */
function aboutFrame(shape, i) {
  const {frames, frame, start, took, own, calls, length, unit} = shape;
  const about = [`${thousands(took[i])} ${unit}, ${percent(took[i], length)} %`];
  if (own) about.push(`own ${thousands(own[i])}`, counted(calls[i], 'call'));
  else about.push(`from ${thousands(start[i])} on`);
  if (shape.change) about.push(changeText(shape, i).trim() || 'not compared');
  const {shortest, median, worst} = view.data.functions;
  const f = frames.function[frame[i]] ?? -1;
  if (median?.[f] >= 0) {
    const [least, most] = [thousands(shortest[f]), thousands(worst[f][0][0])];
    about.push(`calls that returned took ${least === most ? least : `${least} to ${most}, median ${thousands(median[f])}`} ${view.data.unit}`);
  }
  return about.join(', ');
}

function listen(flame) {
  const {canvas} = flame.picture;
  movable(canvas, () => flame.mode === 'in time order');
  canvas.addEventListener('click', event => {
    const {shape, mode} = flame;
    const i = frameAt(shape, canvas, event);
    const at = scaleOf(shape.window, shape.left(canvas.clientWidth), canvas.clientWidth).value(event.offsetX);
    if (i >= 0) zoomFlame(flame, i);
    const seq = mode === 'in time order' ? instructionAt(view.time.index, at) : '';
    if (seq) goTo({seq});
  });
  canvas.addEventListener('dblclick', () => zoomFlame(flame, -1));
  canvas.addEventListener('pointermove', event => {
    const {frames, frame} = flame.shape;
    const i = event.buttons ? -1 : frameAt(flame.shape, canvas, event);
    canvas.setAttribute('title', i < 0 ? '' : `${cut(frames.name[frame[i]], 300)}: ${aboutFrame(flame.shape, i)}`);
  });
  canvas.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape') zoomFlame(flame, -1);
    else if (event.key === 'Enter' && flame.chosen >= 0) zoomFlame(flame, flame.chosen);
    else if (event.key.startsWith('Arrow')) chooseFrame(flame, canvas, event.key);
    else if (flame.mode !== 'in time order' || !steerTime(event.key)) return;
    event.preventDefault();
  });
}

function frameAt({depth, start, took, window, left, top}, canvas, event) {
  const at = scaleOf(window, left(canvas.clientWidth), canvas.clientWidth).value(event.offsetX);
  const row = Math.floor((event.offsetY - top) / FRAME);
  for (let i = 0; i < took.length; i++) {
    if (depth[i] === row && start[i] <= at && at < start[i] + took[i]) return i;
  }
  return -1;
}

/** Moves the choice by an arrow key, among frames that are at least a pixel wide. */
function chooseFrame(flame, canvas, key) {
  const {depth, start, took, window, left} = flame.shape;
  const least = 1 / scaleOf(window, left(canvas.clientWidth), canvas.clientWidth).each;
  const now = flame.chosen;
  const [row, from, to] = now < 0 ? [0, window.from, window.to] : [depth[now] + (key === 'ArrowDown') - (key === 'ArrowUp'), start[now], start[now] + took[now]];
  let best = -1;
  for (let i = 0; i < took.length; i++) {
    const [first, end] = [start[i], start[i] + took[i]];
    if (depth[i] !== row || took[i] < least || first >= window.to || end <= window.from) continue;
    if (now < 0 ? first >= start[best] : key === 'ArrowLeft' ? first >= from || first <= start[best] : key === 'ArrowRight' ? first <= from || first >= start[best]
      : first >= to || end <= from || first >= start[best]) continue;
    best = i;
  }
  if (best < 0) return;
  flame.chosen = best;
  tell(flame, best);
  flame.picture.again();
}
