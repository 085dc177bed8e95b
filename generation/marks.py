"""The mark of synthetic origin inside a JPEG file."""

from __future__ import annotations

from typing import Final
from xml.sax.saxutils import quoteattr

COMPOSITE: Final = "http://cv.iptc.org/newscodes/digitalsourcetype/compositeWithTrainedAlgorithmicMedia"
"""IPTC digital source type: real parts (the garments) with parts made by a trained model (all around them)."""

_NAMESPACE: Final = b"http://ns.adobe.com/xap/1.0/\x00"


def mark(jpeg: bytes, *, tool: str, kind: str = COMPOSITE) -> bytes:
    """Return a JPEG file with an XMP packet that names its digital source type and the tool that made it.

    XMP specification part 3, section 1.1.3: an APP1 segment, here right behind SOI and APP0. Raises ValueError when
    the bytes are no JPEG file or already carry an XMP packet.
    """
    if jpeg[:2] != b"\xff\xd8":
        raise ValueError("no JPEG file: the first two bytes are not FF D8")
    if _NAMESPACE in jpeg:
        raise ValueError("the JPEG file already carries an XMP packet")
    packet = (
        '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>'
        '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
        '<rdf:Description rdf:about="" xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/" '
        'xmlns:xmp="http://ns.adobe.com/xap/1.0/" '
        f"Iptc4xmpExt:DigitalSourceType={quoteattr(kind)} xmp:CreatorTool={quoteattr(tool)}/>"
        '</rdf:RDF></x:xmpmeta><?xpacket end="r"?>'
    ).encode()
    body = _NAMESPACE + packet
    segment = b"\xff\xe1" + (len(body) + 2).to_bytes(2, "big") + body
    at = 4 + int.from_bytes(jpeg[4:6], "big") if jpeg[2:4] == b"\xff\xe0" else 2
    return jpeg[:at] + segment + jpeg[at:]
