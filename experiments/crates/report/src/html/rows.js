"use strict";
for (const box of document.querySelectorAll(".filtered")) {
  const table = box.querySelector("table"), body = table.tBodies[0], heads = [...table.tHead.rows[0].cells];
  const rows = [...body.rows], texts = new Map();
  for (const row of rows) texts.set(row, [...row.cells].map(cell => cell.textContent).join(" ").toLowerCase());
  const input = box.querySelector("input[type=search]"), count = box.querySelector("output");
  const show = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of rows) row.hidden = !words.every(word => texts.get(row).includes(word));
    count.textContent = rows.filter(row => !row.hidden).length + " of " + rows.length + " rows";
  };
  input.addEventListener("input", show);
  input.parentElement.hidden = false;
  show();
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    const key = row => row.cells[column].dataset.value ?? row.cells[column].textContent;
    button.addEventListener("click", () => {
      const sign = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
      heads.forEach(other => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
      rows.sort((one, other) => {
        const [a, b] = [key(one), key(other)];
        if (a === "" || b === "") return (a === "") - (b === "");
        const numbers = Number(a) - Number(b);
        return sign * (Number.isNaN(numbers) ? a.localeCompare(b, undefined, { numeric: true }) : numbers);
      });
      body.append(...rows);
    });
  });
}
