// The first module that runs: it reads the data and draws every part of the page that is there.

import {drawSoon, readColours, safely} from './canvas.js';
import {drawDurations} from './exceptions.js';
import {drawFlame} from './flame.js';
import {drawTable} from './functions.js';
import {drawInstructions} from './instructions.js';
import {drawGrowth, drawLanes} from './lanes.js';
import {drawMap} from './map.js';
import {readData, view} from './model.js';
import {drawRange} from './range.js';
import {drawSearch} from './search.js';
import {drawSource} from './source.js';
import {followState} from './url.js';

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

/** Draws every part of the page that is there. What fails says so in its place, and hides nothing else. */
function drawAll(data) {
  readColours();
  if (document.getElementById('lines')) (data.source?.files ?? []).forEach((file, i) => view.sources.set(file.file, i));
  for (const [id, draw] of [
    ['search', drawSearch], ['map', drawMap], ['table', drawTable], ['lines', drawSource],
    ['flame', drawFlame], ['lanes', drawLanes], ['range', drawRange], ['instructions', drawInstructions], ['growth', drawGrowth], ['durations', drawDurations],
  ]) {
    const place = document.getElementById(id);
    if (place) safely(place, () => draw(place, data));
  }
  follow();
  followState();
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
