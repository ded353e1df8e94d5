// What ran in a range of the time, exactly: from the ledger of data.times, which adds up what ran
// between edges. These are instructions whose time is known: where calls, exceptions and turns of
// tasks begin and end, all of them or, of a long trace, some. A range goes from one edge to another.

import {sums, view} from './model.js';

const ledgers = new Map(); // by index of data.times

function ledgerOf(index) {
  if (!ledgers.has(index)) {
    const ledger = view.data.times[index].ledger ?? {};
    ledgers.set(index, {...ledger, at: sums(ledger.at), seq: sums(ledger.seq), first: sums(ledger.count)});
  }
  return ledgers.get(index);
}

/** The range between the edges nearest to two points of the time: a bucket at least. */
export function snapped(index, from, to) {
  const {at} = ledgerOf(index);
  const last = at.length - 1;
  if (last < 1) return {index, from: Math.round(from), to: Math.round(to)};
  let [first, end] = [nearest(at, from), nearest(at, to)];
  if (first === end) {
    if (first === last || first > 0 && (from + to) / 2 < at[first]) first--;
    else end++;
  }
  return {index, from: at[first], to: at[end]};
}

function nearest(list, value) {
  const i = lastAt(list, value);
  return i + 1 < list.length && list[i + 1] - value < value - list[i] ? i + 1 : i;
}

/** The index of the last element of an ascending list that is not above a value; 0 if all are. */
function lastAt(list, value) {
  let [low, high] = [0, list.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (list[middle] <= value) low = middle;
    else high = middle;
  }
  return low;
}

/**
 * What ran between two edges: how many instructions, and what tasks, exceptions and functions by themselves took,
 * each a map from a frame to {took, entries}. Frame -1 of the tasks is what was not traced.
 */
export function ranBetween({index, from, to}) {
  const {at, seq, first, count, doer, took, entries, task, exception, function: of} = ledgerOf(index);
  const [begin, end] = [lastAt(at, from), lastAt(at, to)];
  const [tasks, exceptions, functions] = [new Map(), new Map(), new Map()];
  const add = (map, frame, took, entries) => {
    const sum = map.get(frame) ?? map.set(frame, {took: 0, entries: 0}).get(frame);
    sum.took += took;
    sum.entries += entries;
  };
  for (let bucket = begin; bucket < end; bucket++) {
    let d = 0;
    for (let i = first[bucket] - count[bucket]; i < first[bucket]; i++) {
      d += doer[i];
      add(tasks, task[d], took[i], 0);
      if (exception[d] >= 0) add(exceptions, exception[d], took[i], entries[i]);
      if (of[d] >= 0) add(functions, of[d], took[i], 0);
    }
  }
  return {instructions: seq[end] - seq[begin], tasks, exceptions, functions};
}
