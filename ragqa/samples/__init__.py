"""A small shop's documents, in English and Chinese, to try ragqa on.

>>> from ragqa import samples
>>> sorted(folder.name for folder in samples.SHOP.iterdir())
['en', 'zh']

``SHOP`` holds manuals, policies, price and stock lists, a FAQ, a PDF and a docx; both languages
say the same. The two files of notes for the staff are visible to the group ``staff`` only.

``QUESTIONS`` is a jsonl file of questions about them: ``id``, ``question``, ``answers`` (any of
which is right; empty where the documents do not hold it), ``gold_doc`` and ``alt_docs`` (titles
of the documents that hold it), ``kind`` and ``language``.
"""

from importlib.resources import files
from pathlib import Path

_FOLDER = Path(str(files(__name__)))

SHOP = _FOLDER / "shop"
QUESTIONS = _FOLDER / "questions.jsonl"
