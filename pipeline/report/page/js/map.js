// The map of the code, from data.functions and data.files: a treemap whose area is
// instructions, of files and in them of functions, or of pages of 4 KB where nothing has a name.
// Colour is coverage or heat. A click filters the table of coverage.

import {colour, css, inkOn, mixed, picture, write} from './canvas.js';
import {caption, choice, make, named, soft} from './elements.js';
import {fileKey, functionKey, hex} from './keys.js';
import {largest} from './model.js';
import {figures, number, words} from './table.js';
import {baseName, cut, shortPath, thousands} from './text.js';
import {goTo} from './url.js';

/** Area is instructions: of files, and in them of functions. A click filters the table. */
export function drawMap(place, data) {
  const groups = mapGroups(data);
  if (groups.length === 0) return;
  const [one, many] = data.named ? ['function', 'file'] : ['stretch', 'page of 4 KB'];
  let heat = !data.named; // without names only what ran is known
  let tiles = [];
  const said = soft();
  const say = () => {
    const colours = heat ? `the darker, the more ${data.unit} of its own` : 'filled part = covered';
    said.textContent = `Area: instructions of a ${one}, by ${many}. Colour: ${colours}. A click shows it in the table.`;
  };
  say();
  const modes = choice('Colour of the map', ['coverage', 'heat'], 'coverage', mode => {
    heat = mode === 'heat';
    say();
    map.again();
  });
  modes.hidden = heat;
  place.append(caption(make('strong', {}, 'Map of the code'), modes, said));
  const label = `Map of the code: ${said.textContent} Its figures are in the table below.`;
  const map = picture(place, {'aria-label': label}, width => (width < 600 ? 340 : 420), (pen, width, height) => {
    tiles = layMap(groups, width, height);
    paintMap(pen, tiles, heat, largest(data.functions.own));
  });
  map.canvas.addEventListener('click', event => {
    const tile = tileAt(tiles, event);
    if (tile?.state) goTo(tile.state());
  });
  map.canvas.addEventListener('pointermove', event => {
    const {name, covered, of, own} = tileAt(tiles, event) ?? {name: '', of: 0};
    map.canvas.setAttribute('title', of > 0 ? `${cut(name, 300)}: ${thousands(covered)} of ${thousands(of)} instructions, ${thousands(own)} ${data.unit}` : '');
  });
  const fold = figures('map');
  fold.show([
    words(many, g => groups[g].name, g => named(shortPath(groups[g].name), groups[g].name)),
    number('instructions', g => groups[g].of),
    number('covered', g => groups[g].covered),
    number('reached, never passed', g => groups[g].reached),
    number('not seen', g => groups[g].of - groups[g].covered - groups[g].reached),
    number(`own ${data.unit}`, g => groups[g].own),
  ], groups.length, 1);
  place.append(fold);
}

/** The functions of each file, or the stretches of each page of 4 KB; largest first. */
function mapGroups(data) {
  const {functions, files, named: hasNames} = data;
  const groups = new Map();
  (functions.name ?? []).forEach((name, i) => {
    const [covered, reached, of, own] = [functions.covered[i], functions.reached_only[i], functions.of[i], functions.own[i]];
    if (!(of > 0)) return;
    const key = hasNames ? functions.file[i] : functions.group[i];
    let group = groups.get(key);
    if (!group) {
      const path = hasNames ? files?.path[key] : undefined;
      const state = path && (() => ({fn: '', file: fileKey(data, key), table: 'functions'})); // that a click leads to
      groups.set(key, group = {name: hasNames ? path ?? 'no file' : hex(key), state, covered: 0, reached: 0, of: 0, own: 0, members: []});
    }
    const state = () => ({fn: functionKey(data, i), file: '', table: 'functions'});
    group.members.push({name, state, covered, reached, of, own});
    group.covered += covered;
    group.reached += reached;
    group.of += of;
    group.own += own;
  });
  const bySize = (a, b) => b.of - a.of;
  for (const group of groups.values()) group.members.sort(bySize);
  return Array.from(groups.values()).sort(bySize);
}

