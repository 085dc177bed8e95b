"""The Label Studio template: the crop large, the whole photo beside it, then the questions of the category."""

from __future__ import annotations

from collections.abc import Iterable
from xml.etree import ElementTree as ET

from annotation.controls import CATEGORY, IMAGE, Control, controls
from taxonomy.model import Taxonomy

_INLINE_MOST = 16
"""A question with more choices than this, or that leads nothing, is a searchable list instead of chips."""
_STYLE = """\
    .lb {display: flex; flex-wrap: wrap; gap: 24px; align-items: flex-start;}
    .lb .lb-pictures {flex: 1 1 360px; max-width: 480px; position: sticky; top: 0;}
    .lb .lb-context {max-width: 190px;}
    .lb .lb-context .lsf-toolbar {display: none;}
    .lb .lb-form {flex: 1.5 1 440px; min-width: 0; display: grid; grid-template-columns: 1fr 1fr; column-gap: 18px;}
    .lb .lb-wide {grid-column: 1 / -1;}
    .lb h3 {margin: 8px 0 2px !important; font-size: 13px; font-weight: 600; line-height: 18px; opacity: .75;}
    .lb .lsf-choices {margin: 0 0 4px; row-gap: 2px;}
    .lb .lsf-choice_layout_inline {margin: 0 4px 0 0; padding: 0;}
    .lb .lsf-choice__item {padding: 1px 0;}
    .lb .ant-checkbox-wrapper {font-size: 13px; line-height: 26px;}
    .lsf-sidepanels__wrapper_align_right {display: none;}
    .lsf-sidepanels {padding-right: 0 !important;}"""
"""The last rules hide the panels for regions, which a template of choices never has."""


def hotkeys(names: Iterable[str]) -> dict[str, str]:
    """Return one key per name: its first letter that is free, else the first free letter or digit."""
    taken: dict[str, str] = {}
    for name in names:
        wanted = [*name.replace(" ", ""), *"abcdefghijklmnopqrstuvwxyz1234567890"]
        key = next((letter for letter in wanted if letter not in taken.values()), None)
        if key:
            taken[name] = key
    return taken


def build(taxonomy: Taxonomy) -> str:
    """Return the template of ``taxonomy`` as Label Studio XML.

    A task's data holds ``crop`` and ``photo`` (addresses of pictures) and ``note`` (one line of text). Each category
    has a hotkey; a facet is asked when a category that has it is chosen.
    """
    category, *facets = controls(taxonomy)
    keys = hotkeys(taxonomy.categories)
    root = ET.Element("View")
    ET.SubElement(root, "Style").text = _STYLE
    root.append(ET.Comment(f" LookBench taxonomy {taxonomy.version} "))
    page = ET.SubElement(root, "View", className="lb")
    pictures = ET.SubElement(page, "View", className="lb-pictures")
    ET.SubElement(pictures, "Image", name=IMAGE, value="$crop", zoom="true", zoomControl="true", rotateControl="false")
    ET.SubElement(pictures, "Header", value="$note", size="4")
    context = ET.SubElement(pictures, "View", className="lb-context")
    ET.SubElement(context, "Image", name="photo", value="$photo", zoomControl="false", rotateControl="false")
    form = ET.SubElement(page, "View", className="lb-form")
    asked = ET.SubElement(form, "View", className="lb-wide")
    ET.SubElement(asked, "Header", value="Category", size="4")
    question = ET.SubElement(asked, "Choices", name=CATEGORY, toName=IMAGE, choice="single", layout="inline")
    question.set("required", "true")
    question.set("requiredMessage", "Choose the category of the garment in the crop")
    for name in category.values:
        choice = ET.SubElement(question, "Choice", value=name, hint=taxonomy.categories[name].definition)
        if name in keys:
            choice.set("hotkey", keys[name])
    for control in facets:
        _question(form, control, taxonomy)
    ET.indent(root, " ")
    return ET.tostring(root, encoding="unicode") + "\n"


def _question(form: ET.Element, control: Control, taxonomy: Taxonomy) -> None:
    facet = taxonomy.facets[control.facet]
    inline = control.main and len(control.values) <= _INLINE_MOST
    shown = {
        "visibleWhen": "choice-selected",
        "whenTagName": CATEGORY,
        "whenChoiceValue": ",".join(control.categories),
    }
    row = ET.SubElement(form, "View", shown, className="lb-wide" if inline else "lb-half")
    ET.SubElement(row, "Header", value=facet.name.capitalize(), size="4")
    choices = ET.SubElement(row, "Choices", name=control.name, toName=IMAGE, choice=facet.choice)
    choices.set("layout", "inline" if inline else "select")
    for name in control.values:
        ET.SubElement(choices, "Choice", value=name)


def instructions(taxonomy: Taxonomy) -> str:
    """Return the page behind Label Studio's instructions button as HTML: how to label, and what every value means.

    The definitions are here and not in the template, because Label Studio parses the template anew for every row it
    reads: half the size is half the time of a push and a pull.
    """
    root = ET.Element("div")
    ET.SubElement(root, "p").text = (
        "Label the garment in the large picture; the small one shows where it is in the whole photo. Choose the "
        "category with its key, then correct what is filled in. Leave open what the picture does not answer."
    )
    for title, entries in (
        ("Category", [(category.name, category.definition) for category in taxonomy.categories.values()]),
        *((f.name.capitalize(), [(v.name, v.definition) for v in f.values.values()]) for f in taxonomy.facets.values()),
    ):
        ET.SubElement(root, "h4").text = title
        terms = ET.SubElement(root, "dl")
        for name, definition in entries:
            ET.SubElement(terms, "dt").text = name
            ET.SubElement(terms, "dd").text = definition
    return ET.tostring(root, encoding="unicode", method="html")
