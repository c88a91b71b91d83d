// what can be reached has a name, and is nested in nothing else that can
() => {
    const named = (e) => (e.getAttribute("aria-label") || e.textContent || e.closest("label")?.textContent || e.title || "").trim();
    const faults = [];
    for (const e of document.querySelectorAll("a[href], button, input, [role=tab], [tabindex='0']"))
        if (!named(e)) faults.push("no name: " + e.outerHTML.slice(0, 90));
    for (const e of document.querySelectorAll("[aria-controls], [aria-labelledby]"))
        for (const name of ["aria-controls", "aria-labelledby"])
            if (e.hasAttribute(name) && !document.getElementById(e.getAttribute(name))) faults.push(name + " of " + e.id);
    for (const e of document.querySelectorAll("[role=img] a, [role=img] [tabindex], button button, a a, button a"))
        faults.push("nested: " + e.outerHTML.slice(0, 90));
    let level = 0;
    for (const e of document.querySelectorAll("h1, h2, h3, h4")) {
        const next = Number(e.tagName[1]);
        if (next > level + 1) faults.push("heading " + e.textContent);
        level = next;
    }
    if (document.querySelectorAll("main, h1").length !== 2) faults.push("one main, one h1");
    const ids = Array.from(document.querySelectorAll("[id]"), (e) => e.id);
    if (new Set(ids).size !== ids.length) faults.push("ids twice");
    return faults;
}
