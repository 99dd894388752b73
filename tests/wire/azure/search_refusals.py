"""What Azure AI Search answers where it refuses: statuses and bodies in the service's own words."""

from __future__ import annotations

from typing import Any

JsonObject = dict[str, Any]


class Refused(Exception):
    """A request that the service does not take."""

    def __init__(self, status: int, message: str, *, code: str = "", detail: str = "") -> None:
        super().__init__(message)
        self.status = status
        error: JsonObject = {"code": code, "message": message}
        if detail:
            error["details"] = [{"code": detail, "message": message}]
        self.body: JsonObject = {"error": error}


def invalid(message: str, *, detail: str = "") -> Refused:
    code = "InvalidRequestParameter" if detail else ""
    return Refused(400, message, code=code, detail=detail)


def bad_expression(what: str, parameter: str, detail: str) -> Refused:
    """An expression in ``$filter``, ``$select`` or ``$orderby`` that cannot be."""
    return invalid(f"Invalid expression: {what}\r\nParameter name: {parameter}", detail=detail)


def no_property(name: str, parameter: str) -> Refused:
    detail = {"$select": "CannotParseSelect", "$filter": "CannotParseFilter"}.get(parameter, "")
    return bad_expression(
        f"Could not find a property named '{name}' on type 'search.document'.",
        parameter,
        detail or "CannotParseExpression",
    )


def unknown_key(name: str, what: str = "parameters") -> Refused:
    return invalid(
        f"The request is invalid. Details: {what} : The property '{name}' does not exist on type "
        "'Microsoft.Azure.Search' or is not present in the API version '2026-04-01'. Make sure to "
        "only use property names that are defined by the type.\r\n"
    )


def no_index(name: str, service: str) -> Refused:
    return Refused(404, f"The index '{name}' for service '{service}' was not found.")
