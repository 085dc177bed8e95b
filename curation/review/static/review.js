// A contact sheet: rows of one group in a grid of which only what is in sight exists. Texts are never set as markup.
"use strict";

const $ = (query) => document.querySelector(query);
const scroller = $("#scroller"), room = $("#room"), zoom = $("#zoom"), help = $("#help");
const HIGH = 236, AHEAD = 1; // pixels of a row of tiles; screens of tiles that exist beyond those in sight
const tiles = new Map(); // index -> tile
const given = []; // verdicts of this visit, for undo
let step = "", sheet = {groups: [], said: {}, words: [], about: ""};
let views = [], view = 0, at = 0, columns = 1, wide = 0; // groups, the open one, the row in it, tiles in a line

const plain = (text) => text.replaceAll("_", " ").replaceAll("-", " ");
const many = (number) => number.toLocaleString("en");
const rows = () => views[view]?.rows ?? [];
const word = (row) => row && row.photo in sheet.said ? (sheet.said[row.photo] ? "keep" : "drop") : "";

function make(name, props = {}, ...children) {
  const made = Object.assign(document.createElement(name), props);
  made.append(...children);
  return made;
}

// pictures -----------------------------------------------------------------------------------------------------

function picture(kind, photo, name, box, boxes = [], faces = []) {
  const caption = name ? [make("figcaption", {textContent: name})] : [];
  if (!photo) return make("figure", {}, make("span", {className: "none", textContent: "no picture"}), ...caption);
  const image = make("img", {alt: "", decoding: "async", draggable: false});
  const shot = make("span", {className: "shot"}, image);
  image.onload = () => shot.classList.add("ready");
  image.onerror = () => shot.replaceWith(make("span", {className: "none", textContent: "no picture that can be shown"}));
  image.src = `/${kind}/${photo}` + (box ? "/" + box.join(",") : "");
  for (const [x0, y0, x1, y1, label, kept] of [...boxes, ...faces.map((face) => [...face, "face"])]) {
    const look = kept === "face" ? "box face" : kept ? "box" : "box lost";
    const drawn = make("span", {className: look}, make("b", {textContent: label}));
    const share = (value) => value * 100 + "%";
    Object.assign(drawn.style, {left: share(x0), top: share(y0), width: share(x1 - x0), height: share(y1 - y0)});
    shot.append(drawn);
  }
  return make("figure", {}, shot, ...caption);
}
function pictures(kind, row) {
  const beside = row.beside ?? [];
  const own = picture(kind, row.photo, beside.length ? "this one" : "", row.box, row.boxes, row.faces);
  return [own, ...beside.map((other) => picture(kind, other.photo, other.name, other.box))];
}

// the grid -----------------------------------------------------------------------------------------------------

function tile(index) {
  const row = rows()[index], facts = row.facts.length ? row.facts : [row.id.slice(0, 16)];
  const lines = [facts[0], facts.slice(1).join(", ")].map((text) => make("span", {textContent: text}));
  const told = make("div", {className: "facts", title: facts.join("\n")}, ...lines);
  const card = make("div", {className: "card"}, make("div", {className: "pictures"}, ...pictures("thumb", row)), told);
  const made = make("div", {id: "t" + index, onclick: () => { index === at ? enlarge() : select(index); }}, card);
  made.setAttribute("role", "option");
  made.setAttribute("aria-setsize", rows().length);
  made.setAttribute("aria-posinset", index + 1);
  const [left, top] = [index % columns * wide, Math.floor(index / columns) * HIGH];
  Object.assign(made.style, {width: wide + "px", height: HIGH + "px", left: left + "px", top: top + "px"});
  return made;
}
function paint(index) {
  const made = tiles.get(index);
  if (!made) return;
  const row = rows()[index], said = word(row);
  made.className = "tile " + said;
  made.setAttribute("aria-selected", index === at);
  made.setAttribute("aria-description", plain(views[view].reason));
  made.querySelector(".card > .word")?.remove();
  if (said) made.firstChild.append(make("span", {className: "word", textContent: said}));
}
function draw() {
  const height = scroller.clientHeight, count = rows().length;
  const first = Math.max(0, Math.floor((scroller.scrollTop - AHEAD * height / 2) / HIGH)) * columns;
  const last = Math.min(count, Math.ceil((scroller.scrollTop + (1 + AHEAD) * height) / HIGH) * columns);
  for (const [index, made] of tiles) if (index < first || index >= last) { made.remove(); tiles.delete(index); }
  const fresh = document.createDocumentFragment();
  for (let index = first; index < last; index++) if (!tiles.has(index)) {
    tiles.set(index, tile(index));
    paint(index);
    fresh.append(tiles.get(index));
  }
  room.append(fresh);
}
function lay() {
  const least = rows().slice(0, 500).some((row) => row.beside) ? 330 : innerWidth > 700 ? 186 : 150;
  columns = Math.max(1, Math.floor(scroller.clientWidth / least));
  wide = Math.floor(scroller.clientWidth / columns);
  tiles.clear();
  room.replaceChildren();
  room.style.height = Math.max(1, Math.ceil(rows().length / columns)) * HIGH + "px";
  scroller.setAttribute("role", rows().length ? "listbox" : "group"); // a list without options is none
  if (!rows().length) room.append(make("p", {className: "empty", textContent: "Nothing here."}));
  reveal();
  draw();
  tell_place();
}
function reveal() {
  const top = Math.floor(at / columns) * HIGH;
  if (top < scroller.scrollTop) scroller.scrollTop = top;
  if (top + HIGH > scroller.scrollTop + scroller.clientHeight) scroller.scrollTop = top + HIGH - scroller.clientHeight;
}

