"""The shop's style sheet and the script of its script section."""

CSS = """
:root { --ink: #22262b; --soft: #6c737b; --line: #e4e1db; --paper: #fbfaf7; --accent: #7a3b2e; }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 "Helvetica Neue", Arial, "Liberation Sans", sans-serif; }
a { color: inherit; text-decoration: none; }
a:hover { color: var(--accent); }
img { display: block; max-width: 100%; height: auto; background: #efece6; }
.bar { background: var(--ink); color: #f3efe8; text-align: center; font-size: 13px; padding: 6px 12px; letter-spacing: .04em; }
header { border-bottom: 1px solid var(--line); background: #fff; }
.top { max-width: 1180px; margin: 0 auto; padding: 20px 24px 12px; display: flex; align-items: baseline; justify-content: space-between; }
.logo { font: 600 27px/1 Georgia, "Liberation Serif", serif; letter-spacing: .01em; }
.tools { color: var(--soft); font-size: 14px; display: flex; gap: 20px; }
nav.main { max-width: 1180px; margin: 0 auto; padding: 0 24px 14px; display: flex; flex-wrap: wrap; gap: 8px 24px; font-size: 15px; }
main { max-width: 1180px; margin: 0 auto; padding: 26px 24px 60px; }
h1, h2 { font-family: Georgia, "Liberation Serif", serif; font-weight: 600; line-height: 1.2; }
h1 { font-size: 31px; margin: 4px 0 10px; } h2 { font-size: 22px; margin: 44px 0 16px; }
.crumbs { font-size: 13px; color: var(--soft); margin-bottom: 18px; }
.crumbs span + span::before { content: "/"; margin: 0 8px; color: #b9b4ab; }
.grid { display: grid; grid-template-columns: repeat(4, 1fr); gap: 28px 22px; }
.card img { width: 100%; aspect-ratio: 4 / 5; object-fit: cover; border-radius: 3px; }
.card .name { margin-top: 10px; font-size: 15px; line-height: 1.35; }
.card .by { font-size: 12px; color: var(--soft); text-transform: uppercase; letter-spacing: .06em; }
.price { font-weight: 600; } .price s { font-weight: 400; color: var(--soft); margin-left: 8px; } .sale { color: var(--accent); }
.hero { display: grid; grid-template-columns: 1.1fr 1fr; background: #ece6db; border-radius: 4px; overflow: hidden; }
.hero div { padding: 56px 48px; align-self: center; } .hero img { width: 100%; height: 460px; object-fit: cover; }
.hero h1 { font-size: 42px; }
.button { display: inline-block; background: var(--ink); color: #fff; border: 0; padding: 13px 28px; border-radius: 3px; font-size: 15px; cursor: pointer; }
.button:hover { background: var(--accent); color: #fff; } .button[disabled] { background: #b9b4ab; }
.product { display: grid; grid-template-columns: 1.15fr 1fr; gap: 48px; }
.gallery { display: grid; grid-template-columns: 1fr 1fr; gap: 12px; align-items: start; } .gallery img:first-child { grid-column: 1 / -1; width: 100%; }
.gallery img { border-radius: 3px; width: 100%; }
.info .price { font-size: 22px; margin: 6px 0 16px; } .brand { color: var(--soft); text-transform: uppercase; letter-spacing: .08em; font-size: 13px; }
.sizes { display: flex; gap: 8px; margin: 18px 0; flex-wrap: wrap; } .sizes span { border: 1px solid var(--ink); padding: 7px 13px; border-radius: 3px; font-size: 14px; }
table.details { border-collapse: collapse; width: 100%; margin-top: 26px; font-size: 14px; } table.details th, table.details td { text-align: left; padding: 8px 0; border-top: 1px solid var(--line); }
table.details th { color: var(--soft); font-weight: 400; width: 40%; }
.pages { margin-top: 40px; display: flex; gap: 14px; justify-content: center; font-size: 15px; } .pages .here { font-weight: 700; border-bottom: 2px solid var(--accent); }
.look { display: grid; grid-template-columns: 1fr 1fr; gap: 44px; } .look > img { width: 100%; border-radius: 4px; }
.shop-the-look { list-style: none; padding: 0; margin: 22px 0 0; } .shop-the-look li { border-top: 1px solid var(--line); }
.shop-the-look a { display: flex; gap: 16px; align-items: center; padding: 12px 0; } .shop-the-look img { width: 68px; height: 84px; object-fit: cover; border-radius: 3px; }
.looks { grid-template-columns: repeat(3, 1fr); } .muted { color: var(--soft); font-size: 14px; }
footer { border-top: 1px solid var(--line); background: #fff; color: var(--soft); font-size: 14px; } footer div { max-width: 1180px; margin: 0 auto; padding: 26px 24px 40px; display: flex; justify-content: space-between; gap: 30px; flex-wrap: wrap; }
@media (max-width: 820px) { .grid, .looks { grid-template-columns: 1fr 1fr; } .product, .look, .hero { grid-template-columns: 1fr; } }
"""

APP = """
(async () => {
  const root = document.getElementById("root");
  const answer = await fetch("/api/app/" + root.dataset.handle + ".json");
  if (!answer.ok) { root.textContent = "This product is no longer here."; return; }
  const p = await answer.json();
  const make = (tag, cls, text) => { const e = document.createElement(tag); if (cls) e.className = cls; if (text) e.textContent = text; return e; };
  document.title = p.title + " | Hawthorn & Loom";
  const crumbs = make("nav", "crumbs"); p.breadcrumbs.forEach(c => crumbs.append(make("span", "", c)));
  const gallery = make("div", "gallery");
  p.photos.forEach(f => { const i = make("img"); i.src = f.src; i.alt = f.alt; i.width = f.width; i.height = f.height; gallery.append(i); });
  const info = make("div", "info");
  if (p.brand) info.append(make("div", "brand", p.brand));
  info.append(make("h1", "", p.title));
  const price = make("p", "price" + (p.regularPrice ? " sale" : ""), "\\u20ac" + p.price);
  if (p.regularPrice) price.append(make("s", "", "\\u20ac" + p.regularPrice));
  info.append(price, make("p", "description", p.description));
  const sizes = make("div", "sizes"); p.sizes.forEach(s => sizes.append(make("span", "", s))); info.append(sizes);
  const button = make("button", "button", p.available ? "Add to basket" : "Sold out"); button.disabled = !p.available; info.append(button);
  const table = make("table", "details");
  p.details.forEach(([k, v]) => { const r = make("tr"); r.append(make("th", "", k), make("td", "", v)); table.append(r); });
  info.append(table);
  const product = make("div", "product"); product.append(gallery, info);
  const data = { "@context": "https://schema.org", "@type": "Product", name: p.title, description: p.description, sku: p.sku, image: p.photos.map(f => location.origin + f.src),
    offers: { "@type": "Offer", price: p.price, priceCurrency: p.currency, availability: "https://schema.org/" + (p.available ? "InStock" : "OutOfStock") } };
  if (p.brand) data.brand = { "@type": "Brand", name: p.brand };
  if (p.colour) data.color = p.colour;
  if (p.material) data.material = p.material;
  const ld = make("script"); ld.type = "application/ld+json"; ld.textContent = JSON.stringify(data);
  document.head.append(ld);
  root.replaceChildren(crumbs, product);
})();
"""
