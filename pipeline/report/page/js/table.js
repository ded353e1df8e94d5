// A table that is sorted by a click on a column and shows 20 rows, then more, and the columns
// that tables are made of. It draws any lists of the data: a column has a key to sort by and a
// cell to show. `figures` is the fold-out that stands below each picture, with the same figures.

import {bar, button, make, named, scrolling} from './elements.js';
import {counted, percent, signed, thousands, withSign} from './text.js';

const ROWS = 20; // of a table, before "more"
const MORE = 100;

/**
 * A table of count rows that is sorted by a click on a column, shows 20 rows, then more, and can
 * be saved as CSV. A column is {head, key(i) to sort by, cell(i) what is shown, text: true if it is
 * no number, title, id by which it is called in the address, csv(i) if its figures are not the key}.
 * order is the rows as they are sorted by the column with index sorted. chosen(id, down) is called
 * when somebody sorts.
 */
export function sortable(label, columns, count, sorted = -1, order = null, chosen = null) {
  const state = {sorted, down: true, shown: ROWS, keep: null, order: order ?? Uint32Array.from({length: count}, (_, i) => i)};
  const head = make('tr');
  const body = make('tbody');
  const told = make('span', {role: 'status', class: 'soft'});
  const more = button('more', {}, () => {
    state.shown += MORE;
    paint();
  });
  const save = button('', {class: 'link'}, () => saveCSV(label, columns, kept()));
  const arrows = columns.map((column, c) => {
    const arrow = make('span', {'aria-hidden': 'true'});
    const th = make('th', {scope: 'col', class: column.text ? 'text' : 'number', title: column.title}, button(column.head, {}, () => {
      sortBy(c, state.sorted === c ? !state.down : !column.text);
      chosen?.(column.id, state.down);
    }));
    th.firstChild.append(arrow);
    head.append(th);
    return arrow;
  });

  function sortBy(c, down) {
    [state.sorted, state.down] = [c, down];
    state.order = sortedOrder(columns[c], count, down);
    paint();
  }

  /** The rows that pass the filter, in order. */
  function kept() {
    return state.keep ? state.order.filter(state.keep) : state.order;
  }

  function paint() {
    columns.forEach((_, c) => {
      const is = c === state.sorted;
      arrows[c].textContent = is ? (state.down ? ' ▾' : ' ▴') : '';
      head.childNodes[c].setAttribute('aria-sort', is ? (state.down ? 'descending' : 'ascending') : 'none');
    });
    const rows = kept();
    body.replaceChildren(...Array.from(rows.subarray(0, state.shown), i => tableRow(columns, i)));
    more.hidden = rows.length <= state.shown;
    const all = rows.length === count && count <= ROWS;
    told.textContent = all ? '' : `${thousands(Math.min(rows.length, state.shown))} of ${thousands(rows.length)} shown`;
    save.textContent = `Save ${counted(rows.length, 'row')} as CSV`;
    save.hidden = rows.length === 0;
  }

  paint();
  const box = scrolling(label, make('table', {}, make('thead', {}, head), body));
  return {
    element: make('div', {class: 'sortable'}, box, make('p', {class: 'after'}, more, told, save)),
    filter(keep) {
      state.keep = keep;
      state.shown = ROWS;
      paint();
    },
    /** Sorts by the column of an id; by none of another one. */
    sort(id, down) {
      const c = columns.findIndex(column => column.id === id);
      if (c >= 0) sortBy(c, down);
    },
  };
}

/** Lets somebody save rows as a file (RFC 4180): numbers without commas, nothing where there is none. */
function saveCSV(label, columns, rows) {
  const url = URL.createObjectURL(new Blob([csvOf(columns, rows)], {type: 'text/csv'}));
  make('a', {href: url, download: `${label}.csv`}).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

function csvOf(columns, rows) {
  const told = columns.filter(column => column.csv !== null);
  const lines = [told.flatMap(column => column.heads ?? [column.head])];
  for (const i of rows) lines.push(told.flatMap(column => column.csv ? column.csv(i) : [column.key(i)]));
  return lines.map(line => `${line.map(csvCell).join(',')}\r\n`).join('');
}

function csvCell(value) {
  const text = value === -1 || value === undefined ? '' : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function sortedOrder(column, count, down) {
  const keys = column.text ? new Array(count) : new Float64Array(count);
  for (let i = 0; i < count; i++) keys[i] = column.key(i);
  const order = Uint32Array.from({length: count}, (_, i) => i);
  const sign = down ? -1 : 1;
  return order.sort((a, b) => (keys[a] < keys[b] ? -sign : keys[a] > keys[b] ? sign : a - b));
}

function tableRow(columns, i) {
  const row = make('tr');
  columns.forEach((column, c) => {
    row.append(make(c === 0 ? 'th' : 'td', c === 0 ? {scope: 'row', class: 'text'} : {class: column.text ? 'text' : 'number'}, column.cell(i)));
  });
  return row;
}

/** A column of text; cell makes what is shown of it. */
export function words(head, key, cell = i => named(key(i))) {
  return {head, key, cell, text: true};
}

/** A column of sentences. */
export function sentences(head, key) {
  return {head, key, cell: i => key(i), text: true};
}

/** A column of plain numbers. */
export function number(head, key, title) {
  return {head, key, title, cell: i => thousands(key(i))};
}

/** Columns of what ran now and not in the earlier run, and the other way round; none without that. */
export function gainColumns({gained, lost}, what = 'instructions') {
  if (!gained) return [];
  return [
    {...number('gained', i => gained[i], `${what} that ran now, and not in the earlier run`), id: 'gained', cell: i => signed(gained[i])},
    {...number('lost', i => lost[i], `${what} that ran in the earlier run, and not now`), id: 'lost', cell: i => signed(-lost[i])},
  ];
}

/** What share of all a number is. */
export function shareOf(key, of) {
  return {head: 'share', key, cell: i => `${percent(key(i), of)} %`, csv: null};
}

/** "n of m", sorted by m and then by n. */
export function partColumn(head, part, of, title) {
  return {
    head, title, key: i => of[i] + part[i] / (of[i] + 1), cell: i => (of[i] > 0 ? `${thousands(part[i])} of ${thousands(of[i])}` : '–'),
    heads: [head, `${head}, of`], csv: i => [part[i], of[i]],
  };
}

export function coveredColumn({covered, reached_only: reached, of, percent}) {
  return {
    head: 'covered', id: 'covered', csv: null,
    key: i => (of[i] > 0 ? covered[i] / of[i] : -1),
    cell: i => {
      if (percent[i] === '') return '–';
      return make('span', {class: 'measure'}, bar([['covered', covered[i] / of[i]], ['reached', reached[i] / of[i]]]), make('span', {}, withSign(percent[i])));
    },
  };
}

/** A fold-out with the figures of a picture as a table; show(columns, count …) makes its table, as sortable does. */
export function figures(of) {
  const fold = make('details', {}, make('summary', {}, 'Show as table'));
  fold.show = (...table) => fold.replaceChildren(fold.firstChild, sortable(`Figures of the ${of}`, ...table).element);
  return fold;
}
