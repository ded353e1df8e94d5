// How long exceptions took, from data.exceptions: a table of the types, with what handled them and
// where the five longest are, and a picture of the durations of each, dots for few, else a histogram.

import {functionName, leadingToLongest, make, makeShape, named, soft} from './elements.js';
import {largest} from './model.js';
import {number, sortable, words} from './table.js';
import {counted, cut, thousands, withSign} from './text.js';

const BEFORE = 'in the earlier run, in the same unit';
const CHARTS = 60; // of exceptions, those entered most often
const CHART = {width: 360, height: 112, left: 10, right: 350, base: 76};

/** A table of the types, and a picture of the durations of each: dots for few, else a histogram. */
export function drawDurations(place, data) {
  const {exceptions} = data;
  const count = exceptions?.name?.length ?? 0;
  if (count === 0) return;
  const {unit} = exceptions;
  const one = unit.every(u => u === unit[0]);
  const inUnit = one ? `, ${unit[0]}` : '';
  const timed = exceptions.longest.some(n => n >= 0) || exceptions.unended.some(n => n > 0); // else there are entries alone
  const table = sortable('Exceptions', [
    words('exception', i => exceptions.name[i]),
    number('entries', i => exceptions.entries[i]),
    exceptions.share.some(Boolean) ? {...number('share', i => exceptions.share[i] === '' ? -1 : Number.parseFloat(exceptions.share[i].replace('< ', '')), 'of all that was executed'), cell: i => withSign(exceptions.share[i])} : null,
    timed && number(`median${inUnit}`, i => exceptions.median[i]),
    timed && exceptions.median_before ? number('median before', i => exceptions.median_before[i], BEFORE) : null,
    timed && number(`p99${inUnit}`, i => exceptions.p99[i], 'needs 100 samples'),
    timed && {...number(`longest${inUnit}`, i => exceptions.longest[i]), cell: i => leadingToLongest(exceptions.name[i], exceptions.worst[i])},
    timed && exceptions.longest_before ? number('longest before', i => exceptions.longest_before[i], BEFORE) : null,
    one || !timed ? null : words('unit', i => unit[i]),
    timed && number('unfinished', i => exceptions.unended[i], 'could not be followed to their end'),
    exceptions.nested.some(n => n > 0) ? number('nested', i => exceptions.nested[i], 'how many others the most deeply nested one was in') : null,
    exceptions.handler.some(Boolean) ? words('handler', i => exceptions.handler[i], i => handler(exceptions, i)) : null,
  ].filter(Boolean), count);
  const pictures = make('div', {class: 'durations'});
  for (let i = 0; i < Math.min(count, CHARTS); i++) if (exceptions.longest[i] >= 0) pictures.append(durationPicture(exceptions, i));
  place.replaceChildren(table.element, pictures, soft(count > CHARTS ? `The first ${CHARTS} are drawn.` : ''));
}

function handler({handler, handled_by: handledBy}, i) {
  return handledBy[i] < 0 ? named(handler[i] || '–') : functionName(handledBy[i]);
}

function durationPicture(exceptions, i) {
  const {name, unit, entries, median, longest} = exceptions;
  const each = exceptions.each?.[i] ?? [];
  const histogram = exceptions.histogram?.[i] ?? {};
  const bins = histogram.counts?.length > 0;
  const ends = bins ? histogram.edges : each;
  const [low, high] = [ends[0] ?? longest[i], Math.max(ends[ends.length - 1] ?? longest[i], 1)];
  const log = low > 0 && high / low > 30;
  const {left, right, base} = CHART;
  const at = value => {
    const share = log ? Math.log(value / low) / Math.log(high / low) : value / high;
    return left + Math.min(Math.max(share, 0), 1) * (right - left);
  };
  const title = `${cut(name[i], 60)} · ${thousands(entries[i])} · median ${thousands(median[i])} · longest ${thousands(longest[i])} ${unit[i]}`;
  const svg = makeShape('svg', {viewBox: `0 0 ${CHART.width} ${CHART.height}`, role: 'img', 'aria-label': title, class: 'chart'});
  if (bins) drawBins(svg, histogram, at);
  else drawDots(svg, each, at);
  const line = (name, x1, x2, y1, y2 = base) => svg.append(makeShape('line', {class: name, x1, x2, y1, y2}));
  const label = (x, y, anchor, text) => svg.append(makeShape('text', {x, y, 'text-anchor': anchor}, text));
  line('base', left, right, base);
  if (median[i] >= 0) line('median', at(median[i]), at(median[i]), 4);
  for (const value of log ? powersBetween(low, high) : stepsTo(high)) {
    line('base', at(value), at(value), base, base + 4);
    label(at(value), base + 16, at(value) < left + 20 ? 'start' : at(value) > right - 20 ? 'end' : 'middle', thousands(value));
  }
  label((left + right) / 2, base + 30, 'middle', unit[i] + (log ? ', log scale' : ''));
  return make('figure', {}, make('figcaption', {}, title), svg);
}

/** 0 and at most five others, in steps of 1, 2 or 5 times a power of ten. */
function stepsTo(high) {
  const power = 10 ** Math.floor(Math.log10(high / 5));
  const step = Math.max([1, 2, 5, 10].find(n => n * power * 5 >= high) * power, 1);
  return Array.from({length: Math.floor(high / step) + 1}, (_, n) => n * step);
}

/** Powers of ten between two numbers, 30 times one another at least. */
function powersBetween(low, high) {
  const first = Math.ceil(Math.log10(low));
  return Array.from({length: Math.floor(Math.log10(high)) - first + 1}, (_, n) => 10 ** (first + n));
}

/** Columns; that of the most durations says how many these are. */
function drawBins(svg, {edges, counts}, at) {
  const most = Math.max(largest(counts), 1);
  svg.append(makeShape('text', {x: CHART.left, y: 10}, counted(most, 'time')));
  counts.forEach((n, b) => {
    if (n === 0) return;
    const height = Math.max(n / most * 66, 1.5);
    const x = at(edges[b]);
    const range = `${thousands(Math.round(edges[b]))} to ${thousands(Math.round(edges[b + 1]))}: ${thousands(n)}`;
    svg.append(makeShape('rect', {class: 'covered', x, y: CHART.base - height, width: Math.max(at(edges[b + 1]) - x - 0.8, 1), height}, makeShape('title', {}, range)));
  });
}

/** Dots, one over another where they would hide one another. */
function drawDots(svg, each, at) {
  const size = 4;
  const rows = [];
  for (const value of each) {
    const x = at(value);
    let row = rows.findIndex(last => x - last >= 2 * size);
    if (row < 0) row = rows.length;
    rows[row] = x;
    const y = Math.max(CHART.base - size - 1 - row * Math.min(2 * size, 66 / each.length * 2), 6);
    svg.append(makeShape('circle', {class: 'covered', cx: x, cy: y, r: size}, makeShape('title', {}, thousands(value))));
  }
}
