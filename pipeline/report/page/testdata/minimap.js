// Uses the minimap of the page, from a window each, and returns the windows that result, in shares of the whole.
const painted = async () => { for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame); };
const canvas = document.querySelector(".minimap canvas");
canvas.setPointerCapture = () => {};
const {length} = view.data.times[0];
const left = Math.round(Math.min(150, canvas.clientWidth * 0.24));
const x = share => canvas.getBoundingClientRect().x + left + share * (canvas.clientWidth - left);
const point = (type, share, pointerId = 1) => canvas.dispatchEvent(new PointerEvent(type, {bubbles: true, pointerId, clientX: x(share), clientY: canvas.getBoundingClientRect().y + 30}));
const drag = (from, to) => { point("pointerdown", from); point("pointermove", (from + to) / 2); point("pointermove", to); point("pointerup", to); };
const press = key => canvas.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
const wheel = (share, deltaY) => canvas.dispatchEvent(new WheelEvent("wheel", {bubbles: true, cancelable: true, clientX: x(share), deltaY}));
const lanes = document.querySelector("#lanes .deep canvas");
lanes.setPointerCapture = () => {};
const finger = (type, share, pointerId) => lanes.dispatchEvent(new PointerEvent(type, {bubbles: true, buttons: 1, pointerId, clientX: x(share), clientY: lanes.getBoundingClientRect().y + 30}));
const found = {};
const use = async (name, act) => {
  press("Home");
  drag(0.4, 0.6); // of the whole, this chooses the window
  act();
  await painted();
  found[name] = [view.time.from / length, view.time.to / length];
};
await use("choose", () => {});
await use("move", () => drag(0.5, 0.7));
await use("edge", () => drag(0.6, 0.8));
await use("beside", () => drag(0.2, 0.2));
await use("wheel", () => { wheel(0.4, -300); wheel(0.4, 100); });
await use("two fingers", () => { point("pointerdown", 0.3, 1); point("pointerdown", 0.5, 2); point("pointermove", 0.9, 2); point("pointerup", 0.9, 2); point("pointerup", 0.3, 1); });
await use("D", () => press("d"));
await use("left", () => press("ArrowLeft"));
await use("W", () => press("w"));
await use("Home", () => press("Home"));
// In the lanes what two fingers are on stays under them.
await use("pinch", () => { finger("pointerdown", 0.5, 1); finger("pointerdown", 1, 2); finger("pointermove", 0.75, 2); finger("pointerup", 0.75, 2); finger("pointerup", 0.5, 1); });
return {Windows: found, Now: canvas.getAttribute("aria-valuenow") / length, Said: canvas.getAttribute("aria-valuetext"), Tab: canvas.tabIndex, From: view.time.from / length};
