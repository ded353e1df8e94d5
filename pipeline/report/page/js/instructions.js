// The instructions that ran around a point of the time, from the detail of data.times: the page
// has those around what it offers to show, marked on the axis. A click there, or the arrow keys,
// choose one: `seq` in the address. The source follows.

import {firstOf, placesOf} from './detail.js';
import {button, caption, functionName, make, scrolling, soft} from './elements.js';
import {hex} from './keys.js';
import {view} from './model.js';
import {shortPath, thousands} from './text.js';
import {goTo, onState, setState} from './url.js';

const AROUND = 64; // rows before the chosen one, and after it
const OUTCOMES = ['', 'taken', 'not taken', 'passed', 'failed', 'outcome not recorded'];

/** The pane of instructions; empty until one is chosen. */
export function drawInstructions(place, data) {
  if (!data.times?.some(time => time.detail)) return;
  const title = make('strong', {}, 'Instructions');
  const said = soft('Click in the time where the axis is marked; or begin with the first that the page has.');
  const head = make('tr');
  for (const text of ['seq', 'address', 'opcode', 'kind', 'outcome', 'cycles', 'function', 'source']) head.append(make('th', {scope: 'col'}, text));
  const body = make('tbody');
  const box = scrolling('Instructions', make('table', {}, make('thead', {}, head), body));
  box.classList.add('executed');
  box.hidden = true;
  let chosen = null; // {index, w, i}: of data.times, of its windows, of their instructions

  const choose = (index, w, i, isStep) => {
    const {detail, unit} = data.times[index];
    chosen = {index, w, i};
    const first = firstOf(detail, w);
    const [from, to] = [Math.max(0, i - AROUND), Math.min(detail.count[w], i + AROUND + 1)];
    body.replaceChildren(...Array.from({length: to - from}, (_, n) => row(data, detail, first + from + n, detail.seq[w] + from + n, from + n === i)));
    body.querySelectorAll('tr').forEach((tr, n) => tr.addEventListener('click', () => choose(index, w, from + n, false)));
    box.hidden = false;
    const marked = body.childNodes[i - from];
    box.scrollTop = marked.offsetTop - box.clientHeight / 2;
    said.textContent = `seq ${thousands(detail.seq[w] + i)}, at ${thousands(Math.round(placesOf(detail, w)[i]))} ${unit}. Arrow keys step.`;
    view.time.mark = placesOf(detail, w)[i];
    view.time.pictures.forEach(draw => draw());
    const code = detail.code[first + i];
    if (detail.file[code] >= 0) view.followLine?.(detail.file[code], detail.line[code]);
    setState({seq: `${index}:${detail.seq[w] + i}`}, isStep);
  };
  const step = by => {
    if (!chosen) return;
    const {detail} = data.times[chosen.index];
    choose(chosen.index, chosen.w, Math.min(Math.max(chosen.i + by, 0), detail.count[chosen.w] - 1), false);
  };
  const jump = by => {
    const index = chosen?.index ?? data.times.findIndex(time => time.detail);
    const {detail} = data.times[index];
    const w = chosen ? Math.min(Math.max(chosen.w + by, 0), detail.seq.length - 1) : 0;
    goTo({seq: `${index}:${detail.seq[w] + Math.min(AROUND, detail.count[w] - 1)}`});
  };
  box.addEventListener('keydown', event => {
    if (event.key === 'ArrowDown') step(1);
    else if (event.key === 'ArrowUp') step(-1);
    else return;
    event.preventDefault();
  });
  onState('seq', key => {
    const [index, seq] = key.split(':').map(Number);
    const detail = data.times[index]?.detail;
    const w = detail?.seq.findIndex((first, w) => first <= seq && seq < first + detail.count[w]) ?? -1;
    if (key === '' || w < 0) {
      chosen = null;
      box.hidden = true;
      view.time.mark = -1;
      return;
    }
    choose(index, w, seq - detail.seq[w], true);
    box.focus({preventScroll: true});
  });
  place.append(caption(title, button('◂', {'aria-label': 'earlier instructions'}, () => jump(-1)), button('▸', {'aria-label': 'later instructions'}, () => jump(1)), said), box);
}

function row(data, detail, i, seq, isChosen) {
  const code = detail.code[i];
  const [file, line, function_] = [detail.file[code], detail.line[code], detail.function[code]];
  const text = data.source?.files?.[view.sources.get(file)]?.text?.[line - 1];
  const source = file < 0 ? '' : `${shortPath(data.files.path[file])}:${line}${text ? `  ${text.trim().slice(0, 120)}` : ''}`;
  const cell = (value, name) => make('td', {class: name}, value);
  return make('tr', isChosen ? {class: 'marked', 'aria-current': 'true'} : {},
    make('th', {scope: 'row', class: 'number'}, thousands(seq)), cell(hex(detail.address[code]), 'text'),
    cell(detail.opcode[code], 'text'), cell(detail.kind[code], 'text'), cell(OUTCOMES[detail.outcome[i]], 'text'),
    cell(detail.cycles[i] < 0 ? '' : thousands(detail.cycles[i]), 'number'), cell(function_ < 0 ? '' : functionName(function_), 'text'), cell(source, 'text'));
}
