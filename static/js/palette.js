// The palette: Ctrl-K, a few letters, Enter. Without this script the links to it lead to a page that finds the same.
"use strict";

(() => {
  const palette = document.getElementById("palette");
  const field = palette.querySelector("input");
  const isMac = /Mac|iP/.test(navigator.platform);
  // Enter may come before what was typed is found: it is followed as soon as it is.
  let opensFirst = false;

  const listPlaces = () => [...palette.querySelectorAll("#palette-found a")];

  function openPalette() {
    if (palette.open) return;
    document.querySelector("dialog[open]")?.close();
    palette.showModal();
    field.select();
    field.form.dispatchEvent(new Event("find"));
  }

  function openFirst() {
    opensFirst = palette.querySelector("[data-query]")?.dataset.query !== field.value.trim();
    if (!opensFirst) listPlaces()[0]?.click();
  }

  function step(by) {
    const places = [field, ...listPlaces()];
    const here = Math.max(0, places.indexOf(document.activeElement));
    places[(here + by + places.length) % places.length].focus();
  }

  // On a keyboard of another script the key that carries K has another letter.
  function isK(event) {
    return event.key?.toLowerCase() === "k" || (event.code === "KeyK" && !/^[a-z]$/i.test(event.key));
  }

  document.addEventListener("keydown", (event) => {
    if (!isK(event) || event.shiftKey || event.altKey || !(isMac ? event.metaKey : event.ctrlKey)) return;
    event.preventDefault();
    if (palette.open) palette.close();
    else openPalette();
  });

  document.addEventListener("click", (event) => {
    const isPlain = !event.ctrlKey && !event.metaKey && !event.shiftKey;
    if (isPlain && event.target.closest("a[data-palette]")) {
      event.preventDefault();
      openPalette();
    }
    if (event.target === palette) palette.close();
  });

  palette.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      step(event.key === "ArrowDown" ? 1 : -1);
    } else if (event.key === "Enter" && event.target === field) {
      event.preventDefault();
      openFirst();
    } else if (event.target.matches("a") && event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey) {
      // Who types on goes on in the field.
      field.focus();
    }
  });

  field.addEventListener("input", () => (opensFirst = false));
  palette.addEventListener("close", () => (opensFirst = false));
  palette.addEventListener("htmx:afterSettle", () => opensFirst && openFirst());

  if (isMac) for (const keys of document.querySelectorAll("[data-palette] kbd")) keys.textContent = "⌘ K";
})();