// walking ------------------------------------------------------------------------------------------------------

function select(index) {
  const before = at;
  at = Math.max(0, Math.min(rows().length - 1, index));
  reveal();
  draw();
  paint(before);
  paint(at);
  tell_place();
  if (!zoom.hidden) fill();
}
function tell_place() {
  if (tiles.has(at)) scroller.setAttribute("aria-activedescendant", "t" + at);
  else scroller.removeAttribute("aria-activedescendant");
  $("#place").textContent = rows().length ? `${many(at + 1)} of ${many(rows().length)}` : "";
  if (views.length) history.replaceState(null, "", `#${views[view].key}/${at + 1}`);
  $("[data-act=undo]").disabled = !given.length;
}
function list() {
  const parts = [];
  let heading = "";
  views.forEach((one, index) => {
    if (one.outcome !== heading) parts.push(make("h2", {textContent: heading = one.outcome}));
    const texts = [plain(one.reason), many(one.rows.length)].map((text) => make("span", {textContent: text}));
    const button = make("button", {onclick: () => { go(index); scroller.focus(); }}, ...texts);
    button.setAttribute("aria-pressed", index === view);
    parts.push(button);
  });
  $("#groups").replaceChildren(...parts);
  $("#groups [aria-pressed=true]")?.scrollIntoView({block: "nearest", inline: "nearest"});
}
function go(index, place = 0) {
  view = Math.max(0, Math.min(views.length - 1, index));
  at = Math.max(0, Math.min(rows().length - 1, place));
  close();
  scroller.scrollTop = 0;
  list();
  lay();
}
function enlarge() {
  if (!rows()[at]) return;
  zoom.hidden = false;
  $("[data-act=enlarge]").firstChild.textContent = "Close";
  fill();
  zoom.focus();
}
function close() {
  if (zoom.hidden) return;
  zoom.hidden = true;
  $("[data-act=enlarge]").firstChild.textContent = "Enlarge";
  scroller.focus();
}
function fill() {
  const row = rows()[at], said = word(row);
  zoom.querySelector(".pictures").replaceChildren(...pictures("photo", row));
  const facts = row.facts.map((text) => make("li", {textContent: text}));
  if (said) facts.unshift(make("li", {className: "word " + said, textContent: said}));
  const ids = [...new Set([row.id, row.photo, ...(row.beside ?? []).map((other) => other.photo)])].filter(Boolean);
  $("#facts").replaceChildren(make("ul", {}, ...facts), ...ids.flatMap((id) => [make("code", {textContent: id}), make("br")]));
}

// verdicts -----------------------------------------------------------------------------------------------------

