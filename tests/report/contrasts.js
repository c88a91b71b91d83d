// texts below 4.5:1 and marks below 3:1, against what lies behind them
() => {
    const parse = (text) => (text.match(/[\d.]+/g) ?? [0, 0, 0, 0]).map(Number);
    const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
        .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
    const over = (top, below, a) => [0, 1, 2].map((i) => top[i] * a + below[i] * (1 - a));
    const ratio = (x, y) => { const [a, b] = [light(x), light(y)].sort((p, q) => q - p); return (a + 0.05) / (b + 0.05); };
    const ground = (e) => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] > 0) return c; } return [255, 255, 255]; };
    const paper = ground(document.body);
    const low = [];
    for (const e of document.querySelectorAll("body *:not(script)")) {
        if (e.closest("[hidden]") || !e.getClientRects().length) continue;
        const own = Array.from(e.childNodes).some((n) => n.nodeType === 3 && n.textContent.trim());
        const style = getComputedStyle(e);
        if (own && !e.closest("svg")) { const r = ratio(parse(style.color), ground(e)); if (r < 4.5) low.push([r.toFixed(2), e.outerHTML.slice(0, 80)]); }
        if (own && e.tagName === "text") {
            const cell = e.closest("g.number");
            const box = e.getBoundingClientRect();
            let below = paper;
            for (const mark of cell ? document.querySelectorAll("#overlap-map .mark path") : []) {
                const m = mark.getBoundingClientRect();
                const x = box.left + box.width / 2, y = box.top + box.height / 2;
                if (m.left < x && x < m.right && m.top < y && y < m.bottom) below = over(parse(getComputedStyle(mark).fill), paper, Number(getComputedStyle(mark).opacity));
            }
            const r = ratio(parse(style.fill), below);
            if (r < 4.5) low.push([r.toFixed(2), e.outerHTML.slice(0, 80)]);
        }
        if (e.matches(".mark path, .mark use, .stack i:not(.rest), .bar i, .verdicts i")) {
            if (e.closest("#overlap-map")) continue;  // shades of a heat map; its cells have edges
            const colour = e.closest("svg") ? (style.fill === "none" ? style.stroke : style.fill) : style.backgroundColor;
            const r = ratio(over(parse(colour), paper, Number(style.opacity)), paper);
            if (r < 3) low.push([r.toFixed(2), e.outerHTML.slice(0, 80)]);
        }
    }
    const edge = document.querySelector("#overlap-map path[style*='fill: none'][style*='stroke: var(--true)']");
    if (edge && ratio(parse(getComputedStyle(edge).stroke), paper) < 3) low.push(["edge"]);
    return low;
}
