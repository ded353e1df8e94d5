// A range of the time: what somebody dragged over, and what ran in it, in the unit of the axis. Its
// figures are of the spans and lanes of data.times as they are drawn: calls that are too short to be
// drawn one by one are one row. `range` in the address.

import {button, caption, make, soft, taskSwatch} from './elements.js';
import {timeKey, timeOf} from './keys.js';
import {octets, sums, view} from './model.js';
import {number, sentences, shareOf, sortable, words} from './table.js';
import {thousands} from './text.js';
import {goTo, onState} from './url.js';

const KINDS = ['function', 'task', 'exception', 'calls too short to be drawn'];

export function drawRange(place, data) {
  if (!data.times?.length) return;
  const show = key => {
    const found = timeOf(data, key);
    view.time.range = found && {index: found[0], from: found[1], to: found[2]};
    view.time.pictures.forEach(draw => draw());
    place.replaceChildren();
    if (found) place.append(...rangeTable(data.times[found[0]], ...found));
  };
  onState('range', show);
  view.time.changed.push(() => {
    if (view.time.range && view.time.range.index !== view.time.index) goTo({range: ''});
  });
}

function rangeTable(time, index, from, to) {
  const rows = [...ranIn(time, from, to), ...enteredIn(time, from, to)];
  const about = instructionsIn(time, from, to);
  const said = `${thousands(to - from)} ${time.unit} from ${thousands(from)} to ${thousands(to)}${time.unit === 'instructions' ? '' : `, about ${thousands(about)} instructions`}`;
  const table = sortable('range', [
    words('what ran', i => rows[i].name, i => make('span', {}, rows[i].kind === 1 ? taskSwatch(Math.max(view.data.tasks?.name.indexOf(rows[i].name) ?? 0, 0)) : '', rows[i].name)),
    sentences('kind', i => KINDS[rows[i].kind]),
    number(time.unit, i => rows[i].took, 'of a function by itself; of a task or an exception with all that it called'),
    shareOf(i => rows[i].took, to - from),
    number('entries', i => rows[i].entries),
  ], rows.length);
  return [caption(make('strong', {}, 'Range'), soft(said),
    button('Zoom to it', {}, () => goTo({t: timeKey(index, from, to)})), button('Clear', {}, () => goTo({range: ''}))), table.element];
}

/** What tasks took in a range, and functions by themselves, not what interrupted them; tasks first, then the longest. */
function ranIn({frames, frame, depth, start, took}, from, to) {
  const rows = new Map(); // by frame
  const open = []; // by depth: the frame of the last span there, which those above it are in
  const [depths, kinds] = [octets(depth), octets(frames.kind)];
  sums(start).forEach((at, i) => {
    const inside = Math.min(at + took[i], to) - Math.max(at, from);
    const f = frame[i];
    open[depths[i]] = f;
    if (!(inside > 0)) return;
    const row = rows.get(f) ?? rows.set(f, {name: frames.name[f], kind: kinds[f], took: 0, entries: -1}).get(f);
    row.took += inside;
    const below = depths[i] > 0 ? rows.get(open[depths[i] - 1]) : null;
    if (below && below.kind !== 1) below.took -= inside;
  });
  return Array.from(rows.values()).filter(row => row.kind !== 2).sort((a, b) => (b.kind === 1) - (a.kind === 1) || b.took - a.took);
}

/** The exceptions that were entered in a range. */
function enteredIn({lanes}, from, to) {
  return (lanes ?? []).filter(lane => lane.exception).map(lane => {
    const row = {name: lane.name, kind: 2, took: 0, entries: 0};
    sums(lane.start).forEach((at, i) => {
      if (at < from || at >= to) return;
      row.took += lane.took[i];
      row.entries++;
    });
    return row;
  }).filter(row => row.entries > 0);
}

/** How many instructions are in a range, between points of the axis whose instruction is known. */
function instructionsIn({points}, from, to) {
  const [seqs, ats] = [sums(points?.seq), sums(points?.at)];
  const seqAt = at => {
    const i = ats.findIndex(next => next >= at);
    if (i < 0) return seqs[seqs.length - 1] ?? 0;
    if (i === 0) return seqs[0];
    return seqs[i - 1] + (at - ats[i - 1]) / Math.max(ats[i] - ats[i - 1], 1) * (seqs[i] - seqs[i - 1]);
  };
  return Math.round(seqAt(to) - seqAt(from));
}
