// The table of the code: its functions, files, lines or tasks, with what was missed and why, and
// what was hot. From data.functions, data.files, data.source and data.tasks. Functions without names
// are called stretches. What is chosen, sorted and filtered is in the address: table, sort, find, show,
// and fn or file for one alone.

import {bar, button, choice, functionName, labelled, leading, leadingToLongest, make, named, taskSwatch} from './elements.js';
import {fileOf, functionOf} from './keys.js';
import {lineChanges, octets, sums} from './model.js';
import {coveredColumn, gainColumns, number, partColumn, sentences, sortable, words} from './table.js';
import {cut, points, shortPath, thousands, withSign} from './text.js';
import {goTo, onState, setState} from './url.js';

const STATES = new Map([
  ['all', () => true],
  ['wholly covered', (covered, reached, of) => covered === of && of > 0],
  ['partly covered', (covered, reached, of) => covered > 0 && covered < of],
  ['only reached', (covered, reached) => covered === 0 && reached > 0],
  ['not seen', (covered, reached, of) => covered + reached === 0 && of > 0],
]);

const TABLES = new Map([['functions', functionTable], ['files', fileTable], ['lines', lineTable], ['tasks', taskTable]]);

const ORDERS = new Map([['change', 'changed first'], ['missed', 'missed first'], ['own', 'hot first']]); // by column

export function drawTable(place, data) {
  const has = {functions: true, files: data.files?.path?.length, lines: data.source?.files?.length, tasks: data.tasks?.name?.length};
  const names = Array.from(TABLES.keys()).filter(name => has[name]);
  const made = new Map(); // tables are made when they are first shown: there may be a million lines
  const chosen = {table: names[0], sort: '', fn: -1, file: -1};
  const text = make('input', {type: 'search', placeholder: data.named ? 'name or file' : 'address', autocomplete: 'off', spellcheck: 'false'});
  const states = make('select');
  for (const state of STATES.keys()) states.append(make('option', {}, state));
  const show = labelled('Show', states);
  const only = make('span', {class: 'only', hidden: ''});
  const body = make('div');
  const clear = () => goTo({fn: '', file: '', find: '', show: ''});
  const sorted = (id, down) => setState({sort: id + (down ? '' : ':up')}, false);

  const apply = () => {
    const {table, fn, file} = chosen;
    if (!made.has(table)) made.set(table, TABLES.get(table)(data, sorted));
    const {list, texts, fileOf, grid, first} = made.get(table);
    const [id, up] = (chosen.sort || first).split(':');
    grid.sort(id, up !== 'up');
    const wanted = text.value.toLowerCase();
    const is = STATES.get(states.value);
    const [byFunction, byFile] = [fn >= 0 && table === 'functions', file >= 0 && fileOf];
    const filters = [
      byFunction && (i => i === fn), byFile && (i => fileOf(i) === file), wanted !== '' && (i => texts(i).toLowerCase().includes(wanted)),
      list && states.value !== 'all' && (i => is(list.covered[i], list.reached_only[i], list.of[i])),
    ].filter(Boolean);
    grid.filter(filters.length === 0 ? null : i => filters.every(passes => passes(i)));
    show.hidden = orders.hidden = !list;
    only.hidden = !byFunction && !byFile;
    only.firstChild.textContent = `only ${cut(byFunction ? data.functions.name[fn] : byFile ? data.files.path[file] : '', 60)} `;
    tables.press(labelOf(data, table));
    orders.press(ORDERS.get(id));
    body.replaceChildren(grid.element);
  };
  const tables = choice('Table of', names.map(name => labelOf(data, name)), labelOf(data, chosen.table), label => goTo({table: names.find(name => labelOf(data, name) === label), sort: ''}));
  const ids = Array.from(ORDERS.keys()).filter(id => id === 'own' || (data.named && (id === 'missed' || data.before?.change_points)));
  const orders = choice('Order', ids.map(id => ORDERS.get(id)), '', name => goTo({sort: ids.find(id => ORDERS.get(id) === name)}));
  only.append('', button('show all', {class: 'link'}, clear));
  text.addEventListener('input', () => {
    setState({find: text.value}, false);
    apply();
  });
  states.addEventListener('change', () => goTo({show: states.value === 'all' ? '' : states.value}));
  place.addEventListener('keydown', event => {
    if (event.key === 'Escape') clear();
  });
  place.replaceChildren(make('div', {class: 'controls'}, tables, orders, labelled('Filter', text), show, only), body);

  for (const [key, take] of Object.entries({
    table: value => { chosen.table = names.includes(value) ? value : names[0]; },
    sort: value => { chosen.sort = value; },
    find: value => { text.value = value; },
    show: value => { states.value = STATES.has(value) ? value : 'all'; },
    fn: value => { chosen.fn = value === '' ? -1 : functionOf(data, value); },
    file: value => { chosen.file = value === '' ? -1 : fileOf(data, value); },
  })) {
    onState(key, value => {
      take(value);
      apply();
      if (value !== '') place.scrollIntoView({block: 'nearest'});
    });
  }
  apply();
}

