"""The option that each measurement has: one short round."""


def read(parser, **less):
    """The options of a measurement; `--short` sets those of `less`."""
    parser.add_argument(
        "--short", action="store_true",
        help="one short round of everything, with less data: says whether the measurement works; a missed mark is no failure",
    )
    found = parser.parse_args()
    if found.short:
        vars(found).update(less)
    return found
