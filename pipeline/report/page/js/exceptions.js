// How long exceptions took, from data.exceptions: a table of the types, and a picture of the
// durations of each, dots for few, else a histogram.

import {leadingToTime, make, makeShape, soft} from './elements.js';
import {largest} from './model.js';
import {number, sortable, words} from './table.js';
import {cut, thousands} from './text.js';

const CHARTS = 60; // of exceptions, those entered most often
const CHART = {width: 360, height: 110, left: 10, right: 350, base: 76};

/** A table of the types, and a picture of the durations of each: dots for few, else a histogram. */
export function drawDurations(place, data) {
  const {exceptions} = data;
  const count = exceptions?.name?.length ?? 0;
  if (count === 0) return;
  const {unit} = exceptions;
  const one = unit.every(u => u === unit[0]);
  const inUnit = one ? `, ${unit[0]}` : '';
  const table = sortable('Exceptions', [
    words('exception', i => exceptions.name[i]),
    number('entries', i => exceptions.entries[i]),
    number(`median${inUnit}`, i => exceptions.median[i]),
    number(`p99${inUnit}`, i => exceptions.p99[i], 'needs 100 samples'),
    number(`longest${inUnit}`, i => exceptions.longest[i]),
    one ? null : words('unit', i => unit[i]),
    number('unfinished', i => exceptions.unended[i]),
    {head: 'worst', key: i => exceptions.longest[i], cell: i => worst(exceptions, i)},
  ].filter(Boolean), count);
  const pictures = make('div', {class: 'durations'});
  for (let i = 0; i < Math.min(count, CHARTS); i++) if (exceptions.longest[i] >= 0) pictures.append(durationPicture(exceptions, i));
  place.replaceChildren(table.element, pictures, soft(count > CHARTS ? `The first ${CHARTS} are drawn.` : ''));
}

/** Leads to the longest one in the flame graph. */
function worst(exceptions, i) {
  const [index, start, took] = exceptions.worst?.[i] ?? [-1];
  return index < 0 ? '–' : leadingToTime('show', `show the longest ${exceptions.name[i]}`, index, start, took);
}

function durationPicture(exceptions, i) {
  const {name, unit, entries, median, longest} = exceptions;
  const each = exceptions.each?.[i] ?? [];
  const histogram = exceptions.histogram?.[i] ?? {};
  const bins = histogram.counts?.length > 0;
  const ends = bins ? histogram.edges : each;
  const [low, high] = [ends[0] ?? longest[i], ends[ends.length - 1] ?? longest[i]];
  const log = Boolean(histogram.log) && low > 0;
  const at = value => {
    if (high <= low) return (CHART.left + CHART.right) / 2;
    const share = log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
    return CHART.left + Math.min(Math.max(share, 0), 1) * (CHART.right - CHART.left);
  };
  const title = `${cut(name[i], 60)} · ${thousands(entries[i])} · median ${thousands(median[i])} · longest ${thousands(longest[i])} ${unit[i]}`;
  const svg = makeShape('svg', {viewBox: `0 0 ${CHART.width} ${CHART.height}`, role: 'img', 'aria-label': title, class: 'chart'});
  if (bins) drawBins(svg, histogram, at);
  else drawDots(svg, each, at);
  const {left, right, base} = CHART;
  const line = (name, x1, x2, y1) => svg.append(makeShape('line', {class: name, x1, x2, y1, y2: base}));
  const label = (x, anchor, text) => svg.append(makeShape('text', {x, y: base + 18, 'text-anchor': anchor}, text));
  line('base', left, right, base);
  if (high > low) {
    if (median[i] >= 0) line('median', at(median[i]), at(median[i]), 4);
    label(left, 'start', thousands(Math.round(low)));
    label((left + right) / 2, 'middle', unit[i] + (log ? ', log axis' : ''));
    label(right, 'end', thousands(Math.round(high)));
  } else label((left + right) / 2, 'middle', `${thousands(low)} ${unit[i]}`);
  return make('figure', {}, make('figcaption', {}, title), svg);
}

function drawBins(svg, {edges, counts}, at) {
  const most = Math.max(largest(counts), 1);
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
