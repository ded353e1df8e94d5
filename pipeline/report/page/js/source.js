// The source with what each line did, from data.source: executions, heat, branches and predicated
// instructions with their outcomes. Lines of which nothing is known have no code. The instructions of
// a line are below it if somebody asks for them: `code` in the address. Long files are drawn in chunks.

import {button, labelled, make, scrolling, soft} from './elements.js';
import {hex, lineKey, lineOf} from './keys.js';
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
  for (const text of ['line', '', 'times', unit, 'outcomes', 'source']) head.append(text ? make('th', {scope: 'col'}, text) : make('td'));
  const body = make('tbody');
  const box = scrolling('Source lines', make('table', {}, make('thead', {}, head), body));
  box.classList.add('code');
  const [hottest, hottestAt, most] = hottestLine(source);
  let lines = null;
  let marked = 0;
  let withCode = false;
  let [first, last] = [0, 0];

  const paint = around => {
    first = Math.max(0, Math.min(around - CHUNK / 2, lines.count - CHUNK));
    last = Math.min(lines.count, first + CHUNK);
    body.replaceChildren(spacer(first));
    for (let i = first; i < last; i++) body.append(lines.code[i] < 0 ? lineRow(lines, lines.line[i], most, marked) : codeRow(lines.file.code, lines.code[i], lines.address, most));
    body.append(spacer(lines.count - last));
  };
  const open = (s, line) => {
    select.value = s;
    lines = linesOf(source.files[s], withCode);
    marked = line;
    head.lastChild.hidden = !lines.hasText;
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
  const between = button('Instructions', {'aria-pressed': 'false', title: 'show the instructions of each line below it'}, () => goTo({code: withCode ? '' : '1'}));
  between.hidden = !source.files.some(file => file.code);
  onState('code', value => {
    withCode = value === '1';
    between.setAttribute('aria-pressed', withCode);
    const [top, kept] = [lines.line[Math.floor(box.scrollTop / lineHeight())], marked];
    open(select.value, top);
    marked = kept;
    paint(lines.rowOf(top));
    box.scrollTop = lines.rowOf(top) * lineHeight();
  });
  onState('line', key => {
    const [file, line] = lineOf(data, key);
    if (!view.sources.has(file)) return;
    open(view.sources.get(file), line);
    document.getElementById('source').scrollIntoView();
    box.focus({preventScroll: true});
  });
  const legend = soft(`● covered, ◐ reached, never passed, ○ not seen; the darker, the more ${unit}`);
  place.replaceChildren(make('div', {class: 'controls'}, labelled('File', select), between, legend), box);
  open(hottest, hottestAt);
}

/** The hottest line: its file in source.files, its number and its heat. */
function hottestLine({hottest, files}) {
  const [s, i] = hottest ?? [-1, -1];
  return s < 0 ? [0, 0, 1] : [s, sums(files[s].seen.number)[i], Math.max(files[s].seen.heat[i], 1)];
}

/** The rows of a file: all its lines where there is text, else those with code; below each its instructions, if they are wanted. */
function linesOf(file, withCode) {
  const {text, seen, not_seen: notSeen} = file;
  const at = new Map(); // line → index in seen, -1: not seen
  for (const line of sums(notSeen)) at.set(line, -1);
  sums(seen.number).forEach((line, i) => at.set(line, i));
  const numbers = text ? Array.from({length: Math.max(text.length, largest(at.keys()))}, (_, i) => i + 1) : Float64Array.from(at.keys()).sort();
  const lineOfCode = withCode ? sums(file.code?.line) : [];
  const [line, code] = [[], []]; // of each row, -1: it is the line itself
  let n = 0;
  for (const number of numbers) {
    line.push(number);
    code.push(-1);
    for (; lineOfCode[n] === number; n++) {
      line.push(number);
      code.push(n);
    }
  }
  const rowOf = wanted => {
    const row = line.findIndex(number => number >= wanted);
    return row < 0 ? line.length - 1 : row;
  };
  return {file, text: text ?? [], hasText: text || withCode, at, seen, state: octets(seen.state), changed: lineChanges(file), address: sums(file.code?.address), line, code, count: line.length, rowOf};
}

