// What the page does beyond plain HTML: charts, dropping files, copying text. Everything else is forms and htmx.

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

// The values above the bars, and the dashed line of what is promised.
const labels = {
  id: "covey-labels",
  afterDatasetsDraw(chart, _args, options) {
    const { ctx } = chart;
    ctx.save();
    ctx.font = `600 ${options.small ? 11 : 12.5}px ${getComputedStyle(document.body).fontFamily}`;
    ctx.fillStyle = token("--text");
    const lying = chart.options.indexAxis === "y";
    ctx.textAlign = lying ? "left" : "center";
    ctx.textBaseline = lying ? "middle" : "bottom";
    chart.data.datasets.forEach((series, i) => {
      chart.getDatasetMeta(i).data.forEach((bar, j) => {
        const text = options.format(series.data[j]);
        if (lying) ctx.fillText(text, bar.x + 7, bar.y);
        else ctx.fillText(text, bar.x, bar.y - 5);
      });
    });
    if (options.line) {
      const { left, right, top, bottom } = chart.chartArea;
      ctx.strokeStyle = token("--chart-good");
      ctx.lineWidth = 1.6;
      ctx.setLineDash([6, 4]);
      ctx.beginPath();
      const at = chart.scales[lying ? "x" : "y"].getPixelForValue(options.line.value);
      if (lying) { ctx.moveTo(at, top); ctx.lineTo(at, bottom); } else { ctx.moveTo(left, at); ctx.lineTo(right, at); }
      ctx.stroke();
      ctx.fillStyle = token("--good");
      ctx.setLineDash([]);
      ctx.textAlign = lying ? "center" : "right";
      ctx.textBaseline = "bottom";
      if (lying) ctx.fillText(options.line.label, Math.min(at, right - 50), top - 2);
      else ctx.fillText(options.line.label, right, at - 4);
    }
    ctx.restore();
  },
};

function draw(canvas) {
  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  const what = JSON.parse(document.getElementById(canvas.dataset.chart).textContent);
  charts.get(canvas)?.destroy();
  const lying = what.direction === "lying";
  const narrow = canvas.parentElement.clientWidth < 480;
  const format = what.unit === "share" ? percent : plain;
  const highest = Math.max(what.line?.value ?? 0, ...what.series.flatMap((series) => series.values));
  const values = {
    beginAtZero: true,
    max: (highest || 1) * (lying ? 1.22 : 1.14),
    display: false,
    grid: { display: false },
  };
  const names = {
    grid: { display: false },
    border: { color: token("--rule") },
    ticks: { color: token("--dim"), font: { size: 12.5 }, autoSkip: false, maxRotation: 40 },
    title: { display: Boolean(what.axis), text: what.axis, color: token("--dim"), font: { size: 12.5 } },
  };
  charts.set(canvas, new Chart(canvas, {
    type: "bar",
    data: {
      labels: what.labels,
      datasets: what.series.map((series) => ({
        label: series.name,
        data: series.values,
        backgroundColor: token(`--chart-${series.tone}`),
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
      layout: { padding: { top: what.line ? 16 : 6 } },
      scales: lying ? { x: values, y: names } : { y: values, x: names },
      plugins: {
        legend: {
          display: what.series.length > 1,
          align: "start",
          labels: { color: token("--text"), boxWidth: 12, boxHeight: 12, useBorderRadius: true, borderRadius: 3 },
        },
        tooltip: { callbacks: { label: (point) => `${point.dataset.label}: ${format(point.raw)}` } },
        "covey-labels": { format, line: what.line, small: narrow },
      },
    },
    plugins: [labels],
  }));
}

function drawAll(root) {
  for (const canvas of root.querySelectorAll("canvas[data-chart]")) draw(canvas);
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

function prepare(root) {
  drawAll(root);
  for (const form of root.querySelectorAll("form[data-drop]")) prepareDrop(form);
  // Buttons that only a browser without scripts needs.
  for (const needless of root.querySelectorAll("[data-plain]")) needless.hidden = true;
  for (const button of root.querySelectorAll("button[data-copy]")) button.hidden = false;
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
