// What the page does beyond plain HTML: dropping files, roles of many columns, copying text. Everything else is forms and htmx, and
// parts that change while somebody uses them (live.js).

import "./live.js";

function plain(value) {
  return value.toLocaleString("en", { maximumFractionDigits: Math.abs(value) < 10 ? 2 : 0 });
}

// All elements of a part that fit, the part itself included.
function within(root, selector) {
  return [...(root.matches?.(selector) ? [root] : []), ...root.querySelectorAll(selector)];
}

function prepareDrop(form) {
  const input = form.querySelector("input[type=file]");
  const name = form.querySelector("[data-chosen]");
  const chosen = () => {
    if (!input.files.length) return;
    if (name) name.textContent = input.files[0].name;
    form.requestSubmit();
  };
  input.addEventListener("change", chosen);
  const stop = (event) => event.preventDefault();
  for (const kind of ["dragenter", "dragover"]) {
    form.addEventListener(kind, (event) => { stop(event); form.classList.add("over"); });
  }
  form.addEventListener("dragleave", () => form.classList.remove("over"));
  form.addEventListener("drop", (event) => {
    stop(event);
    form.classList.remove("over");
    if (!event.dataTransfer.files.length) return;
    input.files = event.dataTransfer.files;
    chosen();
  });
  const bar = form.querySelector("progress");
  form.addEventListener("htmx:xhr:progress", (event) => {
    bar.hidden = false;
    if (event.detail.lengthComputable) {
      bar.max = event.detail.total;
      bar.value = event.detail.loaded;
    }
  });
  form.addEventListener("htmx:afterRequest", () => { bar.hidden = true; input.value = ""; });
}

async function copy(button) {
  const source = document.getElementById(button.dataset.copy);
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(source.textContent);
    button.textContent = "Copied";
  } catch {
    // Without the right to the clipboard the text is at least selected.
    getSelection().selectAllChildren(source);
    button.textContent = "Selected";
  }
  setTimeout(() => { button.textContent = label; }, 1800);
}

// Roles of many columns at once: those that are shown get what is chosen.
function prepareBulk(bar) {
  const form = document.getElementById(bar.dataset.bulk);
  const [find, only, to, set, says] = ["find", "role", "to", "set", "says"].map((id) => bar.querySelector(`#bulk-${id}`));
  const rows = () => [...form.querySelectorAll("tbody tr")].map((row) => [row, row.querySelector("select")]);
  const count = (note = "") => {
    const shown = rows().filter(([row]) => !row.hidden).length;
    set.textContent = `Set ${plain(shown)}`;
    set.disabled = !shown;
    says.textContent = `${note}${plain(shown)} of ${plain(rows().length)} columns shown.`;
  };
  const show = () => {
    const wanted = find.value.trim().toLowerCase();
    for (const [row, select] of rows()) {
      const name = row.querySelector("label").textContent.toLowerCase();
      row.hidden = !name.includes(wanted) || Boolean(only.value && select.value !== only.value);
    }
    count();
  };
  find.addEventListener("input", show);
  only.addEventListener("change", show);
  set.addEventListener("click", () => {
    for (const [row, select] of rows()) {
      const role = to.value === "guess" ? select.dataset.guess : to.value;
      if (role && !row.hidden) select.value = role;
    }
    count(`Set to “${to.selectedOptions[0].textContent}”. `);
  });
  bar.hidden = false;
  show();
}

function prepare(root) {
  for (const bar of root.querySelectorAll("[data-bulk]")) prepareBulk(bar);
  for (const form of within(root, "form[data-drop]")) prepareDrop(form);
  // Buttons that only a browser without scripts needs.
  for (const needless of within(root, "[data-plain]")) needless.hidden = true;
  for (const button of within(root, "button[data-copy]")) button.hidden = false;
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-copy]");
  if (button) copy(button);
});

document.addEventListener("htmx:beforeSwap", (event) => {
  // Refusals carry a page fragment that says what to do; show it like any other answer.
  if (event.detail.xhr.status >= 400 && event.detail.xhr.getResponseHeader("X-Covey-Fragment")) {
    event.detail.shouldSwap = true;
    event.detail.isError = false;
    // What asks again and again gives way to the reason why there is nothing more to ask for.
    const { elt } = event.detail.requestConfig;
    if (elt.getAttribute("hx-swap") === "none") event.detail.swapOverride = elt.matches("form") ? "innerHTML" : "outerHTML";
  }
});
// Fired for the whole page at first, then for every piece that is put in.
document.addEventListener("htmx:load", (event) => prepare(event.detail.elt));
