// Where the instructions that the page has are on the axis of the time. They are in windows: the
// detail of data.times says where these begin and end.

import {sums, view} from './model.js';

/** The key of the instruction at a point of the time; '': the page has none there. */
export function instructionAt(index, at) {
  const detail = view.data.times[index]?.detail;
  const w = detail?.seq.findIndex((_, w) => detail.from[w] >= 0 && detail.from[w] <= at && at <= detail.until[w]) ?? -1;
  if (w < 0) return '';
  const places = placesOf(detail, w);
  const i = places.findLastIndex(place => place <= at);
  return `${index}:${detail.seq[w] + Math.max(i, 0)}`;
}

/** Where the instructions of a window are on the axis: by their cycles, else evenly. */
export function placesOf(detail, w) {
  const [first, count] = [firstOf(detail, w), detail.count[w]];
  const steps = Array.from({length: count}, (_, i) => Math.max(detail.cycles[first + i], 0));
  const total = steps.reduce((a, b) => a + b, 0);
  const each = total > 0 ? steps : steps.fill(1);
  const scale = (detail.until[w] - detail.from[w]) / (total || count || 1);
  let at = detail.from[w];
  return each.map(n => {
    const place = at;
    at += n * scale;
    return place;
  });
}

/** The index of the first instruction of a window. */
export function firstOf(detail, w) {
  return w === 0 ? 0 : sums(detail.count)[w - 1];
}
