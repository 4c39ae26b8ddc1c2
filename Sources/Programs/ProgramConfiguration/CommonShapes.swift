import Logging
import StrictYAML
import Systemd

/// Grammar that both daemons' files share.
enum CommonShapes {
    static func listen(_ standard: String) -> Key {
        Key(
            "listen",
            .list(.text(Rules.address), count: 1...16),
            default: standard,
            "Where the HTTP server listens; not used for sockets that systemd hands over."
        )
    }

    static let tls = Key(
        "tls",
        .either([
            .choice(["none", "localCA"]),
            .object([
                Key(required: "certificate", .text(Rules.path), "The certificate and those it is signed by, as PEM."),
                Key(required: "privateKeyFile", .text(Rules.path), "Its private key, as PEM."),
            ]),
        ]),
        default: "none",
        "TLS of the HTTP server; a listener that others can reach must have it, unless `behindProxy`. With `localCA` the daemon makes a certificate for localhost, and the CA that signed it."
    )

    static let behindProxy = Key(
        "behindProxy",
        .boolean,
        default: "false",
        "Whether a proxy that speaks TLS stands in front."
    )

    static let trustedLoopback = Key(
        "trustedLoopback",
        .list(.integer(1...65_535), count: 0...64),
        default: "[]",
        "Ports of this machine that are reached over http whatever process listens there, such as a container's. While such a port is free, every local user can take it, so this trusts all of them."
    )

    /// The ports that `outgoing` trusts.
    static func trustedLoopback(_ outgoing: YAMLValue) -> Set<UInt16> {
        Set(outgoing["trustedLoopback"].items.compactMap { UInt16(exactly: $0.number) })
    }

    /// `outgoing` of the programs that use neither a proxy nor other certificate authorities.
    static let outgoing = Key("outgoing", .object([trustedLoopback]), "Requests to other servers.")

    static let log = Key(
        "log",
        .object([
            Key(
                "level",
                .choice(of: Logger.Level.self),
                default: "info",
                "The least severe event that is logged."
            ),
            Key(
                "format",
                .choice(of: ServiceLog.Format.self),
                default: "journal",
                "How an event is written; at a terminal `journal` is text."
            ),
        ]),
        "The log, on standard error."
    )

    static let metrics = Key(
        "metrics",
        .object([
            Key(
                "listen",
                .either([.choice(["none"]), .text(Rules.address)]),
                default: "none",
                "An address for `/metrics` alone; loopback listeners without a proxy have it, too."
            )
        ]),
        "Measurements."
    )
}
