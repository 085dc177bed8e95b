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
  const price = make("p", "price" + (p.regularPrice ? " sale" : ""), "€" + p.price);
  if (p.regularPrice) price.append(make("s", "", "€" + p.regularPrice));
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
