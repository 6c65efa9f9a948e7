// What the console does beyond htmx: the theme switch, shortcut keys, notices. Every page works without it.
"use strict";

(() => {
  const root = document.documentElement;
  const THEMES = ["system", "light", "dark"];
  const KEY = "commonplace-theme";

  function applyTheme(theme) {
    if (theme === "system") root.removeAttribute("data-theme");
    else root.dataset.theme = theme;
    for (const button of document.querySelectorAll(".themes button")) {
      button.setAttribute("aria-pressed", String(button.value === theme));
    }
  }

  function keepTheme(theme) {
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // Storage may be switched off; the cookie below still remembers.
    }
    // The cookie lets the server put the theme on <html>, so that the first paint is right.
    const secure = location.protocol === "https:" ? "; Secure" : "";
    document.cookie = `commonplace_theme=${theme}; Path=/; Max-Age=31536000; SameSite=Lax${secure}`;
    applyTheme(theme);
  }

  function storedTheme() {
    try {
      const theme = localStorage.getItem(KEY);
      return THEMES.includes(theme) ? theme : null;
    } catch {
      return null;
    }
  }

  // The next page then shows its times in the zone of this machine, unless another one was chosen.
  function tellZone() {
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const known = document.cookie.split("; ").find((pair) => pair.startsWith("commonplace_browser_zone="));
    if (!zone || known === `commonplace_browser_zone=${zone}`) return;
    const secure = location.protocol === "https:" ? "; Secure" : "";
    document.cookie = `commonplace_browser_zone=${zone}; Path=/; Max-Age=31536000; SameSite=Lax${secure}`;
  }
  tellZone();

  const pressed = document.querySelector(".themes button[aria-pressed=true]");
  const theme = storedTheme();
  // A cookie that was cleared or set in a form without script gives way to what this browser remembers.
  if (theme && pressed && pressed.value !== theme) keepTheme(theme);

  document.addEventListener("click", (event) => {
    const button = event.target.closest(".themes button");
    if (button) {
      event.preventDefault();
      keepTheme(button.value);
      return;
    }
    if (event.target.closest("[data-close]")) event.target.closest("dialog")?.close();
    const copy = event.target.closest("[data-copy]");
    if (copy) copyBlock(copy);
  });

  // Without script a block is selected by hand, and no button promises more.
  for (const button of document.querySelectorAll("[data-copy]")) button.hidden = false;

  for (const button of document.querySelectorAll("[data-print]")) {
    button.hidden = false;
    button.addEventListener("click", () => print());
  }

  for (const button of document.querySelectorAll("[data-check-all]")) button.hidden = false;
  document.addEventListener("click", (event) => {
    const all = event.target.closest("[data-check-all]");
    if (!all) return;
    const boxes = [...document.querySelectorAll(`input[name="${all.dataset.checkAll}"][form="${all.form.id}"]`)];
    const check = boxes.some((box) => !box.checked);
    for (const box of boxes) box.checked = check;
    countChosen();
  });

  // What a press would be done to: "Archive 7" in place of "Archive chosen".
  function countChosen() {
    const chosen = document.querySelectorAll("input.choose:checked").length;
    for (const place of document.querySelectorAll("[data-chosen-words]")) {
      place.dataset.none ??= place.textContent;
      place.textContent = chosen ? fill(place.dataset.chosenWords, chosen) : place.dataset.none;
      if (!place.dataset.none) place.hidden = !chosen;
    }
  }
  document.addEventListener("change", (event) => event.target.matches("input.choose") && countChosen());
  document.addEventListener("htmx:afterSettle", countChosen);
  // A browser that comes back to a page remembers what was chosen.
  addEventListener("pageshow", countChosen);

  async function copyBlock(button) {
    const block = button.parentElement.querySelector("pre");
    try {
      await navigator.clipboard.writeText(block.textContent);
      notice(words().copied);
    } catch {
      // The clipboard is closed to pages over plain HTTP: leave the block selected, one key press away.
      getSelection().selectAllChildren(block);
      notice(words().selected);
    }
  }

  // In the language of the page, which the server knows.
  const words = () => document.getElementById("toasts")?.dataset ?? {};
  const fill = (text, ...parts) => (text ?? "").replace(/%[sd]/g, () => parts.shift());

  function notice(text) {
    const region = document.getElementById("toasts");
    if (!region) return;
    const toast = document.createElement("p");
    toast.className = "toast";
    toast.textContent = text;
    region.append(toast);
    setTimeout(() => toast.remove(), 8000);
  }

  document.addEventListener("htmx:responseError", (event) => {
    const status = event.detail.xhr.status;
    // Signing in again in another window gives every form another token: the page does not know it yet.
    if (status === 401) notice(words().signedOut);
    else if (status === 403) notice(words().refused);
    else notice(status >= 500 ? words().serverFailed : fill(words().failed, status));
  });
  document.addEventListener("htmx:sendError", () => notice(words().unreachable));

  const within = (place, wanted) => (place.matches?.(wanted) ? place : place.querySelector?.(wanted));

  // What was refused is said at its field, which may stand far below: whoever sent the form goes on there.
  const REFUSED = ".field:has(.errorlist) :is(input:not([type=hidden]), textarea, select), form [aria-invalid=true]";

  function focusRefused(place) {
    const field = within(place, REFUSED) ?? within(place, ".form-errors, form [role=alert]:has(.errorlist)");
    const at = document.activeElement;
    // What is judged while somebody writes beside it takes the pen out of nobody's hand.
    if (!field || (at?.matches("input, textarea, select") && !place.contains(at))) return;
    if (!field.matches("input, textarea, select")) field.tabIndex = -1;
    field.focus();
    field.scrollIntoView({ block: "center" });
  }
  focusRefused(document.body);
  // A number decides the pair that has the focus: where pairs wait, the first has it from the start.
  if (document.activeElement === document.body && !location.hash)
    document.querySelector("article.pair [data-step]")?.focus({ preventScroll: true });

  // Once it has settled: before, htmx does not listen to what it put in, and an Enter at the focus would leave the page.
  document.addEventListener("htmx:afterSettle", (event) => {
    const place = event.target;
    within(place, "[data-focus]")?.focus();
    focusRefused(place);
    within(place, "[data-check-all]")?.removeAttribute("hidden");
    // The link that asked for more rows is gone: go on with the first of them.
    if (event.detail.target.id === "pager" && document.activeElement === document.body) within(place, "a")?.focus();
    // A screen reader only speaks what changes in a region it has known from the start.
    const news = within(place, "[data-announce]");
    // While a dialog is open, what lies behind it says nothing.
    const region = document.querySelector("dialog[open] [role=status]") ?? document.getElementById("news");
    // What the page said of the change before is not of this one.
    if (news && event.detail.requestConfig?.verb === "post")
      for (const said of document.querySelectorAll("[data-passing]")) said.remove();
    if (news) region.textContent = news.textContent.trim().replace(/\s+/g, " ");
  });

  // The day that a slider of days stands at, in the words of the page's language.
  document.addEventListener("input", (event) => {
    const day = event.target.matches("#id_back") && document.getElementById("back-day");
    if (!day) return;
    const then = new Date(Date.now() - event.target.value * 86_400_000);
    const words = new Intl.DateTimeFormat(root.lang === "en" ? "en-GB" : root.lang, { dateStyle: "long", timeZone: "UTC" });
    day.textContent = event.target.value === "0" ? day.dataset.today : words.format(then);
  });

  // Files dropped on a form with one file field are sent one after another; the page they lead back to tells of each.
  async function sendFiles(form, files) {
    const field = form.querySelector("input[type=file]");
    for (const file of files) {
      const body = new FormData(form);
      body.set(field.name, file);
      if (files.length > 1) body.delete("title");
      form.setAttribute("aria-busy", "true");
      try {
        const answer = await fetch(form.action, { method: "POST", body, redirect: "manual" });
        if (answer.type !== "opaqueredirect") notice(fill(words().notTaken, file.name, answer.status));
      } catch {
        notice(fill(words().notSent, file.name));
      }
    }
    location.reload();
  }

  for (const form of document.querySelectorAll("form[data-drop]")) {
    form.querySelector("[data-drop-hint]").hidden = false;
    for (const name of ["dragenter", "dragover"]) {
      form.addEventListener(name, (event) => {
        if (!event.dataTransfer.types.includes("Files")) return;
        event.preventDefault();
        form.classList.add("over");
      });
    }
    form.addEventListener("dragleave", (event) => {
      if (!form.contains(event.relatedTarget)) form.classList.remove("over");
    });
    form.addEventListener("drop", (event) => {
      form.classList.remove("over");
      if (!event.dataTransfer.files.length) return;
      event.preventDefault();
      sendFiles(form, [...event.dataTransfer.files]);
    });
  }

  // What was written and not saved is not left by accident.
  let unsaved = null;
  document.addEventListener("input", (event) => {
    unsaved = event.target.closest("form[data-guard]") ?? unsaved;
    for (const mark of unsaved ? document.querySelectorAll("[data-unsaved]") : []) mark.hidden = false;
  });
  // Sending another form leaves what is written in this one.
  document.addEventListener("submit", (event) => (unsaved = event.target === unsaved ? null : unsaved), true);
  document.addEventListener("htmx:afterRequest", (event) => {
    const form = document.querySelector("form[data-guard]");
    if (form && !event.detail.successful) unsaved = form;
  });
  addEventListener("beforeunload", (event) => {
    if (unsaved?.isConnected) event.preventDefault();
  });

  // From a fault to its place in the text.
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-line]");
    const text = link && document.querySelector(link.hash);
    if (!text) return;
    event.preventDefault();
    const lines = text.value.split("\n");
    const line = Math.min(Number(link.dataset.line), lines.length) - 1;
    const start = lines.slice(0, line).reduce((sum, before) => sum + before.length + 1, 0);
    const at = start + Math.min(Number(link.dataset.column) - 1, lines[line].length);
    text.focus();
    text.setSelectionRange(at, start + lines[line].length);
    text.scrollTop = (text.scrollHeight / lines.length) * Math.max(0, line - 3);
  });

  function typing(target) {
    return target.closest("input, textarea, select, [contenteditable]") !== null;
  }

  function stepHit(step) {
    const links = [...document.querySelectorAll("[data-step]")];
    if (!links.length) return;
    const here = links.findIndex((link) => link === document.activeElement || link.closest("li, article")?.contains(document.activeElement));
    const next = here < 0 ? (step > 0 ? 0 : links.length - 1) : Math.min(links.length - 1, Math.max(0, here + step));
    links[next].focus();
    links[next].closest("li, article")?.scrollIntoView({ block: "nearest" });
  }

  // A number decides only the pair that has the focus: no key acts on what the reader may not be looking at.
  function decidePair(key) {
    document.activeElement?.closest("article.pair")?.querySelector(`[data-key="${key}"]`)?.click();
  }

  // What was decided last in place; without such the latest that the page tells of, which stands first.
  let lastUndo = null;
  document.addEventListener("htmx:afterSettle", (event) => (lastUndo = within(event.target, "[data-undo]") ?? lastUndo));

  function undoLast() {
    const own = document.activeElement?.closest("article")?.querySelector("[data-undo]");
    (own ?? (lastUndo?.isConnected ? lastUndo : document.querySelector("[data-undo]")))?.click();
  }

  const shortcuts = {
    ...Object.fromEntries(["1", "2", "3", "4"].map((key) => [key, () => decidePair(key)])),
    "/": () => {
      const field = document.querySelector("[data-search]");
      if (field) {
        field.focus();
        field.select();
        return;
      }
      document.querySelector("[data-goto-search]")?.click();
    },
    j: () => stepHit(1),
    k: () => stepHit(-1),
    u: undoLast,
    "?": () => {
      const dialog = document.getElementById("shortcuts");
      if (dialog && !dialog.open) dialog.showModal();
    },
  };

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && typing(event.target)) {
      event.target.blur();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
    // Nor does a key act behind a dialog.
    if (document.querySelector("dialog[open]")) return;
    const action = Object.hasOwn(shortcuts, event.key) ? shortcuts[event.key] : null;
    if (action) {
      event.preventDefault();
      action();
    }
  });
})();
