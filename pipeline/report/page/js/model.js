// What the page is drawn from, and what it shows now.
//
// The data block holds what package page wrote: base64 of gzip of JSON. What each column is, and
// its unit, data.go says. Figures come from there; the modules lay them out, filter and sort them,
// and compute only shares of what somebody searches for or zooms to.
//
// Names, paths and source text are other people's. They become text nodes, or attributes by
// setAttribute, and are looked up in Maps. Lists may have a million elements: no list becomes
// the arguments of a call.

/** What the page shows now: its data, its colours, its pictures, and the window of the time. */
export const view = {
  data: null,
  colours: new Map(),
  pictures: [], // functions that draw a canvas again
  waiting: new Set(), // those of them that will, before the next frame of the screen
  sources: new Map(), // index of a file in data.files → index in data.source.files
  // Of data.times: pictures share the window, the mark at the chosen instruction, -1 if none is, and the range.
  time: {index: 0, from: 0, to: 0, mark: -1, range: null, pictures: [], changed: []},
  followLine: null, // (file, line): shows a line where the source is, set by the source
};

/** The data block: base64 of gzip of JSON. A page that has nothing to draw has none. */
export async function readData() {
  const text = document.getElementById('data')?.textContent.trim();
  if (!text) return null;
  const stream = new Blob([octets(text)]).stream().pipeThrough(new DecompressionStream('gzip'));
  const data = await new Response(stream).json();
  for (const {frames} of [data.flame, ...data.times ?? []].filter(Boolean)) nameFrames(frames, data.functions.name);
  return data;
}

/** Frames without a name have that of their function. */
function nameFrames(frames, names) {
  for (let i = 0; i < (frames.name?.length ?? 0); i++) if (frames.name[i] === '') frames.name[i] = names?.[frames.function[i]] ?? '';
}

/** Numbers that are each written as what it is more than the one before. */
export function sums(deltas) {
  const list = new Float64Array(deltas?.length ?? 0);
  let sum = 0;
  for (let i = 0; i < list.length; i++) list[i] = sum += deltas[i];
  return list;
}

/** A list of bytes, which Go writes as base64. */
export function octets(list) {
  if (typeof list !== 'string') return Uint8Array.from(list ?? []);
  const packed = atob(list);
  const bytes = new Uint8Array(packed.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = packed.charCodeAt(i);
  return bytes;
}

/** The lines of a source file that changed since the earlier run: line → instructions gained and lost. */
export function lineChanges({changes}) {
  return new Map(Array.from(sums(changes?.number), (line, i) => [line, [changes.gained[i], changes.lost[i]]]));
}

export function largest(list) {
  let most = 0;
  for (const n of list ?? []) if (n > most) most = n;
  return most;
}
