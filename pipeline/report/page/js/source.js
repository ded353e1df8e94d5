// The source with what each line did, from data.source: executions, heat, branches with their
// outcomes. Lines of which nothing is known have no code. Long files are drawn in chunks.

import {labelled, make, scrolling, soft} from './elements.js';
import {lineKey, lineOf} from './keys.js';
import {largest, lineChanges, octets, sums, view} from './model.js';
import {counted, cut, shortPath, signed, thousands} from './text.js';
import {goTo, onState} from './url.js';

const NARROW = matchMedia('(max-width: 640px)'); // figures stand below the text, as report.css says
const CHUNK = 400; // lines that are in the document at once

/** The height of a line, as report.css says. */
function lineHeight() {
  return NARROW.matches ? 44 : 20;
}

/** Lines of a file with what they did. Long files are drawn in chunks, as they are scrolled to. */
export function drawSource(place, data) {
  const {source, files, unit} = data;
  if (!source?.files?.length) return;
  const byHeat = Array.from(source.files.keys()).sort((a, b) => source.files[a].file - source.files[b].file);
  const select = make('select');
  for (const s of byHeat) select.append(make('option', {value: s}, cut(shortPath(files.path[source.files[s].file]), 60)));
  const head = make('tr');
  for (const text of ['line', '', 'executions', unit, 'branches', 'source']) head.append(text ? make('th', {scope: 'col'}, text) : make('td'));
  const body = make('tbody');
  const box = scrolling('Source lines', make('table', {}, make('thead', {}, head), body));
  box.classList.add('code');
  const [hottest, hottestAt, most] = hottestLine(source);
  let lines = null;
  let marked = 0;
  let [first, last] = [0, 0];

  const paint = around => {
    first = Math.max(0, Math.min(around - CHUNK / 2, lines.count - CHUNK));
    last = Math.min(lines.count, first + CHUNK);
    body.replaceChildren(spacer(first));
    for (let i = first; i < last; i++) body.append(lineRow(lines, i, most, marked));
    body.append(spacer(lines.count - last));
  };
  const open = (s, line) => {
    select.value = s;
    lines = linesOf(source.files[s]);
    marked = line;
    head.lastChild.hidden = !lines.text;
    const row = lines.rowOf(line);
    paint(row);
    box.scrollTop = Math.max(0, row * lineHeight() - box.clientHeight / 3);
    select.setAttribute('title', cut(files.path[source.files[s].file], 300));
  };
  box.addEventListener('scroll', () => {
    const top = Math.floor(box.scrollTop / lineHeight());
    const bottom = top + Math.ceil(box.clientHeight / lineHeight());
    if ((top < first + 20 && first > 0) || (bottom > last - 20 && last < lines.count)) paint(Math.floor((top + bottom) / 2));
  });
  select.addEventListener('change', () => goTo({line: lineKey(data, source.files[select.value].file, 1)}));
  NARROW.addEventListener('change', () => paint(Math.floor((first + last) / 2)));
  view.followLine = (file, line) => {
    if (view.sources.has(file)) open(view.sources.get(file), line);
  };
  onState('line', key => {
    const [file, line] = lineOf(data, key);
    if (!view.sources.has(file)) return;
    open(view.sources.get(file), line);
    document.getElementById('source').scrollIntoView();
    box.focus({preventScroll: true});
  });
  const legend = soft(`● covered, ◐ reached, never passed, ○ not seen; the darker, the more ${unit}`);
  place.replaceChildren(make('div', {class: 'controls'}, labelled('File', select), legend), box);
  open(hottest, hottestAt);
}

/** The hottest line: its file in source.files, its number and its heat. */
function hottestLine({hottest, files}) {
  const [s, i] = hottest ?? [-1, -1];
  return s < 0 ? [0, 0, 1] : [s, sums(files[s].seen.number)[i], Math.max(files[s].seen.heat[i], 1)];
}

