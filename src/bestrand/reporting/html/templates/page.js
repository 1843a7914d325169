"use strict";
(() => {
  const NARROW = 520;

  function draw(place) {
    const spec = JSON.parse(place.querySelector("script").textContent);
    if (place.clientWidth < NARROW) {
      const config = spec.config;
      config.axis = { ...config.axis, labelLimit: 110, titleLimit: place.clientWidth - 150 };
      config.legend = { ...config.legend, columns: 1 };
    }
    const target = document.createElement("div");
    place.append(target);
    const options = { actions: false, renderer: "svg", ast: true };
    return vegaEmbed(target, spec, options).catch((error) => {
      target.className = "failed";
      target.textContent = `This chart could not be drawn: ${error.message}`;
      console.error(error);
    });
  }

  function cell(row, column) {
    return row.cells[column].dataset.value;
  }

  function compare(a, b, numbers) {
    if (a === "" || b === "") return (a === "") - (b === "");
    return numbers ? Number(a) - Number(b) : a.localeCompare(b, undefined, { numeric: true });
  }

  function sort(head) {
    const table = head.closest("table");
    const column = head.cellIndex;
    const up = head.getAttribute("aria-sort") !== "ascending";
    const numbers = head.classList.contains("number");
    const rows = [...table.tBodies[0].rows].sort((left, right) => {
      const [a, b] = [cell(left, column), cell(right, column)];
      const order = compare(a, b, numbers);
      // what is not known stays last, whichever way the rest is turned
      return up || a === "" || b === "" ? order : -order;
    });
    for (const other of table.tHead.rows[0].cells) other.setAttribute("aria-sort", "none");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    table.tBodies[0].append(...rows);
  }

  for (const head of document.querySelectorAll("th")) {
    head.querySelector("button").addEventListener("click", () => sort(head));
  }
  const charts = [...document.querySelectorAll(".chart")].map(draw);
  Promise.all(charts).then(() => document.documentElement.setAttribute("data-drawn", "yes"));
})();
