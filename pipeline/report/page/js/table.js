// A table that is sorted by a click on a column and shows 20 rows, then more, and the columns
// that tables are made of. It draws any lists of the data: a column has a key to sort by and a
// cell to show. `figures` is the fold-out that stands below each picture, with the same figures.

import {bar, button, make, named, scrolling} from './elements.js';
import {percent, thousands, withSign} from './text.js';

export const ROWS = 20; // of a table, before "more"
const MORE = 100;

/**
 * A table of count rows that is sorted by a click on a column, and shows 20 rows, then more.
 * A column is {head, key(i) to sort by, cell(i) what is shown, text: true if it is no number,
 * title}. order is the rows as they are sorted by the column with index sorted.
 */
export function sortable(label, columns, count, sorted = -1, order = null) {
  const state = {sorted, down: true, shown: ROWS, keep: null, order: order ?? Uint32Array.from({length: count}, (_, i) => i)};
  const head = make('tr');
  const body = make('tbody');
  const told = make('span', {role: 'status', class: 'soft'});
  const more = button('more', {}, () => {
    state.shown += MORE;
    paint();
  });
  const arrows = columns.map((column, c) => {
    const arrow = make('span', {'aria-hidden': 'true'});
    const th = make('th', {scope: 'col', class: column.text ? 'text' : 'number', title: column.title}, button(column.head, {}, () => sortBy(c)));
    th.firstChild.append(arrow);
    head.append(th);
    return arrow;
  });

  function sortBy(c) {
    state.down = state.sorted === c ? !state.down : !columns[c].text;
    state.sorted = c;
    state.order = sortedOrder(columns[c], count, state.down);
    paint();
  }

  function paint() {
    columns.forEach((_, c) => {
      const is = c === state.sorted;
      arrows[c].textContent = is ? (state.down ? ' ▾' : ' ▴') : '';
      head.childNodes[c].setAttribute('aria-sort', is ? (state.down ? 'descending' : 'ascending') : 'none');
    });
    body.replaceChildren();
    let kept = 0;
    for (const i of state.order) {
      if (state.keep && !state.keep(i)) continue;
      if (++kept <= state.shown) body.append(tableRow(columns, i));
    }
    more.hidden = kept <= state.shown;
    const all = kept === count && kept <= ROWS;
    told.textContent = all ? '' : `${thousands(Math.min(kept, state.shown))} of ${thousands(kept)} shown`;
  }

  paint();
  const box = scrolling(label, make('table', {}, make('thead', {}, head), body));
  return {
    element: make('div', {class: 'sortable'}, box, make('p', {class: 'after'}, more, told)),
    filter(keep) {
      state.keep = keep;
      state.shown = ROWS;
      paint();
    },
  };
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

/** A column of plain numbers. */
export function number(head, key, title) {
  return {head, key, title, cell: i => thousands(key(i))};
}

/** What share of all a number is. */
export function shareOf(key, of) {
  return {head: 'share', key, cell: i => `${percent(key(i), of)} %`};
}

/** "n of m", sorted by m and then by n. */
export function partColumn(head, part, of, title) {
  return {head, title, key: i => of[i] + part[i] / (of[i] + 1), cell: i => (of[i] > 0 ? `${thousands(part[i])} of ${thousands(of[i])}` : '–')};
}

export function coveredColumn({covered, reached, of, percent}) {
  return {
    head: 'covered',
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
