// Draws who is ahead after each play: a line for each seat, a tick for each turn, and a red line for each broken rule.
import { word } from "./words.js";

const NS = "http://www.w3.org/2000/svg";
const WIDTH = 1000, HEIGHT = 60, EDGE = 3;

function add(parent, name, attributes) {
  const node = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return parent.appendChild(node);
}

export function drawTimeline(root, film, show) {
  const svg = root.querySelector("[data-timeline]"), legend = root.querySelector("[data-legend]");
  const plays = film.drawings.length, x = (index) => (plays > 1 ? index / (plays - 1) : 0) * WIDTH;
  film.opens.forEach((opens, index) => {
    if (opens && plays < 400) add(svg, "line", { class: "tick", x1: x(index), x2: x(index), y1: HEIGHT - 5, y2: HEIGHT });
  });
  for (const index of film.faults) add(svg, "line", { class: "fault", x1: x(index), x2: x(index), y1: 0, y2: HEIGHT });
  if (film.measure) {
    const { values, best, of } = film.measure, all = values.flat(), low = Math.min(...all), high = Math.max(...all);
    const y = (value) => {
      const part = high === low ? 0.5 : (value - low) / (high - low);
      return EDGE + (HEIGHT - 2 * EDGE) * (best === "low" ? part : 1 - part);
    };
    film.names.forEach((_, seat) => {
      const points = values.map((row, index) => `${x(index).toFixed(1)},${y(row[seat]).toFixed(1)}`).join(" ");
      add(svg, "polyline", { class: `series series-${seat}`, points });
    });
    legend.textContent = word("{measure}; the best player is at the top:", { measure: of });
    film.names.forEach((name, seat) => {
      const item = legend.appendChild(document.createElement("span"));
      item.className = `series-${seat}`;
      item.textContent = `${seat}: ${name}`;
    });
  }
  svg.addEventListener("click", (event) => {
    const box = svg.getBoundingClientRect();
    show(Math.round(((event.clientX - box.left) / box.width) * (plays - 1)));
  });
}
