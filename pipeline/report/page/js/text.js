// Numbers and names as the page writes them: thousands with commas, percentages as
// decode/figures.PercentTo rounds them, long names cut in the middle.

const commas = new Intl.NumberFormat('en-US');

/** 1234567 as "1,234,567"; -1 is that there is none. */
export function thousands(n) {
  return n < 0 ? '–' : commas.format(n);
}

/** A difference with its sign: "+12", "−3"; nothing of 0. */
export function signed(n, text = commas.format(Math.abs(n))) {
  return n === 0 ? text : `${n > 0 ? '+' : '−'}${text}`;
}

/** A difference in percentage points: "+3.1". */
export function points(change) {
  const tenths = Math.sign(change) * Math.round(Math.abs(change) * 10);
  return signed(tenths, (Math.abs(tenths) / 10).toFixed(1));
}

const figures4 = new Intl.NumberFormat('en-US', {maximumSignificantDigits: 4});

/** A time: "1.234 ms". */
export function seconds(time) {
  const [unit, each] = [['s', 1], ['ms', 1e-3], ['µs', 1e-6]].find(([, each]) => time >= each) ?? ['ns', 1e-9];
  return `${figures4.format(time / each)} ${unit}`;
}

/** "1 time", "2 times". */
export function counted(n, noun) {
  return `${thousands(n)} ${n === 1 ? noun : `${noun}s`}`;
}

/**
 * n of all in percent, as decode/figures.PercentTo writes it: rounded, halves to even; 100 only
 * if n is all, 0 only if n is nothing; "< 0.1" below a tenth.
 */
export function percent(n, of, decimals = 1) {
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
export function withSign(text) {
  return text === '' ? '–' : `${text} %`;
}

/** A name that is cut in the middle where it is long; characters stay whole. */
export function cut(name, most = 120) {
  if (name.length <= most) return name;
  const letters = Array.from(name);
  const half = Math.floor((most - 1) / 2);
  return letters.length <= most ? name : `${letters.slice(0, half).join('')}…${letters.slice(letters.length - half).join('')}`;
}

/** The last two parts of a path. */
export function shortPath(path) {
  return path.split('/').slice(-2).join('/');
}

export function baseName(path) {
  return path.slice(path.lastIndexOf('/') + 1);
}
