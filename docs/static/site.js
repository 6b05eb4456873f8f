// What the theme leaves out for readers who use a keyboard or a screen reader.
document.querySelectorAll("[role=heading]:not([aria-level])").forEach((each) => each.setAttribute("aria-level", "2"));
document.querySelectorAll("pre, .table-wrapper").forEach((each) => { each.tabIndex = 0; });
document.querySelector(".sidebar-drawer")?.setAttribute("aria-label", "all pages");
document.querySelector(".toc-drawer")?.setAttribute("aria-label", "this page");
