// The page itself: reads the data, keeps its state in the address, draws the table.

const data = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);
const NAMES = {
  real_studio_flat: "Studio flat",
  aigen_studio: "AI studio",
  real_streetlook: "Street",
  aigen_streetlook: "AI street",
};
const MEANINGS = {
  Coarse: "a right category among the first K",
  Fine: "a right category and main attribute among the first K",
  Item: "the same product among the first K",
  Success: "a positive among the first K",
  Look: "every garment of a look right",
  Recall: "share of all positives among the first K",
  nDCG: "order of the first K, by shared attributes",
  MRR: "one over the rank of the first positive",
  mAP: "precision at every positive, averaged",
};
const DAY = 86400000;
const iso = (day) => new Date(day * DAY).toISOString().slice(0, 10);
const month = (day) => iso(day).slice(0, 7);
const dayOf = (text) => Math.round(Date.parse(`${text}T00:00:00Z`) / DAY);
const title = (subset) => NAMES[subset] || subset;
const percent = (share, digits = 1) => (100 * share).toFixed(digits);
const plural = (count, word) => `${count.toLocaleString("en")} ${count === 1 ? word : word === "query" ? "queries" : `${word}s`}`;

const state = { release: 0, measure: "Fine@1", subset: "", after: null, own: false, sort: "main", down: true, open: new Set() };
let release;

function element(name, attributes = {}, ...children) {
  const svg = ["svg", "line", "circle", "rect", "path", "title", "g"].includes(name);
  const made = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "onclick" || key === "onchange") made[key] = value;
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

function valuesOf(model, measure) {
  model.cache ||= {};
  if (!(measure in model.values)) return null;
  return (model.cache[measure] ||= unpack(model.values[measure]));
}

/** Queries of a subset ("": all) that are newer than a day, or than the model's own cutoff where that is asked for. */
function rowsOf(subset, model) {
  const place = subset ? release.subsets.indexOf(subset) : -1;
  const rows = [];
  if (state.own && model.cutoffDay === null) return rows;
  const limit = state.own ? Math.max(model.cutoffDay, state.after ?? -Infinity) : state.after;
  for (let row = 0; row < release.subset.length; row++) {
    if (place >= 0 && release.subset[row] !== place) continue;
    if (limit !== null && (release.day[row] === null || release.day[row] <= limit)) continue;
    rows.push(row);
  }
  return rows;
}

/** Figures of one model on one subset, with how much of it the model may have seen. */
function cell(model, subset) {
  const values = valuesOf(model, state.measure);
  const rows = rowsOf(subset, model);
  if (!values || !rows.length) return { figure: null, rows: rows.length, old: 0 };
  const found = units(release, state.measure, values, rows);
  const key = found.reduce((hash, unit) => (Math.imul(hash, 31) + unit.id + 1) | 0, found.length);
  if (!drawn.has(key)) drawn.set(key, draws(found));
  const means = resampled(found, drawn.get(key));
  const old = model.cutoffDay === null ? 0 : rows.filter((row) => release.day[row] !== null && release.day[row] <= model.cutoffDay).length;
  const asked = rows.filter((row) => !Number.isNaN(values[row])).length;
  return { figure: stated(model, subset, asked) || estimate(found, drawn.get(key), means), means, key, rows: rows.length, asked, old };
}
let drawn = new Map();

/** The figure as the result states it, where the page shows the very queries that it was made of. */
function stated(model, subset, asked) {
  const figure = model.figures[state.measure]?.[subset];
  if (state.after !== null || state.own || !figure || figure[4] !== asked) return null;
  return { value: figure[0], lo: figure[1], hi: figure[2], n: figure[3] };
}

/** The mean alone. */
function mean(model, measure, subset) {
  const rows = rowsOf(subset, model);
  const found = units(release, measure, valuesOf(model, measure), rows);
  return found.length ? found.reduce((sum, unit) => sum + unit.value, 0) / found.length : null;
}

