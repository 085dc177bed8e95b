"""A shop on django-oscar, in a process of its own: ``python oscar_shop.py FOLDER`` fills and serves it.

FOLDER holds ``products.json`` (upc, title, category, price, stock, recommended) and ``photos/0``, ``photos/1`` …, each a
folder of files named by the upc of their product. The address is printed once the shop answers. Nothing of Oscar is
changed: its own templates, importer and thumbnails; the settings and the sitemap in every language are its sandbox's.
"""

import json
import sys
from decimal import Decimal
from pathlib import Path
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

LANGUAGES = [("en-gb", "English"), ("de", "Deutsch"), ("fr", "français")]
_CONTEXT = (
    "django.contrib.auth.context_processors.auth",
    "django.contrib.messages.context_processors.messages",
    "django.template.context_processors.i18n",
    "django.template.context_processors.request",
    "oscar.apps.checkout.context_processors.checkout",
    "oscar.apps.communication.notifications.context_processors.notifications",
    "oscar.apps.search.context_processors.search_form",
    "oscar.core.context_processors.metadata",
)
_MIDDLEWARE = (
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "oscar.apps.basket.middleware.BasketMiddleware",
)


def configure(folder: Path) -> None:
    """Settle Django's and Oscar's settings; all that the shop writes lies in ``folder``."""
    from django.conf import settings
    from oscar import INSTALLED_APPS, defaults

    index = {"ENGINE": "haystack.backends.whoosh_backend.WhooshEngine", "PATH": str(folder / "index")}
    pages = {"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}
    settings.configure(
        **{name: getattr(defaults, name) for name in dir(defaults) if name.startswith("OSCAR_")}
        | {"OSCAR_SHOP_NAME": "Harbour Clothing", "OSCAR_PRODUCTS_PER_PAGE": 7},
        SECRET_KEY="served on loopback to a test",
        ALLOWED_HOSTS=["127.0.0.1"],
        ROOT_URLCONF="oscar_urls",
        SITE_ID=1,
        LANGUAGE_CODE="en-gb",
        LANGUAGES=LANGUAGES,
        USE_TZ=True,
        STATIC_URL="/static/",
        MEDIA_URL="/media/",
        MEDIA_ROOT=str(folder / "media"),
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": str(folder / "shop.sqlite")}},
        HAYSTACK_CONNECTIONS={"default": index},
        DEFAULT_AUTO_FIELD="django.db.models.AutoField",
        INSTALLED_APPS=[*INSTALLED_APPS, "django.contrib.sitemaps", "sorl.thumbnail"],
        MIDDLEWARE=_MIDDLEWARE,
        TEMPLATES=[{**pages, "OPTIONS": {"context_processors": _CONTEXT}}],
        MIGRATION_MODULES=_NoMigrations(),
    )


class _NoMigrations(dict[str, None]):
    """Tables are made from the models at once: a fresh shop has no past to migrate from."""

    def __contains__(self, label: object) -> bool:
        return True

    def __getitem__(self, label: str) -> None:
        return None


def fill(folder: Path, host: str) -> None:
    """Make the tables, the products and, with Oscar's own importer, their photos."""
    from django.contrib.sites.models import Site
    from django.core.management import call_command
    from oscar.apps.catalogue.categories import create_from_breadcrumbs
    from oscar.apps.catalogue.models import Product, ProductCategory, ProductRecommendation
    from oscar.test.factories import create_product, create_stockrecord

    call_command("migrate", run_syncdb=True, verbosity=0)
    Site.objects.update_or_create(pk=1, defaults={"domain": host, "name": "Harbour Clothing"})
    known: dict[str, Product] = {}
    for row in json.loads((folder / "products.json").read_text(encoding="utf-8")):
        product = create_product(upc=row["upc"], title=row["title"], product_class="Clothing", description=row["text"])
        create_stockrecord(product, Decimal(row["price"]), row["upc"], row["stock"], "Warehouse", currency="GBP")
        ProductCategory.objects.create(product=product, category=create_from_breadcrumbs(row["category"]))
        for upc in row["recommended"]:
            ProductRecommendation.objects.create(primary=product, recommendation=known[upc])
        known[row["upc"]] = product
    for shots in sorted((folder / "photos").iterdir()):
        call_command("oscar_import_catalogue_images", str(shots))
    call_command("rebuild_index", interactive=False, verbosity=0)


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Quiet(WSGIRequestHandler):
    def log_message(self, *args: object) -> None:
        pass


def main(folder: Path) -> None:
    """Fill the shop and serve it until the process ends."""
    configure(folder)
    import django
    from django.core.wsgi import get_wsgi_application

    django.setup()
    with make_server("127.0.0.1", 0, None, _Server, _Quiet) as server:
        host = f"127.0.0.1:{server.server_port}"
        fill(folder, host)
        server.set_app(get_wsgi_application())
        print(f"http://{host}/", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
