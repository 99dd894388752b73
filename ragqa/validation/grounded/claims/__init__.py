"""Claims of an answer that something was done in this run, and what bears them out."""

from ragqa.validation.grounded.claims.check import CODE, ClaimsProven, claims_in

__all__ = ["CODE", "ClaimsProven", "claims_in"]
