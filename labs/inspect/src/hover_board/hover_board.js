"use strict";
(() => {
const data = JSON.parse(document.getElementById("touch-data").textContent);
const PARTS = ["content", "position", "attention"], UNIT = 10, EDGE = 5;
const of = id => document.getElementById("touch-" + id);
const [cellBox, besideBox, layerBox, placeBox] = ["cell", "beside", "layer", "place"].map(of);
const state = { query: data.square, key: null, pinned: false };
let boards = [], main = null;

const make = (name, attributes, parent) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, value));
  if (parent) parent.append(element);
  return element;
};
const html = (name, className, text) => {
  const element = document.createElement(name);
  element.className = className;
  element.textContent = text;
  return element;
};
const short = value => {
  const size = Math.abs(value);
  const text = size === 0 ? "0" : size < 0.001 || size >= 1e4 ? value.toExponential(1)
    : value.toFixed((size < 100) + (size < 10) + (size < 0.1));
  return text.replace("-", "−");
};

// Maps: for each head and query two f32, the lowest value and the range, and a byte for each key.
const cache = new Map();
const bytes = block => {
  if (!cache.has(block)) cache.set(block, Uint8Array.from(atob(data.blocks[block]), letter => letter.charCodeAt(0)));
  return cache.get(block);
};
const row = (block, squares, head, query, part) => {
  const all = bytes(block), start = (head * squares + query) * (squares + 8);
  const ends = new DataView(all.buffer, start, 8), low = ends.getFloat32(0, true), range = ends.getFloat32(4, true);
  return Array.from(all.subarray(start + 8, start + 8 + squares), code => {
    const share = code / 255;
    return low + range * (part === "attention" ? share * share : share);
  });
};

// Squares have the names of the real board; each board has its own order of them.
const namesOf = (cell, place) => {
  const names = [], [files, ranks] = place.names;
  for (let rank = 0; rank < cell.ranks; rank++)
    for (let file = 0; file < cell.files; file++) names.push(files[file] + ranks[cell.ranks - 1 - rank]);
  return names;
};
const corner = (cell, square) =>
  ({ x: square % cell.files * UNIT, y: (cell.ranks - 1 - Math.floor(square / cell.files)) * UNIT });

const draw = (cell, place, labelled) => {
  const [width, height] = [cell.files * UNIT, cell.ranks * UNIT], edge = labelled ? EDGE : 0.5;
  const svg = make("svg", { viewBox: `${-edge} -0.5 ${width + edge + 0.5} ${height + edge + 0.5}` });
  const names = namesOf(cell, place), box = { width: UNIT, height: UNIT };
  names.forEach((name, square) => make("rect", { class: "square", ...corner(cell, square), ...box }, svg));
  const shades = names.map((name, square) =>
    make("rect", { class: "shade", "data-square": name, "fill-opacity": 0, ...corner(cell, square), ...box }, svg));
  if (place.pieces !== null) make("use", { class: "men", href: "#touch-pieces-" + place.pieces }, svg);
  const mark = make("rect", { class: "mark", ...box }, svg), key = make("rect", { class: "key", ...box }, svg);
  if (labelled) place.names.forEach((list, axis) => list.forEach((name, at) => {
    const middle = (at + 0.5) * UNIT;
    make("text", { class: "names", "text-anchor": "middle", x: axis ? -2.6 : middle, y: axis ? middle + 1.2 : height + 3.9 }, svg)
      .textContent = name;
  }));
  const at = event => {
    const seen = svg.getBoundingClientRect(), scale = (width + edge + 0.5) / seen.width;
    const file = Math.floor(((event.clientX - seen.left) * scale - edge) / UNIT);
    const down = Math.floor(((event.clientY - seen.top) * scale - 0.5) / UNIT);
    const inside = file >= 0 && file < cell.files && down >= 0 && down < cell.ranks;
    return inside ? names[(cell.ranks - 1 - down) * cell.files + file] : null;
  };
  const show = (query, other) => [[mark, query], [key, other]].forEach(([rect, name]) => {
    const square = names.indexOf(name);
    rect.setAttribute("visibility", square < 0 ? "hidden" : "visible");
    if (square >= 0) Object.entries(corner(cell, square)).forEach(([axis, value]) => rect.setAttribute(axis, value));
  });
  return { svg, names, shades, at, show };
};

const placeNumber = () => Number(placeBox.value.split("-")[1]);
const part = () => document.querySelector("#touch input:checked").value;
const layerIn = cell => {
  const found = cell.layers.findIndex(layer => layer.layer === Number(layerBox.value));
  return found < 0 ? cell.layers.length - 1 : found;
};

// A head's board: its keys in the colours of the query's row, and one of them as a number.
const paint = ({ cell, head, block, board, value }) => {
  board.show(state.query, state.key);
  const query = board.names.indexOf(state.query);
  if (query < 0 || block === null) return;
  const values = row(block, board.names.length, head, query, part());
  const mean = values.reduce((sum, each) => sum + each, 0) / values.length, ratios = part() === "attention";
  const shown = values.map(each => ratios ? Math.log2(each / mean) : each - mean);
  const limit = ratios ? 3 : Math.max(...shown.map(Math.abs)) || 1;
  shown.forEach((each, square) => {
    const share = Math.max(-1, Math.min(1, each / limit)) || 0;
    board.shades[square].setAttribute("class", share < 0 ? "shade low" : "shade high");
    board.shades[square].setAttribute("fill-opacity", Math.abs(share).toFixed(3));
  });
  const key = board.names.indexOf(state.key), at = key < 0 ? shown.indexOf(Math.max(...shown)) : key;
  const number = ratios ? `${short(values[at] / mean)}×, ${short(100 * values[at])} %` : `${short(shown[at])} (±${short(limit)})`;
  value.textContent = (key < 0 ? "most: " : "") + `${board.names[at]} ${number}`;
};
const update = () => {
  main.show(state.query, state.key);
  boards.forEach(paint);
  const key = state.key ? ` to the key on ${state.key}` : "";
  of("said").textContent = `From the query on ${state.query}${key}${state.pinned ? "; fixed, click it again to release" : ""}.`;
};

