"""Plans in which the method may be `auto`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from covey.errors import ParameterError
from covey.pipeline import Plan, plan, taxonomy_of

AUTO = "auto"


def plan_with(
    source: Any,
    guarantee: Any,
    method: Any,
    *,
    engine: str = "local",
    taxonomy: Any = None,
    seed: int | None = None,
    like: Any = None,
    like_trace: Any = None,
    about: Any = None,
    **options: Any,
) -> Plan:
    """Return a plan as `covey.pipeline.plan` makes it, also for the method `auto`."""
    if not (isinstance(method, str) and method.strip() == AUTO):
        given = {"taxonomy": taxonomy, "seed": seed, "like": like, "like_trace": like_trace, "about": about}
        return plan(source, guarantee, method, **given, **options)
    if str(guarantee).startswith("label-dp") or getattr(guarantee, "name", "") == "label-dp":
        raise ParameterError(
            "--method auto measures releases on the original: with label-dp, the choice would tell something about the "
            "sensitive items. Name the method, or leave it out."
        )
    if engine != "local":
        raise ParameterError("--method auto measures releases in memory: it needs the engine local.")
    if like is not None or like_trace is not None:
        raise ParameterError("--method auto cannot keep people in the company of an earlier release. Name a method.")
    if options:
        raise ParameterError(f"--method auto has no options of its own. Name a method to set {next(iter(options))!r}.")
    from covey.explore.auto import Auto  # with all attacks, which are not loaded for other methods

    tree = taxonomy_of(taxonomy)
    return replace(plan(source, guarantee, None, taxonomy=tree, about=about), method=Auto(seed=seed, taxonomy=tree))
