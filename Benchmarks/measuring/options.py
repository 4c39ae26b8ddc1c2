"""The option that all measurements have: one short round."""


def read(parser, **less):
    """Reads the options of a measurement. `--short` sets those in `less`."""
    parser.add_argument(
        "--short", action="store_true",
        help="run one short round with less data to check the measurement; a missed target is not a failure",
    )
    found = parser.parse_args()
    if found.short:
        vars(found).update(less)
    return found