// Boards and selects anew, after another choice.
const build = () => {
  const cells = [cellBox.value, besideBox.value].filter(value => value !== "").map(value => [Number(value), data.cells[value]]);
  const [[, first]] = cells, place = placeNumber();
  main = draw(first, first.places[place], true);
  Object.entries({ tabindex: 0, role: "application", "aria-label": "Board: arrow keys choose the query's square" })
    .forEach(([name, value]) => main.svg.setAttribute(name, value));
  of("board").replaceChildren(main.svg);
  listen(main, first);
  boards = [];
  of("heads").replaceChildren(...cells.map(([number, cell]) => {
    const column = html("div", "column", ""), list = html("div", "heads", ""), layer = layerIn(cell);
      if (cells.length > 1) column.append(html("h3", "", cellBox.options[number].textContent));
    if (cell.layers[layer].layer !== Number(layerBox.value)) column.append(html("p", "value", `Layer ${cell.layers[layer].layer}, its last.`));
    const block = cell.places[place].maps[layer][PARTS.indexOf(part())];
    if (block === null) list.append(html("p", "value", "No encoding acts on the logits of this layer, so they have no position part."));
    else cell.layers[layer].heads.forEach((caption, head) => {
      const figure = html("figure", "", ""), board = draw(cell, cell.places[place], false), value = html("p", "value", "");
      figure.dataset.cell = number;
      figure.dataset.head = head;
      board.svg.setAttribute("role", "img");
      board.svg.setAttribute("aria-label", caption);
      board.svg.addEventListener("pointermove", event => change({ key: board.at(event) }));
      board.svg.addEventListener("pointerdown", event => change({ key: board.at(event) }));
      board.svg.addEventListener("pointerleave", event => event.pointerType === "mouse" && change({ key: null }));
      const title = html("figcaption", "", "");
      title.append(html("b", "", caption.replace(" %", "\u00a0%")));
      figure.append(title, board.svg, value);
      list.append(figure);
      boards.push({ cell, head, block, board, value });
    });
    column.append(list);
    return column;
  }));
  const ratios = part() === "attention";
  of("low").textContent = ratios ? "1/8 of an even share" : "below the mean";
  of("high").textContent = ratios ? "8×" : "above the mean of the keys";
  update();
};
const change = values => {
  if (Object.entries(values).every(([name, value]) => state[name] === value)) return;
  Object.assign(state, values);
  update();
};
const listen = (board, cell) => {
  const hover = event => { const name = board.at(event); if (name && !state.pinned) change({ query: name, key: null }); };
  board.svg.addEventListener("pointermove", hover);
  board.svg.addEventListener("click", event => {
    const name = board.at(event);
    if (!name) return;
    change({ query: name, key: null, pinned: !(state.pinned && state.query === name) });
    remember();
  });
  board.svg.addEventListener("keydown", event => {
    const [right, up] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key] || [0, 0];
    if (!right && !up) return;
    event.preventDefault();
    const square = board.names.indexOf(state.query);
    const file = square % cell.files + right, rank = Math.floor(square / cell.files) + up;
    if (file < 0 || file >= cell.files || rank < 0 || rank >= cell.ranks) return;
    change({ query: board.names[rank * cell.files + file], key: null, pinned: true });
    remember();
  });
};

const options = (box, isOffered) => {
  const offered = [...box.options].filter(option => {
    option.hidden = option.disabled = !isOffered(option);
    return !option.disabled;
  });
  if (!offered.includes(box.selectedOptions[0]))
    box.value = (offered.find(option => option.defaultSelected) ?? offered[0]).value;
};
const set = (box, value) => {
  if ([...box.options].some(option => option.value === value && !option.disabled)) box.value = value;
};
const choose = wanted => {
  set(cellBox, wanted.cell);
  const cell = data.cells[cellBox.value], game = cellBox.selectedOptions[0].dataset.game;
  options(besideBox, option => option.value === "" || option.dataset.game === game);
  options(placeBox, option => option.dataset.game === game);
  const layers = cell.layers.map(layer => String(layer.layer)), layer = wanted.layer ?? layerBox.value;
  layerBox.replaceChildren(...layers.map(number => new Option(number, number)));
  layerBox.value = layers.includes(layer) ? layer : String(cell.best);
  set(besideBox, wanted.beside);
  set(placeBox, wanted.place);
  const radio = PARTS.includes(wanted.part) && of("part-" + wanted.part);
  if (radio) radio.checked = true;
  const names = namesOf(cell, cell.places[placeNumber()]);
  if (names.includes(wanted.square)) Object.assign(state, { query: wanted.square, key: null, pinned: true });
  if (names.includes(wanted.key)) state.key = wanted.key;
  if (!names.includes(state.query)) state.query = names[Math.floor(names.length / 2)];
  build();
};
const remember = () => {
  const chosen = { cell: cellBox.value, beside: besideBox.value, layer: layerBox.value, place: placeBox.value, part: part(), square: state.query };
  history.replaceState(null, "", "#" + new URLSearchParams(chosen));
};
const fromHash = () => choose(Object.fromEntries(new URLSearchParams(location.hash.slice(1))));
document.getElementById("touch").addEventListener("change", () => { choose({}); remember(); });
addEventListener("hashchange", fromHash);
document.getElementById("touch").hidden = false;
fromHash();
})();
