// The state of the page is in its address: `#table=tasks&sort=own`. What is chosen, sorted,
// searched for and zoomed to is a key with a value, which the module that draws it sets and shows.
// So Reload, Back and a copied link show the same view. A link of the page changes the keys that
// it has and leaves the others.

const shows = new Map(); // by key: what shows a value of it, '' being none
let state = new Map();

/** Has show(value) called when the value of a key is another in the address. */
export function onState(key, show) {
  shows.set(key, show);
}

/** Writes values into the address; '' removes a key. A step is one that Back takes back. */
export function setState(changes, isStep = true) {
  for (const [key, value] of Object.entries(changes)) {
    state.delete(key);
    if (value !== '') state.set(key, String(value));
  }
  const hash = `#${Array.from(state, ([key, value]) => `${key}=${encodeURIComponent(value)}`).join('&')}`;
  if (hash === (location.hash || '#')) return;
  if (isStep) history.pushState(null, '', hash);
  else history.replaceState(null, '', hash);
}

/** Changes values, and shows those that are others now. */
export function goTo(changes) {
  setState(changes);
  for (const key of shows.keys()) if (key in changes) shows.get(key)(changes[key]);
}

/** Shows the state that the address has, and from now on what links and Back lead to. */
export function followState() {
  addEventListener('popstate', show);
  document.addEventListener('click', event => {
    const href = event.target.closest?.('a[href^="#"]')?.getAttribute('href');
    if (!href || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    goTo(Object.fromEntries(parse(href)));
  });
  onState('at', id => document.getElementById(id)?.scrollIntoView());
  show();
}

function show() {
  const before = state;
  state = parse(location.hash);
  for (const [key, show] of shows) {
    const value = state.get(key) ?? '';
    if (value !== (before.get(key) ?? '')) show(value);
  }
}

/** The keys and values of an address. A name without a value is that of a section. */
function parse(hash) {
  const text = hash.slice(1);
  if (text === '') return new Map();
  if (!text.includes('=')) return new Map([['at', text]]);
  return new Map(text.split('&').map(part => {
    const [key, value = ''] = part.split(/=(.*)/s);
    return [key, decoded(value)];
  }));
}

/** What encodeURIComponent made of a value; what it cannot have made stays. */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