/** What a table is of, in words. */
function labelOf({named}, table) {
  return table === 'functions' && !named ? 'stretches' : table;
}

function functionTable(data, sorted) {
  const {functions, unit, before} = data;
  const columns = [
    {...words(data.named ? 'function' : 'stretch', i => functions.name[i], functionName), id: 'name'},
    data.named && coveredColumn(functions),
    data.named && {...number('missed', i => functions.of[i] - functions.covered[i], 'instructions that did not run'), id: 'missed'},
    ...gainColumns(before?.gained ? before : {}, before?.same_program ? 'instructions' : 'functions'),
    ...changeColumns(before),
    data.named && {...sentences('why', i => functions.why[i]), id: 'why'},
    {...number(`own ${unit}`, i => functions.own[i]), id: 'own'},
    {head: 'share', key: i => functions.own[i], cell: i => shareCell(data, i), csv: null},
    functions.total && {...number('with callees', i => functions.total[i], `${unit} of the function and of all that it called`), id: 'all'},
    {...number('entries', i => functions.entries[i]), id: 'entries'},
    functions.worst && worstColumn(data),
    functions.ipc && {head: 'IPC', id: 'ipc', title: 'instructions per cycle', key: i => Number(functions.ipc[i] || -1), cell: i => functions.ipc[i] || '–'},
    {...partColumn('instructions', functions.covered, functions.of), id: 'instructions'},
    data.named && {...partColumn('both ways', functions.branches_both_ways, functions.branches, 'conditional branches that went both ways'), id: 'branches'},
    functions.core && {...words('core', i => functions.core[i]), id: 'core'},
    data.named && {
      ...words('declared', byPlace(data), i => named(cut(shortPath(declared(data, i)), 24), declared(data, i))), id: 'declared', csv: i => [declared(data, i)],
    },
  ].filter(Boolean);
  const texts = i => `${declared(data, i)} ${functions.name[i]}`;
  return {list: functions, texts, fileOf: i => functions.file[i], first: before?.change_points ? 'change' : data.named ? 'missed' : 'own', grid: sortable(labelOf(data, 'functions'), columns, functions.name?.length ?? 0, -1, null, sorted)};
}

/** What functions took by themselves in the earlier run, and how their share changed. */
function changeColumns(before) {
  if (!before?.change_points) return [];
  const {own, change_points: change, shares_of: unit} = before;
  return [
    {
      head: 'change', id: 'change', title: `of the share of all ${unit}, in percentage points: + now more, − now less`,
      key: i => Math.abs(change[i]), cell: i => points(change[i]), csv: i => [String(change[i])],
    },
    {...number('own before', i => own[i], `${unit} in the earlier run`), id: 'before'},
  ];
}

function shareCell({functions, spent}, i) {
  return make('span', {class: 'measure'}, bar([['own', functions.own[i] / spent]]), make('span', {}, withSign(functions.share[i])));
}

/** The longest calls of a function, which lead to them in the flame graph. */
function worstColumn({functions: {name, worst}, unit}) {
  return {
    ...number('longest call', i => worst[i][0]?.[0] ?? -1, `${unit} of its longest call that returned`), id: 'worst',
    cell: i => leadingToLongest(`call of ${name[i]}`, worst[i]),
  };
}