/** Rows that are not drawn, as one of their height. */
function spacer(rows) {
  const row = make('tr', {'aria-hidden': 'true'}, make('td'));
  row.firstChild.style.height = `${rows * lineHeight()}px`;
  row.hidden = rows === 0;
  return row;
}

function lineRow(lines, line, most, marked) {
  const s = lines.at.get(line);
  const row = make('tr', line === marked ? {class: 'marked'} : {}, make('th', {scope: 'row', class: 'number'}, String(line)));
  if (s === undefined || s < 0) {
    row.append(s < 0 ? stateCell('unseen', '○', 'not seen') : make('td', {class: 'state'}), make('td'), make('td'), make('td'));
  } else {
    row.append(
      lines.state[s] === 0 ? stateCell('covered', '●', 'covered') : stateCell('reached', '◐', 'reached, never passed its condition'),
      make('td', {class: 'number'}, thousands(lines.seen.count[s])),
      heatCell(lines.seen.heat[s], most),
      outcomeCell(lines.seen.branches[s], lines.seen.predicated[s]),
    );
  }
  const [gained, lost] = lines.changed.get(line) ?? [0, 0];
  if (gained > 0) row.lastChild.append(make('span', {class: 'mark', title: 'instructions that ran now, and not in the earlier run'}, `${signed(gained)} gained`));
  if (lost > 0) row.lastChild.append(make('span', {class: 'mark half', title: 'instructions that ran in the earlier run, and not now'}, `${signed(-lost)} lost`));
  if (lines.hasText) row.append(make('td', {class: 'text source'}, lineText(lines.text[line - 1] ?? '')));
  return row;
}

/** An instruction: its address, opcode and kind stand where lines have their text. */
function codeRow({opcode, kind, count, heat, outcome}, i, addresses, most) {
  const isBranch = !['other', 'barrier'].includes(kind[i]);
  return make('tr', {class: 'instruction'}, make('td'), make('td', {class: 'state'}), make('td', {class: 'number'}, thousands(count[i])), heatCell(heat[i], most),
    outcome[i].length === 0 ? make('td') : outcomeCell(isBranch ? [outcome[i]] : [], isBranch ? [] : [outcome[i]]),
    make('td', {class: 'text source'}, `${hex(addresses[i])}  ${opcode[i].padEnd(8)}  ${kind[i]}`));
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

/** Which ways branches went, how often predicated instructions passed, and of how many the trace does not tell. */
function outcomeCell(branches, predicated) {
  const cell = make('td', {class: 'text'});
  const isUnknown = ([yes, no, unknown]) => yes + no === 0 && unknown > 0;
  const marks = [
    ...branches.map(([taken, not, unknown]) => outcomeMark('branch', taken, not, unknown, `taken ${thousands(taken)}, not ${thousands(not)}`)),
    ...predicated.filter(p => !isUnknown(p)).map(([passed, failed, unknown]) => (
      outcomeMark('conditional instruction', passed, failed, unknown, `passed ${thousands(passed)} of ${thousands(passed + failed)}`))),
  ];
  cell.append(...marks.slice(0, 4));
  if (marks.length > 4) cell.append(make('span', {class: 'mark'}, `${marks.length - 4} more`));
  const untold = predicated.filter(isUnknown).length;
  if (untold > 0) {
    const title = `${counted(untold, 'conditional instruction')}: this trace does not record whether they passed`;
    cell.append(make('span', {class: 'mark half', title}, untold === 1 ? 'outcome not recorded' : `${thousands(untold)} outcomes not recorded`));
  }
  return cell;
}

function outcomeMark(what, yes, no, unknown, text) {
  if (yes + no + unknown === 0) return make('span', {class: 'mark never', title: `this ${what} was not seen`}, 'never');
  if (yes + no === 0) return make('span', {class: 'mark half', title: 'this trace does not record which way it went'}, 'outcome not recorded');
  const one = yes === 0 || no === 0;
  return make('span', {class: one ? 'mark half' : 'mark', title: one ? 'only one outcome was seen' : undefined}, `${text}${unknown ? `, not recorded ${thousands(unknown)}` : ''}`);
}
