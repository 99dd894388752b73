"""Pacing below a service's quota, the circuit breaker of a deployment, and budgets."""