/** The longest time that a task ran before another did, which leads to it in the flame graph, and what switched it out. */
function turnColumns({tasks: {name, longest, out, out_times: outTimes}, unit}) {
  if (!longest) return [];
  const by = i => (out[i] ? `${cut(out[i], 40)}, ${outTimes[i].map(thousands).join(' of ')}` : '–');
  return [
    {
      ...number('longest stretch', i => longest[i][0], `${unit} from when it ran until another task did, with exceptions that returned to it`), id: 'stretch',
      cell: i => leadingToLongest(`stretch of ${name[i]}`, [longest[i]]),
    },
    {...sentences('switched out by', by), id: 'out', title: 'the exception or task that came most often when it ran'},
  ];
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

function fileTable({files, unit}, sorted) {
  const columns = [
    {...words('file', i => files.path[i], i => leading(shortPath(files.path[i]), files.path[i], i, 1)), id: 'name'},
    coveredColumn(files),
    {...number('missed', i => files.of[i] - files.covered[i], 'instructions that did not run'), id: 'missed'},
    ...gainColumns(files),
    {...sentences('why', i => files.why[i]), id: 'why'},
    {...number(`own ${unit}`, i => files.own[i]), id: 'own'},
    {head: 'share', key: i => files.own[i], cell: i => withSign(files.share[i]), csv: null},
    {...partColumn('instructions', files.covered, files.of), id: 'instructions'},
    {...partColumn('lines', files.lines_covered, files.lines), id: 'lines'},
    {...partColumn('branch outcomes', files.outcomes_covered, files.outcomes), id: 'branches'},
  ];
  return {list: files, texts: i => files.path[i], fileOf: i => i, first: 'missed', grid: sortable('files', columns, files.path.length, -1, null, sorted)};
}

/** The lines with code, of all files. */
function lineTable({files, source, unit}, sorted) {
  let count = 0;
  for (const f of source.files) count += (f.seen.number?.length ?? 0) + f.not_seen.length;
  const [file, line, state] = [new Int32Array(count), new Uint32Array(count), new Uint8Array(count)];
  const [times, heat] = [new Float64Array(count), new Float64Array(count)];
  const same = source.files.some(f => f.changes);
  const [gained, lost] = [new Float64Array(same ? count : 0), new Float64Array(same ? count : 0)];
  let n = 0;
  for (const f of source.files) {
    const from = n;
    const states = octets(f.seen.state);
    sums(f.seen.number).forEach((number, i) => {
      [file[n], line[n], state[n], times[n], heat[n]] = [f.file, number, states[i], f.seen.count[i], f.seen.heat[i]];
      n++;
    });
    sums(f.not_seen).forEach(number => {
      [file[n], line[n], state[n]] = [f.file, number, 2];
      n++;
    });
    if (!f.changes) continue;
    const changed = lineChanges(f);
    for (let i = from; i < n; i++) [gained[i], lost[i]] = changed.get(line[i]) ?? [0, 0];
  }
  const said = ['covered', 'reached, never passed', 'not seen'];
  const name = i => `${files.path[file[i]]}:${line[i]}`;
  const columns = [
    {...words('line', i => name(i), i => leading(shortPath(name(i)), name(i), file[i], line[i])), id: 'name'},
    {...sentences('state', i => said[state[i]]), id: 'missed'},
    ...gainColumns(same ? {gained, lost} : {}),
    {...number('times', i => times[i], 'how often that of its instructions ran which ran most often'), id: 'entries'},
    {...number(unit, i => heat[i]), id: 'own'},
  ];
  return {list: null, texts: name, fileOf: i => file[i], first: 'own', grid: sortable('lines', columns, count, -1, null, sorted)};
}

function taskTable(data, sorted) {
  const {tasks, unit} = data;
  const columns = [
    {...words('task', i => tasks.name[i], i => make('span', {}, taskSwatch(tasks.name.indexOf(tasks.name[i])), named(tasks.name[i]))), id: 'name'},
    {...number(`own ${unit}`, i => tasks.own[i]), id: 'own'},
    {head: 'share', key: i => tasks.own[i], cell: i => withSign(tasks.share[i]), csv: null},
    {...number('switches', i => tasks.switches[i], 'how often it was switched to'), id: 'entries'},
    ...turnColumns(data),
    tasks.source[0] && {...sentences('source', i => tasks.source[i]), id: 'core'},
    {...sentences('why it is called so', i => tasks.why[i]), id: 'why'},
  ].filter(Boolean);
  return {list: null, texts: i => tasks.name[i], first: 'own', grid: sortable('tasks', columns, tasks.name.length, -1, null, sorted)};
}