async function post(photo, verdict) {
  const headers = {"Content-Type": "application/json", "X-Lookbench-Review": "1"};
  const body = JSON.stringify({page: step, photo, verdict});
  const answer = await fetch("/verdict", {method: "POST", headers, body});
  if (!answer.ok) throw new Error(await answer.text());
}
function hold(photo, said) { // draw a verdict wherever the photo is in sight
  if (said) sheet.said[photo] = said === "keep"; else delete sheet.said[photo];
  for (const index of tiles.keys()) if (rows()[index].photo === photo) paint(index);
  if (!zoom.hidden) fill();
}
async function say(verdict, {row = rows()[at], undoing = false} = {}) {
  if (!row) return;
  if (!sheet.judge) return tell(sheet.about, true);
  if (!row.photo) return tell("there is no picture to judge", true);
  if (verdict && !sheet.words.includes(verdict)) return tell(`${verdict} has no sense here. ${sheet.about}`, true);
  const before = word(row) || null;
  if (!undoing) given.push({row, view, at, before});
  hold(row.photo, verdict);
  if (!undoing && verdict) select(at + 1); else tell_place();
  try {
    await post(row.photo, verdict);
    tell(verdict ? `${verdict}: ${row.photo.slice(0, 10)} saved` : `verdict on ${row.photo.slice(0, 10)} taken back`);
    count();
  } catch (error) {
    hold(row.photo, before);
    tell(`not saved: ${error.message}`, true);
  }
}
function undo() {
  const last = given.pop();
  if (!last) return tell("nothing to undo");
  if (last.view !== view) go(last.view, last.at); else select(last.at);
  say(last.before, {row: last.row, undoing: true});
}
function count() { // the last view lists what the reviewer has judged so far
  const mine = views.at(-1);
  if (mine?.key !== "yours" || mine === views[view]) return;
  mine.rows = judged();
  list();
}
function judged() {
  const seen = new Set();
  const first = (row) => row.photo in sheet.said && !seen.has(row.photo) && seen.add(row.photo);
  return sheet.groups.flatMap((group) => group.rows.filter(first));
}
function tell(text, bad = false) { $("#state").textContent = text; $("#state").className = bad ? "bad" : ""; }

// keys, buttons, start -----------------------------------------------------------------------------------------

const screenful = () => columns * Math.max(1, Math.floor(scroller.clientHeight / HIGH));
const line = () => zoom.hidden ? columns : 1;
const acts = {
  back: () => select(at - 1), next: () => select(at + 1), enlarge: () => zoom.hidden ? enlarge() : close(),
  keep: () => say("keep"), drop: () => say("drop"), undo, help: () => help.showModal(),
};
const keys = {
  ArrowRight: acts.next, ArrowLeft: acts.back, ArrowDown: () => select(at + line()), ArrowUp: () => select(at - line()),
  j: acts.next, J: acts.back, PageDown: () => select(at + screenful()), PageUp: () => select(at - screenful()),
  Home: () => select(0), End: () => select(rows().length), n: () => go(view + 1), p: () => go(view - 1),
  k: acts.keep, d: acts.drop, u: undo, x: () => say(null), Enter: acts.enlarge, Escape: close, "?": acts.help,
  b: () => document.body.classList.toggle("boxless"),
};
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
  const act = keys[event.key];
  if (!act || (event.target.closest("button, a") && event.key === "Enter")) return;
  event.preventDefault();
  act();
});
for (const button of document.querySelectorAll("[data-act]")) button.onclick = () => acts[button.dataset.act]();
let waiting = false;
scroller.addEventListener("scroll", () => {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => { waiting = false; draw(); });
}, {passive: true});
let width = 0;
new ResizeObserver(() => { if (scroller.clientWidth !== width) { width = scroller.clientWidth; lay(); } else draw(); }).observe(scroller);

function tabs(steps) {
  const part = (name) => name === "assemble" ? "Release" : name.startsWith("generate") ? "AI pictures" : "Photos";
  let heading = "";
  $("#steps").replaceChildren(...steps.flatMap((name) => {
    const link = make("a", {href: "/" + name, textContent: plain(name.replace(/^generated-/, ""))});
    if (name === step) link.setAttribute("aria-current", "page");
    link.setAttribute("aria-label", `${part(name)}: ${link.textContent}`);
    return part(name) === heading ? [link] : [make("b", {textContent: heading = part(name)}), link];
  }));
  $("#steps [aria-current]")?.scrollIntoView({block: "nearest", inline: "center"});
}
async function read(path) {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}
async function start() {
  const {edition, steps} = await read("/steps");
  step = location.pathname.slice(1) || steps[0];
  $("#edition").textContent = edition;
  document.title = `${edition}: ${plain(step)}`;
  tabs(steps);
  sheet = await read("/data/" + step);
  $("#about").textContent = `${sheet.about} Nearest to a threshold first, where one decided.`;
  $("#legend").hidden = !sheet.groups.some((group) => group.rows.some((row) => row.boxes || row.faces));
  for (const act of ["keep", "drop"]) $(`[data-act=${act}]`).disabled = !sheet.words.includes(act);
  views = sheet.groups.map((group) => ({...group, key: `${group.outcome}/${group.reason}`}));
  if (sheet.judge) views.push({key: "yours", outcome: "yours", reason: "your verdicts", rows: judged()});
  const [, key, place] = decodeURIComponent(location.hash).match(/^#(.*)\/(\d+)$/) ?? [];
  go(Math.max(0, views.findIndex((one) => one.key === key)), place - 1 || 0);
  scroller.focus();
}
start().catch((error) => tell(`the sheet cannot be read: ${error.message}`, true));
