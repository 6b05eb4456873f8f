"use strict";
const rows = [...document.querySelectorAll("details.row")], lists = [...document.querySelectorAll(".rows")];
const search = document.querySelector("#search"), sort = document.querySelector("#sort"), shown = document.querySelector("#shown");
const buttons = [...document.querySelectorAll("button[data-verdict]")];
function update() {
  const on = buttons.filter((b) => b.getAttribute("aria-pressed") === "true").map((b) => b.dataset.verdict);
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const row of rows) {
    const text = row.dataset.words;
    row.hidden = (on.length && !on.includes(row.dataset.verdict)) || !words.every((w) => text.includes(w));
    count += !row.hidden;
  }
  shown.textContent = count === rows.length ? `all ${count} claims` : `${count} of ${rows.length} claims`;
}
for (const b of buttons) b.addEventListener("click", () => {
  b.setAttribute("aria-pressed", b.getAttribute("aria-pressed") !== "true");
  update();
});
search.addEventListener("input", update);
sort.addEventListener("change", () => {
  const key = sort.value, way = key === "share" ? -1 : 1;
  const value = (row) => (key === "share" ? Number(row.dataset.share) : key === "order" ? Number(row.dataset.order) : row.dataset[key]);
  const order = (a, b) => { const x = value(a), y = value(b); return way * (x < y ? -1 : x > y ? 1 : 0); };
  for (const list of lists) list.append(...[...list.children].sort(order)); // expected failures stay apart
});
function openNamed() {
  const row = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (row) { row.hidden = false; row.open = true; row.scrollIntoView(); }
}
addEventListener("hashchange", openNamed);
addEventListener("beforeprint", () => {
  for (const row of rows) {
    row.open = !row.hidden;
    for (const part of row.querySelectorAll("details.printed")) part.open = row.open;
  }
});
document.querySelector("#tools").hidden = false;
update();
openNamed();
