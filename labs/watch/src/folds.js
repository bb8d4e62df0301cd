
for (const fold of document.querySelectorAll("details[id]")) {
  const key = location.pathname + " " + fold.id;
  try {
    const kept = sessionStorage.getItem(key);
    if (kept !== null) fold.open = kept === "open";
  } catch {}
  fold.addEventListener("click", event => {
    if (!event.target.closest("summary")) return;
    try { sessionStorage.setItem(key, fold.open ? "closed" : "open"); } catch {}
  });
}
