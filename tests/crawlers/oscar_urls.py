"""Addresses of the Oscar shop: all under a language, and a sitemap of every product and category in every language."""

from django.apps import apps
from django.conf import settings
from django.conf.urls.i18n import i18n_patterns
from django.contrib.sitemaps import Sitemap, views
from django.urls import include, path
from django.utils.translation import override
from django.views.static import serve
from oscar.apps.catalogue.models import Category, Product


class _Pages(Sitemap):
    def __init__(self, language: str, model: type) -> None:
        self.language, self.model = language, model

    def items(self):
        return self.model.objects.order_by("pk")

    def location(self, item) -> str:
        with override(self.language):
            return item.get_absolute_url()


_maps = {
    f"{label}-{language}": _Pages(language, model)
    for language, _ in settings.LANGUAGES
    for label, model in (("products", Product), ("categories", Category))
}
urlpatterns = [
    path("i18n/", include("django.conf.urls.i18n")),
    path("media/<path:path>", serve, {"document_root": settings.MEDIA_ROOT}),
    path("sitemap.xml", views.index, {"sitemaps": _maps, "sitemap_url_name": "section"}),
    path("sitemap-<slug:section>.xml", views.sitemap, {"sitemaps": _maps}, name="section"),
    *i18n_patterns(path("", include(apps.get_app_config("oscar").urls[0]))),
]
