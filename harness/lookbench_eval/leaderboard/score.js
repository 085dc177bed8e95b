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

/** The units that are averaged: queries, or looks where the measure is one of looks. */
function units(release, measure, values, rows) {
  if (!measure.startsWith("Look")) {
    return rows.filter((row) => !Number.isNaN(values[row])).map((row) => ({ value: values[row], cluster: release.cluster[row] }));
  }
  const looks = new Map();
  for (const row of rows) {
    const look = release.look[row];
    if (look < 0) continue;
    const held = looks.get(look);
    if (held) held.value *= values[row];
    else looks.set(look, { value: values[row], cluster: release.cluster[row] });
  }
  return [...looks.values()].filter((unit) => !Number.isNaN(unit.value));
}

/** Sums and counts by cluster, for resampling. */
function byCluster(found, size) {
  const sums = new Float64Array(size);
  const counts = new Float64Array(size);
  for (const unit of found) {
    sums[unit.cluster] += unit.value;
    counts[unit.cluster] += 1;
  }
  return { sums, counts };
}

/** Clusters of every resample; one seed, so that all models are drawn alike and the page repeats itself. */
function draws(clusters) {
  let state = 20261201;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  return Array.from({ length: RESAMPLES }, () => Int32Array.from(clusters, () => clusters[Math.floor(next() * clusters.length)]));
}

/** The mean of every resample; NaN where a resample holds no unit. */
function resampled(cells, drawn) {
  return drawn.map((clusters) => {
    let sum = 0;
    let count = 0;
    for (const cluster of clusters) {
      sum += cells.sums[cluster];
      count += cells.counts[cluster];
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
function estimate(found, cells, means) {
  const n = found.length;
  if (!n) return null;
  const value = found.reduce((sum, unit) => sum + unit.value, 0) / n;
  const clusters = cells.counts.reduce((sum, count) => sum + (count > 0), 0);
  let [lo, hi] = [0, 1];
  if (clusters > 1) {
    const bound = Math.pow(0.025, 1 / clusters);
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
