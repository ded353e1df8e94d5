// The table of coverage, by function and by file, and the hottest functions, from
// data.functions and data.files.

import {bar, choice, functionName, labelled, leading, make, named} from './elements.js';
import {largest, view} from './model.js';
import {ROWS, coveredColumn, number, partColumn, sortable, words} from './table.js';
import {cut, shortPath, withSign} from './text.js';

const STATES = new Map([
  ['all', () => true],
  ['wholly covered', (covered, reached, of) => covered === of && of > 0],
  ['partly covered', (covered, reached, of) => covered > 0 && covered < of],
  ['only reached', (covered, reached) => covered === 0 && reached > 0],
  ['not seen', (covered, reached, of) => covered + reached === 0 && of > 0],
]);

/** By function and by file, sorted by any column, filtered by text and state. */
export function drawTable(place, data) {
  const tables = new Map([['by function', functionTable(data)]]);
  if (data.files?.path?.length) tables.set('by file', fileTable(data));
  let by = 'by function';
  const text = make('input', {type: 'search', placeholder: 'name or file', autocomplete: 'off', spellcheck: 'false'});
  const states = make('select');
  for (const state of STATES.keys()) states.append(make('option', {}, state));
  const bodies = make('div');

  const apply = () => {
    const {list, names, grid} = tables.get(by);
    const wanted = text.value.toLowerCase();
    const is = STATES.get(states.value);
    const plain = wanted === '' && states.value === 'all';
    grid.filter(plain ? null : i => names(i).toLowerCase().includes(wanted) && is(list.covered[i], list.reached[i], list.of[i]));
    bodies.replaceChildren(grid.element);
  };
  const bys = choice('Table', Array.from(tables.keys()), by, chosen => {
    by = chosen;
    apply();
  });
  text.addEventListener('input', apply);
  states.addEventListener('change', apply);
  view.filter = (name, file) => {
    by = file && tables.has('by file') ? 'by file' : 'by function';
    bys.press(by);
    states.value = 'all';
    text.value = name;
    apply();
    place.scrollIntoView({block: 'nearest'});
  };
  place.replaceChildren(make('div', {class: 'controls'}, bys, labelled('Filter', text), labelled('Show', states)), bodies);
  apply();
}

function functionTable(data) {
  const {functions, unit} = data;
  const count = functions.name?.length ?? 0;
  const columns = [
    words('function', i => functions.name[i], functionName),
    coveredColumn(functions),
    number(`own ${unit}`, i => functions.own[i]),
    functions.all && number('with callees', i => functions.all[i], `${unit} of the function and of all that it called`),
    partColumn('instructions', functions.covered, functions.of),
    partColumn('both ways', functions.both, functions.branches, 'conditional branches that went both ways'),
    number('entries', i => functions.entries[i]),
    functions.core && words('core', i => functions.core[i]),
    data.named && words('declared', byPlace(data), i => named(cut(shortPath(declared(data, i)), 24), declared(data, i))),
  ].filter(Boolean);
  return {list: functions, names: i => `${declared(data, i)} ${functions.name[i]}`, grid: sortable('Coverage by function', columns, count, 2)};
}

/** Path and line where a function is declared. */
function declared({functions, files}, i) {
  const path = files?.path[functions.file[i]];
  return path === undefined ? '' : path + (functions.line[i] > 0 ? `:${functions.line[i]}` : '');
}

/** Sorts functions by the path of their file, and then by line. */
function byPlace({functions, files}) {
  const paths = files?.path ?? [];
  const rank = new Map();
  Array.from(paths.keys()).sort((a, b) => (paths[a] < paths[b] ? -1 : 1)).forEach((file, r) => rank.set(file, r));
  return i => (rank.get(functions.file[i]) ?? -1) * 2 ** 32 + functions.line[i];
}

function fileTable(data) {
  const {files, unit} = data;
  const count = files.path.length;
  const columns = [
    words('file', i => files.path[i], i => leading(shortPath(files.path[i]), files.path[i], i, 0)),
    coveredColumn(files),
    number(`own ${unit}`, i => files.own[i]),
    {head: 'share', key: i => files.own[i], cell: i => withSign(files.share[i])},
    partColumn('instructions', files.covered, files.of),
    partColumn('lines', files.linesCovered, files.lines),
    partColumn('branch outcomes', files.outcomesSeen, files.outcomes),
  ];
  return {list: files, names: i => files.path[i], grid: sortable('Coverage by file', columns, count, 2)};
}

/** The twenty hottest functions: a bar of what each took itself, and with what it called. */
export function drawHottest(place, {functions, unit}) {
  const {own, all, ipc} = functions;
  const cold = (own ?? []).findIndex((n, i) => n === 0 || i === ROWS);
  const count = cold < 0 ? own?.length ?? 0 : cold;
  if (count === 0) return;
  const full = Math.max(own[0], largest(all?.slice(0, count)));
  place.replaceChildren(sortable('Hottest functions', [
    words('function', i => functions.name[i], functionName),
    words(all ? 'own, with callees' : 'own', i => own[i], i => bar([['own', own[i] / full], ['callees', all ? (all[i] - own[i]) / full : 0]])),
    number(`own ${unit}`, i => own[i]),
    {head: 'share', key: i => own[i], cell: i => withSign(functions.share[i])},
    all && number('with callees', i => all[i]),
    number('entries', i => functions.entries[i]),
    ipc && {head: 'IPC', title: 'instructions per cycle', key: i => Number(ipc[i]), cell: i => ipc[i] || '–'},
  ].filter(Boolean), count, 2).element);
}
