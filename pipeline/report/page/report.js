// The module of the report page: it draws what package page wrote into the data block. What
// each column is, data.go says. Figures come from there; here they are laid out, filtered and
// sorted, and only shares of what somebody searches for or zooms to are computed.
//
// Names, paths and source text are other people's. They become text nodes, or attributes by
// setAttribute, and are looked up in Maps. Lists may have a million elements: no list becomes
// the arguments of a call.

/** What the page shows now: its data, its colours, its pictures, and the window of the time. */
const view = {
  data: null,
  colours: new Map(),
  pictures: [], // functions that draw a canvas again
  waiting: new Set(), // those of them that will, before the next frame of the screen
  sources: new Map(), // index of a file in data.files → index in data.source.files
  time: {index: 0, from: 0, to: 0, pictures: [], changed: []}, // of data.times; pictures share the window
  showLine: null, // (file, line): set by the source section
  showTime: null, // (index, start, took): set by the flame graph
  filter: null, // (text, by file): set by the table
};

const ROWS = 20; // of a table, before "more"
const MORE = 100;

main();

async function main() {
  try {
    view.data = await readData();
    if (view.data) drawAll(view.data);
  } catch (error) {
    console.error(error);
  }
  document.documentElement.dataset.ready = '1';
}

/** The data block: base64 of gzip of JSON. A page that has nothing to draw has none. */
async function readData() {
  const text = document.getElementById('data')?.textContent.trim();
  if (!text) return null;
  const stream = new Blob([octets(text)]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).json();
}

/** Draws every part of the page that is there. What fails says so in its place, and hides nothing else. */
function drawAll(data) {
  readColours();
  if (document.getElementById('lines')) (data.source?.files ?? []).forEach((file, i) => view.sources.set(file.file, i));
  for (const [id, draw] of [
    ['map', drawMap], ['table', drawTable], ['hottest', drawHottest], ['lines', drawSource],
    ['flame', drawFlame], ['lanes', drawLanes], ['growth', drawGrowth], ['durations', drawDurations],
  ]) {
    const place = document.getElementById(id);
    if (place) safely(place, () => draw(place, data));
  }
  follow();
}

function safely(place, draw) {
  try {
    draw();
  } catch (error) {
    console.error(error);
    if (!place.querySelector('.failed')) place.append(make('p', {class: 'failed'}, `This could not be drawn: ${error.message}`));
  }
}

/** Draws canvases again when the window gets another width, or the scheme other colours; opens fold-outs for print. */
function follow() {
  let width = innerWidth;
  addEventListener('resize', () => {
    if (innerWidth === width) return; // a phone that hides its address bar
    width = innerWidth;
    drawSoon(view.pictures);
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    readColours();
    drawSoon(view.pictures);
  });
  addEventListener('beforeprint', () => document.querySelectorAll('details').forEach(fold => fold.setAttribute('open', '')));
}

/** Draws pictures before the next frame of the screen, each once. */
function drawSoon(pictures) {
  if (view.waiting.size === 0) {
    requestAnimationFrame(() => {
      view.waiting.forEach(draw => draw());
      view.waiting.clear();
    });
  }
  pictures.forEach(draw => view.waiting.add(draw));
}

// ---- numbers and names ----

const commas = new Intl.NumberFormat('en-US');

/** 1234567 as "1,234,567"; -1 is that there is none. */
function thousands(n) {
  return n < 0 ? '–' : commas.format(n);
}

/** "1 time", "2 times". */
function counted(n, noun) {
  return `${thousands(n)} ${n === 1 ? noun : `${noun}s`}`;
}

/**
 * n of all in percent, as decode/figures.PercentTo writes it: rounded, halves to even; 100 only
 * if n is all, 0 only if n is nothing; "< 0.1" below a tenth.
 */
function percent(n, of, decimals = 1) {
  if (n === of) return '100';
  if (n === 0) return '0';
  if (100 * (n / of) < 0.1) return '< 0.1';
  const least = 10 ** -decimals;
  const exact = Math.min(Math.max(100 * (n / of), least), 100 - least);
  const parts = exact * 2 ** (decimals + 1); // odd if exact lies between two results
  const below = (parts * 5 ** decimals - 1) / 2;
  return (parts % 2 === 1 && below % 2 === 0 ? below / 10 ** decimals : exact).toFixed(decimals);
}

/** A percentage as it comes from the data, "" of nothing. */
function withSign(text) {
  return text === '' ? '–' : `${text} %`;
}

/** A name that is cut in the middle where it is long; characters stay whole. */
function cut(name, most = 120) {
  if (name.length <= most) return name;
  const letters = Array.from(name);
  const half = Math.floor((most - 1) / 2);
  return letters.length <= most ? name : `${letters.slice(0, half).join('')}…${letters.slice(letters.length - half).join('')}`;
}

/** The last two parts of a path. */
function shortPath(path) {
  return path.split('/').slice(-2).join('/');
}

/** Numbers that are each written as what it is more than the one before. */
function sums(deltas) {
  const list = new Float64Array(deltas?.length ?? 0);
  let sum = 0;
  for (let i = 0; i < list.length; i++) list[i] = sum += deltas[i];
  return list;
}

/** A list of bytes, which Go writes as base64. */
function octets(list) {
  if (typeof list !== 'string') return Uint8Array.from(list ?? []);
  const packed = atob(list);
  const bytes = new Uint8Array(packed.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = packed.charCodeAt(i);
  return bytes;
}

function largest(list) {
  let most = 0;
  for (const n of list ?? []) if (n > most) most = n;
  return most;
}

// ---- elements ----

function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function makeShape(tag, attributes = {}, ...children) {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) element.setAttribute(name, value);
  }
  for (const child of children) if (child !== null) element.append(child);
  return element;
}