function score() {
  drawn = new Map();
  const columns = state.subset ? [] : release.subsets;
  const board = release.models.map((model) => ({
    model,
    main: cell(model, state.subset),
    parts: Object.fromEntries(columns.map((subset) => [subset, cell(model, subset)])),
    months: release.dated ? byMonth(model) : [],
  }));
  const worth = (line, key) => (key === "main" ? line.main : line.parts[key])?.figure?.value ?? -1;
  const ranked = [...board].sort((a, b) => worth(b, "main") - worth(a, "main"));
  ranked.forEach((line, place) => {
    line.rank = line.main.figure ? place + 1 : null;
    const alike = place > 0 && line.main.figure && line.main.key === ranked[0].main.key;
    line.even = alike && !toldApart(ranked[0].main.means, line.main.means);
  });
  const sign = state.down ? 1 : -1;
  if (state.sort === "model") board.sort((a, b) => -sign * a.model.name.localeCompare(b.model.name));
  else board.sort((a, b) => sign * (worth(b, state.sort) - worth(a, state.sort)));
  return board;
}

function shade(model, found) {
  if (!found.figure) return ["", state.own && model.cutoffDay === null ? "no cutoff declared" : ""];
  if (model.cutoffDay === null) return [release.dated ? "unknown" : "", release.dated ? "This model declares no cutoff." : ""];
  if (!found.old) return ["", ""];
  const share = Math.max(1, Math.round((100 * found.old) / found.rows));
  return ["old", `${share} % of these ${plural(found.rows, "query")} are not newer than the declared cutoff ${model.cutoff}.`];
}

function whiskers(figure, scale) {
  const at = (share) => `${(100 * (share - scale.low)) / (scale.high - scale.low)}%`;
  return element(
    "svg",
    { class: "interval", "aria-hidden": "true" },
    ...scale.ticks.map((tick) => element("line", { class: "tick", x1: at(tick), x2: at(tick), y1: 0, y2: "100%" })),
    element("line", { class: "whisker", x1: at(figure.lo), x2: at(figure.hi), y1: "50%", y2: "50%" }),
    ...[figure.lo, figure.hi].map((end) => element("line", { class: "whisker", x1: at(end), x2: at(end), y1: "32%", y2: "68%" })),
    element("circle", { class: "dot", cx: at(figure.value), cy: "50%", r: 4 }),
  );
}

function scaleOf(board) {
  const figures = board.map((line) => line.main.figure).filter(Boolean);
  const low = Math.floor(Math.min(...figures.map((f) => f.lo), 1) * 20 - 0.2) / 20;
  const high = Math.ceil(Math.max(...figures.map((f) => f.hi), 0) * 20 + 0.2) / 20;
  const scale = { low: Math.max(0, low) - 0.01, high: Math.min(1, high) + 0.01, ticks: [] };
  const step = scale.high - scale.low > 0.45 ? 0.2 : 0.1;
  for (let tick = Math.ceil(scale.low / step) * step; tick < scale.high; tick += step) scale.ticks.push(tick);
  return scale;
}

/** Mean of one model in every month, and the queries behind it; null where there are none. */
function byMonth(model) {
  const values = valuesOf(model, state.measure);
  const place = state.subset ? release.subsets.indexOf(state.subset) : -1;
  const rows = release.months.map(() => []);
  release.monthOf.forEach((found, row) => {
    if (found >= 0 && (place < 0 || release.subset[row] === place)) rows[found].push(row);
  });
  return rows.map((held) => {
    const found = values ? units(release, state.measure, values, held) : [];
    return found.length ? { value: found.reduce((sum, unit) => sum + unit.value, 0) / found.length, n: found.length } : null;
  });
}

/** Value by month, brown up to the declared cutoff: a fall behind it is what a stale benchmark hides. */
function trend(model, months, most) {
  const drawing = element("svg", { class: "trend", viewBox: `0 0 ${12 * months.length} 32`, preserveAspectRatio: "none", role: "img" });
  const said = [];
  months.forEach((found, place) => {
    if (!found) return;
    const name = release.months[place];
    const old = model.cutoffDay !== null && dayOf(`${name}-01`) <= model.cutoffDay;
    const height = Math.max(1, (31 * found.value) / (most || 1));
    drawing.append(element("rect", { class: old ? "bar old" : "bar", x: 12 * place + 1.5, width: 9, y: 32 - height, height }));
    said.push(`${name}: ${percent(found.value)} (${found.n})`);
  });
  drawing.append(element("title", {}, said.join("\n")));
  return drawing;
}

