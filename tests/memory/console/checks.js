// What a page must be for everybody who reads it: returns a list of complaints, empty when there are none.
() => {
  const complaints = [];
  const say = (element, what) => complaints.push(`${what}: ${element.outerHTML.slice(0, 140)}`);
  const seen = (element) => element.checkVisibility({ checkVisibilityCSS: true, checkOpacity: true });

  // --- nothing is wider than the screen, no table hides a part of itself
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) complaints.push(`the page is ${root.scrollWidth - root.clientWidth} pixels too wide`);
  for (const table of document.querySelectorAll("table")) {
    if (seen(table) && table.getBoundingClientRect().right > root.clientWidth + 1) say(table, "a table sticks out");
  }

  // --- on a phone the places take two rows at most; words that are explained stand on the line of those that are not
  const line = (selector) => [...document.querySelectorAll(selector)].filter(seen).map((part) => part.getBoundingClientRect());
  const rows = new Set(line(".nav a").map((box) => Math.round(box.top))).size;
  if (root.clientWidth < 544 && rows > 2) complaints.push(`the places take ${rows} rows`);
  const words = line(".words > :not(.meaning)").map((box) => Math.round(box.top + box.height / 2));
  if (words.length > 1 && Math.abs(words[0] - words[1]) > 2) complaints.push("the explained words are off their line");

  // --- what stands in cells, headings and lines of lists begins where the page's lines do
  const side = root.dir === "rtl" ? "right" : "left";
  for (const element of document.querySelectorAll(":is(h1, h2, td, th, dd)[dir=auto], .user-text.brief")) {
    const { textAlign: given, direction } = getComputedStyle(element);
    // Cut lines of the other direction are a block at the side of the page: their dots would stand outside of it.
    const own = element.matches(".brief") ? (direction === "rtl" ? "right" : "left") : side;
    if (seen(element) && given !== own) say(element, `aligned to ${given}`);
  }
  for (const element of document.querySelectorAll("input[type=checkbox], input[type=radio]")) {
    const { width, height } = element.getBoundingClientRect();
    if (seen(element) && Math.abs(width - height) > 1) say(element, `squeezed to ${width} by ${height}`);
  }

  // --- every control has a name
  const text = (element) => [...element.querySelectorAll("[aria-label]"), element].map((part) => part.getAttribute("aria-label") ?? "").join("") + element.textContent;
  const label = (id) => document.getElementById(id)?.textContent ?? "";
  const name = (element) =>
    element.getAttribute("aria-label") ||
    (element.getAttribute("aria-labelledby") ?? "").split(" ").map(label).join("") ||
    [...(element.labels ?? [])].map((one) => one.textContent).join("") ||
    (element.matches("a, button, summary") ? text(element) : "");
  for (const element of document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary")) {
    if (seen(element) && !name(element).trim()) say(element, "no name");
  }
  for (const element of document.querySelectorAll("svg")) {
    if (seen(element) && element.getAttribute("aria-hidden") !== "true" && !element.getAttribute("aria-label")) say(element, "a picture without a name");
  }

  // --- ids are single, headings go down step by step, there is one main part with one first heading
  const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
  for (const id of new Set(ids.filter((one, place) => ids.indexOf(one) !== place))) complaints.push(`the id ${id} stands twice`);
  if (document.querySelectorAll("main").length !== 1) complaints.push("not one main part");
  if (document.querySelectorAll("h1").length !== 1) complaints.push("not one first heading");
  let level = 0;
  for (const heading of document.querySelectorAll("h1, h2, h3, h4")) {
    if (!seen(heading)) continue;
    const here = Number(heading.tagName[1]);
    if (here > level + 1) say(heading, "a heading skips a level");
    level = here;
  }

  // --- text stands out from its ground: WCAG AA
  const canvas = Object.assign(document.createElement("canvas"), { width: 1, height: 1 });
  const paint = canvas.getContext("2d", { willReadFrequently: true });
  const laid = (colours) => {
    paint.fillStyle = "#fff";
    paint.fillRect(0, 0, 1, 1);
    for (const colour of colours) {
      paint.fillStyle = colour;
      paint.fillRect(0, 0, 1, 1);
    }
    return [...paint.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const known = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.nodeValue.trim() || !seen(element) || element.closest(".visually-hidden, title, script, [disabled]")) continue;
    const style = getComputedStyle(element);
    const grounds = [];
    for (let above = element; above; above = above.parentElement) grounds.unshift(getComputedStyle(above).backgroundColor);
    const colour = element instanceof SVGElement ? style.fill : style.color;
    const key = [colour, style.fontSize, style.fontWeight, ...grounds].join();
    if (known.has(key)) continue;
    known.add(key);
    const [low, high] = [luminance(laid(grounds)), luminance(laid([...grounds, colour]))].sort((a, b) => a - b);
    const ratio = (high + 0.05) / (low + 0.05);
    const size = parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (isLarge ? 3 : 4.5)) say(element, `contrast ${ratio.toFixed(2)}`);
  }
  return complaints;
}
