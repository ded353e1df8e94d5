// What happens when somebody uses the page: the module's variables are open to this script.
const find = selector => document.querySelector(selector) ?? fail(`there is no ${selector}`);
const fail = text => { throw new Error(text); };
const text = e => (e?.innerText ?? "").replaceAll("\u00a0", " ").trim();
const rows = selector => [...document.querySelectorAll(selector + " tbody tr")].filter(r => r.offsetParent).map(r => [...r.cells].map(text));
const press = (selector, name) => {
  const named = b => b.textContent.replace(/[ ▾▴]+$/, "") === name || b.getAttribute("aria-label") === name;
  ([...find(selector).querySelectorAll("button")].find(named) ?? fail(`${selector} has no button ${name}`)).click();
};
const enter = (selector, value, event) => {
  const field = find(selector);
  field.value = value;
  field.dispatchEvent(new Event(event, {bubbles: true}));
};
const painted = async () => { for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame); };

// The table: sorted, filtered, in full, by file.
const table = {};
press("#table", "entries");
table.Down = rows("#table").slice(0, 3);
press("#table", "entries");
table.Up = rows("#table").slice(0, 1);
press("#table", "more");
table.All = rows("#table").length;
enter("#table input", "QUICK", "input");
table.Filtered = rows("#table");
enter("#table input", "", "input");
table.States = {};
for (const option of find("#table select").options) {
  enter("#table select", option.value, "change");
  table.States[option.value] = text(find("#table [role=status]"));
}
enter("#table select", "all", "change");
press("#table", "files");
table.ByFile = rows("#table");
press("#table", "functions");

// The map: a click in its middle shows in the table what is there, and nothing else; Escape clears that.
const map = find("#map canvas");
const area = map.getBoundingClientRect();
map.dispatchEvent(new MouseEvent("click", {bubbles: true, clientX: area.x + area.width / 8, clientY: area.y + area.height / 4}));
const clicked = {Only: text(find("#table .only")), Rows: rows("#table"), Hash: location.hash};
find("#table").dispatchEvent(new KeyboardEvent("keydown", {key: "Escape", bubbles: true}));
clicked.Cleared = text(find("#table [role=status]"));

// The name of a function leads to its line.
press("#table", "hot first");
press("#table", "quicksort");
const source = {File: text(find("#lines select").selectedOptions[0]), Marked: rows("#lines").filter((_, i) => [...document.querySelectorAll("#lines tbody tr")].filter(r => r.offsetParent)[i].matches(".marked"))};
source.Lines = rows("#lines");
press("#lines", "Instructions");
await painted();
source.WithCode = rows("#lines");
source.Hash = location.hash;
press("#lines", "Instructions");
source.Without = rows("#lines").length;

// The flame graph by keyboard.
const flame = find("#flame canvas");
flame.focus();
const keys = {Focused: document.activeElement === flame && flame.tabIndex === 0, Said: []};
for (const key of ["ArrowDown", "ArrowDown", "ArrowDown", "ArrowRight", "ArrowLeft", "ArrowUp", "Enter", "Escape"]) {
  flame.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
  await painted();
  keys.Said.push(`${key}: ${text(find("#flame [aria-live]"))}`);
}
enter("#flame input", "quicksort", "input");
keys.Said.push(`search: ${text(find("#flame [aria-live]"))}`);
enter("#flame input", "", "input");

// The longest exception of each type is shown in time order: how long are those of its lane in the window?
const durations = rows("#durations");
const worst = [];
const tookOf = lane => {
  const {from, to} = view.time;
  const took = [];
  let at = 0;
  lane.start.forEach((delta, i) => {
    at += delta;
    if (from <= at && at + lane.took[i] <= to) took.push(lane.took[i]);
  });
  return took;
};
for (const row of document.querySelectorAll("#durations tbody tr")) {
  row.querySelector("button").click();
  await painted();
  const lane = view.data.times[view.time.index].lanes.find(l => l.name === text(row.cells[0])) ?? fail(`no lane ${text(row.cells[0])}`);
  const shown = {Lane: lane.name, Pressed: [...document.querySelectorAll("#flame [aria-pressed=true]")].map(text), Took: tookOf(lane), Next: []};
  const [fold, others] = [row.querySelector(".fold"), row.querySelector(".others")];
  shown.Folded = others.hidden && fold.getAttribute("aria-expanded") === "false";
  fold.click();
  shown.Open = !others.hidden && fold.getAttribute("aria-expanded") === "true" && others.querySelector("button").offsetHeight > 0;
  for (const other of others.querySelectorAll("button")) {
    other.click();
    await painted();
    shown.Next.push({Said: text(other), Took: tookOf(lane)});
  }
  fold.click();
  shown.Folded &&= others.hidden;
  worst.push(shown);
}

return {Table: table, Clicked: clicked, Source: source, Keys: keys, Durations: durations, Worst: worst};
