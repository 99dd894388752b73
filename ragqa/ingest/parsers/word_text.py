"""The text of a Word document's runs, with the notes and text boxes that hang on them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ragqa.ingest.text_builder import raised

if TYPE_CHECKING:
    from docx.document import Document

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_CONTAINERS = frozenset(
    W + name for name in ("sdt", "sdtContent", "ins", "smartTag", "customXml", "moveTo")
)
_BREAKS = {f"{W}tab": "\t", f"{W}br": "\n", f"{W}cr": "\n", f"{W}noBreakHyphen": "-"}
_DELETED = frozenset((f"{W}del", f"{W}moveFrom"))
_AGAIN = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_TEXT_BOX = f"{W}txbxContent"
_NOT_READ = _DELETED | {  # fields' codes, readings above characters, what is there a second time
    *(W + name for name in ("instrText", "pPr", "rPr", "rt")),
    _TEXT_BOX,
    _AGAIN,
}
_NOT_SEEN = ("vanish", "strike", "dstrike")
_TEXTS = frozenset((f"{W}t", "{http://schemas.openxmlformats.org/officeDocument/2006/math}t"))
_NOTES = ("footnote", "endnote")


def blocks(parent: Any) -> Iterator[Any]:
    """Yield paragraphs and tables, those inside content controls and insertions too."""
    for element in parent:
        if element.tag in {f"{W}p", f"{W}tbl"}:
            yield element
        elif element.tag in _CONTAINERS:
            yield from blocks(element)


def text_of(element: Any) -> str:
    """Return the text below an element, each piece once and nothing that was deleted."""
    parts: list[str] = []
    pending = [element]
    while pending:
        node = pending.pop()
        if node.tag in _TEXTS:
            before = parts[-1] if parts else ""
            text = node.text or ""
            parts.append(raised(text, before) if _is_raised(node) else text)
        elif node.tag in _BREAKS:
            parts.append(_BREAKS[node.tag])
        elif node.tag not in _NOT_READ and not _is_hidden(node):
            pending.extend(reversed(node))
    return "".join(parts)


def _is_hidden(node: Any) -> bool:
    """Tell whether a run is one that Word shows to nobody, or strikes through."""
    if node.tag != f"{W}r":
        return False
    marks = (node.find(f"{W}rPr/{W}{name}") for name in _NOT_SEEN)
    return any(
        mark is not None and mark.get(f"{W}val", "true") not in ("false", "0", "off")
        for mark in marks
    )


def _is_raised(text: Any) -> bool:
    align = text.getparent().find(f"{W}rPr/{W}vertAlign")
    return align is not None and align.get(f"{W}val") == "superscript"


def text_boxes(paragraph: Any) -> Iterator[Any]:
    """Yield the contents of the text boxes that hang on a paragraph."""
    for box in paragraph.iter(_TEXT_BOX):
        if not any(above.tag in _NOT_READ for above in box.iterancestors()):
            yield box


def cell_paragraphs(cell: Any) -> Iterator[Any]:
    """Yield the paragraphs in a cell, those of its text boxes and inner tables too, each once."""
    for paragraph in cell.iter(f"{W}p"):
        if next(paragraph.iterancestors(_AGAIN), None) is None:
            yield paragraph


class Notes:
    """The footnotes and endnotes of a document, which lie in parts of their own.

    Args:
        document: As python-docx reads it, which leaves them aside.
    """

    def __init__(self, document: Document) -> None:
        self._texts: dict[tuple[str, str], str] = {}
        for relation in document.part.rels.values():
            kind = relation.reltype.rpartition("/")[2].removesuffix("s")
            if kind in _NOTES and not relation.is_external:
                self._read(kind, relation.target_part.blob)

    def _read(self, kind: str, source: bytes) -> None:
        from docx.oxml import parse_xml

        for note in parse_xml(source).iter(W + kind):
            text = " ".join(text_of(part).strip() for part in note.iter(f"{W}p")).strip()
            self._texts[kind, note.get(f"{W}id", "")] = text

    def of(self, element: Any) -> Iterator[str]:
        """Yield the notes that an element refers to: they often make an exception."""
        if not self._texts:
            return
        for kind in _NOTES:
            for mark in element.iter(f"{W}{kind}Reference"):
                text = self._texts.get((kind, mark.get(f"{W}id", "")))
                if text and not any(above.tag in _NOT_READ for above in mark.iterancestors()):
                    yield text
