// What a page shows, as it is when it is ready. Nothing is clicked before.
const all = selector => [...document.querySelectorAll(selector)];
const text = e => (e?.innerText ?? "").replaceAll("\u00a0", " ").trim();
const box = e => {
  const {x, y, width, height} = e.getBoundingClientRect();
  return {X: x + scrollX, Y: y + scrollY, Width: width, Height: height};
};
const rows = selector => all(selector + " tbody tr").filter(r => r.offsetParent).map(r => [...r.cells].map(text));
// The words that name an element to a screen reader.
const label = e => {
  const by = (e.getAttribute("aria-labelledby") ?? "").split(" ").filter(Boolean).map(id => text(document.getElementById(id)));
  return e.getAttribute("aria-label") ?? by.join(" ");
};
const violations = [];
if (typeof axe !== "undefined") {
  const found = await axe.run(document, {resultTypes: ["violations"]});
  for (const v of found.violations) for (const n of v.nodes) violations.push(`${v.id}: ${n.target}: ${n.failureSummary}`);
}
const sections = {};
// Also what is folded.
for (const s of all("main > section, #trust")) sections[s.id] = s.textContent;
const found = {
  Title: document.title,
  Verdict: text(document.querySelector(".verdict")),
  Sections: sections,
  Totals: rows("table.totals"),
  Table: rows("#table"),
  Scripts: all("script").length,
  Images: all("img").length,
  Nodes: all("*").length,
  Pwned: "pwned" in window,
  Overflow: document.documentElement.scrollWidth - innerWidth,
  Height: document.documentElement.scrollHeight,
  Canvases: all("canvas").map(e => ({
    In: e.closest("figure")?.id ?? "", Label: label(e), Box: box(e),
    // The table of the same figures is in the same figure.
    Rows: e.closest("figure")?.querySelectorAll("table tbody tr").length ?? 0,
  })),
  Violations: violations,
};
// The same table, the hottest first.
all("#table button").find(b => b.textContent === "hot first")?.click();
found.Hottest = rows("#table");
return found;
