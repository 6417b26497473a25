// What saves steps. Every page is whole without it.
"use strict";
{
  const rows = () => [...document.querySelectorAll("a.row")];
  const isTyping = (target) => target.closest("input, textarea, select, [contenteditable]");
  let isGoing = false;

  // `g` and a letter go to a page, `j` and `k` to rows, `/` to the search, `?` to the list of keys.
  const press = (event) => {
    if (event.altKey && (event.key === "ArrowUp" || event.key === "ArrowDown")) return move(event);
    if (event.ctrlKey || event.altKey || event.metaKey || isTyping(event.target)) return;
    if (isGoing) {
      isGoing = false;
      document.querySelector(`nav a[data-key="${CSS.escape(event.key)}"]`)?.click();
      return;
    }
    if (event.key === "g") {
      isGoing = true;
      setTimeout(() => (isGoing = false), 1500);
    } else if (event.key === "j" || event.key === "k") {
      const all = rows();
      const at = all.indexOf(document.activeElement);
      const next = event.key === "j" ? at + 1 : Math.max(at - 1, 0);
      all[Math.min(next, all.length - 1)]?.focus();
    } else if (event.key === "/") {
      const search = document.querySelector("input[type=search]");
      if (!search) return;
      event.preventDefault();
      search.focus();
    } else if (event.key === "?") {
      document.getElementById("keys")?.showModal();
    }
  };
  addEventListener("keydown", press);

  // A hook goes before or behind another: it gets a priority between its new neighbours, as a draft.
  const priority = (row) => row?.querySelector(".priority input[name=priority]");
  const place = (row, before, after) => {
    const input = priority(row);
    if (!input || (!before && !after)) return;
    const above = before && Number(before.dataset.priority);
    const below = after && Number(after.dataset.priority);
    if (before && after) input.value = Math.floor((above + below) / 2) === below ? below + 1 : Math.floor((above + below) / 2);
    else input.value = before ? above - 10 : below + 10;
    input.form.requestSubmit();
  };
  const move = (event) => {
    const row = event.target.closest("tr[data-priority]");
    if (!row) return;
    event.preventDefault();
    const previous = row.previousElementSibling;
    const next = row.nextElementSibling;
    if (event.key === "ArrowUp" && previous) place(row, previous.previousElementSibling, previous);
    if (event.key === "ArrowDown" && next) place(row, next, next.nextElementSibling);
  };
  let dragged = null;
  const over = (event) => event.target.closest?.("tr[data-priority]");
  const unmark = () => document.querySelectorAll("tr.over").forEach((row) => row.classList.remove("over"));
  addEventListener("dragstart", (event) => {
    dragged = over(event);
  });
  addEventListener("dragover", (event) => {
    const row = over(event);
    if (!dragged || !row) return;
    event.preventDefault();
    unmark();
    row.classList.add("over");
  });
  addEventListener("drop", (event) => {
    const row = over(event);
    unmark();
    if (!dragged || !row || row === dragged) return;
    event.preventDefault();
    let before = row.previousElementSibling;
    if (before === dragged) before = before.previousElementSibling;
    place(dragged, before, row);
  });
  for (const input of document.querySelectorAll(".priority input[name=priority]")) {
    input.closest("tr").draggable = true;
  }

  // The form and the TOML of a hook follow each other. What comes late is dropped: newer words are on their way.
  addEventListener("input", ({ target }) => {
    const view = target.closest("[data-view]");
    if (!view) return;
    target.form.elements.view.value = view.dataset.view;
    htmx.trigger("#views", "htmx:abort");
  });
  addEventListener("htmx:after:swap", () => {
    for (const option of document.querySelectorAll("#views option")) option.selected = option.defaultSelected;
  });

  // A mistake is read at once.
  document.querySelector(".mistakes")?.focus();

  // What is wrong with the connection shows over the page, and the page stays as it is.
  const OUT = "You are logged out. Log in in a new tab, then go on: nothing is lost.";
  const DOWN = "The server does not answer. Nothing is lost: try again in a moment.";
  const trouble = document.getElementById("trouble");
  const tell = (text) => {
    if (!trouble) return;
    trouble.hidden = !text;
    trouble.querySelector("p").textContent = text;
    trouble.querySelector("a").hidden = text !== OUT;
  };
  trouble?.querySelector("button").addEventListener("click", () => tell(""));
  addEventListener("htmx:after:request", ({ detail }) => tell(detail.ctx.response.status === 401 ? OUT : ""));
  addEventListener("htmx:error", () => tell(DOWN));

  // A form is sent only to a server that answers, in a session that lives.
  const ask = async () => {
    try {
      const { status } = await fetch("/session", { headers: { "HX-Request": "true" } });
      return status === 401 ? OUT : "";
    } catch {
      return DOWN;
    }
  };
  addEventListener("submit", async (event) => {
    const { target, submitter } = event;
    if (!trouble || target.method !== "post" || event.defaultPrevented || !target.closest("main")) return;
    if (target.dataset.asked) return void delete target.dataset.asked;
    event.preventDefault();
    const wrong = await ask();
    tell(wrong);
    if (wrong) return;
    target.dataset.asked = "yes";
    target.requestSubmit(submitter);
  });

  // A live page says when it is cut off, and fills the gap. A page that does not show pauses.
  const tail = document.getElementById("tail");
  const state = document.getElementById("tail-state");
  const newest = () => Number(document.getElementById("found").dataset.newest);
  let [isPaused, wasCut] = [false, null];
  document.addEventListener("visibilitychange", () => (isPaused ||= document.hidden));
  const cut = (text) => {
    wasCut ??= { at: new Date().toLocaleTimeString([], { timeStyle: "short" }), seen: newest() };
    state.textContent = text ?? `Connection lost at ${wasCut.at}. Trying again …`;
  };
  tail?.addEventListener("htmx:sse:before:connection", ({ detail }) => {
    if (detail.connection.attempt && !isPaused && !wasCut) cut();
  });
  tail?.addEventListener("htmx:sse:error", ({ detail }) => cut(detail.status === 401 ? OUT : undefined));
  tail?.addEventListener("htmx:sse:after:connection", ({ detail }) => {
    if (!detail.connection.attempt) return;
    isPaused = false;
    wasCut ??= { seen: newest() };
    tell("");
    htmx.trigger(tail, "news");
  });
  addEventListener("htmx:after:swap", () => {
    if (!tail || !wasCut) return;
    const count = newest() - wasCut.seen;
    state.textContent = `Back. ${count} ${count === 1 ? "execution" : "executions"} came meanwhile.`;
    wasCut = null;
  });
}
