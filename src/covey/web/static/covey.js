// What the page does beyond plain HTML: charts, dropping files, copying text. Everything else is forms and htmx, and
// parts that change while somebody uses them (live.js).

import "./live.js";

const charts = new Map();

function token(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function percent(share) {
  const value = 100 * share;
  if (value < 0.0005 || value >= 9.95) return `${value.toFixed(0)} %`;
  return value >= 0.1 ? `${value.toFixed(1)} %` : `${Number(value.toPrecision(1))} %`;
}

function plain(value) {
  return value.toLocaleString("en", { maximumFractionDigits: Math.abs(value) < 10 ? 2 : 0 });
}

// The dashed line of what is promised, and the values above the bars; a halo keeps them readable on it.
const labels = {
  id: "covey-labels",
  afterDatasetsDraw(chart, _args, options) {
    const { ctx } = chart;
    const lying = chart.options.indexAxis === "y";
    ctx.save();
    if (options.line) {
      const { left, right, top, bottom } = chart.chartArea;
      const at = chart.scales[lying ? "x" : "y"].getPixelForValue(options.line.value);
      ctx.strokeStyle = token("--chart-good");
      ctx.lineWidth = 1.8;
      ctx.setLineDash([6, 4]);
      ctx.beginPath();
      // A promise about so many known items goes no further than these.
      const share = options.line.reach / chart.data.labels.length;
      if (lying) { ctx.moveTo(at, top); ctx.lineTo(at, top + share * (bottom - top)); }
      else { ctx.moveTo(left, at); ctx.lineTo(left + share * (right - left), at); }
      ctx.stroke();
      ctx.setLineDash([]);
    }
    ctx.font = `600 ${options.small ? 11 : 12.5}px ${Chart.defaults.font.family}`;
    ctx.fillStyle = token("--text");
    ctx.strokeStyle = token("--raised");
    ctx.lineWidth = 5;
    ctx.lineJoin = "round";
    ctx.textAlign = lying ? "left" : "center";
    ctx.textBaseline = lying ? "middle" : "bottom";
    chart.data.datasets.forEach((series, i) => {
      chart.getDatasetMeta(i).data.forEach((bar, j) => {
        const text = options.format(series.data[j]);
        const [x, y] = lying ? [bar.x + 7, bar.y] : [bar.x, bar.y - 5];
        ctx.strokeText(text, x, y);
        ctx.fillText(text, x, y);
      });
    });
    ctx.restore();
  },
};

function legend(chart) {
  const items = chart.data.datasets.length > 1 ? Chart.defaults.plugins.legend.labels.generateLabels(chart) : [];
  for (const item of items) item.fontColor = token("--text");
  const line = chart.options.plugins["covey-labels"].line;
  if (line) {
    items.push({
      text: line.label, fontColor: token("--text"), fillStyle: "transparent", strokeStyle: token("--chart-good"),
      lineWidth: 2, lineDash: [4, 3],
    });
  }
  return items;
}

// Long names in lines of a few words, for a chart too narrow for them.
function wrapped(text, most) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (longer.length <= most || !lines.at(-1)) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

function draw(canvas) {
  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  const what = JSON.parse(canvas.dataset.chart);
  charts.get(canvas)?.destroy();
  const lying = what.direction === "lying";
  const narrow = canvas.parentElement.clientWidth < 480;
  const format = what.unit === "share" ? percent : plain;
  const highest = Math.max(what.line?.value ?? 0, ...what.series.flatMap((series) => series.values));
  const values = {
    beginAtZero: true,
    // Room for the value beside the longest bar.
    max: (highest || 1) * (lying ? (narrow ? 1.4 : 1.22) : 1.14),
    display: false,
    grid: { display: false },
  };
  const names = {
    grid: { display: false },
    border: { color: token("--rule") },
    ticks: {
      color: token("--dim"), font: { size: narrow && lying ? 11.5 : 12.5 }, autoSkip: false, maxRotation: 40,
      callback: (index) => (narrow && lying ? wrapped(what.labels[index], 16) : what.labels[index]),
    },
    title: { display: Boolean(what.axis) && !lying, text: what.axis, color: token("--dim"), font: { size: 12.5 } },
  };
  charts.set(canvas, new Chart(canvas, {
    type: "bar",
    data: {
      labels: what.labels,
      datasets: what.series.map((series) => ({
        label: series.name,
        data: series.values,
        backgroundColor: series.tones.length
          ? series.tones.map((tone) => token(`--chart-${tone}`)) : token(`--chart-${series.tone}`),
        borderRadius: 4,
        maxBarThickness: lying ? 22 : 64,
        categoryPercentage: 0.72,
        barPercentage: 0.92,
        minBarLength: 2,
      })),
    },
    options: {
      animation: false,
      responsive: true,
      maintainAspectRatio: false,
      indexAxis: lying ? "y" : "x",
      layout: { padding: { top: 6 } },
      scales: lying ? { x: values, y: names } : { y: values, x: names },
      plugins: {
        legend: {
          display: what.series.length > 1 || Boolean(what.line),
          align: "start",
          onClick: null,
          labels: { boxWidth: 14, boxHeight: 12, useBorderRadius: true, borderRadius: 3, generateLabels: legend },
        },
        tooltip: { callbacks: { label: (point) => `${point.dataset.label}: ${format(point.raw)}` } },
        "covey-labels": { format, line: what.line, small: narrow },
      },
    },
    plugins: [labels],
  }));
}

// All elements of a part that fit, the part itself included.
function within(root, selector) {
  return [...(root.matches?.(selector) ? [root] : []), ...root.querySelectorAll(selector)];
}

function drawAll(root) {
  for (const canvas of within(root, "canvas[data-chart]")) draw(canvas);
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
  const said = button.textContent;
  try {
    await navigator.clipboard.writeText(source.textContent);
    button.textContent = "Copied";
  } catch {
    // Without the right to the clipboard the text is at least selected.
    getSelection().selectAllChildren(source);
    button.textContent = "Selected";
  }
  setTimeout(() => { button.textContent = said; }, 1800);
}

// Roles of many columns at once: those that are shown get what is chosen, and the last such step can be taken back.
function prepareBulk(bar) {
  const form = document.getElementById(bar.dataset.bulk);
  const [find, only, to, set, undo, says] = ["find", "role", "to", "set", "undo", "says"].map((id) => bar.querySelector(`#bulk-${id}`));
  const rows = () => [...form.querySelectorAll("tbody tr")].map((row) => [row, row.querySelector("select")]);
  let before = [];
  let wanted = "";
  const count = (note = "") => {
    const shown = rows().filter(([row]) => !row.hidden).length;
    set.textContent = `Set ${plain(shown)}`;
    set.disabled = !shown;
    says.textContent = `${note}${plain(shown)} of ${plain(rows().length)} columns shown.`;
  };
  const show = () => {
    wanted = find.value.trim().toLowerCase();
    for (const [row, select] of rows()) {
      const name = row.querySelector("label").textContent.toLowerCase();
      row.hidden = !name.includes(wanted) || Boolean(only.value && select.value !== only.value);
    }
    count();
  };
  find.addEventListener("input", show);
  only.addEventListener("change", show);
  set.addEventListener("click", () => {
    before = rows().filter(([row]) => !row.hidden).map(([, select]) => [select.id, select.value]);
    for (const [id] of before) {
      const select = document.getElementById(id);
      const role = to.value === "guess" ? select.dataset.guess : to.value;
      if (role) select.value = role;
    }
    undo.disabled = false;
    count(`Set to “${to.selectedOptions[0].textContent}”. `);
  });
  undo.addEventListener("click", () => {
    for (const [id, value] of before) document.getElementById(id).value = value;
    undo.disabled = true;
    find.focus();
    show();
  });
  bar.hidden = false;
  show();
}

function prepare(root) {
  for (const bar of root.querySelectorAll("[data-bulk]")) prepareBulk(bar);
  drawAll(root);
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
    if (event.detail.elt.getAttribute("hx-swap") === "none") event.detail.swapOverride = "outerHTML";
  }
});
// Fired for the whole page at first, then for every piece that is put in.
document.addEventListener("htmx:load", (event) => prepare(event.detail.elt));
document.addEventListener("htmx:beforeCleanupElement", (event) => {
  const canvas = event.detail.elt;
  charts.get(canvas)?.destroy();
  charts.delete(canvas);
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => drawAll(document));
