// Events of a timeline: marks, or lines where they measure something, between the least and the greatest number of a lane.

const EDGE = 4;
const SCALE = 36; // pixels for the numbers beside a line
const DASHES = [[], [4, 3], [1.5, 2.5]];
const shortNumber = (value) => String(Number(value.toPrecision(6)));

class Events {
  constructor(chart) {
    this.first = starts(column(chart.eventCounts));
    this.time = times(chart.eventTime);
    this.kind = column(chart.eventKind);
    this.numbers = (chart.eventNumbers ?? []).map(column);
    this.text = chart.eventText && column(chart.eventText);
    this.texts = chart.eventTexts;
    this.labels = chart.labels;
    this.ranges = chart.labels.map((_, lane) => this.numbers.map((values) => this.range(values, lane)));
  }

  range(values, lane) {
    let [low, high] = [Infinity, -Infinity];
    for (let at = this.first[lane]; at < this.first[lane + 1]; at++)
      if (Number.isFinite(values[at])) [low, high] = [Math.min(low, values[at]), Math.max(high, values[at])];
    return low <= high ? [low, high] : null;
  }

  count(lane) {
    return this.first[lane + 1] - this.first[lane];
  }

  hasNumbers(lane) {
    return this.ranges[lane].some(Boolean);
  }

  isMeasured(at) {
    return this.numbers.some((values) => Number.isFinite(values[at]));
  }

  // What an event says, if the page knows it, else what its lane is called.
  said(lane, at) {
    const text = this.text ? this.text[at] : 0;
    return text ? this.texts[text - 1] : this.labels[lane];
  }

  // The first and the last event, plus one, between two times.
  between(lane, from, to) {
    const low = lowerBound(this.time, from, this.first[lane], this.first[lane + 1]);
    let high = low;
    while (high < this.first[lane + 1] && this.time[high] <= to) high++;
    return [low, high];
  }

  nearest(lane, time, reach) {
    const [low, high] = this.between(lane, time - reach, time + reach);
    let best = -1;
    for (let at = low; at < high; at++)
      if (best < 0 || Math.abs(this.time[at] - time) < Math.abs(this.time[best] - time)) best = at;
    return best;
  }

  near(lane, from, to, clock) {
    const [low, high] = this.between(lane, from, to);
    if (high <= low) return "";
    const text = `${this.said(lane, low)}\n${clock.text(this.time[low])}`;
    return high - low > 1 ? `${text}\nand ${high - low - 1} more close by` : text;
  }

  // `place` has where a lane lies and how times become pixels; `colourOf` is empty for kinds that are hidden.
  draw(pen, lane, place, colourOf, chosen, focus) {
    const [low, high] = this.between(lane, place.from, place.to);
    for (let at = low; at < high; at++) {
      const colour = colourOf(this.kind[at]);
      if (!colour || this.isMeasured(at)) continue;
      pen.fillStyle = colour;
      pen.fillRect(place.pixel(this.time[at]) - 0.8, place.top + 3, 1.6, place.height - 6);
    }
    const colour = high > low && colourOf(this.kind[low]);
    if (colour) this.ranges[lane].forEach((range, number) => range && this.line(pen, lane, number, [low, high], place, colour));
    if (chosen < low || chosen >= high) return;
    pen.strokeStyle = focus;
    pen.lineWidth = 2;
    pen.strokeRect(place.pixel(this.time[chosen]) - 4, place.top + 2, 8, place.height - 4);
  }

  line(pen, lane, number, [low, high], place, colour) {
    const [values, [least, most]] = [this.numbers[number], this.ranges[lane][number]];
    const height = place.height - 2 * EDGE;
    const share = (value) => (most > least ? (value - least) / (most - least) : 0.5);
    const y = (value) => place.top + EDGE + (1 - share(value)) * height;
    // The line goes on past the edges of what is seen.
    const [from, to] = [Math.max(low - 1, this.first[lane]), Math.min(high + 1, this.first[lane + 1])];
    const few = high - low < (place.right - place.left) / 8;
    pen.strokeStyle = pen.fillStyle = colour;
    pen.lineWidth = 1.5;
    pen.lineJoin = "round";
    pen.setLineDash(DASHES[Math.min(number, DASHES.length - 1)]);
    pen.beginPath();
    for (let at = from; at < to; at++) if (Number.isFinite(values[at])) pen.lineTo(place.pixel(this.time[at]), y(values[at]));
    pen.stroke();
    pen.setLineDash([]);
    for (let at = low; few && at < high; at++) {
      if (!Number.isFinite(values[at])) continue;
      pen.beginPath();
      pen.arc(place.pixel(this.time[at]), y(values[at]), 2.2, 0, 2 * Math.PI);
      pen.fill();
    }
  }

  // The least and the greatest number, beside the name of the lane.
  scale(pen, lane, top, height, right, colour) {
    const range = this.ranges[lane].find(Boolean);
    if (!range) return;
    pen.fillStyle = colour;
    pen.font = "9px system-ui, sans-serif";
    pen.textAlign = "right";
    pen.fillText(shortNumber(range[1]), right, top + 11);
    if (range[1] > range[0]) pen.fillText(shortNumber(range[0]), right, top + height - 5);
  }
}