function button(text, attributes, act) {
  const element = make('button', {type: 'button', ...attributes}, text);
  element.addEventListener('click', act);
  return element;
}

/** Buttons of which one is pressed. choose(name) is called when another is. */
function choice(label, names, chosen, choose) {
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

function labelled(text, control) {
  return make('label', {}, `${text} `, control);
}

/** A box that wide content scrolls in, by keyboard too. */
function scrolling(label, ...children) {
  return make('div', {class: 'scroll', role: 'region', tabindex: '0', 'aria-label': label}, ...children);
}

/** A fold-out with the figures of a picture as a table; show(columns, count …) makes its table, as sortable does. */
function figures(of) {
  const fold = make('details', {}, make('summary', {}, 'Show as table'));
  fold.show = (...table) => fold.replaceChildren(fold.firstChild, sortable(`Figures of the ${of}`, ...table).element);
  return fold;
}

/** The line over a picture: what it is and how it is steered. */
function caption(...children) {
  return make('figcaption', {class: 'controls'}, ...children);
}

function soft(text = '') {
  return make('span', {class: 'soft'}, text);
}

/** A bar of parts of a whole, [class, share] each. What is something is seen, what is not all is not full. */
function bar(parts) {
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

/** A name, with more of it in its title. */
function named(name, title = name) {
  return make('span', {class: 'name', title: cut(title, 300)}, cut(name));
}

/** The name of a function; it leads to the source where that is on the page. */
function functionName(i) {
  const {functions} = view.data;
  return leading(functions.name[i], functions.name[i], functions.file[i], functions.line[i]);
}

function leading(name, title, file, line) {
  if (!view.sources.has(file)) return named(name, title);
  return button(cut(name), {class: 'link name', title: cut(title, 300)}, () => view.showLine(file, line));
}

/**
 * A table of count rows that is sorted by a click on a column, and shows 20 rows, then more.
 * A column is {head, key(i) to sort by, cell(i) what is shown, text: true if it is no number,
 * title}. order is the rows as they are sorted by the column with index sorted.
 */
function sortable(label, columns, count, sorted = -1, order = null) {
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

// ---- canvases ----

/**
 * A canvas as wide as the place it stands in. draw(pen, width, height) draws in CSS pixels, at
 * the density of the screen; height(width) is asked before.
 */
function picture(place, attributes, height, draw) {
  const canvas = make('canvas', {role: 'img', ...attributes});
  place.append(canvas);
  const again = () => safely(place, () => {
    const width = canvas.parentElement.clientWidth;
    const tall = height(width);
    const density = Math.min(devicePixelRatio || 1, 3);
    canvas.width = Math.round(width * density);
    canvas.height = Math.round(tall * density);
    const pen = canvas.getContext('2d');
    pen.setTransform(density, 0, 0, density, 0, 0);
    pen.font = '11px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace';
    pen.textBaseline = 'middle';
    draw(pen, width, tall);
  });
  view.pictures.push(again);
  again();
  return {canvas, again};
}

function readColours() {
  const computed = getComputedStyle(document.documentElement);
  for (const name of ['page', 'ink', 'soft', 'line', 'covered', 'reached', 'unseen', 'lost', 'heat', 'task', 'exception']) {
    const text = computed.getPropertyValue(`--${name}`).trim();
    view.colours.set(name, [1, 3, 5].map(i => parseInt(text.slice(i, i + 2), 16)));
  }
}

/** A colour of the scheme, as red, green, blue. */
function colour(name) {
  return view.colours.get(name);
}

function mixed(a, b, share) {
  return a.map((part, i) => Math.round(part + (b[i] - part) * share));
}

/** A colour by hue in degrees, saturation and lightness (CSS Color 4, §7.1). */
function fromHue(hue, saturation, lightness) {
  return [0, 8, 4].map(n => {
    const k = (n + hue / 30) % 12;
    return Math.round(255 * (lightness - saturation * Math.min(lightness, 1 - lightness) * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  });
}

function css(rgb) {
  return `rgb(${rgb.join()})`;
}

/** Black or white, whichever is readable on a colour: at least 4.58 to 1 (WCAG 2, relative luminance). */
function inkOn(rgb) {
  const [r, g, b] = rgb.map(part => (part <= 10 ? part / 3294 : ((part / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? '#000' : '#fff';
}

/** Text as far as it fits into a width; font is of one width. */
function write(pen, text, x, y, width) {
  const letters = Math.floor(width / pen.measureText('0').width);
  if (letters < 2) return;
  pen.fillText(text.length <= letters ? text : `${Array.from(text.slice(0, letters - 1)).join('')}…`, x, y);
}

// ---- coverage: the map ----

/** Area is instructions: of files, and in them of functions. A click filters the table. */
function drawMap(place, data) {
  const groups = mapGroups(data);
  if (groups.length === 0) return;
  const [one, many] = data.named ? ['function', 'file'] : ['stretch', 'page of 4 KB'];
  let heat = false;
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
  place.append(caption(make('strong', {}, 'Map of the code'), modes, said));
  const label = `Map of the code: ${said.textContent} Its figures are in the table below.`;
  const map = picture(place, {'aria-label': label}, width => (width < 600 ? 340 : 420), (pen, width, height) => {
    tiles = layMap(groups, width, height);
    paintMap(pen, tiles, heat, largest(data.functions.own));
  });
  map.canvas.addEventListener('click', event => {
    const tile = tileAt(tiles, event);
    if (tile?.find) view.filter?.(tile.find, Boolean(tile.members));
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
function mapGroups({functions, files, named: hasNames}) {
  const groups = new Map();
  (functions.name ?? []).forEach((name, i) => {
    const [covered, reached, of, own] = [functions.covered[i], functions.reached[i], functions.of[i], functions.own[i]];
    if (!(of > 0)) return;
    const key = hasNames ? functions.file[i] : functions.group?.[i] ?? functions.address[i] - functions.address[i] % 4096;
    let group = groups.get(key);
    if (!group) {
      const find = hasNames ? files?.path[key] : null; // what the table is filtered by
      const shown = hasNames ? find ?? 'no file' : `0x${key.toString(16).padStart(8, '0')}`;
      groups.set(key, group = {name: shown, find, covered: 0, reached: 0, of: 0, own: 0, members: []});
    }
    group.members.push({name, find: name, covered, reached, of, own});
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

function baseName(path) {
  return path.slice(path.lastIndexOf('/') + 1);
}

function tileAt(tiles, {offsetX: x, offsetY: y}) {
  return tiles.findLast(t => x >= t.x && x < t.x + t.w && y >= t.y && y < t.y + t.h);
}

/** A column of text; cell makes what is shown of it. */
function words(head, key, cell = i => named(key(i))) {
  return {head, key, cell, text: true};
}

/** A column of plain numbers. */
function number(head, key, title) {
  return {head, key, title, cell: i => thousands(key(i))};
}

// ---- coverage: the table ----

const STATES = new Map([
  ['all', () => true],
  ['wholly covered', (covered, reached, of) => covered === of && of > 0],
  ['partly covered', (covered, reached, of) => covered > 0 && covered < of],
  ['only reached', (covered, reached) => covered === 0 && reached > 0],
  ['not seen', (covered, reached, of) => covered + reached === 0 && of > 0],
]);

/** By function and by file, sorted by any column, filtered by text and state. */
function drawTable(place, data) {
  const tables = new Map([['by function', functionTable(data)]]);
  if (data.files?.path?.length) tables.set('by file', fileTable(data));
  let by = 'by function';
  const text = make('input', {type: 'search', placeholder: 'name or file', autocomplete: 'off', spellcheck: 'false'});
  const states = make('select');
  for (const state of STATES.keys()) states.append(make('option', {}, state));
  const bodies = make('div');

  const apply = () => {
    const {list, names, grid} = tables.get(by);
    const wanted = text.value.toLowerCase();
    const is = STATES.get(states.value);
    const plain = wanted === '' && states.value === 'all';
    grid.filter(plain ? null : i => names(i).toLowerCase().includes(wanted) && is(list.covered[i], list.reached[i], list.of[i]));
    bodies.replaceChildren(grid.element);
  };
  const bys = choice('Table', Array.from(tables.keys()), by, chosen => {
    by = chosen;
    apply();
  });
  text.addEventListener('input', apply);
  states.addEventListener('change', apply);
  view.filter = (name, file) => {
    by = file && tables.has('by file') ? 'by file' : 'by function';
    bys.press(by);
    states.value = 'all';
    text.value = name;
    apply();
    place.scrollIntoView({block: 'nearest'});
  };
  place.replaceChildren(make('div', {class: 'controls'}, bys, labelled('Filter', text), labelled('Show', states)), bodies);
  apply();
}

function functionTable(data) {
  const {functions, unit} = data;
  const count = functions.name?.length ?? 0;
  const columns = [
    words('function', i => functions.name[i], functionName),
    coveredColumn(functions),
    number(`own ${unit}`, i => functions.own[i]),
    functions.all && number('with callees', i => functions.all[i], `${unit} of the function and of all that it called`),
    partColumn('instructions', functions.covered, functions.of),
    partColumn('both ways', functions.both, functions.branches, 'conditional branches that went both ways'),
    number('entries', i => functions.entries[i]),
    functions.core && words('core', i => functions.core[i]),
    data.named && words('declared', byPlace(data), i => named(cut(shortPath(declared(data, i)), 24), declared(data, i))),
  ].filter(Boolean);
  return {list: functions, names: i => `${declared(data, i)} ${functions.name[i]}`, grid: sortable('Coverage by function', columns, count, 2)};
}

/** Path and line where a function is declared. */
function declared({functions, files}, i) {
  const path = files?.path[functions.file[i]];
  return path === undefined ? '' : path + (functions.line[i] > 0 ? `:${functions.line[i]}` : '');
}

/** Sorts functions by the path of their file, and then by line. */
function byPlace({functions, files}) {
  const paths = files?.path ?? [];
  const rank = new Map();
  Array.from(paths.keys()).sort((a, b) => (paths[a] < paths[b] ? -1 : 1)).forEach((file, r) => rank.set(file, r));
  return i => (rank.get(functions.file[i]) ?? -1) * 2 ** 32 + functions.line[i];
}

function fileTable(data) {
  const {files, unit} = data;
  const count = files.path.length;
  const columns = [
    words('file', i => files.path[i], i => leading(shortPath(files.path[i]), files.path[i], i, 0)),
    coveredColumn(files),
    number(`own ${unit}`, i => files.own[i]),
    {head: 'share', key: i => files.own[i], cell: i => withSign(files.share[i])},
    partColumn('instructions', files.covered, files.of),
    partColumn('lines', files.linesCovered, files.lines),
    partColumn('branch outcomes', files.outcomesSeen, files.outcomes),
  ];
  return {list: files, names: i => files.path[i], grid: sortable('Coverage by file', columns, count, 2)};
}

function coveredColumn({covered, reached, of, percent}) {
  return {
    head: 'covered',
    key: i => (of[i] > 0 ? covered[i] / of[i] : -1),
    cell: i => {
      if (percent[i] === '') return '–';
      return make('span', {class: 'measure'}, bar([['covered', covered[i] / of[i]], ['reached', reached[i] / of[i]]]), make('span', {}, withSign(percent[i])));
    },
  };
}

/** What share of all a number is. */
function shareOf(key, of) {
  return {head: 'share', key, cell: i => `${percent(key(i), of)} %`};
}

/** "n of m", sorted by m and then by n. */
function partColumn(head, part, of, title) {
  return {head, title, key: i => of[i] + part[i] / (of[i] + 1), cell: i => (of[i] > 0 ? `${thousands(part[i])} of ${thousands(of[i])}` : '–')};
}

// ---- hot ----

/** The twenty hottest functions: a bar of what each took itself, and with what it called. */
function drawHottest(place, {functions, unit}) {
  const {own, all, ipc} = functions;
  const cold = (own ?? []).findIndex((n, i) => n === 0 || i === ROWS);
  const count = cold < 0 ? own?.length ?? 0 : cold;
  if (count === 0) return;
  const full = Math.max(own[0], largest(all?.slice(0, count)));
  place.replaceChildren(sortable('Hottest functions', [
    words('function', i => functions.name[i], functionName),
    words(all ? 'own, with callees' : 'own', i => own[i], i => bar([['own', own[i] / full], ['callees', all ? (all[i] - own[i]) / full : 0]])),
    number(`own ${unit}`, i => own[i]),
    {head: 'share', key: i => own[i], cell: i => withSign(functions.share[i])},
    all && number('with callees', i => all[i]),
    number('entries', i => functions.entries[i]),
    ipc && {head: 'IPC', title: 'instructions per cycle', key: i => Number(ipc[i]), cell: i => ipc[i] || '–'},
  ].filter(Boolean), count, 2).element);
}

// ---- source ----

const LINE = 20; // height of a line, as report.css says
const CHUNK = 400; // lines that are in the document at once

/** Lines of a file with what they did. Long files are drawn in chunks, as they are scrolled to. */
function drawSource(place, data) {
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
    box.scrollTop = Math.max(0, row * LINE - box.clientHeight / 3);
    select.setAttribute('title', cut(files.path[source.files[s].file], 300));
  };
  box.addEventListener('scroll', () => {
    const top = Math.floor(box.scrollTop / LINE);
    const bottom = top + Math.ceil(box.clientHeight / LINE);
    if ((top < first + 20 && first > 0) || (bottom > last - 20 && last < lines.count)) paint(Math.floor((top + bottom) / 2));
  });
  select.addEventListener('change', () => open(Number(select.value), 0));
  view.showLine = (file, line) => {
    open(view.sources.get(file), line);
    document.getElementById('source').scrollIntoView();
    box.focus({preventScroll: true});
  };
  const legend = soft(`● covered, ◐ reached, never passed, ○ not seen; ↷ taken, ↓ not taken; ? outcome unknown; heat: ${unit}`);
  place.replaceChildren(make('div', {class: 'controls'}, labelled('File', select), legend), box);
  open(hottest, hottestAt);
}

/** The hottest line: its file in source.files, its number and its heat. */
function hottestLine({hottest, files}) {
  const [s, i] = hottest ?? [-1, -1];
  return s < 0 ? [0, 0, 1] : [s, sums(files[s].seen.number)[i], Math.max(files[s].seen.heat[i], 1)];
}

/** The rows of a file: all its lines where there is text, else those with code. */
function linesOf({text, seen, notSeen}) {
  const at = new Map(); // line → index in seen, -1: not seen
  for (const line of sums(notSeen)) at.set(line, -1);
  sums(seen.number).forEach((line, i) => at.set(line, i));
  const state = octets(seen.state);
  if (!text) {
    const numbers = Float64Array.from(at.keys()).sort();
    const rowOf = line => Math.max(0, numbers.findIndex(n => n >= line));
    return {text: null, at, seen, state, count: numbers.length, line: i => numbers[i], rowOf};
  }
  const count = Math.max(text.length, largest(at.keys()));
  return {text, at, seen, state, count, line: i => i + 1, rowOf: line => Math.max(0, Math.min(line, count) - 1)};
}

/** Rows that are not drawn, as one of their height. */
function spacer(rows) {
  const row = make('tr', {'aria-hidden': 'true'}, make('td'));
  row.firstChild.style.height = `${rows * LINE}px`;
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
  if (lines.text) row.append(make('td', {class: 'text'}, lineText(lines.text[line - 1] ?? '')));
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

/** Which ways each branch of a line went, and how many predicated instructions did not tell. */
function branchCell(branches, unknown) {
  const cell = make('td', {class: 'text'});
  for (const [taken, not, unclear] of branches.slice(0, 6)) cell.append(branchMark(taken, not, unclear));
  if (branches.length > 6) cell.append(make('span', {class: 'mark'}, `${branches.length - 6} more`));
  if (unknown > 0) {
    const title = `${counted(unknown, 'conditional instruction')}: this trace does not record whether they passed`;
    cell.append(make('span', {class: 'mark half', title}, unknown <= 5 ? '?'.repeat(unknown) : `?×${thousands(unknown)}`));
  }
  return cell;
}

function branchMark(taken, not, unknown) {
  const title = `taken ${counted(taken, 'time')}, not taken ${counted(not, 'time')}${unknown ? `, unknown ${counted(unknown, 'time')}` : ''}`;
  if (taken + not + unknown === 0) return make('span', {class: 'mark never', title: 'this branch was not seen'}, 'unseen');
  const one = (taken === 0) !== (not === 0);
  const text = `↷${taken ? thousands(taken) : '–'} ↓${not ? thousands(not) : '–'}${unknown ? ` ?${thousands(unknown)}` : ''}`;
  return make('span', {class: one ? 'mark half' : 'mark', title: one ? `only one way was seen: ${title}` : title}, text);
}

// ---- time: shapes ----

const FRAME = 18; // height of a frame
const AXIS = 20;
const DEEP = 250; // frames above one another that are drawn

/**
 * What a flame graph draws: a rectangle for each frame at its depth, from start to start + took
 * of length. window is what of it is seen.
 */
function mergedShape(flame, took, unit) {
  const count = took.length;
  const parent = new Int32Array(count);
  const depth = new Uint16Array(count);
  const start = new Float64Array(count);
  const own = Float64Array.from(took);
  for (let i = 0; i < count; i++) {
    parent[i] = flame.parent[i] > 0 ? i - flame.parent[i] : -1;
    if (parent[i] < 0) continue;
    depth[i] = depth[parent[i]] + 1;
    own[parent[i]] -= took[i];
  }
  // Largest first: a parent comes before its children, and they stand in it by size.
  const order = Uint32Array.from({length: count}, (_, i) => i).sort((a, b) => took[b] - took[a] || a - b);
  const free = new Float64Array(count);
  let length = 0;
  for (const i of order) {
    start[i] = parent[i] < 0 ? length : free[parent[i]];
    free[i] = start[i];
    if (parent[i] < 0) length += took[i];
    else free[parent[i]] += took[i];
  }
  const shape = shapeOf(flame.frames, flame.frame, depth, start, took);
  return {...shape, own, calls: flame.calls, order, length, unit, window: {from: 0, to: length}, gaps: [], left: () => 0, top: 0};
}

function orderedShape(time) {
  const shape = shapeOf(time.frames, time.frame ?? [], octets(time.depth), sums(time.start), time.took ?? []);
  return {...shape, length: time.length, unit: time.unit, window: view.time, gaps: time.gaps ?? [], left: margin, top: AXIS};
}

function shapeOf({name, function: of, kind}, frame, depth, start, took) {
  const frames = {name: name ?? [], function: of ?? [], kind: octets(kind)};
  return {frames, frame, depth, start, took, rows: Math.min(largest(depth) + 1, DEEP)};
}

/** The left edge of all pictures over time. */
function margin(width) {
  return Math.round(Math.min(150, width * 0.24));
}

/** Sets what of the time is seen in all pictures over it. */
function setTime(from, to) {
  moveWindow(view.time, view.data.times[view.time.index].length, from, to);
  drawSoon(view.time.pictures);
}

function moveWindow(window, length, from, to) {
  const wide = Math.min(Math.max(to - from, Math.min(20, length)), length);
  window.from = Math.min(Math.max(from, 0), length - wide);
  window.to = window.from + wide;
}

/** Where a window lies on a picture: x of a value, and the value at x. */
function scaleOf(window, left, width) {
  const each = (width - left) / Math.max(window.to - window.from, 1e-9);
  return {left, each, x: value => left + (value - window.from) * each, value: x => window.from + (x - left) / each};
}

/** Ticks at 1, 2 or 5 times a power of ten, as many as have room, and a line down from each. */
function drawAxis(pen, window, scale, width, height, unit) {
  const room = 90 / scale.each;
  const power = 10 ** Math.floor(Math.log10(room));
  const step = Math.max([1, 2, 5, 10].find(n => n * power >= room) * power, 1);
  pen.textAlign = 'left';
  for (let at = Math.ceil(window.from / step) * step; at <= window.to; at += step) {
    const x = scale.x(at);
    pen.fillStyle = css(colour('line'));
    pen.fillRect(Math.round(x), 0, 1, height);
    pen.fillStyle = css(colour('soft'));
    const text = thousands(at);
    if (x + 4 + pen.measureText(text).width < width) pen.fillText(text, x + 4, AXIS / 2);
  }
  pen.fillStyle = css(colour('soft'));
  write(pen, unit, 4, AXIS / 2, scale.left - 4);
}

/** Where trace is not continuous. */
function drawGaps(pen, gaps, scale, width, height) {
  pen.strokeStyle = css(colour('lost'));
  pen.lineWidth = 1.5;
  pen.setLineDash([4, 3]);
  let before = -1;
  for (const gap of gaps) {
    const x = Math.round(scale.x(gap));
    if (x < scale.left || x > width || x === before) continue;
    before = x;
    pen.beginPath();
    pen.moveTo(x + 0.5, 0);
    pen.lineTo(x + 0.5, height);
    pen.stroke();
  }
  pen.setLineDash([]);
}

/** Lets a picture over time be zoomed by Ctrl and wheel, and dragged. on() says if it is one now. */
function movable(canvas, on) {
  const scale = () => scaleOf(view.time, margin(canvas.clientWidth), canvas.clientWidth);
  canvas.addEventListener('wheel', event => {
    if (!event.ctrlKey || !on()) return;
    event.preventDefault();
    zoomTime(1.25 ** (event.deltaY / 100), scale().value(event.offsetX));
  }, {passive: false});
  let drag = null;
  canvas.addEventListener('pointerdown', event => {
    if (on()) drag = {x: event.clientX, from: view.time.from, moved: false};
  });
  canvas.addEventListener('pointermove', event => {
    if (!drag || (event.buttons & 1) === 0) return;
    const by = event.clientX - drag.x;
    if (!drag.moved && Math.abs(by) < 4) return;
    if (!drag.moved) canvas.setPointerCapture(event.pointerId);
    drag.moved = true;
    const wide = view.time.to - view.time.from;
    const from = drag.from - by / scale().each;
    setTime(from, from + wide);
  });
  // A click that ends a drag chooses nothing.
  canvas.addEventListener('click', event => {
    if (drag?.moved) event.stopImmediatePropagation();
    drag = null;
  }, {capture: true});
}

function zoomTime(factor, around = (view.time.from + view.time.to) / 2) {
  const {from, to} = view.time;
  setTime(around - (around - from) * factor, around + (to - around) * factor);
}

// ---- time: the flame graph ----

/** Merged: all call trees added up. In time order: what one source did, on the axis of the lanes. */
function drawFlame(place, data) {
  const times = data.times ?? [];
  if (times[0]) moveWindow(view.time, times[0].length, 0, times[0].length);
  const modes = [data.flame && 'merged', times.length > 0 && 'in time order'].filter(Boolean);
  if (modes.length === 0) return;
  const flame = {
    mode: modes[0], unit: data.flame?.cycles ? 'cycles' : 'instructions', text: '', shape: null, chosen: -1,
    live: make('p', {class: 'live', 'aria-live': 'polite'}),
    figures: figures('flame graph'),
    steps: timeSteps(),
    deep: soft(),
  };
  const change = () => {
    setShape(flame, data);
    flame.picture.again();
  };
  const set = key => value => {
    flame[key] = value;
    change();
  };
  flame.modes = choice('Flame graph', modes, flame.mode, set('mode'));
  flame.units = choice('Unit', ['cycles', 'instructions'], flame.unit, set('unit'));
  const search = make('input', {type: 'search', placeholder: 'name', autocomplete: 'off', spellcheck: 'false'});
  search.addEventListener('input', () => {
    flame.text = search.value.toLowerCase();
    flame.picture.again();
    flame.live.textContent = searched(flame);
  });
  const all = button('Reset zoom', {}, () => zoomFlame(flame, -1));
  const box = make('div', {class: 'deep'});
  place.append(caption(flame.modes, flame.units, sourceSelect(times), labelled('Search', search), flame.steps, all), box, flame.live);
  setShape(flame, data);
  flame.picture = picture(box, {
    role: 'application', tabindex: '0', 'aria-roledescription': 'flame graph',
    'aria-label': 'Flame graph: arrow keys choose a frame, Enter zooms to it, Escape shows all',
  }, () => flame.shape.top + flame.shape.rows * FRAME + 2, (pen, width, height) => paintFlame(pen, flame, width, height));
  listen(flame);
  place.append(make('p', {class: 'soft'}, 'Click a frame to zoom; arrow keys, Enter and Escape do the same. In time order, Ctrl and wheel zoom, and dragging moves.'), flame.deep, flame.figures);
  view.time.pictures.push(() => flame.mode !== 'merged' && flame.picture.again());
  view.time.changed.push(change);
  view.showTime = (index, start, took) => {
    flame.mode = 'in time order';
    flame.modes.press(flame.mode);
    setSource(index);
    setTime(start - took * 1.5, start + took * 2.5);
    document.getElementById('time').scrollIntoView();
    flame.picture.canvas.focus({preventScroll: true});
  };
}

function timeSteps() {
  const pan = share => {
    const by = share * (view.time.to - view.time.from);
    setTime(view.time.from + by, view.time.to + by);
  };
  const step = (sign, name, act) => button(sign, {'aria-label': name}, act);
  return make('span', {role: 'group', class: 'choice', 'aria-label': 'Window of the time'},
    step('+', 'zoom in', () => zoomTime(0.5)), step('−', 'zoom out', () => zoomTime(2)), step('◂', 'earlier', () => pan(-0.5)), step('▸', 'later', () => pan(0.5)));
}

/** Chooses the source that the pictures over time are of; hidden if there is one. */
function sourceSelect(times) {
  const select = make('select');
  times.forEach((time, i) => select.append(make('option', {value: i}, cut(time.name, 60))));
  select.addEventListener('change', () => setSource(Number(select.value)));
  view.time.changed.push(() => { select.value = view.time.index; });
  const label = labelled('Source', select);
  label.hidden = times.length < 2;
  return label;
}

function setSource(index) {
  const {length} = view.data.times[index];
  view.time.index = index;
  moveWindow(view.time, length, 0, length);
  for (const change of view.time.changed) change();
}

function setShape(flame, data) {
  const merged = flame.mode === 'merged';
  flame.shape = merged ? mergedShape(data.flame, data.flame[flame.unit], flame.unit) : orderedShape(data.times[view.time.index]);
  flame.chosen = -1;
  flame.units.hidden = !merged || !data.flame.cycles;
  flame.steps.hidden = merged;
  flame.deep.textContent = largest(flame.shape.depth) >= DEEP ? `Frames over ${DEEP} others are not drawn.` : '';
  flame.live.textContent = searched(flame);
  showShape(flame.figures, flame.shape);
}

function showShape(fold, shape) {
  const {frames, frame, depth, start, took, own, calls, length, unit, order} = shape;
  const name = words('frame', i => frames.name[frame[i]]);
  const share = shareOf(i => took[i], length);
  const columns = own
    ? [name, number(`${unit}, with callees`, i => took[i]), share, number(`own ${unit}`, i => own[i]), number('calls', i => calls[i]), number('depth', i => depth[i])]
    : [name, number(`start, ${unit}`, i => start[i]), number(unit, i => took[i]), share, number('depth', i => depth[i])];
  fold.show(columns, took.length, own ? 1 : -1, order);
}

function paintFlame(pen, {shape, text, chosen}, width, height) {
  const {frames, frame, depth, start, took, window, top} = shape;
  const scale = scaleOf(window, shape.left(width), width);
  if (top > 0) drawAxis(pen, window, scale, width, height, shape.unit);
  const found = text ? matches(frames, text) : null;
  const drawn = new Uint8Array(shape.rows * (width + 1)); // pixels of frames too thin to be seen: one of them each
  for (let i = 0; i < took.length; i++) {
    if (start[i] >= window.to || start[i] + took[i] <= window.from || depth[i] >= shape.rows) continue;
    const from = Math.max(scale.x(start[i]), scale.left);
    let wide = Math.min(scale.x(start[i] + took[i]), width) - from;
    if (wide < 1) {
      const pixel = depth[i] * (width + 1) + Math.floor(from);
      if (drawn[pixel]) continue;
      drawn[pixel] = 1;
      wide = 1;
    }
    let rgb = frameColour(frames, frame[i]);
    if (found) rgb = found[frame[i]] ? colour('covered') : mixed(rgb, colour('page'), 0.7);
    pen.fillStyle = css(rgb);
    const y = top + depth[i] * FRAME;
    pen.fillRect(from, y, wide > 3 ? wide - 0.6 : wide, FRAME - 1);
    if (wide > 20) {
      pen.fillStyle = inkOn(rgb);
      write(pen, frames.name[frame[i]], from + 3, y + FRAME / 2, wide - 5);
    }
    if (i === chosen) outline(pen, from, y, wide);
  }
  drawGaps(pen, shape.gaps, scale, width, height);
}

function outline(pen, x, y, wide) {
  pen.strokeStyle = css(colour('ink'));
  pen.lineWidth = 2;
  pen.strokeRect(x + 1, y + 1, Math.max(wide - 2, 1), FRAME - 3);
}

/** Warm for functions, by name, so that one has one colour everywhere; calm for tasks. */
function frameColour(frames, f) {
  const kind = frames.kind[f];
  if (kind > 0) return colour(['', 'task', 'exception', 'unseen'][kind]);
  const name = frames.name[f];
  let hash = 0;
  for (let i = 0; i < name.length && i < 120; i++) hash = (Math.imul(hash, 31) + name.charCodeAt(i)) >>> 0;
  const dark = inkOn(colour('page')) === '#fff';
  return fromHue(16 + hash % 38, 0.75, (dark ? 0.3 : 0.6) + (hash % 13) / 130);
}

/** For each frame, 1 if its name has the text. */
function matches(frames, text) {
  return Uint8Array.from(frames.name, name => (name.toLowerCase().includes(text) ? 1 : 0));
}

/** What is found, and its share of the whole: a frame within a found one counts once. */
function searched({shape, text}) {
  if (text === '') return '';
  const found = matches(shape.frames, text);
  const {start, took, depth, frame} = shape;
  const hits = Array.from(took.keys()).filter(i => found[frame[i]]).sort((a, b) => start[a] - start[b] || depth[a] - depth[b]);
  const count = hits.length;
  let [sum, until] = [0, -1];
  for (const i of hits) {
    if (start[i] < until) continue;
    sum += took[i];
    until = start[i] + took[i];
  }
  if (count === 0) return `No frame has “${cut(text, 60)}” in its name.`;
  return `${counted(count, 'frame')} with “${cut(text, 60)}”: ${percent(sum, shape.length)} % of ${thousands(shape.length)} ${shape.unit}.`;
}

/** Zooms to a frame, -1 to all of them. */
function zoomFlame(flame, i) {
  const {shape} = flame;
  flame.chosen = i;
  const [from, to] = i < 0 ? [0, shape.length] : [shape.start[i], shape.start[i] + shape.took[i]];
  if (shape.window === view.time) setTime(from, to);
  else moveWindow(shape.window, shape.length, from, to);
  tell(flame, i);
  flame.picture.again();
}

/** Says what a frame is, and leads to its source. */
function tell({live, shape}, i) {
  live.replaceChildren();
  if (i < 0) return;
  const {frames, frame, start, took, own, calls, length, unit} = shape;
  const f = frames.function[frame[i]] ?? -1;
  const about = [`${thousands(took[i])} ${unit}, ${percent(took[i], length)} %`];
  if (own) about.push(`own ${thousands(own[i])}`, `${thousands(calls[i])} ${calls[i] === 1 ? 'call' : 'calls'}`);
  else about.push(`from ${thousands(start[i])} on`);
  const name = frames.name[frame[i]];
  const {file, line} = view.data.functions;
  live.append(f >= 0 ? leading(name, name, file[f], line[f]) : named(name), `: ${about.join(', ')}.`);
}

function listen(flame) {
  const {canvas} = flame.picture;
  movable(canvas, () => flame.mode !== 'merged');
  canvas.addEventListener('click', event => {
    const i = frameAt(flame.shape, canvas, event);
    if (i >= 0) zoomFlame(flame, i);
  });
  canvas.addEventListener('dblclick', () => zoomFlame(flame, -1));
  canvas.addEventListener('pointermove', event => {
    const {frames, frame, took, unit} = flame.shape;
    const i = event.buttons ? -1 : frameAt(flame.shape, canvas, event);
    canvas.setAttribute('title', i < 0 ? '' : `${cut(frames.name[frame[i]], 300)}: ${thousands(took[i])} ${unit}`);
  });
  canvas.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape') zoomFlame(flame, -1);
    else if (event.key === 'Enter' && flame.chosen >= 0) zoomFlame(flame, flame.chosen);
    else if (event.key.startsWith('Arrow')) chooseFrame(flame, canvas, event.key);
    else return;
    event.preventDefault();
  });
}

function frameAt({depth, start, took, window, left, top}, canvas, event) {
  const at = scaleOf(window, left(canvas.clientWidth), canvas.clientWidth).value(event.offsetX);
  const row = Math.floor((event.offsetY - top) / FRAME);
  for (let i = 0; i < took.length; i++) {
    if (depth[i] === row && start[i] <= at && at < start[i] + took[i]) return i;
  }
  return -1;
}

/** Moves the choice by an arrow key, among frames that are at least a pixel wide. */
function chooseFrame(flame, canvas, key) {
  const {depth, start, took, window, left} = flame.shape;
  const least = 1 / scaleOf(window, left(canvas.clientWidth), canvas.clientWidth).each;
  const now = flame.chosen;
  const [row, from, to] = now < 0 ? [0, window.from, window.to] : [depth[now] + (key === 'ArrowDown') - (key === 'ArrowUp'), start[now], start[now] + took[now]];
  let best = -1;
  for (let i = 0; i < took.length; i++) {
    const [first, end] = [start[i], start[i] + took[i]];
    if (depth[i] !== row || took[i] < least || first >= window.to || end <= window.from) continue;
    if (now < 0 ? first >= start[best] : key === 'ArrowLeft' ? first >= from || first <= start[best] : key === 'ArrowRight' ? first <= from || first >= start[best]
      : first >= to || end <= from || first >= start[best]) continue;
    best = i;
  }
  if (best < 0) return;
  flame.chosen = best;
  tell(flame, best);
  flame.picture.again();
}

// ---- time: lanes and growth ----

const LANE = 22;

/** When each task ran and each exception was handled, on the axis of the flame graph in time order. */
function drawLanes(place, data) {
  if (!data.times?.length) return;
  let lanes = [];
  const title = make('strong');
  overTime(place, 'lanes', caption(title), () => AXIS + Math.max(lanes.length, 1) * LANE + 2, (fold, time) => {
    lanes = (time.lanes ?? []).map(lane => ({...lane, start: sums(lane.start), took: lane.took ?? []}));
    title.textContent = `Tasks and exceptions over ${time.unit}`;
    showLanes(fold, lanes, time);
  }, (pen, scale, width) => paintLanes(pen, lanes, scale, width));
}

/**
 * A canvas over the window of the time, with axis, gaps and a fold-out of its figures. change(fold,
 * time) is called when another source is chosen, draw(pen, scale, width, height) to draw.
 */
function overTime(place, name, head, height, change, draw) {
  const time = () => view.data.times[view.time.index];
  const fold = figures(name);
  change(fold, time());
  const box = make('div', {class: 'deep', role: 'region', tabindex: '0', 'aria-label': name});
  place.append(head, box, fold);
  const {canvas, again} = picture(box, {'aria-label': `${head.textContent} The same figures are in the table below.`}, height, (pen, width, tall) => {
    const scale = scaleOf(view.time, margin(width), width);
    drawAxis(pen, view.time, scale, width, tall, time().unit);
    draw(pen, scale, width, tall);
    drawGaps(pen, time().gaps ?? [], scale, width, tall);
  });
  canvas.addEventListener('dblclick', () => setTime(0, time().length));
  movable(canvas, () => true);
  view.time.pictures.push(again);
  view.time.changed.push(() => {
    change(fold, time());
    again();
  });
}

function paintLanes(pen, lanes, scale, width) {
  lanes.forEach((lane, row) => {
    const y = AXIS + row * LANE;
    pen.fillStyle = css(colour('ink'));
    write(pen, lane.name, 4, y + LANE / 2, scale.left - 8);
    pen.fillStyle = css(colour(lane.exception ? 'exception' : 'task'));
    let drawn = -1;
    for (let i = 0; i < lane.start.length; i++) {
      const from = Math.max(scale.x(lane.start[i]), scale.left);
      const to = Math.min(scale.x(lane.start[i] + lane.took[i]), width);
      if (to < scale.left || from > width || to <= drawn) continue;
      drawn = Math.max(to, from + 1.2);
      pen.fillRect(from, y + 3, drawn - from, LANE - 6);
    }
  });
}

function showLanes(fold, lanes, {length, unit}) {
  fold.show([
    words('lane', i => lanes[i].name),
    words('of', i => (lanes[i].exception ? 'exceptions' : 'a task')),
    number('turns or entries', i => lanes[i].turns),
    number(unit, i => lanes[i].all),
    shareOf(i => lanes[i].all, length),
  ], lanes.length);
}

/** New instructions over the trace, as steps: was the trace long enough? */
function drawGrowth(place, data) {
  if (!data.times?.some(time => time.growth?.at?.length)) return;
  let [at, count] = [[], []];
  const said = soft();
  overTime(place, 'growth', caption(make('strong', {}, 'Was the trace long enough?'), said), () => AXIS + 90, (fold, {growth, unit, length}) => {
    at = sums(growth?.at);
    count = growth?.count ?? [];
    const last = at.length - 1;
    said.textContent = last < 0 ? '' : `${counted(count[last], 'instruction')} seen; last new one at ${thousands(at[last])} of ${thousands(length)} ${unit}.`;
    fold.show([number(`at, ${unit}`, i => at[i]), number('instructions seen', i => count[i])], at.length);
  }, (pen, scale, width, height) => paintGrowth(pen, at, count, scale, width, height));
}

function paintGrowth(pen, at, count, scale, width, height) {
  const most = Math.max(largest(count), 1);
  const y = n => height - 4 - n / most * (height - AXIS - 10);
  pen.fillStyle = css(colour('soft'));
  pen.textAlign = 'right';
  for (const n of [0, most]) pen.fillText(thousands(n), scale.left - 6, Math.min(y(n), height - 7));
  pen.strokeStyle = css(colour('line'));
  pen.strokeRect(scale.left, y(0), width, 0);
  pen.save();
  pen.beginPath();
  pen.rect(scale.left, 0, width, height);
  pen.clip();
  pen.beginPath();
  pen.moveTo(scale.x(0), y(0));
  for (let i = 0; i < at.length; i++) {
    pen.lineTo(scale.x(at[i]), y(count[i - 1] ?? 0));
    pen.lineTo(scale.x(at[i]), y(count[i]));
  }
  pen.lineTo(Math.max(width, scale.x(view.data.times[view.time.index].length)), y(count[count.length - 1]));
  pen.strokeStyle = css(colour('covered'));
  pen.lineWidth = 2;
  pen.stroke();
  pen.restore();
}

// ---- exceptions ----

/** A table of the types, and a picture of the durations of each: dots for few, else a histogram. */
function drawDurations(place, data) {
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
  if (index < 0 || !view.showTime) return '–';
  return button('show', {class: 'link', 'aria-label': `show the longest ${cut(exceptions.name[i])}`}, () => view.showTime(index, start, took));
}

const CHARTS = 60; // of exceptions, those entered most often
const CHART = {width: 360, height: 110, left: 10, right: 350, base: 76};

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
