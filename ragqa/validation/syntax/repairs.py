"""The names of all repairs. None of them adds a value or leaves one out.

A repair says how a text was read that is no plain JSON object. The names stand in
``Passed.repairs``, in the verdict and in the answer's attempts.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

REPAIRS: Final[Mapping[str, str]] = MappingProxyType(
    {
        # Clean-up of the text.
        "invisible_marks": "A byte order mark or other invisible marks at the edges were dropped.",
        "reasoning": "Closed reasoning blocks outside the object were dropped.",
        # Where the object was found.
        "code_fence": "The object stood in a code fence.",
        "surrounding_text": "Text before or after the object was left out.",
        "tool_call_wrapper": "The object stood in a tool call that bears the schema's name.",
        "schema_name_wrapper": "The object was the value of the schema's own name.",
        "one_element_list": "The object was the only element of a list.",
        "doubled_encoding": "The object was encoded twice, as JSON inside a JSON string.",
        "html_entities": "All quotes were written as HTML entities.",
        "repeated_object": "The same object stood there more than once.",
        # How the object was written.
        "comments": "Comments outside strings were left out.",
        "trailing_comma": "A comma before a closing brace or bracket was left out.",
        "missing_comma": "A comma between two members was missing.",
        "single_quotes": "Strings stood in single quotes.",
        "triple_quotes": "Strings stood in triple quotes.",
        "typographic_quotes": "Strings stood in typographic or full-width quotes.",
        "full_width_punctuation": "Full-width punctuation or digits stood for structure.",
        "python_literals": "True, False or None were written for true, false or null.",
        "parentheses": "A value stood in parentheses.",
        "python_tuple": "A tuple was written for a list.",
        "unquoted_keys": "Keys stood without quotes.",
        "unescaped_quotes": "Quotes inside a string were not escaped.",
        "raw_line_breaks": "Line breaks inside a string were not escaped.",
        "raw_control_characters": "Tabs or control characters inside a string were not escaped.",
        "lenient_escapes": "Escapes that JSON lacks, but JavaScript and Python share, were read.",
        "lenient_numbers": "Numbers were written as Python and JavaScript, not JSON, allow.",
        "unusual_blanks": "Blanks or invisible marks that JSON lacks stood between members.",
    }
)