/** The rows of a file: all its lines where there is text, else those with code. */
function linesOf(file) {
  const {text, seen, notSeen} = file;
  const changed = lineChanges(file);
  const at = new Map(); // line → index in seen, -1: not seen
  for (const line of sums(notSeen)) at.set(line, -1);
  sums(seen.number).forEach((line, i) => at.set(line, i));
  const state = octets(seen.state);
  if (!text) {
    const numbers = Float64Array.from(at.keys()).sort();
    const rowOf = line => Math.max(0, numbers.findIndex(n => n >= line));
    return {text: null, at, seen, state, changed, count: numbers.length, line: i => numbers[i], rowOf};
  }
  const count = Math.max(text.length, largest(at.keys()));
  return {text, at, seen, state, changed, count, line: i => i + 1, rowOf: line => Math.max(0, Math.min(line, count) - 1)};
}

/** Rows that are not drawn, as one of their height. */
function spacer(rows) {
  const row = make('tr', {'aria-hidden': 'true'}, make('td'));
  row.firstChild.style.height = `${rows * lineHeight()}px`;
  row.hidden = rows === 0;
  return row;
}

function lineRow(lines, i, most, marked) {
  const line = lines.line(i);
  const s = lines.at.get(line);
  const row = make('tr', line === marked ? {class: 'marked'} : {}, make('th', {scope: 'row', class: 'number'}, String(line)));
  if (s === undefined || s < 0) {
    row.append(s < 0 ? stateCell('unseen', '○', 'not seen') : make('td', {class: 'state'}), make('td'), make('td'), make('td'));
  } else {
    row.append(
      lines.state[s] === 0 ? stateCell('covered', '●', 'covered') : stateCell('reached', '◐', 'reached, never passed its condition'),
      make('td', {class: 'number'}, thousands(lines.seen.count[s])),
      heatCell(lines.seen.heat[s], most),
      branchCell(lines.seen.branches?.[s] ?? [], lines.seen.unknown[s]),
    );
  }
  const [gained, lost] = lines.changed.get(line) ?? [0, 0];
  if (gained > 0) row.lastChild.append(make('span', {class: 'mark', title: 'instructions that ran now, and not in the earlier run'}, `${signed(gained)} gained`));
  if (lost > 0) row.lastChild.append(make('span', {class: 'mark half', title: 'instructions that ran in the earlier run, and not now'}, `${signed(-lost)} lost`));
  if (lines.text) row.append(make('td', {class: 'text source'}, lineText(lines.text[line - 1] ?? '')));
  return row;
}

/** A line of source; of one that is absurdly long, the beginning. */
function lineText(text) {
  return text.length <= 500 ? text : `${Array.from(text.slice(0, 499)).slice(0, -1).join('')}…`;
}

function stateCell(name, sign, title) {
  return make('td', {class: `state ${name}`, title, 'aria-label': title}, sign);
}

/** Heat in ten steps of one hue, by the root of the share, so that small ones differ too. */
function heatCell(heat, most) {
  const step = heat > 0 ? Math.max(1, Math.ceil(10 * Math.sqrt(Math.min(heat / most, 1)))) : 0;
  return make('td', {class: `number heat${step}`}, thousands(heat));
}

/** Which ways each branch of a line went, and how many conditional instructions the trace does not tell of. */
function branchCell(branches, unknown) {
  const cell = make('td', {class: 'text'});
  for (const branch of branches.slice(0, 4)) cell.append(branchMark(branch));
  if (branches.length > 4) cell.append(make('span', {class: 'mark'}, `${branches.length - 4} more`));
  if (unknown > 0) {
    const title = `${counted(unknown, 'conditional instruction')}: this trace does not record whether they passed`;
    cell.append(make('span', {class: 'mark half', title}, unknown === 1 ? 'outcome not recorded' : `${thousands(unknown)} outcomes not recorded`));
  }
  return cell;
}

function branchMark([taken, not, unknown]) {
  if (taken + not + unknown === 0) return make('span', {class: 'mark never', title: 'this branch was not seen'}, 'never');
  const text = `taken ${thousands(taken)}, not ${thousands(not)}${unknown ? `, not recorded ${thousands(unknown)}` : ''}`;
  const one = (taken === 0) !== (not === 0);
  return make('span', {class: one ? 'mark half' : 'mark', title: one ? 'only one way was seen' : undefined}, text);
}
