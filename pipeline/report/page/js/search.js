// The search box: functions, files and tasks by a part of their name, and functions by an address
// in them. Enter goes to the first that is found, / to the box. From data.functions, data.files
// and data.tasks.

import {button, make} from './elements.js';
import {fileKey, functionKey} from './keys.js';
import {cut, shortPath, thousands} from './text.js';
import {goTo} from './url.js';

const FOUND = 12; // that are listed

export function drawSearch(place, data) {
  if (!data.functions.name?.length && !data.tasks?.name?.length) return;
  const box = make('input', {
    type: 'search', placeholder: data.named ? 'function, file, task, 0x…' : 'task, 0x…', 'aria-label': 'Search', autocomplete: 'off', spellcheck: 'false',
  });
  const list = make('div', {class: 'found', hidden: ''});
  const said = make('span', {class: 'hint', role: 'status'});
  const close = () => {
    list.hidden = true;
    said.textContent = '';
  };
  const go = found => {
    close();
    box.blur();
    goTo(found.state());
  };
  box.addEventListener('input', () => {
    const found = search(data, box.value);
    list.replaceChildren(...found.slice(0, FOUND).map(f => button(`${cut(f.name, 60)} `, {title: cut(f.name, 300)}, () => go(f))));
    list.childNodes.forEach((b, i) => b.append(make('span', {class: 'soft'}, found[i].kind)));
    list.hidden = found.length === 0;
    said.textContent = box.value.trim() === '' ? '' : `${thousands(found.length)} found`;
  });
  place.addEventListener('keydown', event => {
    const found = event.target === box && event.key === 'Enter' ? search(data, box.value)[0] : undefined;
    const buttons = Array.from(list.childNodes);
    const at = buttons.indexOf(document.activeElement);
    if (found) go(found);
    else if (event.key === 'Escape') close();
    else if (event.key === 'ArrowDown') buttons[at + 1]?.focus();
    else if (event.key === 'ArrowUp') (at > 0 ? buttons[at - 1] : box).focus();
    else return;
    event.preventDefault();
  });
  place.addEventListener('focusout', event => {
    if (!place.contains(event.relatedTarget)) close();
  });
  addEventListener('keydown', event => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || event.target.matches?.('input, select')) return;
    event.preventDefault();
    box.select();
    box.focus();
  });
  place.replaceChildren(box, said, list);
}

/** What has a text in its name, names that begin with it first; or the function at an address. */
function search(data, typed) {
  const text = typed.trim().toLowerCase();
  if (text === '') return [];
  const found = [];
  const add = (names, kind, state) => (names ?? []).forEach((name, i) => {
    const at = name.toLowerCase().indexOf(text);
    if (at >= 0) found.push({name, kind, at, state: () => state(i)});
  });
  add(data.functions.name, data.named ? 'function' : 'stretch', i => ({fn: functionKey(data, i), file: '', table: 'functions'}));
  add(data.files?.path?.map(shortPath), 'file', i => ({file: fileKey(data, i), fn: '', table: 'files'}));
  add(data.tasks?.name, 'task', i => ({table: 'tasks', find: data.tasks.name[i], fn: '', file: ''}));
  found.sort((a, b) => Math.min(a.at, 1) - Math.min(b.at, 1));
  const i = /^0x[0-9a-f]+$/.test(text) ? functionAt(data, BigInt(text)) : -1;
  if (i >= 0) found.unshift({name: data.functions.name[i], kind: `has ${text}`, state: () => ({fn: functionKey(data, i), file: '', table: 'functions'})});
  return found;
}

/** The function whose first address is the last one at or before an address; -1: there is none. */
function functionAt({functions}, address) {
  let best = -1;
  (functions.address ?? []).forEach((first, i) => {
    if (functions.of[i] > 0 && first <= address && (best < 0 || first > functions.address[best])) best = i;
  });
  return best;
}
