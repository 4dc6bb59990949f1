"""What `--help` shows besides the declared options: examples, and switches without a type."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

from covey.cli.removed import refuse_removed

#: One or two calls of each command, as someone would type them; by the words that name it.
EXAMPLES: dict[str, tuple[str, ...]] = {
    "prepare": (
        "covey prepare export.xlsx --item StockCode --person CustomerID --missing drop -o shop.covey",
        "covey prepare people.csv --quasi age,zip,job --sensitive illness -o people.covey",
        "covey prepare next-month.xlsx --like shop.covey -o next-month.covey",
    ),
    "inspect": ("covey inspect shop.covey", "covey inspect sales.csv --sensitive secret.txt"),
    "items": ("covey items sales.csv --sensitive 'glob:*TEST*'",),
    "check": ("covey check survey.csv --sensitive income -g 'k-eps-l(k=20, epsilon=1, l=1)'",),
    "anonymize": (
        "covey anonymize sales.csv -g 'degree(p=10)' --sensitive secret.txt -o release",
        "covey anonymize people.covey -g 'k-anonymity(k=5)' -o release --csv",
    ),
    "verify": ("covey verify release", "covey verify release --original sales.csv --fingerprint 1a5249f2bd65eef2"),
    "query": ("covey query release --sensitive 'pregnancy test' --present 'folic acid' --absent 'red wine'",),
    "sample": ("covey sample release -o draws --draws 5",),
    "evaluate": ("covey evaluate release --original sales.csv",),
    "attack": ("covey attack release --original sales.csv",),
    "explore": (
        "covey explore sales.csv -g 'degree(p=10)' --strengths 4,10,20 --sensitive secret.txt -o tried",
        "covey explore people.covey -g 'k-anonymity(k=5)' -m mondrian -m hilbert --seeds 3",
    ),
    "report": ("covey report release --original sales.csv -o report.html",),
    "compile": ("covey compile",),
    "methods": ("covey methods",),
    "serve": ("covey serve", "covey serve --root ~/exports --port 0"),
    "demo": ("covey demo --output demo-release",),
    "taxonomy suggest": ("covey taxonomy suggest sales.csv -o sales.taxonomy.csv",),
    "taxonomy show": ("covey taxonomy show sales.taxonomy.csv --data sales.csv",),
    "taxonomy check": ("covey taxonomy check sales.taxonomy.csv sales.csv",),
    "hierarchy suggest": ("covey hierarchy suggest people.csv --column age -o age.csv",),
    "generate quest": ("covey generate quest -o baskets.dat --seed 1",),
    "generate shop": ("covey generate shop -o sales.csv --seed 1",),
    "generate people": ("covey generate people -o people.csv --seed 1",),
    "generate survey": ("covey generate survey -o survey.csv --seed 1",),
    "generate viewers": ("covey generate viewers -o ratings.csv --seed 1",),
}


def _plainly(params: list[Any]) -> list[Any]:
    """Show switches without a type, which would read as if they took a value."""
    for param in params:
        if getattr(param, "is_flag", False) and param.metavar is None:
            param.metavar = ""
    return params


class Command(TyperCommand):
    """A command whose switches have no type, and whose options are not given twice if they take one value."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters, for help and for parsing."""
        return _plainly(super().get_params(ctx))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments; of an option that takes one value, all but the last would be lost without a word."""
        if not ctx.resilient_parsing:
            order = self._options_in(ctx, args)
            single = [one for one in order if isinstance(one, TyperOption) and not (one.multiple or one.is_flag)]
            twice = next((one for place, one in enumerate(single) if one in single[:place]), None)
            if twice is not None:
                raise typer.BadParameter("it takes one value, and is given twice.", ctx=ctx, param=twice)
        return super().parse_args(ctx, args)

    def _options_in(self, ctx: Any, args: list[str]) -> list[Any]:
        """Return the parameters that `args` name, in their order; refuse a removed option with what replaces it."""
        try:
            *_, order = self.make_parser(ctx).parse_args(args=list(args))
        except Exception as error:
            option = str(getattr(error, "option_name", ""))
            refuse_removed(option)
            from covey.cli.reading import refuse_moved

            name = ctx.command_path.partition(" ")[2]
            refuse_moved(option, name, args, lambda rest: self.make_parser(ctx).parse_args(args=rest)[0])
            raise
        return order


class Group(TyperGroup):
    """The command with its subcommands."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that `args` name; a removed one is refused with what replaces it."""
        refuse_removed(args[0])
        return super().resolve_command(ctx, args)


def _promises() -> list[str]:
    """Which promise is for what, as the page and the docs have it."""
    from covey.guarantees import GUARANTEES
    from covey.guarantees.words import card

    return [
        "Which promise do I need?",
        *(
            f"`{name}`: {one.title}. Covers someone who knows {one.knows}. Stays usable: {one.usable}."
            for name, one in ((name, card(guarantee)) for name, guarantee in GUARANTEES.items())
        ),
        "A person with several rows is protected as one only if `--person` names the column of persons.",
    ]


def complete(app: typer.Typer, above: str = "", *, listed: bool = False) -> None:
    """Give all commands of `app`, and of those below it, their examples; `listed` ones show nothing but a line."""
    app.info.cls = Group
    for command in app.registered_commands:
        command.cls = Command
        name = above + (command.name or getattr(command.callback, "__name__", "").replace("_", "-"))
        lines = EXAMPLES.get(name, ())
        told = ["Examples:" if len(lines) > 1 else "Example:", *(f"`{line}`" for line in lines)]
        command.epilog = "\n\n".join([*told, *(_promises() if name == "methods" and not listed else [])])
    for below in app.registered_groups:
        if below.typer_instance is not None:
            complete(below.typer_instance, f"{above}{below.name or below.typer_instance.info.name} ")
