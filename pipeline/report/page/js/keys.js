// What names a function, file, line or window of the time in the address of the page: its name, and
// more where others have the same one.

/** A function: its name, and its address where another has the same name. */
export function functionKey({functions: {name, address}}, i) {
  const own = name[i];
  return name.indexOf(own) === i && name.indexOf(own, i + 1) < 0 ? own : `${own}@${hex(address[i])}`;
}

/** The function that a key names; -1: none. */
export function functionOf({functions: {name = [], address}}, key) {
  const i = name.indexOf(key);
  if (i >= 0) return i;
  const at = key.lastIndexOf('@');
  return at < 0 ? -1 : name.findIndex((own, i) => own === key.slice(0, at) && hex(address[i]) === key.slice(at + 1));
}

/** A file: its path. */
export function fileKey({files}, i) {
  return files.path[i];
}

/** The file that a key names; -1: none. */
export function fileOf({files}, key) {
  return files?.path?.indexOf(key) ?? -1;
}

/** A line of a file. */
export function lineKey(data, file, line) {
  return `${fileKey(data, file)}:${line}`;
}

/** The file, -1 if there is none, and the line that a key names. */
export function lineOf(data, key) {
  const at = key.lastIndexOf(':');
  return [fileOf(data, key.slice(0, at)), Number(key.slice(at + 1)) || 0];
}

/** A window of the time of one of data.times. */
export function timeKey(index, from, to) {
  return `${index}:${Math.floor(Math.max(from, 0))}..${Math.ceil(to)}`;
}

/** The index, the beginning and the end of a window; null if the key names none. */
export function timeOf({times}, key) {
  const [index, from, to] = key.split(/:|\.\./).map(Number);
  return times?.[index] && from >= 0 && to > from ? [index, from, to] : null;
}

/** An address: from 2⁵³ on it is text already. */
export function hex(address) {
  const digits = address.toString(16);
  return address < 2 ** 53 ? `0x${digits.padStart(digits.length > 8 ? 16 : 8, '0')}` : address;
}
