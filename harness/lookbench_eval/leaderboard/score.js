"use strict";
// Scoring in the page: the same rules as lookbench_eval, over any set of queries.

const RESAMPLES = 500;
const MISSING = 65535;

/** Values of one measure, one number per query; NaN where the model was not asked. */
function unpack(text) {
  if (!text.startsWith("b64:")) {
    return Float64Array.from(text, (mark) => (mark === "-" ? NaN : Number(mark)));
  }
  const bytes = Uint8Array.from(atob(text.slice(4)), (mark) => mark.charCodeAt(0));
  const steps = new DataView(bytes.buffer);
  const values = new Float64Array(bytes.length / 2);
  for (let row = 0; row < values.length; row++) {
    const step = steps.getUint16(2 * row, true);
    values[row] = step === MISSING ? NaN : step / (MISSING - 1);
  }
  return values;
}

/** The units that are averaged: queries, or looks where the measure is one of looks; each with its look and product. */
function units(release, measure, values, rows) {
  if (!measure.startsWith("Look")) {
    return rows
      .filter((row) => !Number.isNaN(values[row]))
      .map((row) => ({ id: row, value: values[row], look: release.look[row], product: release.product[row] }));
  }
  const looks = new Map();
  for (const row of rows) {
    const look = release.look[row];
    if (look < 0) continue;
    const held = looks.get(look);
    if (held) held.value *= values[row];
    else looks.set(look, { id: look, value: values[row], look, product: -1 });
  }
  return [...looks.values()].filter((unit) => !Number.isNaN(unit.value));
}

/** Which look and which product draws each unit, null for none: as `groups` in lookbench_eval/intervals.py. */
function factors(found) {
  const look = (unit) => (unit.look >= 0 ? unit.look : `q${unit.id}`);
  const product = (unit) => (unit.product >= 0 ? unit.product : `q${unit.id}`);
  const looks = new Map();
  const products = new Map();
  for (const unit of found) {
    if (!looks.has(look(unit))) looks.set(look(unit), new Set());
    looks.get(look(unit)).add(product(unit));
    if (!products.has(product(unit))) products.set(product(unit), { looks: new Set(), worn: false });
    const held = products.get(product(unit));
    held.looks.add(look(unit));
    held.worn ||= unit.look >= 0;
  }
  const drawn = found.map((unit) => {
    const held = products.get(product(unit));
    const byProduct = held.looks.size > 1 || !held.worn;
    const byLook = unit.look >= 0 && (looks.get(look(unit)).size > 1 || !byProduct);
    return [byLook ? look(unit) : null, byProduct ? product(unit) : null];
  });
  return { drawn, independent: Math.min(looks.size, products.size) };
}

/** Random numbers from 0 to 1 with a seed of their own, so that all models are drawn alike and the page repeats itself. */
function generator(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** How often every unit is drawn in each resample; the units themselves decide, not their values. */
function draws(found) {
  const { drawn, independent } = factors(found);
  const next = generator(20261201);
  const ways = [0, 1].map((way) => {
    const numbers = new Map();
    const levels = Int32Array.from(drawn, (pair) => {
      if (pair[way] === null) return -1;
      if (!numbers.has(pair[way])) numbers.set(pair[way], numbers.size);
      return numbers.get(pair[way]);
    });
    return { levels, size: numbers.size };
  });
  const weights = Array.from({ length: RESAMPLES }, () => {
    const weight = new Uint16Array(found.length).fill(1);
    for (const { levels, size } of ways) {
      const times = new Uint16Array(size);
      for (let draw = 0; draw < size; draw++) times[Math.floor(next() * size)] += 1;
      for (let place = 0; place < levels.length; place++) if (levels[place] >= 0) weight[place] *= times[levels[place]];
    }
    return weight;
  });
  return { weights, independent };
}

/** The mean of every resample; NaN where a resample holds no unit. */
function resampled(found, drawn) {
  return drawn.weights.map((weight) => {
    let sum = 0;
    let count = 0;
    for (let place = 0; place < weight.length; place++) {
      sum += weight[place] * found[place].value;
      count += weight[place];
    }
    return sum / count;
  });
}

function quantile(sorted, share) {
  const place = share * (sorted.length - 1);
  const low = Math.floor(place);
  const high = Math.min(low + 1, sorted.length - 1);
  return sorted[low] + (place - low) * (sorted[high] - sorted[low]);
}

/** Mean and interval; null without units. */
function estimate(found, drawn, means) {
  const n = found.length;
  if (!n) return null;
  const value = found.reduce((sum, unit) => sum + unit.value, 0) / n;
  let [lo, hi] = [0, 1];
  if (drawn.independent > 1) {
    const bound = Math.pow(0.025, 1 / drawn.independent);
    if (found.every((unit) => unit.value === found[0].value)) [lo, hi] = [value * bound, 1 - (1 - value) * bound];
    else {
      const sorted = means.filter((mean) => !Number.isNaN(mean)).sort((a, b) => a - b);
      [lo, hi] = [quantile(sorted, 0.025), quantile(sorted, 0.975)];
    }
  }
  return { value, lo: Math.min(lo, value), hi: Math.max(hi, value), n };
}

/** Whether the 95 % interval of the difference of two models, drawn alike, holds 0. */
function toldApart(one, other) {
  const gaps = one.map((mean, row) => mean - other[row]).filter((gap) => !Number.isNaN(gap)).sort((a, b) => a - b);
  return gaps.length > 0 && (quantile(gaps, 0.025) > 0 || quantile(gaps, 0.975) < 0);
}
