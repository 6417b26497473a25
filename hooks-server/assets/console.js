// What saves steps. Every page is whole without it.
"use strict";
{
  const rows = () => [...document.querySelectorAll("a.row")];
  const isTyping = (target) => target.closest("input, textarea, select, [contenteditable]");
  let isGoing = false;

  // `g` and a letter go to a page, `j` and `k` to rows, `/` to the search, `?` to the list of keys.
  const press = (event) => {
    if (event.ctrlKey && event.key === "Enter" && event.target.closest("[data-run]")) {
      return event.target.form.requestSubmit();
    }
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

  // A hook goes up or down by one, or to the place of another: the buttons of its row do it, as a draft.
  const step = (row, to) => {
    const button = row?.querySelector("button.step");
    if (!button) return;
    button.value = to;
    button.click();
  };
  const move = (event) => {
    const row = event.target.closest("tr[data-hook]");
    if (!row) return;
    event.preventDefault();
    step(row, event.key === "ArrowUp" ? "up" : "down");
  };
  let dragged = null;
  const over = (event) => event.target.closest?.("tr[data-hook]");
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
    step(dragged, row.dataset.hook);
  });
  for (const button of document.querySelectorAll("button.step")) button.closest("tr").draggable = true;

  // What is chosen shows, once no further key follows: a word is typed as a whole. On a phone, the choices are folded.
  let choosing = null;
  const chosen = ({ target, type }) => {
    if (!target.matches("[data-now] select") || (type === "keydown" && !choosing)) return;
    clearTimeout(choosing);
    choosing = setTimeout(() => {
      const address = new URL(target.form.action);
      address.hash = target.id;
      target.form.action = address;
      target.form.requestSubmit();
    }, 400);
  };
  addEventListener("change", chosen);
  addEventListener("keydown", chosen);
  if (matchMedia("(max-width: 640px)").matches) {
    for (const fold of document.querySelectorAll("details.fold")) fold.open = false;
  }

  // Whoever has moved a hook has the focus on its row, by the address, and hears where it went.
  const place = document.getElementById(location.hash.slice(1))?.closest("tr[data-place]")?.dataset.place;
  const done = new URLSearchParams(location.search).get("done");
  if (place && ["up", "down"].includes(done)) {
    setTimeout(() => (document.getElementById("said").textContent = `moved ${done}: now ${place}`), 100);
  }

  // The form and the TOML of a hook follow each other. What comes late is dropped: newer words are on their way.
  addEventListener("input", ({ target }) => {
    const view = target.closest("[data-view]");
    if (!view) return;
    target.form.elements.view.value = view.dataset.view;
    htmx.trigger("#views", "htmx:abort");
  });
  // What is chosen, and what is open, is a state that a new text does not bring along.
  // The answer of a trial brings none of it.
  let isOpen = false;
  addEventListener("htmx:before:swap", () => (isOpen = document.querySelector("#views details")?.open));
  addEventListener("htmx:after:swap", ({ target }) => {
    if (target.id !== "views") return;
    for (const option of document.querySelectorAll("#views option")) option.selected = option.defaultSelected;
    for (const box of document.querySelectorAll("#views [type=checkbox]")) box.checked = box.defaultChecked;
    document.querySelector("#views details")?.toggleAttribute("open", isOpen);
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
