// Theme, menu and keyboard: what needs no server. Set before anything is drawn, so nothing flashes.
(() => {
  const root = new URL(document.currentScript.src).pathname.replace("/static/console.js", "");
  const cookie = () => (document.cookie.match(/(?:^|; )winnow_theme=(\w+)/) || [])[1] || "auto";
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  const apply = () => {
    const chosen = cookie();
    const dark = chosen === "dark" || (chosen === "auto" && system.matches);
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    if (window.Quasar && window.Quasar.Dark) window.Quasar.Dark.set(dark);
  };
  const theme = () => {
    const now = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    document.cookie = `winnow_theme=${now}; path=${root}; max-age=31536000; samesite=lax`;
    apply();
  };
  const menu = (open) => {
    const button = document.querySelector("[data-do=menu]");
    const on = open ?? !document.body.classList.contains("w-nav-open");
    document.body.classList.toggle("w-nav-open", on);
    if (button) button.setAttribute("aria-expanded", String(on));
  };
  const help = () => {
    const box = document.getElementById("w-help");
    if (box) box.open ? box.close() : box.showModal();
  };
  system.addEventListener("change", apply);
  apply();

  document.addEventListener("click", (e) => {
    const what = e.target.closest("[data-do]")?.dataset.do;
    if (what === "menu") menu();
    else if (what === "theme") theme();
    else if (what === "help") help();
    else if (!e.target.closest(".w-nav")) menu(false);
    document.querySelectorAll("details.w-who[open]").forEach((d) => d.contains(e.target) || (d.open = false));
  });

  // Moments are told in UTC, as in logs and schedules; pointing at one tells it by the clock of this machine.
  const MOMENT = /(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) UTC/;
  document.addEventListener("mouseover", (e) => {
    const at = e.target;
    const said = at.title || (at.childElementCount ? "" : at.textContent.slice(0, 200));
    const found = MOMENT.exec(said);
    if (!found || at.dataset.local) return;
    at.dataset.local = "1";
    at.title = `${found[0]} = ${new Date(`${found[1]}T${found[2]}Z`).toLocaleString()} here`;
  });

  let going = 0;
  document.addEventListener("keydown", (e) => {
    const typing = e.target.closest("input, textarea, select, [contenteditable]");
    if (e.key === "Escape") menu(false);
    if (typing || e.ctrlKey || e.metaKey || e.altKey || document.querySelector(".q-dialog")) return;
    if (Date.now() - going < 1500) {
      going = 0;
      const link = document.querySelector(`.w-nav [data-key="${CSS.escape(e.key)}"]`);
      if (link) window.location.href = link.href;
    } else if (e.key === "g") going = Date.now();
    else if (e.key === "t") theme();
    else if (e.key === "?") help();
    else if (e.key === "/") {
      const field = document.querySelector(".w-filters input, .w-filters select");
      if (field) {
        e.preventDefault();
        field.focus();
      }
    }
  });
})();
