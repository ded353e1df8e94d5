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
// The rows that are saved are those of the table, all of them, with plain numbers.
const blobs = [];
URL.createObjectURL = blob => { blobs.push(blob); return "#saved"; };
document.querySelector("#table .after .link").click();
found.CSV = await blobs[0].text();
return found;
