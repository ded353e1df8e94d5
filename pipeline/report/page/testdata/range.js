// Drags over the lanes, from a share of the whole to another each, and returns what the page says of each range.
const text = e => (e?.innerText ?? "").replaceAll("\u00a0", " ").trim();
const painted = async () => { for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame); };
const lanes = document.querySelector("#lanes .deep canvas");
const left = Math.round(Math.min(150, lanes.clientWidth * 0.24));
lanes.setPointerCapture = () => {};
const over = (type, share, buttons) => {
  const area = lanes.getBoundingClientRect();
  lanes.dispatchEvent(new (type === "click" ? MouseEvent : PointerEvent)(type, {
    bubbles: true, buttons, clientX: area.x + left + share * (lanes.clientWidth - left), clientY: area.y + 60,
  }));
};
const {ledger} = view.data.times[0];
let sum = 0;
const edges = new Map();
const at = ledger.at.map(by => sum += by);
sum = 0;
ledger.seq.forEach((by, i) => edges.set(at[i], sum += by));
const found = [];
for (const [from, to] of shares) {
  over("pointerdown", from, 1);
  over("pointermove", to, 1);
  over("click", to, 0);
  await painted();
  document.querySelectorAll("#range button").forEach(b => b.textContent === "more" && b.click());
  const {range} = view.time;
  found.push({
    Hash: location.hash, From: range.from, To: range.to, Seq: edges.get(range.from), Until: edges.get(range.to),
    Said: text(document.querySelector("#range figcaption .soft")),
    Rows: [...document.querySelectorAll("#range tbody tr")].map(r => [...r.cells].map(text)),
  });
}
return found;
