// A range of the time: what somebody dragged over, and what ran in it, in the unit of the axis, from
// the ledger of data.times. Tasks and handlers of interrupts add up to the range, and so do functions
// by themselves with what was not traced. `range` in the address.

import {button, caption, make, soft, taskSwatch} from './elements.js';
import {timeKey, timeOf} from './keys.js';
import {ranBetween, snapped} from './ledger.js';
import {octets, view} from './model.js';
import {number, sentences, shareOf, sortable, words} from './table.js';
import {counted, seconds, thousands} from './text.js';
import {goTo, onState} from './url.js';

const KINDS = ['task', 'gap', 'exception', 'function'];

export function drawRange(place, data) {
  if (!data.times?.length) return;
  const show = key => {
    const found = timeOf(data, key);
    view.time.range = found && snapped(...found);
    view.time.pictures.forEach(draw => draw());
    place.replaceChildren();
    if (found) place.append(...rangeTable(data.times[found[0]], view.time.range));
  };
  onState('range', show);
  view.time.changed.push(() => {
    if (view.time.range && view.time.range.index !== view.time.index) goTo({range: ''});
  });
}

function rangeTable({frames, unit, hz}, range) {
  const ran = ranBetween(range);
  const rows = rowsOf(ran, frames);
  const [{index, from, to}, isCycles] = [range, unit === 'cycles'];
  const said = [counted(to - from, unit.slice(0, -1)), isCycles && hz > 0 && seconds((to - from) / hz), isCycles && counted(ran.instructions, 'instruction')];
  const table = sortable('range', [
    words('what ran', i => rows[i].name, i => make('span', {}, rows[i].kind === 0 ? taskSwatch(Math.max(view.data.tasks?.name.indexOf(rows[i].name) ?? 0, 0)) : '', rows[i].name)),
    number(unit, i => rows[i].took, 'of a function by itself; of a task with its system calls, without handlers of interrupts; of an exception without those nested in it'),
    shareOf(i => rows[i].took, to - from),
    number('entries', i => rows[i].entries),
    sentences('kind', i => KINDS[rows[i].kind]),
  ], rows.length);
  return [caption(make('strong', {}, 'Range'), soft(`${said.filter(Boolean).join(', ')}; from ${thousands(from)} to ${thousands(to)}, the nearest points of which that is known.`),
    button('Zoom to it', {}, () => goTo({t: timeKey(index, from, to)})), button('Clear', {}, () => goTo({range: ''}))), table.element];
}

/** Tasks, what was not traced, exceptions and functions, each by what they took. */
function rowsOf({tasks, exceptions, functions}, frames) {
  const kinds = octets(frames.kind);
  const listed = (map, kind, is) => Array.from(map).filter(([frame]) => is(frame)).map(([frame, {took, entries}]) => ({name: kinds[frame] === 3 ? 'other functions' : frames.name[frame] ?? 'not traced', kind, took, entries: kind === 2 ? entries : -1}));
  return [
    ...listed(tasks, 0, frame => kinds[frame] === 1), ...listed(tasks, 1, frame => frame < 0),
    ...listed(exceptions, 2, () => true), ...listed(functions, 3, frame => kinds[frame] === 0 || kinds[frame] === 3),
  ].sort((a, b) => a.kind - b.kind || b.took - a.took);
}