function heads(scale) {
  const columns = [["rank", "", false], ["model", "Model", true], ["main", state.subset ? title(state.subset) : "Overall", true]];
  if (!state.subset) columns.push(...release.subsets.map((subset) => [subset, title(subset), true]));
  if (release.dated && release.months.length > 1) columns.push(["trend", "By month", false]);
  columns.push(["n", state.measure.startsWith("Look") ? "Looks" : "Queries", false]);
  const axis = element(
    "span",
    { class: "axis", "aria-hidden": "true" },
    ...scale.ticks.map((tick) => {
      const mark = element("i", {}, String(Math.round(100 * tick)));
      mark.style.left = `${(100 * (tick - scale.low)) / (scale.high - scale.low)}%`;
      return mark;
    }),
  );
  $("heads").replaceChildren(
    ...columns.map(([key, text, sortable]) => {
      const sorted = state.sort === key ? (state.down ? "descending" : "ascending") : null;
      const content = sortable
        ? element("button", { type: "button", onclick: () => sortBy(key) }, text, element("span", { class: "arrow", "aria-hidden": "true" }, sorted === "ascending" ? "\u25b2" : "\u25bc"))
        : text;
      return element("th", { scope: "col", class: `c-${key === "rank" || key === "model" || key === "main" || key === "trend" || key === "n" ? key : "part"}`, "aria-sort": sorted }, content, key === "main" ? axis : null);
    }),
  );
}

function rowOf(line, scale, most) {
  const { model, main, parts } = line;
  const key = `${model.name}|${model.revision}`;
  const [kind, why] = shade(model, main);
  const figure = main.figure;
  const under = model.cutoff ? `trained until ${model.cutoff}` : "cutoff not declared";
  const cells = [
    element("td", { class: "c-rank" }, line.rank ? String(line.rank) : "", line.even ? element("span", { class: "even", title: "Not told apart from the first model" }, "=") : null),
    element(
      "th",
      { scope: "row", class: "c-model" },
      element("button", { type: "button", class: "name", "aria-expanded": String(state.open.has(key)), onclick: () => toggle(key) }, model.name),
      element("span", { class: "under" }, under),
    ),
    element(
      "td",
      { class: `c-main ${kind}`, title: why },
      element(
        "div",
        { class: "figure" },
        element("span", { class: "value" }, figure ? percent(figure.value, 2) : "\u2013"),
        element("span", { class: "range" }, figure ? `${percent(figure.lo)}\u2013${percent(figure.hi)}` : why),
        figure ? whiskers(figure, scale) : null,
      ),
    ),
  ];
  for (const [subset, found] of Object.entries(parts)) {
    const [partKind, partWhy] = shade(model, found);
    cells.push(
      element(
        "td",
        { class: `c-part ${partKind}`, "data-label": title(subset), "data-subset": subset, title: partWhy },
        element("span", { class: "value" }, found.figure ? percent(found.figure.value, 1) : "\u2013"),
        found.figure ? element("span", { class: "range" }, `${percent(found.figure.lo, 0)}\u2013${percent(found.figure.hi, 0)}`) : null,
      ),
    );
  }
  if (release.dated && release.months.length > 1) cells.push(element("td", { class: "c-trend" }, trend(model, line.months, most)));
  const partial = figure && main.asked < main.rows;
  cells.push(
    element(
      "td",
      { class: "c-n", "data-label": state.measure.startsWith("Look") ? "Looks" : "Queries", title: partial ? `Answers ${main.asked} of ${main.rows} queries.` : null },
      `${(figure ? figure.n : 0).toLocaleString("en")}${partial ? "*" : ""}`,
    ),
  );
  const row = element("tr", { class: "line" }, ...cells);
  return state.open.has(key) ? [row, detail(model, cells.length)] : [row];
}

