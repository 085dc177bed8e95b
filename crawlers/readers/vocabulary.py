"""Words by which pages of many languages speak of prices, stock, other products and navigation."""

import re


def _set(*texts: str) -> frozenset[str]:
    return frozenset(word for text in texts for word in text.split())


class _Folded:
    """A pattern of many lower-case words, asked of lower-cased text: several times faster than ignoring case."""

    def __init__(self, *parts: str) -> None:
        self._pattern = re.compile("|".join(parts))

    def search(self, text: str) -> bool:
        return self._pattern.search(text.lower()) is not None

    def match(self, text: str) -> bool:
        return self._pattern.match(text.lower()) is not None

    def without(self, text: str) -> str:
        """Return the text, lower-cased, without what the pattern finds."""
        return self._pattern.sub("", text.lower())


# Class names, ids and labels ------------------------------------------------------------------------------

DIALOGS = _set("modal quickview quick-view quickbuy popup drawer")
TRAILS = _set("breadcrumb breadcrumbs crumb crumbs trail path brotkrumen ariane migas breadcrumblist")
MENUS = _set("pagination pager pages menu tabs social sizes swatches share")
PAGERS = _set("pagination pager pages paging paginator pagenav paginate")
GALLERIES = _set("gallery image images media photos pdp")
STRIPS = _set("thumbs thumbnails indicators thumbstrip thumblist thumbnav")
STRUCK = _set(
    "was old prev strike struck striked strikethrough crossed previous before initial rrp uvp msrp linethrough compare",
    "deleted",
    "stroke through",
)
OTHERS = _set(
    "related relateds recommend recommended recommendation recommendations recommender similar upsell upsells",
    "crosssell",
    "crosssells recently viewed sponsored suggest suggestion suggestions suggested recs rec also alsolike",
    "teaser teasers",
    "minicart",
)
PRICES = _set(
    "price prices preis prix precio preco prezzo pris cena hinta prijs cost amount money sale sales now value current",
    "bid total final our ours special prc pricing",
)
SOFT_OLD = _set("regular original org list full standard normal traditional")
# "with-list-price": a price beside an old one, not the old one.
BESIDE_OLD = _set("with has")
MEMBERS = _set("club member members membership loyalty")
STOCK = _set("stock availability available inventory instock outofstock verfugbarkeit disponibilite")
BRANDS = _set("brand vendor manufacturer designer maker marke marque marca")
JUNK_PICTURES = _set(
    "favicon sprite logo placeholder blank pixel spacer icon icons swatch badge payment payments flag flags",
    "loading loader",
    "avatar rating star stars visa mastercard paypal klarna facebook instagram pinterest twitter noimage spinner",
    "banner banners transparent sizeguide wordmark lockup tracking beacon 1x1 clear",
)
LOOKS = _set(
    "look looks outfit outfits lookbook ensemble inspiration stylebook styled streetstyle kombi",
)

# Languages and countries that shops name in a path; most pairs of letters are neither.
TONGUES = _set(
    "ar bg cs da de el en es et fa fi fr he hi hr hu id is it ja ko lt lv ms nb nl nn no pl pt ro ru sk sl sr sv th tr",
    "uk vi zh ae at au be br ca ch cl cn co cz dk ee gb gr hk ie il in jp kr lu mx my nz pe ph sa se sg si tw ua us za",
)

# Headings and texts ---------------------------------------------------------------------------------------

