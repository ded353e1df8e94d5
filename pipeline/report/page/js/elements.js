// Elements of the page: buttons, choices, boxes that scroll, bars, and names that lead to the
// source. What is shown becomes a text node, whoever wrote it.

import {instructionAt} from './detail.js';
import {lineKey, timeKey} from './keys.js';
import {view} from './model.js';
import {cut, thousands} from './text.js';
import {goTo} from './url.js';

export function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function makeShape(tag, attributes = {}, ...children) {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) element.setAttribute(name, value);
  }
  for (const child of children) if (child !== null) element.append(child);
  return element;
}

export function button(text, attributes, act) {
  const element = make('button', {type: 'button', ...attributes}, text);
  element.addEventListener('click', act);
  return element;
}

/** Buttons of which one is pressed. choose(name) is called when another is. */
export function choice(label, names, chosen, choose) {
  const group = make('span', {role: 'group', class: 'choice', 'aria-label': label});
  group.press = name => group.childNodes.forEach(b => b.setAttribute('aria-pressed', b.textContent === name));
  for (const name of names) {
    group.append(button(name, {'aria-pressed': name === chosen}, () => {
      group.press(name);
      choose(name);
    }));
  }
  return group;
}

export function labelled(text, control) {
  return make('label', {}, `${text} `, control);
}

/** A box that wide content scrolls in, by keyboard too. */
export function scrolling(label, ...children) {
  return make('div', {class: 'scroll', role: 'region', tabindex: '0', 'aria-label': label}, ...children);
}

/** The line over a picture: what it is and how it is steered. */
export function caption(...children) {
  return make('figcaption', {class: 'controls'}, ...children);
}

export function soft(text = '') {
  return make('span', {class: 'soft'}, text);
}

/** A bar of parts of a whole, [class, share] each. What is something is seen, what is not all is not full. */
export function bar(parts) {
  const svg = makeShape('svg', {class: 'bar', viewBox: '0 0 1000 10', preserveAspectRatio: 'none', 'aria-hidden': 'true'});
  let x = 0;
  for (const [name, share] of parts) {
    if (!(share > 0)) continue;
    const width = share >= 1 ? 1000 : Math.min(Math.max(share * 1000, 12), 988);
    svg.append(makeShape('rect', {class: name, x: Math.round(Math.min(x, 988)), width: Math.round(width), height: 10}));
    x += width;
  }
  return svg;
}

/** The colour of the task of a rank, as [canvas.taskColour] has it. */
export function taskSwatch(rank) {
  return makeShape('svg', {class: 'swatch', viewBox: '0 0 1 1', 'aria-hidden': 'true'}, makeShape('rect', {class: `task${rank % 8}`, width: 1, height: 1}));
}

/** A name, with more of it in its title. */
export function named(name, title = name) {
  return make('span', {class: 'name', title: cut(title, 300)}, cut(name));
}

/** The name of a function; it leads to the source where that is on the page. */
export function functionName(i) {
  const {functions} = view.data;
  return leading(functions.name[i], functions.name[i], functions.file[i], functions.line[i]);
}

export function leading(name, title, file, line) {
  if (!view.sources.has(file)) return named(name, title);
  return button(cut(name), {class: 'link name', title: cut(title, 300)}, () => goTo({line: lineKey(view.data, file, line)}));
}

/** A text that leads to a part of the time, if that is drawn. */
function leadingToTime(text, label, index, start, took) {
  if (index < 0 || !view.data.times?.length) return text;
  return button(text, {class: 'link', 'aria-label': cut(label)}, () => goTo({
    t: timeKey(index, start - took * 1.5, start + took * 2.5), seq: instructionAt(index, start),
  }));
}

/**
 * Leads to the longest of things, [took, index, start, took on the axis] each, and to the others by a fold-out below it, which
 * takes no width.
 */
export function leadingToLongest(of, things) {
  const [first = '–', ...others] = things.map(([took, index, start, length = took], n) => (
    leadingToTime(thousands(took), `${thousands(took)}: show the ${n > 0 ? `${n + 1}. ` : ''}longest ${of}`, index, start, length)));
  if (others.length === 0) return first;
  const list = make('span', {class: 'others', hidden: ''}, ...others.map(other => make('span', {}, other)));
  const fold = button('▾', {class: 'link fold', 'aria-expanded': 'false', 'aria-label': cut(`the next longest of ${of}`)}, () => {
    list.hidden = !list.hidden;
    fold.setAttribute('aria-expanded', String(!list.hidden));
  });
  return make('span', {}, first, ' ', fold, list);
}