function detail(model, span) {
  const subsets = ["", ...release.subsets];
  const table = element("table", { class: "all" });
  table.append(element("tr", {}, element("th", {}, "Measure"), ...subsets.map((subset) => element("th", {}, subset ? title(subset) : "Overall"))));
  for (const measure of release.measures) {
    if (!(measure in model.values)) continue;
    const cells = subsets.map((subset) => {
      const value = mean(model, measure, subset);
      return element("td", {}, value === null ? "\u2013" : percent(value, 1));
    });
    table.append(element("tr", { class: measure === state.measure ? "now" : null }, element("th", { scope: "row" }, measure), ...cells));
  }
  const facts = [
    ["Specification", model.spec],
    ["Revision", model.revision || "not pinned"],
    ["Declared cutoff", model.cutoff || "not declared"],
    ["Training sets", model.trained.join(", ") || "not declared"],
    ["Numbers", model.dtype],
    ["Release", model.verified ? "verified against its manifest" : "not verified"],
    ["Harness", model.harness],
  ];
  const list = element("dl", {}, ...facts.flatMap(([name, text]) => [element("dt", {}, name), element("dd", {}, text)]));
  return element("tr", { class: "detail" }, element("td", { colspan: span }, element("div", { class: "inside" }, list, element("div", { class: "scroll" }, table))));
}

function months() {
  const drawing = $("months");
  const [from, until] = [release.first - 1, release.last];
  drawing.setAttribute("viewBox", `0 0 ${until - from} 40`);
  const counts = release.months.map((_, place) => release.monthOf.filter((found) => found === place).length);
  const most = Math.max(...counts);
  drawing.replaceChildren(
    ...release.months.map((name, place) => {
      const [year, number] = name.split("-").map(Number);
      const start = Math.max(from, dayOf(`${name}-01`));
      const end = Math.min(until, Math.round(Date.UTC(year, number, 1) / DAY));
      const gap = (until - from) / 300;
      const height = (38 * counts[place]) / most;
      const cut = Math.min(Math.max(start, state.after === null ? start : state.after + 1), end);
      const bar = (kind, left, right) => element("rect", { class: kind, x: left - from, width: Math.max(0, right - left), y: 40 - height, height });
      return element("g", {}, bar("month off", start, Math.min(cut, end - gap)), bar("month", cut, end - gap));
    }),
  );
}

