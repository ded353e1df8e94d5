// What the page shows of the state in its address, and what Back, links and the search box lead to.
const text = e => (e?.innerText ?? "").replaceAll("\u00a0", " ").trim();
const painted = async () => { for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame); };
const shows = () => ({
  Hash: location.hash,
  Table: [...document.querySelectorAll("#table [aria-pressed=true]")].map(text).join(", "),
  Sorted: text(document.querySelector("#table th[aria-sort$=ending]")),
  Rows: [...document.querySelectorAll("#table tbody tr")].slice(0, 3).map(r => text(r.cells[0])),
  Line: text(document.querySelector("#lines .marked th")),
  Flame: text(document.querySelector("#flame [aria-label='Flame graph'] [aria-pressed=true]")),
  From: view.time.from, To: view.time.to,
  Marked: [...document.querySelectorAll("#instructions .marked > *")].map(text),
});
const found = {Opened: shows(), Links: {}};
for (const link of document.querySelectorAll("#first a")) {
  link.click();
  await painted();
  found.Links[text(link)] = shows();
}
history.back();
await new Promise(done => addEventListener("popstate", done, {once: true}));
found.Back = shows();
const box = document.querySelector("#search input");
found.Search = {};
for (const typed of ["quick", "script.c", "matrix_t", "0x40008028"]) {
  document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "/", bubbles: true, cancelable: true}));
  if (document.activeElement !== box) throw new Error("/ does not lead to the search box");
  box.value = typed;
  box.dispatchEvent(new Event("input", {bubbles: true}));
  const listed = [...document.querySelectorAll("#search .found button")].map(text);
  box.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", bubbles: true, cancelable: true}));
  await painted();
  found.Search[typed] = {...shows(), Listed: listed};
}
// Arrow keys step through instructions, and the source follows; a click in the lanes leads to those there.
document.querySelectorAll("#first a").forEach(link => text(link) === "show it" && link.click());
await painted();
const pane = document.querySelector("#instructions .executed");
found.Stepped = [shows()];
for (const key of ["ArrowDown", "ArrowDown", "ArrowUp"]) {
  pane.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
  found.Stepped.push(shows());
}
const lanes = document.querySelector("#lanes .deep canvas");
const area = lanes.getBoundingClientRect();
const left = Math.round(Math.min(150, lanes.clientWidth * 0.24));
const x = area.x + left + (view.time.mark - view.time.from) / (view.time.to - view.time.from) * (lanes.clientWidth - left);
lanes.dispatchEvent(new MouseEvent("click", {bubbles: true, clientX: x + 1, clientY: area.y + 40}));
await painted();
found.Stepped.push(shows());
// The rows that are saved are those of the table, all of them, with plain numbers.
const blobs = [];
URL.createObjectURL = blob => { blobs.push(blob); return "#saved"; };
document.querySelector("#table .after .link").click();
found.CSV = await blobs[0].text();
return found;
