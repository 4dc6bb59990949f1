// Live parts. `hx-select-oob` names pieces of the page that the server answers with; each is merged into the one that is
// open, which keeps every node that is still there: the focus, a button under the mouse, what was typed, opened or
// scrolled. Children are matched by `id` or `data-key`, the others by their place.

// What somebody did to the page, and what scripts keep on elements, is not taken back by what the server sends.
const KEPT = { DETAILS: ["open"] };
const HIDING = "[data-plain], [data-copy], [data-bulk], table.roles tr";
const OURS = "[data-bulk], #connection, [data-chosen]";

function keyOf(node) {
  return node.id || node.dataset?.key || null;
}

function alike(old, fresh) {
  if (old.nodeType !== fresh.nodeType || old.nodeName !== fresh.nodeName) return false;
  if (old.nodeType !== Node.ELEMENT_NODE) return true;
  // What asks by itself is another thing than what does not: it would not stop.
  return keyOf(old) === keyOf(fresh) && old.getAttribute("hx-trigger") === fresh.getAttribute("hx-trigger");
}

function mergeAttributes(old, fresh) {
  const kept = KEPT[old.nodeName] ?? (old.matches(HIDING) ? ["hidden"] : []);
  for (const { name, value } of fresh.attributes) {
    if (!kept.includes(name) && old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  for (const { name } of [...old.attributes]) {
    if (!kept.includes(name) && !fresh.hasAttribute(name)) old.removeAttribute(name);
  }
}

// Make `old` what `fresh` is; returns the elements that are new, or ask for something else.
function merge(old, fresh) {
  if (old.matches(OURS)) return [];
  const asks = (element) => `${element.getAttribute("hx-get")} ${element.getAttribute("hx-post")}`;
  const added = asks(old) === asks(fresh) ? [] : [old];
  mergeAttributes(old, fresh);
  const keyed = new Map([...old.children].filter(keyOf).map((child) => [keyOf(child), child]));
  let at = old.firstChild;
  for (const child of [...fresh.childNodes]) {
    const key = child.nodeType === Node.ELEMENT_NODE ? keyOf(child) : null;
    const found = key ? keyed.get(key) : at;
    if (found && alike(found, child)) {
      // Whatever stands before the one that is looked for has gone, and is not moved behind it.
      while (key && at && at !== found && !stays(at, fresh)) at = removed(at);
      if (found === at) at = at.nextSibling;
      else old.insertBefore(found, at);
      if (key) keyed.delete(key);
      if (child.nodeType === Node.ELEMENT_NODE) added.push(...merge(found, child));
      else if (found.data !== child.data) found.data = child.data;
    } else {
      old.insertBefore(child, at);
      if (child.nodeType === Node.ELEMENT_NODE) added.push(child);
    }
  }
  while (at) at = removed(at);
  return added;
}

function stays(node, fresh) {
  const key = node.nodeType === Node.ELEMENT_NODE ? keyOf(node) : null;
  return key !== null && [...fresh.children].some((child) => keyOf(child) === key);
}

function removed(node) {
  const next = node.nextSibling;
  if (node.nodeType === Node.ELEMENT_NODE) htmx.remove(node); // ends its requests, too
  else node.remove();
  return next;
}

const REACHED = "a[href], button:not([disabled]), input, select, textarea, summary, [tabindex]";

// Where the focus goes when what had it disappears: to what follows, else to the last that is left, as near as possible.
function nearby(target) {
  const had = document.activeElement;
  if (!target.contains(had) || had === target) return () => {};
  const above = [];
  for (let node = had.parentElement; node && node !== target.parentElement; node = node.parentElement) above.push(node);
  const following = [...target.querySelectorAll(REACHED)].filter(
    (one) => had.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING,
  );
  return () => {
    if (had.isConnected && document.activeElement === had) return;
    for (const place of above.filter((one) => one.isConnected)) {
      const next = following.find((one) => one.isConnected && place.contains(one))
        ?? [...place.querySelectorAll(REACHED)].at(-1);
      if (next) {
        next.focus({ preventScroll: true });
        return;
      }
    }
    target.tabIndex = -1;
    target.focus({ preventScroll: true });
  };
}

// Whatever somebody looks at stays where it is while pieces above it grow.
function lookedAt() {
  if (!scrollY) return () => {};
  // Browsers that see to this by themselves lose their place when it was in a part that goes.
  document.documentElement.style.overflowAnchor = "none";
  const focused = document.activeElement;
  const top = focused.getBoundingClientRect().top;
  const visible = focused !== document.body && top >= 0 && top < innerHeight;
  const element = visible ? focused : document.elementFromPoint(innerWidth / 2, innerHeight / 2);
  const before = element.getBoundingClientRect().top;
  return () => {
    if (element.isConnected) scrollBy({ top: element.getBoundingClientRect().top - before, behavior: "instant" });
    document.documentElement.style.overflowAnchor = "";
  };
}

document.addEventListener("htmx:oobBeforeSwap", (event) => {
  const { target, fragment } = event.detail;
  const fresh = fragment.firstElementChild;
  event.detail.shouldSwap = false;
  // A piece that comes again as it is stays, and is not read out once more.
  if (!fresh || target.isEqualNode(fresh)) return;
  const scrolled = lookedAt();
  const focused = nearby(target);
  for (const element of merge(target, fresh)) {
    htmx.process(element);
    htmx.trigger(element, "htmx:load", { elt: element });
  }
  focused();
  scrolled();
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

// When covey does not answer, or not this browser any more, that is said, and taken back once it does.
const LONGEST = 20_000; // milliseconds for an answer that has to be quick
const TROUBLES = {
  gone: ["covey does not answer.", "It was stopped, or the connection is gone. Figures on this page may be out of date; what you typed is still here. This note goes away when covey answers again."],
  ended: ["This session has ended.", "covey was started anew, or the cookie is gone. Open the address that covey printed when it started, then reload this page."],
  failed: ["That did not work.", "covey answered with an error, and nothing was changed on this page. Try again, or reload the page."],
};
let probing = 0;

function say(which) {
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
      if (answer.status === 401) say("ended");
      else if (answer.ok) say("");
    }, () => {}), 1500);
  }
}

document.addEventListener("htmx:beforeRequest", (event) => {
  if (event.detail.requestConfig.verb === "get") event.detail.xhr.timeout = LONGEST;
});
for (const kind of ["htmx:sendError", "htmx:timeout"]) document.addEventListener(kind, () => say("gone"));
document.addEventListener("htmx:responseError", (event) => say(event.detail.xhr.status === 401 ? "ended" : "failed"));
document.addEventListener("htmx:afterRequest", (event) => { if (event.detail.successful) say(""); });