function draw() {
  const board = score();
  const scale = scaleOf(board);
  const most = Math.max(...board.flatMap((line) => line.months.map((found) => found?.value ?? 0)));
  heads(scale);
  $("rows").replaceChildren(...board.flatMap((line) => rowOf(line, scale, most)));
  $("board").classList.toggle("single", state.subset !== "");
  const own = state.own ? "; each model on its own samples, so the rows do not rank alike" : "";
  const [shown, total] = [0, 1].map((whole) => {
    const place = release.subsets.indexOf(state.subset);
    return release.day.filter((day, row) => (place < 0 || release.subset[row] === place) && (whole || state.after === null || (day !== null && day > state.after))).length;
  });
  const base = state.measure.replace(/[(@].*/, "");
  const k = state.measure.match(/@(\d+)/);
  $("meaning").textContent = (MEANINGS[base] || "").replace("K", k ? k[1] : "K").replace("first 1", "first answer").replace("among the first answer", "as the first answer");
  if (release.dated) {
    $("after-text").textContent = state.after === null ? "of all dates" : `newer than ${iso(state.after)}`;
    $("after").setAttribute("aria-valuetext", $("after-text").textContent);
    months();
  }
  $("status").textContent = `${shown.toLocaleString("en")} of ${plural(total, "query")}${state.after === null ? "" : ", scored again in this page"}${own}`;
  for (const chip of $("subsets").children) chip.setAttribute("aria-checked", String(chip.dataset.subset === state.subset));
  remember();
}

/** Draw once for all changes of one frame: a slider moves faster than a page can be scored. */
function soon() {
  waiting ||= requestAnimationFrame(() => { waiting = 0; draw(); });
}
let waiting = 0;

function sortBy(key) {
  state.down = state.sort === key ? !state.down : key !== "model";
  state.sort = key;
  draw();
}

function toggle(key) {
  if (!state.open.delete(key)) state.open.add(key);
  draw();
}

function remember() {
  const words = new URLSearchParams({ measure: state.measure });
  if (data.releases.length > 1) words.set("release", release.name);
  if (state.subset) words.set("subset", state.subset);
  if (state.after !== null) words.set("after", iso(state.after));
  if (state.own) words.set("own", "1");
  history.replaceState(null, "", `#${words}`);
}

function recall() {
  const words = new URLSearchParams(location.hash.slice(1));
  const named = data.releases.findIndex((one) => one.name === words.get("release"));
  choose(Math.max(0, named));
  if (release.measures.includes(words.get("measure"))) state.measure = words.get("measure");
  if (release.subsets.includes(words.get("subset"))) state.subset = words.get("subset");
  const day = dayOf(words.get("after") || "");
  if (release.dated && day >= release.first && day < release.last) state.after = day;
  state.own = release.dated && words.get("own") === "1";
}

/** Make a release the one that is shown. */
function choose(place) {
  state.release = place;
  release = data.releases[place];
  const days = release.day.filter((day) => day !== null);
  release.dated = days.length > 0;
  [release.first, release.last] = release.dated ? [Math.min(...days), Math.max(...days)] : [0, 0];
  release.months = [...new Set(days.map(month))].sort();
  release.monthOf = release.day.map((day) => (day === null ? -1 : release.months.indexOf(month(day))));
  for (const model of release.models) model.cutoffDay = model.cutoff ? dayOf(model.cutoff) : null;
  if (!release.measures.includes(state.measure)) state.measure = release.measures[0];
  if (!release.subsets.includes(state.subset)) state.subset = "";
  state.after = null;
  state.sort = "main";
}

function controls() {
  const answers = Math.max(...Object.values(release.gallery));
  $("title").textContent = document.title;
  $("edition").textContent = release.edition ? `Edition ${release.edition}` : release.name;
  $("lead").textContent =
    `${plural(release.models.length, "model")}, ${plural(release.subset.length, "query")}, up to ${answers.toLocaleString("en")} pictures to search in. ` +
    (release.dated ? "Move the date to count only samples that a model cannot have trained on." : "This set carries no dates, so nothing tells what a model may have trained on.");
  $("release").replaceChildren(...data.releases.map((one, place) => element("option", { value: place, selected: place === state.release }, one.edition ? `${one.name} (${one.edition})` : one.name)));
  $("release").hidden = data.releases.length < 2;
  $("edition").hidden = data.releases.length > 1;
  $("measure").replaceChildren(...release.measures.map((name) => element("option", { value: name, selected: name === state.measure }, name)));
  $("subsets").replaceChildren(
    ...["", ...release.subsets].map((subset) =>
      element("button", { type: "button", role: "radio", "data-subset": subset, onclick: () => { state.subset = subset; if (state.sort !== "model") state.sort = "main"; draw(); } }, subset ? title(subset) : "All"),
    ),
  );
  $("dates").hidden = !release.dated;
  if (release.dated) {
    Object.assign($("after"), { min: release.first - 1, max: release.last - 1 });
    $("after").value = state.after ?? release.first - 1;
    $("first").textContent = iso(release.first);
    $("last").textContent = iso(release.last);
    $("own").checked = state.own;
  }
  const digest = release.data ? `, data ${release.data.slice(0, 12)}` : "";
  $("foot").textContent = `${release.name}${digest}. Overall is the mean over all queries. Ties are broken ${release.ties === "expected" ? "by the mean over all orders" : `in the ${release.ties} way`}. Made with lookbench-eval ${data.harness}.`;
}

$("measure").onchange = (event) => { state.measure = event.target.value; draw(); };
$("release").onchange = (event) => { choose(Number(event.target.value)); controls(); draw(); };
$("after").oninput = (event) => { const day = Number(event.target.value); state.after = day < release.first ? null : day; soon(); };
$("own").onchange = (event) => { state.own = event.target.checked; draw(); };
recall();
controls();
draw();