OTHER_HEADING = _Folded(
    r"you (?:may|might|could|will|'ll|’ll) (?:also )?(?:like|love|need)|also (?:like|bought|viewed|love)",
    r"recommend|similar",
    r"related|customers also|others? (?:also )?(?:bought|viewed|like)|goes well|pair (?:it )?with|wear (?:it )?with",
    r"complete (?:the|your) look|shop the look|recently|last viewed|more (?:from|like)|seen together|bought together",
    r"style (?:it )?with|from the .{0,20}edit|das könnte|ähnlich|passend|zuletzt|kunden kauften|aussi|similaires",
    r"récemment|recommand|complétez|te puede|también|relacionad|similares|recientes|potrebbe|simili|correlati|visti",
    r"ook leuk|gerelateerd|vergelijkbar|podobne|polecane|passar till|liknande|lignende|andre købte|samankaltais|līdzīg",
    r"также|похож|рекоменд|схож|подібн|вас може|関連|おすすめ|この商品を見|相关|猜你喜欢",
    r"相關|推薦|추천|관련",
    r"ajánl|hasonló|mohlo by|podobné|související|doporuč|súvisiace|odporúč|mogłoby|inne klient|klienci|klientów",
    r"recomandat|similare|asemănăto|s-ar putea|σχετικ|παρόμοι|προτείνουμε|μπορεί|препоръч|подобни",
    r"slično|slični|podobni",
    r"preporuč|panaš|rekomenduo|sarnased|soovita|tutustu|suositte|muut ostivat|kanskje|andre så|anbefal|vi rekommend",
    r"benzer|önerilen|ilgini|cari juga|serupa|rekomendasi|mungkin juga|tương tự|gợi ý|คล้าย|แนะนำ|ที่เกี่ยวข้อง",
    r"قد يعجبك|مشابه",
    r"ذات صلة|מוצרים דומים|אולי|combineer|bekeken|klanten|dazu passt|abbinalo|consigliat|quem viu|compre junto",
    r"productos que|combínalo|produtos relacionados|veja também|completa (?:tu|il|o)|les clients|associer",
)
PROMOTION = _Folded(
    r"\bfree\b|shipping|delivery|\bsave\b|saving|\boff\b|discount|payments?\b|instal|month|per week|/ ?mo\b",
    r"afterpay|klarna",
    r"clearpay|affirm|laybuy|sezzle|zip\b|spend|voucher|coupon|code\b|gift|reward|points|minimum|first order",
    r"orders? over",
    r"with the .{0,20}card|today with|estimate|starting price|deposit|cart|basket|bag \(|versand|lieferung|ab einem",
    r"rate|raten|monat|sparen|gutschein|livraison|offert|économis|mois|fois|envío|ahorr|cuota|mes\b|spedizione|risparm",
    r"mese|frakt|fri |spar|leverans|nomaksa|mēnes|ietaup|parcela|vezes|poupe|frete|portes|dostaw|rata|wysyłk",
    r"verzend|bespaar|termijn|p\.?/?m\b|per unit|/ ?(?:kg|100|l\b|m\b)|lowest (?:price )?in|30 days|najniższa",
    r"\b30\W+(?:\w+ )?(?:jours|giorni|dage?[rn]?|tagen?|päiv|pv|dn[ií]|nap\b|zile|дн|ден|ημ|días|dias|gün)",
    r"tarjeta|\bcarte\b|\bkarte\b|cartão|kartą|kartı|картой|카드|カード|cashback|kupon|купон|คูปอง|券|쿠폰|クーポン|ポイント|포인트|적립",
    r"доставк|szállít|livrare|transport|αποστολ|μεταφορικ|kargo|ongkir|ongkos|vận chuyển|จัดส่ง|شحن|توصيل|משלוח|送料",
    r"배송|运费|運費",
    r"ušted|ušet|megtakar|econom|tasarruf|oszczęd|tiết kiệm|ประหยัด|وفر|выгод|эконом|економ|節省|立減|お得",
    r"sepette|im warenkorb|dans le panier|nel carrello|en el carrito",
    r"taksit|splát|részlet|рассроч|платеж|δόσεις|cicilan|ผ่อน|دفعات|תשלומים|할부|分期",
    r"excl\.|without tax|zzgl|\bmembers?\b|\bclub\b|loyalty|mitglieder|adhérent|\bsocios?\b|medlem",
)
# What a badge beside a sale price says of it: "-30%", "(40% off)", "(You save".
SAVING = re.compile(r"^\W*\d{1,2}(?:[.,]\d+)?\s?%[^.]{0,20}\.?$|^\(")
# What names a price as the one asked now; beside an amount it says no more than the amount alone.
PRICE_LABEL = _Folded(
    r"\b(?:(?:now|sale|special|current|our)(?: price)?|price|only|from|jetzt|nur|ab|preis|aktueller preis|à partir de|"
    r"dès|prix(?: actuel| soldé)?|ahora|desde|precio(?: actual)?|ora|da|prezzo|por|a partir de|preço|voor|vanaf|nu|"
    r"från|fra|pris|od|cena|alkaen|hinta|от|цена|ціна|ár)\b"
)
# A price before tax: "49,50 excl. btw", "£80.00 ex VAT".
BEFORE_TAX = re.compile(
    r"\b(?:excl?|excluding|exkl|zzgl|zuzüglich|without|before|plus|hors|sans|zonder|sin|senza|ohne|bez)\b\.?\s*"
    r"(?:mwst|ust|vat|ttc|tva|taxes?|moms|iva|btw|gst|steuern?|dph)\b|\bHT\b|\bnetto\b|\+\s*(?:vat|mwst|iva|tva|btw|moms)\b",
    re.IGNORECASE,
)
TAX_NOTE = re.compile(r"\b(?:mwst|ust|vat|ttc|tva|moms|iva|tax(?:es)?|btw|gst)\b|税", re.IGNORECASE)
OLD_WORD = re.compile(
    r"\b(?:was|before|rrp|msrp|m\.?r\.?p\.?|uvp|listenpreis|ursprünglich|"
    r"price reduced from|pvr|prezzo di listino|cena regularna|"
    r"statt|avant|antes|prima|(?:old|previous|initial|regular|usual) price|prix (?:initial|d['’]origine|barré)|"
    r"precio (?:anterior|original)|prezzo (?:precedente|originale)|preço (?:anterior|original)|preț(?:ul)? inițial|"
    r"ursprungligt? pris|oprindelig pris|alkuperäinen hinta|původní cena|pôvodná cena|eredeti ár|стара ціна|"
    r"старая цена|αρχική τιμή|reg(?:ular|\.)?(?: price)?|list price|"
    r"retail|originally|compare at|ord\.?|tidigare|før|normalpris|prix conseillé|van|ursprünglicher preis war|"
    r"original price was|comparable value)\b\.?\s*:?\s*$",
    re.IGNORECASE,
)
RANGE_DASH = re.compile(r"\s*(?:[-–—~]|to|bis|à|a|till|do|до)\s*$")
OUT_OF_STOCK = _Folded(
    r"\b(?:out of stock|sold out|ausverkauft|nicht (?:verfügbar|auf lager)|épuisé|rupture|agotado|esaurito|esgotado|"
    r"slutsåld|udsolgt|utsolgt|uitverkocht|niedostępn\w+|brak w magazynie|currently unavailable|"
    r"no longer available|"
    r"notify me|not available|unavailable|loppuunmyyty|izpārdots|wyprzedan\w+|non? disponibi?le|indisponib\w+|"
    r"indisponíve\w+|niet beschikbaar|ej tillgänglig\w*|ei saatavilla|nedostupn\w+|nem elérhető|μη διαθέσιμο|"
    r"недоступ\w+|нет в наличии)\b|在庫なし|品切れ"
)
PRE_ORDER = _Folded(r"\b(?:pre-?order(?: now)?|vorbestell\w*|précommand\w*|preventa|reserva ahora|förbeställ)\b")
FEW_LEFT = _Folded(r"\b(?:only (?:a )?few left|only \d+ left|low stock|last (?:one|items)|nur noch \d+)\b")
IN_STOCK = _Folded(
    r"\b(?:in stock|auf lager|vorrätig|sofort lieferbar|en stock|disponible|disponibile|disponível|em stock|i lager|"
    r"på lager|op voorraad|na stanie|dostępn\w+|available(?: now)?|varastossa|noliktavā|pieejams|skladem|na sklade|"
    r"w magazynie|in magazzino|em estoque|en existencia|készleten|in stoc|stokta|σε απόθεμα|на складе|в наличии|"
    r"в наявності)\b|在庫あり"
)
BUY = _Folded(
    r"^(?:add to (?:my |your |shopping )?(?:bag|cart|basket|trolley)|buy(?: it)?(?: now)?|purchase|"
    r"in den (?:warenkorb|einkaufswagen)|in (?:den )?warenkorb legen|(?:jetzt )?kaufen|"
    r"ajouter(?: au (?:panier|sac)| à mon panier)?|acheter|"
    r"(?:añadir|agregar)(?: al (?:carrito|carro)| a (?:la|mi) (?:cesta|bolsa))?|"
    r"comprar(?: ahora| agora)?|"
    r"aggiungi(?: al carrello| alla (?:borsa|shopping bag))?|acquista(?: ora)?|"
    r"(?:adicionar|colocar)(?: ao (?:carrinho|saco)| (?:à|na) (?:cesta|sacola))?|"
    r"in (?:mijn )?winkel(?:mand|wagen)(?:je)?|"
    r"(?:voeg )?(?:toevoegen )?aan winkel(?:mand|wagen)(?:je)?(?: toe(?:voegen)?)?|"
    r"lägg i (?:varukorg|väska|shoppingbag)\w*|köp(?: nu)?|l[æe]gg? i (?:indkøbs|handle)?kurv\w*|"
    r"køb(?: nu)?|kjøp(?: nå)?|"
    r"lisää (?:osto(?:s)?)?koriin|osta(?: nyt)?|dodaj do koszyka|do koszyka|kup teraz|"
    r"(?:vložit |přidat )?do košíku|koupit|(?:pridať |vložiť )?do košíka|kúpiť|"
    r"kosárba(?: teszem| helyezem| rakom)?|(?:adaugă|adauga) în co[șş]|adauga in cos|cumpără(?: acum)?|"
    r"dodaj u (?:košaricu|korpu)|v košarico|dodaj v košarico|į krepšelį|(?:ielikt|pievienot) groz[āa]m?|"
    r"lisa (?:ostu)?korvi|"
    r"setja í körfu|bæta í körfu|"
    r"(?:добавить )?в (?:корзину|сумку)|купить(?: сейчас)?|(?:додати )?(?:в|до|у) кошика?|купити|"
    r"добави в количката|купи|"
    r"(?:προσθήκη )?στο καλάθι|αγορά|(?:(?:sepete|çantaya) )?ekle|(?:hemen|şimdi) al|"
    r"أضف إلى (?:السلة|الحقيبة|عربة التسوق)|اشتر الآن|הוספה לסל|הוסף לסל|"
    r"masukkan keranjang|tambah(?:kan)? ke (?:keranjang|troli)|beli sekarang|thêm vào giỏ(?: hàng)?|mua ngay|"
    r"(?:เพิ่ม|หยิบ|ใส่)(?:ลง|ไปยัง|ใส่)?(?:ใน)?(?:ตะกร้า|รถเข็น)(?:สินค้า)?|ซื้อ(?:เลย|ทันที|สินค้า)?|"
    r"장바구니(?:에)?(?: ?담기)?|(?:바로 ?)?구매(?:하기)?|"
    r"カートに(?:入れる|追加)|(?:買い物)?(?:かご|カゴ)に(?:追加|入れる)|"
    r"購入(?:する|手続きへ)|"
    r"(?:加入|添加到|放入)(?:购物车|購物車|购物袋|購物袋)|立即(?:购买|購買)|直接購買)$"
)
BY = re.compile(r"^(?:by|von|par|de|da|brand|marke|marque|marca)\s*:?\s+", re.IGNORECASE)
NEXT_PAGE = re.compile(
    r"^(?:next(?: page)?|more|load more|show more|older|›|»|>|→|weiter|nächste(?: seite)?|suivant\w*|page suivante|"
    r"siguiente|successiv[ao]|avanti|próxim[ao]|seguinte|nästa|næste|neste|volgende|następna|dalej|seuraava|nākamā|"
    r"ďalš(?:ia|í)|další|následující|následujúc[ai]|következő|επόμεν[οη]|sonraki|вперед|следующая|次へ|다음)\s*[›»>→]?$",
    re.IGNORECASE,
)
NO_CATALOGUE = re.compile(
    r"/(?:cart|basket|bag|checkout|account|login|signin|register|wishlist|search|help|contact|faq|legal|privacy|terms|"
    r"stores?|careers|returns|delivery|newsletter|cookies?|imprint|impressum)(?:[/.?]|$)",
    re.IGNORECASE,
)

# Labels of facts, by field --------------------------------------------------------------------------------

LABELS = {
    "color": r"colou?r|farbe|couleur|colore?|cor|färg|kolor|kleur|väri|shade",
    "brand": r"brand|marke|marque|marca|märke|merk|marka|by",
    "material": r"material|fabric|composition|stoff|matière|materiale",
    "sku": (
        r"sku|(?:item|style|model|art(?:icle)?\.?)(?: (?:no\.?|nr\.?|number))?|art(?:ikel|\.)?-?(?:nummer|nr\.?)|"
        r"référence|referencia|ref(?:erence)?\.?"
    ),
}
LABELLED = re.compile(
    "^(?:" + "|".join(f"(?P<{field}>{words})" for field, words in LABELS.items()) + r")"
    r"\s*(?:[:：]\s*(?P<value>.{1,80})?)?$",
    re.IGNORECASE,
)
