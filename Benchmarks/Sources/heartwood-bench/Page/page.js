"use strict";
(() => {
  const root = document.documentElement;
  const theme = document.getElementById("theme");
  const themes = ["as the system", "light", "dark"];
  let chosen = 0;
  theme.hidden = false;
  theme.addEventListener("click", () => {
    chosen = (chosen + 1) % themes.length;
    if (chosen === 0) delete root.dataset.theme; else root.dataset.theme = themes[chosen];
    theme.textContent = "Theme: " + themes[chosen];
  });

  for (const box of document.querySelectorAll("input[data-engine]")) {
    box.hidden = false;
    box.addEventListener("change", () => {
      for (const part of document.querySelectorAll("[data-of]")) {
        if (part.dataset.of === box.dataset.engine) part.classList.toggle("out", !box.checked);
      }
    });
  }
  // What lies within a fold is shown where a link leads to it.
  const open = () => {
    let name = "";
    try { name = decodeURIComponent(location.hash.slice(1)); } catch { return; }
    const target = name && document.getElementById(name);
    let fold = target && target.closest("details");
    for (; fold; fold = fold.parentElement.closest("details")) fold.open = true;
  };
  window.addEventListener("hashchange", open);
  open();
  root.dataset.ready = "yes";
})();