/** Rectangles of all groups, each before those of its members that can be seen. */
function layMap(groups, width, height) {
  const tiles = [];
  squarify(groups, 0, 0, width, height, (group, x, y, w, h) => {
    const head = h > 34 && w > 46 ? 16 : 0;
    tiles.push({...group, head, x, y, w, h});
    if (w < 2 || h < 2) return;
    squarify(group.members, x + 1, y + head + 1, w - 2, h - head - 2, (member, x, y, w, h) => {
      if (w >= 1 && h >= 1) tiles.push({...member, x, y, w, h});
    });
  });
  return tiles;
}

/**
 * Divides a rectangle by the size of things, largest first, into rectangles near squares: Bruls,
 * Huizing, van Wijk, "Squarified Treemaps", 2000.
 */
function squarify(things, x, y, w, h, place) {
  let rest = 0;
  for (const {of} of things) rest += of;
  for (let i = 0, j; i < things.length; i = j) {
    const side = Math.max(Math.min(w, h), 1e-9);
    const area = Math.max(w, 0) * Math.max(h, 0) / rest / side; // of one, as thickness of a row
    let [sum, worst] = [0, Infinity];
    for (j = i; j < things.length; j++) {
      const thick = (sum + things[j].of) * area;
      const ratio = Math.max(things[i].of * area * side / thick ** 2, thick ** 2 / (things[j].of * area * side));
      if (ratio > worst) break;
      [sum, worst] = [sum + things[j].of, ratio];
    }
    j = Math.max(j, i + 1);
    const thick = sum * area;
    for (let k = i, at = 0; k < j; k++) {
      const long = things[k].of / sum * side;
      if (w >= h) place(things[k], x, y + at, thick, long);
      else place(things[k], x + at, y, long, thick);
      at += long;
    }
    if (w >= h) [x, w] = [x + thick, w - thick];
    else [y, h] = [y + thick, h - thick];
    rest -= sum;
  }
}

function paintMap(pen, tiles, heat, most) {
  for (const tile of tiles) {
    const {x, y, w, h, head, members} = tile;
    if (members && w >= 2 && h >= 2) { // the ground on which its members lie, with thin gaps
      pen.fillStyle = css(colour('page'));
      pen.fillRect(x, y, w, h);
      pen.fillStyle = css(colour('ink'));
      if (head > 0) write(pen, baseName(tile.name), x + 3, y + 9, w - 6);
      continue;
    }
    const fills = tileFills(tile, heat, most);
    const gap = Math.min(w, h) > 6 ? 1 : 0;
    let top = y;
    for (const [rgb, share] of fills) {
      const bottom = Math.min(top + share * (h - gap), y + h - gap);
      pen.fillStyle = css(rgb);
      if (bottom > top) pen.fillRect(x, top, w - gap, bottom - top);
      top = bottom;
    }
    if (h <= 16 || w <= 28) continue;
    pen.fillStyle = inkOn(fills.find(([, share]) => share * h > 12)?.[0] ?? colour('unseen'));
    write(pen, tile.name, x + 4, y + 10, w - 8);
  }
}

/** The colours of a tile from the top, each with its share. Heat is one hue, from pale to full. */
function tileFills({covered, reached, of, own}, heat, most) {
  if (!heat) return [[colour('covered'), covered / of], [colour('reached'), reached / of], [colour('unseen'), 1]];
  if (covered + reached === 0) return [[colour('unseen'), 1]];
  return [[mixed(colour('page'), colour('heat'), 0.08 + 0.92 * Math.sqrt(own / Math.max(most, 1))), 1]];
}

function tileAt(tiles, {offsetX: x, offsetY: y}) {
  return tiles.findLast(t => x >= t.x && x < t.x + t.w && y >= t.y && y < t.y + t.h);
}
