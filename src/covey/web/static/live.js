// Live parts. `hx-select-oob` names pieces of the page that the server answers with; idiomorph merges each into the one
// that is open, which keeps every node that is still there. Elements that ask again and again have an `id`, so that none
// becomes part of what follows it.

const HIDING = "[data-plain], [data-copy], [data-bulk], table.roles tr";
const OURS = "[data-bulk], #connection, [data-chosen]";

// What somebody typed, opened or chose, and what scripts hide, is not taken back by what the server sends.
function isKept(name, node) {
  switch (name) {
    case "open": return node.matches("details");
    case "hidden": return node.matches(HIDING);
    case "value": return "defaultValue" in node && node.value !== node.defaultValue;
    case "checked": return node.checked !== node.defaultChecked;
    case "selected": return node.selected !== node.defaultSelected;
    default: return false;
  }
}

const callbacks = {
  beforeNodeMorphed: (node) => !node.matches?.(OURS),
  beforeAttributeUpdated: (name, node) => !isKept(name, node),
  afterNodeAdded: (node) => { if (node.matches) htmx.trigger(node, "htmx:load", { elt: node }); },
};

document.addEventListener("htmx:oobBeforeSwap", (event) => {
  const { target, fragment } = event.detail;
  const fresh = fragment.firstElementChild;
  event.detail.shouldSwap = false;
  // A piece that comes again as it is stays, and is not read out once more.
  if (!fresh || target.isEqualNode(fresh)) return;
  const focused = document.activeElement;
  Idiomorph.morph(target, fresh, { callbacks });
  htmx.process(target);
  if (focused.isConnected) return;
  // What had the focus is gone; whoever uses the keyboard goes on from the part that changed.
  target.tabIndex = -1;
  target.focus({ preventScroll: true });
});

// Forms and links with `data-address` keep the address of the page what it shows: it can be reloaded, kept and come back to.
document.addEventListener("change", (event) => {
  const { form } = event.target;
  if (form?.dataset.address === undefined) return;
  history.replaceState(history.state, "", `?${new URLSearchParams(new FormData(form))}`);
});
document.addEventListener("htmx:afterRequest", (event) => {
  const { successful, xhr, requestConfig } = event.detail;
  const next = xhr.getResponseHeader("X-Covey-Replace");
  // One step of the way took the place of another: "back" leads to the one before.
  if (next) location.replace(next);
  else if (successful && requestConfig.elt.dataset.address !== undefined) history.replaceState(history.state, "", xhr.responseURL);
});

// A part that tells of what is being typed is not believed while it is about something else.
document.addEventListener("input", (event) => {
  const part = event.target.form?.dataset.checked;
  if (part) document.getElementById(part)?.setAttribute("aria-busy", "true");
});
document.addEventListener("htmx:beforeSwap", (event) => {
  const { target, requestConfig } = event.detail;
  const { elt } = requestConfig; // events know only where they are dispatched
  if (target.getAttribute("aria-busy") !== "true" || !elt.dataset.checked) return;
  const written = (data) => JSON.stringify([...data.entries()]);
  if (written(new FormData(elt)) === written(requestConfig.formData)) target.removeAttribute("aria-busy");
  else event.detail.shouldSwap = false; // more was typed meanwhile
});

// When covey does not answer, or not this browser any more, a note appears until it does.
const LONGEST = 20_000; // milliseconds for an answer that has to be quick
const TROUBLES = {
  gone: ["covey does not answer.", "It was stopped, or the connection is gone. Figures on this page may be out of date; what you typed is still here. This note goes away when covey answers again."],
  ended: ["This session has ended.", "covey was started anew, or the cookie is gone. Open the address that covey printed when it started, then reload this page."],
  failed: ["That did not work.", "covey answered with an error, and nothing was changed on this page. Try again, or reload the page."],
};
let probing = 0;

function notify(which) {
  const place = document.getElementById("connection");
  if (place.dataset.trouble === which) return;
  const [title, text] = TROUBLES[which] ?? ["", ""];
  place.dataset.trouble = which;
  place.hidden = !which;
  place.querySelector("strong").textContent = title;
  place.querySelector("span").textContent = text;
  for (const part of document.querySelectorAll('[aria-busy="true"]')) {
    if (which) part.innerHTML = '<div class="note"><p>Not checked.</p></div>';
    part.removeAttribute("aria-busy");
  }
  clearInterval(probing);
  if (which === "gone") {
    probing = setInterval(() => fetch("/static/mark.svg", { cache: "no-store" }).then((answer) => {
      if (answer.status === 401) notify("ended");
      else if (answer.ok) notify("");
    }, () => {}), 1500);
  }
}

document.addEventListener("htmx:beforeRequest", (event) => {
  if (event.detail.requestConfig.verb === "get") event.detail.xhr.timeout = LONGEST;
});
for (const kind of ["htmx:sendError", "htmx:timeout"]) document.addEventListener(kind, () => notify("gone"));
document.addEventListener("htmx:responseError", (event) => notify(event.detail.xhr.status === 401 ? "ended" : "failed"));
document.addEventListener("htmx:afterRequest", (event) => { if (event.detail.successful) notify(""); });
